"""Root parallelisation: independent searches, whose decisions are combined."""

from planners.root.planner import Root

__all__ = ["Root"]
