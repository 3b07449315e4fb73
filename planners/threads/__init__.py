"""Tree parallelisation: several threads search in one tree."""

from bonspiel.planners.threads.planner import TreeParallel

__all__ = ["TreeParallel"]
