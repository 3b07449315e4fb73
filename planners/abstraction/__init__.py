"""The abstraction tree: UCB1 on statistics gathered over cells of similar states (a 2017 thesis)."""

from bonspiel.planners.abstraction.adaptive.planner import AdaptiveAbstraction
from bonspiel.planners.abstraction.planner import AbstractionTree
from bonspiel.planners.abstraction.scaled import ScaledAbstraction

__all__ = ["AbstractionTree", "AdaptiveAbstraction", "ScaledAbstraction"]
