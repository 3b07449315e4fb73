"""The abstraction tree: UCB1 on statistics gathered over cells of similar states (a 2017 thesis)."""

from planners.abstraction.planner import AbstractionTree

__all__ = ["AbstractionTree"]
