"""Weighted UCT: UCB1 on kernel-weighted experiences instead of a tree (Weinstein 2014; the thesis's algorithm 4)."""

from bonspiel.planners.cells.weighted_uct.planner import WeightedUCT

__all__ = ["WeightedUCT"]
