"""How far a search looks ahead: in it a reward k steps ahead counts (1 - 1/N)^k, where N is its sight.

A shorter sight tells actions apart by fewer simulations (Petrik, Scherrer 2008; Jiang, Kulesza, Singh, Lewis 2015),
unless what matters lies beyond it. So a decision takes the shortest sight whose returns go with the whole returns of
the decisions' simulations before; the more simulations there are, the better they must go together, so that with ever
more of them the search tends to the optimum.
"""

import math

import numpy as np

from bonspiel.planners.core.jit import helper
from bonspiel.planners.model import Array

# Sights in steps, from the shortest with which a goal a hundred steps away still counts.
SHORTEST, FACTOR, LENGTHS = 16.0, 1.5, 8
ROW_AT_FIRST = 3
AT_FIRST = SHORTEST * FACTOR ** (ROW_AT_FIRST - 1)
ENOUGH = 5_000.0  # simulations, beyond which the unexplained part that is allowed falls as 1 / n
LEAST = 8  # simulations that may tell whether the first sight misleads
OPPOSITE, SURELY = 0.5, 2.0  # correlation, with a minus, from which on it does; and standard errors
KEPT = 0.8  # weight of what the last decision knew of the problem

# Sums over simulations, of the whole returns in the first row, then of the returns with each sight: their weight, sum,
# sum of squares and sum of products with the whole ones, all relative to the first return that was noted.
COUNT, SUM, SQUARES, PRODUCTS, FIRST = range(5)


def new_sights() -> Array:
    """Sums over no simulations, [9, 5]."""
    return np.zeros((1 + LENGTHS, 5))


def hand_on(last: Array) -> Array:
    """The sums that the next decision begins with."""
    sums = last.copy()
    sums[:, :FIRST] *= KEPT
    return sums


@helper
def note_rewards(sums: Array, reward: Array, depth: int, discount: float) -> None:
    """Add a simulation of `depth` steps, whose rewards are those in the first column of `reward`."""
    whole, sight = 0.0, SHORTEST
    for row in range(1 + LENGTHS):
        factor = discount
        if row > 0:
            factor *= 1.0 - 1.0 / sight
            sight *= FACTOR
        returned = 0.0
        for i in range(depth - 1, -1, -1):
            returned = reward[i, 0] + factor * returned
        if sums[row, COUNT] == 0.0:
            sums[row, FIRST] = returned
        returned -= sums[row, FIRST]
        if row == 0:
            whole = returned
        sums[row, COUNT] += 1.0
        sums[row, SUM] += returned
        sums[row, SQUARES] += returned * returned
        sums[row, PRODUCTS] += returned * whole


def best_sight(sums: Array, explained: float, simulations: int) -> float:
    """The shortest sight whose returns explain this part of the variance of the whole ones, infinity if there is none.

    36 steps if the whole returns do not differ, infinity for a first decision with more simulations than `ENOUGH`.
    """
    count = max(sums[0, COUNT], 1.0)
    variance, together = _variances(sums)
    if explained == 1.0 or (sums[0, COUNT] == 0.0 and simulations > ENOUGH):
        return math.inf
    if not variance[0] > 0.0:
        return AT_FIRST
    needed = 1.0 - (1.0 - explained) * min(ENOUGH / count, 1.0)
    found = np.flatnonzero(np.maximum(together[1:], 0.0) ** 2 > needed * variance[1:] * variance[0])
    return SHORTEST * FACTOR ** found[0] if len(found) else math.inf


def misleads(sums: Array) -> bool:
    """True if the returns with the first decision's sight are clearly the larger, the smaller the whole returns are."""
    count = sums[0, COUNT]
    if count < LEAST:
        return False
    variance, together = _variances(sums)
    clearly = max(OPPOSITE, SURELY / math.sqrt(count))
    return bool(together[ROW_AT_FIRST] < -clearly * math.sqrt(max(variance[0] * variance[ROW_AT_FIRST], 0.0)))


def _variances(sums: Array) -> tuple[Array, Array]:
    """Sums of squared deviations of the returns from their mean, and of products with those of the whole ones, [9]."""
    mean = sums[:, SUM] / max(sums[0, COUNT], 1.0)
    return sums[:, SQUARES] - mean * sums[:, SUM], sums[:, PRODUCTS] - mean * sums[0, SUM]
