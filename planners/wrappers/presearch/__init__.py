"""Root pre-search: values of a grid of aims without noise, smoothed by the noise (a 2017 thesis)."""

from bonspiel.planners.wrappers.presearch.planner import Presearch
from bonspiel.planners.wrappers.presearch.sweep import Sweep

__all__ = ["Presearch", "Sweep"]
