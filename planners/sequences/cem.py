"""The cross-entropy method over action sequences (Rubinstein 1999; de Boer, Kroese, Mannor, Rubinstein 2005).

Rubinstein, "The cross-entropy method for combinatorial and continuous optimization", 1999; de Boer et al., "A tutorial
on the cross-entropy method", 2005; for planning as in PETS (Chua et al. 2018) and PlaNet (Hafner et al. 2019).
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from bonspiel.planners import Array, Budget, Decision, EpisodeSearch, Model, Rng
from bonspiel.planners.aliases import takes_aliases
from bonspiel.planners.checks import require, require_at_least, require_count, require_positive, require_share
from bonspiel.planners.kinds import KINDS
from bonspiel.planners.planner import Traits
from bonspiel.planners.sequences.gaussian_search import GaussianPlanner, GaussianRounds, GaussianSearch
from bonspiel.planners.sequences.mixed import Mixed
from bonspiel.planners.sequences.plans import SEQUENCE_TRAITS, best_of
from bonspiel.planners.spaces import COLOUR, GAUSSIANS, Parameters, Range


class _Rounds(GaussianRounds):
    """Rounds that fit the Gaussian to the best of their sequences."""

    planner: "CEM"

    def move(self, actions: Array, returns: Array) -> None:
        elites = best_of(returns, max(min(2, self.size // 2), round(self.planner.elite_fraction * self.size)))
        self.gaussian.fit(actions[elites], self.planner.momentum, self.planner.least_sd)


@takes_aliases
@dataclass(frozen=True)
class CEM(GaussianPlanner):
    """The cross-entropy method: rounds of sequences from Gaussians that are fitted to the best of the round before.

    Booleans and categoricals have probabilities in place of a Gaussian, fitted to the elites as well, and integers are
    rounded. The action played is the first of the mean sequence, as in PlaNet, with the likeliest value of a boolean
    or categorical. The last rollouts of the budget go to that sequence and value it. The number of rounds follows from
    the budget; a round that is less than half done when the budget ends, or half of four, changes nothing.

    Args:
        population: sequences in a round, at least 2; fewer where the budget would not make as many
            rounds as `rounds` says.
        elite_fraction: part of them that the Gaussians are fitted to, in (0, 1]; at least 2 sequences of four or more.
        momentum: part of mean and deviation that a round leaves as they were, in [0, 1).
        sd: standard deviation at first, as a part of an action's range, above 0.
        beta: colour of the noise, whose power falls with the frequency as f^-beta; 0 is white as in the papers, with
            which long sequences are hardly ever smooth.
        least_sd: least standard deviation, as a part of the range as well, at least 0.
        memory: part of the last decision's mean sequence, shifted by the step taken, with which the next decision of an
            episode starts, in [0, 1]; the rest is that of `start`.
        rounds: number of rounds that a small budget is divided into, at least 1; fewer where rounds would have fewer
            than 4 sequences.
    """

    population: int = 200
    elite_fraction: float = 0.05
    momentum: float = 0.3
    sd: float = 0.6
    beta: float = 3.0
    least_sd: float = 0.02
    memory: float = 0.0
    rounds: int = 4

    traits: ClassVar[Traits] = replace(SEQUENCE_TRAITS, action_kinds=KINDS)

    tuning: ClassVar[Parameters] = {**GAUSSIANS, **COLOUR, "elite_fraction": Range(0.05, 0.4, log=True)}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("population", self.population, 2)
        require_positive("elite_fraction", self.elite_fraction, 1.0)
        require_at_least("momentum", self.momentum, 0.0)
        require(self.momentum < 1.0, "momentum", self.momentum, "below 1")
        require_positive("sd", self.sd)
        require_at_least("beta", self.beta, 0.0)
        require_at_least("least_sd", self.least_sd, 0.0)
        require_share("memory", self.memory)
        require_count("rounds", self.rounds)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        return self.begin_episode(model).plan(state, budget, rng, root_actions)

    def begin_episode(self, model: Model) -> EpisodeSearch:
        """The decisions of an episode; see `planners.begin_episode`."""
        return GaussianSearch(_Rounds, self, model, Mixed)
