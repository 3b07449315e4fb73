"""iCEM: the cross-entropy method with few rollouts (Pinneri et al. 2020).

Pinneri, Sawant, Blaes, Achterhold, Stueckler, Rolinek, Martius, "Sample-efficient cross-entropy method for real-time
planning", CoRL 2020.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from bonspiel.planners import Array, Budget, Decision, EpisodeSearch, Model, Rng
from bonspiel.planners.aliases import takes_aliases
from bonspiel.planners.checks import require, require_at_least, require_count, require_positive, require_share
from bonspiel.planners.kinds import KINDS
from bonspiel.planners.planner import Traits
from bonspiel.planners.sequences.gaussian_search import GaussianPlanner, GaussianRounds, GaussianSearch
from bonspiel.planners.sequences.gaussians import Gaussian, shifted
from bonspiel.planners.sequences.mixed import Mixed
from bonspiel.planners.sequences.plans import SEQUENCE_TRAITS, best_of
from bonspiel.planners.spaces import COLOUR, GAUSSIANS, Choice, Parameters


class _Rounds(GaussianRounds):
    """Rounds that shrink, take some of the last one's elites over, and remember the best sequence of all."""

    planner: "ICEM"
    n_finalists: ClassVar[int] = 2

    def __init__(self, planner: "ICEM", gaussian: Gaussian, size: int) -> None:
        super().__init__(planner, gaussian, max(size, 2))
        self.largest, self.fresh = self.size, float(self.size)
        self.best, self.best_return = gaussian.sequence(), -np.inf
        self.kept = gaussian.mean[:0, None].reshape(0, *gaussian.mean.shape)

    @property
    def elites(self) -> int:
        return min(self.planner.elites, self.largest // 2)

    def resize(self, simulations: int) -> None:
        super().resize(simulations)
        self.size = max(self.size, 2)
        self.fresh *= self.size / self.largest
        self.largest = self.size
        self.kept = self.kept[: self.largest // 2]

    def propose(self) -> Array:
        fresh = max(round(self.fresh), 2 * self.elites)
        drawn = self.gaussian.draw(min(fresh, self.largest - len(self.kept)))
        self.fresh /= self.planner.decay
        actions = np.concatenate([drawn, self.kept])
        self.size = len(actions)
        return actions

    def learn(self, actions: Array, returns: Array) -> None:
        for best in best_of(returns, 1):  # none where nothing was rolled out
            if returns[best] > self.best_return:
                self.best, self.best_return = actions[best], returns[best]
        super().learn(actions, returns)

    def move(self, actions: Array, returns: Array) -> None:
        elites = actions[best_of(returns, self.elites)]
        self.gaussian.fit(elites, self.planner.momentum, self.planner.least_sd)
        self.kept = elites[: min(round(self.planner.keep * self.elites), self.largest // 2)]

    def recall(self, last: Self, passed: int) -> None:
        super().recall(last, passed)
        self.best = self.gaussian.sequence()
        count = min(round(self.planner.memory * len(last.kept)), self.largest // 2)
        self.kept = self.gaussian.limited(shifted(last.kept[:count], passed, len(self.best)))

    def finalists(self) -> Array:
        return np.stack([self.gaussian.sequence(), self.best])


@takes_aliases
@dataclass(frozen=True)
class ICEM(GaussianPlanner):
    """CEM with coloured noise, elites that stay in the next round, shrinking rounds, and the best sequence ever played.

    The last rollouts of the budget go to the mean sequence, which the paper adds to the last round, and to the best of
    all rounds; the one that returns more is played. The number of rounds follows from the budget; a round that is less
    than half done when the budget ends, or half of four, no longer moves the distribution. In the paper a decision
    starts from the last one's mean and elites, as with a `memory` of 1.

    Args:
        population: new sequences in the first round, at least 2; fewer where the budget would not make as many
            rounds as `rounds` says. No round is larger.
        decay: factor, at least 1, by which each round is smaller than the one before; it has twice the elites or more.
        elites: sequences that the Gaussians are fitted to, at least 2; half of the first round at most, as in the
            authors' code (github.com/martius-lab/iCEM).
        keep: part of the elites that is rolled out again in the next round, in [0, 1]; with a memory, part of
            these, shifted by the step taken, also in the first round of the next decision.
        beta: colour of the noise, whose power falls with the frequency as f^-beta; 0 is white.
        momentum: part of mean and deviation that a round leaves as they were, in [0, 1).
        sd: standard deviation at first, as a part of an action's range, above 0.
        least_sd: least standard deviation, as a part of the range as well, at least 0.
        memory: part of the last decision's mean sequence, shifted by the step taken, with which the next decision of an
            episode starts, in [0, 1]; the rest is that of `start`.
        rounds: number of rounds that a small budget is divided into, at least 1; fewer where rounds would have fewer
            than 4 sequences.
    """

    population: int = 100
    decay: float = 1.25
    elites: int = 10
    keep: float = 0.3
    beta: float = 3.0
    momentum: float = 0.1
    sd: float = 0.6
    least_sd: float = 0.02
    memory: float = 0.0
    rounds: int = 4

    traits: ClassVar[Traits] = replace(SEQUENCE_TRAITS, action_kinds=KINDS)

    tuning: ClassVar[Parameters] = {**GAUSSIANS, **COLOUR, "elites": Choice((5, 10, 20))}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("population", self.population, 2)
        require_at_least("decay", self.decay, 1.0)
        require_count("elites", self.elites, 2)
        require_share("keep", self.keep)
        require_at_least("beta", self.beta, 0.0)
        require_at_least("momentum", self.momentum, 0.0)
        require(self.momentum < 1.0, "momentum", self.momentum, "below 1")
        require_positive("sd", self.sd)
        require_at_least("least_sd", self.least_sd, 0.0)
        require_share("memory", self.memory)
        require_count("rounds", self.rounds)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        return self.begin_episode(model).plan(state, budget, rng, root_actions)

    def begin_episode(self, model: Model) -> EpisodeSearch:
        """The decisions of an episode; see `planners.begin_episode`."""
        return GaussianSearch(_Rounds, self, model, Mixed)
