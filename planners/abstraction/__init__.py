"""The abstraction tree: UCB1 on statistics gathered over cells of similar states (a 2017 thesis)."""

from planners.abstraction.planner import AbstractionTree
from planners.abstraction.scaled import ScaledAbstraction

__all__ = ["AbstractionTree", "ScaledAbstraction"]
