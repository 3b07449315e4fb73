"""The length of simulations: whole plans where rewards are far away, short ones where the first steps tell enough.

In long plans most of the work, and most of the noise in a return, is of steps far ahead. A simulation that is cut takes
the mean return of the others from that step on for the rest. Where only a goal far away is rewarded, the first steps
tell nothing, and simulations go on.
"""

import math

import numpy as np

from bonspiel.planners.core.jit import helper
from bonspiel.planners.model import Array, Rng

EARLY, WHOLE = 0, 1  # rows of `spans`: the returns of the first 1 / cut steps, and those of whole simulations
COUNT, MEAN, SQUARES = 0, 1, 2  # columns of `spans`: number, mean, and summed squares of deviations from it
UNCUT = 0.1  # of the simulations, always


def no_spans() -> Array:
    """No returns yet, [2, 3]."""
    return np.zeros((2, 3))


@helper
def draw_length(spans: Array, cut: float, steps: int, rng: Rng) -> int:
    """The steps after which a simulation ends: all, or 1 / cut steps and then each with the probability `cut`.

    It may be cut as far as the first steps explain their part of the variance of returns.
    """
    if cut == 0.0 or cut * steps <= 1.0 or spans[EARLY, COUNT] < 2.0 or spans[WHOLE, COUNT] < 2.0:
        return steps
    early = spans[EARLY, SQUARES] / (spans[EARLY, COUNT] - 1.0)
    whole = spans[WHOLE, SQUARES] / (spans[WHOLE, COUNT] - 1.0)
    if rng.random() * whole >= (1.0 - UNCUT) * min(whole, early * cut * steps):
        return steps
    return min(steps, 1 + int(1.0 / cut + math.log(1.0 - rng.random()) / math.log(1.0 - cut)))


@helper
def note_span(spans: Array, row: int, returned: float) -> None:
    """Add a return to the mean and the summed squares of a row."""
    spans[row, COUNT] += 1.0
    change = returned - spans[row, MEAN]
    spans[row, MEAN] += change / spans[row, COUNT]
    spans[row, SQUARES] += change * (returned - spans[row, MEAN])


@helper
def note_early(spans: Array, cut: float, rewards: Array, depth: int, discount: float) -> None:
    """Note what a simulation of `depth` steps returned in its first steps."""
    returned = 0.0
    for i in range(min(depth, int(1.0 / cut)) - 1, -1, -1):
        returned = rewards[i, 0] + discount * returned
    note_span(spans, EARLY, returned)
