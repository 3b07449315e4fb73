"""Root pre-search: values of a grid of aims without noise, smoothed by the noise (a 2017 thesis)."""

from bonspiel.planners.presearch.planner import Presearch
from bonspiel.planners.presearch.sweep import Sweep

__all__ = ["Presearch", "Sweep"]
