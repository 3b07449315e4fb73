"""Tree parallelisation: several threads search in one tree."""

from bonspiel.planners.wrappers.threads.planner import TreeParallel

__all__ = ["TreeParallel"]
