"""MPPI: model predictive path integral control (Williams et al. 2017).

Williams, Wagener, Goldfain, Drews, Rehg, Boots, Theodorou, "Information theoretic MPC for model-based reinforcement
learning", ICRA 2017.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bonspiel.planners import Array, Budget, Decision, EpisodeSearch, Model, Rng
from bonspiel.planners.aliases import takes_aliases
from bonspiel.planners.checks import require_at_least, require_choice, require_count, require_positive, require_share
from bonspiel.planners.sequences.gaussian_search import GaussianPlanner, GaussianRounds, GaussianSearch
from bonspiel.planners.spaces import COLOUR, GAUSSIANS, Parameters, Range


def weights(returns: Array, temperature: float, standardised: bool) -> Array:
    """Weights of sequences that sum to 1, exp((R - max R) / temperature), [n].

    Args:
        returns: [n].
        temperature: in units of the returns, or of their standard deviation if they are `standardised`.
        standardised: see `temperature`.
    """
    with np.errstate(invalid="ignore"):  # of infinite returns there are no weights, and no decision
        scale = temperature * (returns.std() if standardised else 1.0)
        below = returns - returns.max()
        # equal returns have no deviation, and equal weights
        exponents = below / scale if scale > 0.0 else 0.0 * below
        # numpy's exp and its products of matrices round by the processor, so that decisions would depend on it
        exponentials = np.array([math.exp(exponent) for exponent in exponents.tolist()])
        result: Array = exponentials / exponentials.sum()
    return result


class _Rounds(GaussianRounds):
    """Rounds that move the mean to the average of their sequences, weighted by the returns."""

    planner: "MPPI"

    def move(self, actions: Array, returns: Array) -> None:
        share = weights(returns, self.planner.temperature, self.planner.returns == "standardised")
        self.gaussian.move_to((share[:, None, None] * actions).sum(0))


@takes_aliases
@dataclass(frozen=True)
class MPPI(GaussianPlanner):
    """Path integral control: rounds of sequences around a mean that moves to their average, weighted by the returns.

    The action played is the first of the mean sequence. The last rollouts of the budget go to that sequence and value
    it. The paper starts from the last decision's mean, as with a `memory` of 1, and does one round a decision; here
    there are as many as the budget allows. A round that is less than half done when the budget ends, or half of four,
    changes nothing.
    The paper's cost of control is left to the model's rewards.

    Args:
        population: sequences in a round, at least 2; fewer where the budget would not make as many
            rounds as `rounds` says.
        temperature: lambda of the weights exp((R - max R) / lambda), above 0.
        returns: "standardised", so that the temperature counts in standard deviations of the round's returns and one
            suits rewards of any size, or "raw" as in the paper.
        sd: standard deviation of the perturbations, as a part of an action's range, above 0.
        beta: colour of the perturbations, whose power falls with the frequency as f^-beta; 0 is white as in the paper.
        memory: part of the last decision's mean sequence, shifted by the step taken, with which the next decision of an
            episode starts, in [0, 1]; the rest is that of `start`.
        rounds: number of rounds that a small budget is divided into, at least 1; fewer where rounds would have fewer
            than 4 sequences; the paper has 1, with a large population.
    """

    population: int = 100
    temperature: float = 0.2
    returns: Literal["standardised", "raw"] = "standardised"
    sd: float = 0.5
    beta: float = 3.0
    memory: float = 0.0
    rounds: int = 4

    tuning: ClassVar[Parameters] = {**GAUSSIANS, **COLOUR, "temperature": Range(0.03, 3.0, log=True)}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("population", self.population, 2)
        require_positive("temperature", self.temperature)
        require_choice("returns", self.returns, ("standardised", "raw"))
        require_positive("sd", self.sd)
        require_at_least("beta", self.beta, 0.0)
        require_share("memory", self.memory)
        require_count("rounds", self.rounds)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        return self.begin_episode(model).plan(state, budget, rng, root_actions)

    def begin_episode(self, model: Model) -> EpisodeSearch:
        """The decisions of an episode; see `planners.begin_episode`."""
        return GaussianSearch(_Rounds, self, model)
