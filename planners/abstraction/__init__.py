"""The abstraction tree: UCB1 on statistics gathered over cells of similar states (a 2017 thesis)."""

from planners.abstraction.planner import AbstractionTree
from planners.abstraction.refined import RefinedAbstraction
from planners.abstraction.scaled import ScaledAbstraction

__all__ = ["AbstractionTree", "RefinedAbstraction", "ScaledAbstraction"]
