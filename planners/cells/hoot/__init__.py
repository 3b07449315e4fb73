"""HOOT and POLY-HOOT: hierarchical optimistic optimization of the action in every state (Mansley 2011, Mao 2020)."""

from bonspiel.planners.cells.hoot.planner import HOOT, PolyHOOT

__all__ = ["HOOT", "PolyHOOT"]
