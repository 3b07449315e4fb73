"""Spaces to tune: ranges and choices of parameters, and those that several planners share.

A planner declares by a class attribute the parameters that `bonspiel tune` chooses:
`tuning: ClassVar[Parameters] = {"exploration": Range(0.1, 3.0, log=True), "n_actions": Choice((4, 8))}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bonspiel.planners.checks import require


@dataclass(frozen=True)
class Range:
    """A number between two bounds, uniform or with a uniform logarithm; tried with two significant digits.

    Args:
        low: least value.
        high: largest value, above it.
        log: whether the logarithm is uniform.
        of_returns: whether the bounds are in units of the standard deviation of random plans' returns.
    """

    low: float
    high: float
    log: bool = False
    of_returns: bool = False

    def __post_init__(self) -> None:
        """Refuse bounds between which there is nothing."""
        require(self.low < self.high, "high", self.high, f"above low={self.low:g}")
        require(self.low > 0.0 or not self.log, "low", self.low, "above 0 for a logarithm")


@dataclass(frozen=True)
class Choice:
    """One of some values, each with equal probability at first."""

    values: tuple[str | int | float | None, ...]

    def __post_init__(self) -> None:
        """Refuse a choice of nothing."""
        require(len(self.values) > 0, "values", self.values, "at least one")


Parameters = Mapping[str, Range | Choice]
"""The ranges and choices of parameters, by name."""

EXPLORATION: Parameters = {"exploration": Range(0.05, 5.0, log=True, of_returns=True)}
BLIND_VALUES: Parameters = {"blind_values": Choice((0, 4, 16))}
N_ACTIONS: Parameters = {"n_actions": Choice((4, 8, 16))}
LEAF: Parameters = {"leaf": Choice(("tree", "rollout"))}
WIDENING: Parameters = {"alpha_action": Range(0.2, 0.6), "k_action": Range(0.5, 4.0, log=True)}
STATES: Parameters = {"alpha_state": Range(0.1, 0.5), "k_state": Range(0.5, 4.0, log=True)}
LOOKAHEAD: Parameters = {"lookahead": Choice((10, 20, 30, 50, None))}
SEQUENCES: Parameters = {**LOOKAHEAD, "repeats": Choice((1, 3)), "sight": Choice((20, 50, 100, None))}
GAUSSIANS: Parameters = {
    **SEQUENCES,
    "population": Choice((10, 25, 50, 100, 200)),
    "sd": Range(0.1, 1.0, log=True),
    "octaves": Choice((0.0, 8.0)),
    "start": Choice(("middle", "null")),
    "memory": Choice((0.0, 1.0)),
}
COLOUR: Parameters = {"beta": Range(0.0, 4.0)}
