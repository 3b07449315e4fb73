"""The least and the largest return of a search, by which rules of exploration can be scaled."""

import numpy as np

from bonspiel.planners.core.jit import helper
from bonspiel.planners.model import Array

_NONE = np.array([np.inf, -np.inf])  # copied, which is twice as fast as made from a list


def no_returns() -> Array:
    """The least and the largest return of a search that has met none, [2]."""
    return _NONE.copy()


@helper
def note_return(returns: Array, gain: float) -> None:
    """Extend the least and the largest return by one more."""
    returns[0] = min(returns[0], gain)
    returns[1] = max(returns[1], gain)
