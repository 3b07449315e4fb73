"""Root parallelisation: independent searches, whose decisions are combined."""

from bonspiel.planners.wrappers.root.planner import Root

__all__ = ["Root"]
