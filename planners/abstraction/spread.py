"""C of UCB1 measured by the returns: their range at the root, their standard deviation in the cells of a state.

Far from any reward neighbouring actions differ by little; the returns differ by little as well there, and so does the
bonus. Without a `spread` C is a constant, as in the thesis.
"""

import math

from bonspiel.planners.core.jit import helper
from bonspiel.planners.model import Array

LEAST_VISITS = 2.0  # weighted ones that a standard deviation needs
LEAST_PART = 0.01  # of the root's C: where all returns were equal so far, no action is given up for ever
TIE = 1e-9  # of the returns: more than rounding, less than any difference that counts
LEAST_RANGE = 1e-300


@helper
def root_exploration(returns: Array, exploration: float, spread: float) -> float:
    """C at the root: with a `spread`, times the range of the returns met so far.

    While they are all equal it is so small that it only orders ties: untried actions come first, and then those of the
    fewest visits.
    """
    if spread == 0.0 or returns[1] < returns[0]:
        return exploration
    return exploration * max(returns[1] - returns[0], TIE * abs(returns[1]), LEAST_RANGE)


@helper
def cell_exploration(
    visits: float, returns: float, squares: float, at_root: float, spread: float, least: float = LEAST_PART
) -> float:
    """C in a state: as at the root, or with a `spread` that number of standard deviations of the returns in its cells.

    Args:
        visits: weighted visits of the cells.
        returns: their weighted sum of returns.
        squares: their weighted sum of squared returns.
        at_root: C at the root, which holds where visits are too few for a deviation.
        spread: 0 for the root's everywhere.
        least: C is at least this part of the root's.
    """
    if spread == 0.0 or visits < LEAST_VISITS:
        return at_root
    mean = returns / visits
    return max(spread * math.sqrt(max(squares / visits - mean * mean, 0.0)), least * at_root)
