"""Continuous Monte Carlo graph search (Kujanpaa, Babadi, Zhao, Kannala, Ilin, Pajarinen 2024)."""

from bonspiel.planners.cells.cmcgs.planner import CMCGS

__all__ = ["CMCGS"]
