"""The abstraction tree with exploration in units of the returns, so that its parameters suit rewards of any size."""

from dataclasses import dataclass
from typing import ClassVar

from bonspiel.planners.abstraction.planner import AbstractionTree
from bonspiel.planners.spaces import LOOKAHEAD, N_ACTIONS, Choice, Parameters, Range


@dataclass(frozen=True)
class ScaledAbstraction(AbstractionTree):
    """The abstraction tree with exploration in units of the returns; `abstraction` has the thesis's parameters.

    At the root C is `exploration` times the range of the returns; in any other state it is `spread` standard deviations
    of the returns in its cells (docs/guides/abstraction-tree.md). The parameters are those of `AbstractionTree`.
    """

    exploration: float = 0.3
    spread: float = 0.16
    n_actions: int = 16
    threshold: float | None = 1.8
    threshold_base: float | None = 2.9
    weight_power: float | None = 2.0

    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        "exploration": Range(0.05, 1.0, log=True),
        "spread": Range(0.03, 4.0, log=True),
        "inherited_visits": Choice((0.0, 1.0, 2.0, 4.0)),
        **N_ACTIONS,
        "threshold": Range(1.0, 64.0, log=True),
        "threshold_base": Range(1.1, 3.0),
        "weight_power": Range(0.0, 4.0),
    }
