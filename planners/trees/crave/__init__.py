"""cRAVE: continuous rapid action value estimates on double progressive widening (Couetoux et al. 2011)."""

from bonspiel.planners.trees.crave.planner import CRAVE

__all__ = ["CRAVE"]
