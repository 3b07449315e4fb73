"""Smoothed means of the root's actions: kernel averages as wide as the noise demands.

Actions near each other return nearly the same, and few visits under much noise cannot tell them apart. A kernel average
over the neighbours (Nadaraya 1964; Watson 1964) can, if it is as wide as the noise demands and no wider: the bandwidth
is the one with the least estimate of the risk (Mallows 1973; Stein 1981), the narrowest of those that do equally well.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import helper
from bonspiel.planners.kinds import CATEGORICAL
from bonspiel.planners.model import Array

# Rows of the statistics of actions: visits, those for which the search chose the action, the mean gain of the mover,
# the summed squares of deviations from it, its mean return, the same as far as the search sees, the gains and visits of
# all actions, summed with their nearness to it, the quotient of these, and 1 / sqrt(visits). An action without visits
# counts as one visit of the mean that it began with.
ROWS = 10
VISITS, CHOSEN, GAIN, SQUARES, RETURN, SEEN, TOTAL, WEIGHT, SMOOTHED, INV_SQRT = range(ROWS)
MOST_CELLS = 64
ROOM = MOST_CELLS + 1  # for the cell of the best sequence's first action as well
# The means of a bandwidth much wider than this rise or fall throughout: an end of the box is the best action of noise.
WIDEST = 0.25  # bandwidth, in ranges of an action
BANDWIDTHS = 4  # the widest, halved down to 1/32


class Smoothing(NamedTuple):
    """The nearness of actions to each other, for at most `ROOM` of them; more are not smoothed.

    Attributes:
        bandwidth: of the nearness, in ranges of an action; 0 where an action is near itself alone, [1].
        near: nearness with this bandwidth, [m, m].
        widest: nearness with the widest bandwidth, [m, m].
        sums: of gains and of visits, while a bandwidth is chosen, [2, m].
    """

    bandwidth: Array
    near: Array
    widest: Array
    sums: Array


def new_smoothing(actions: Array, scale: Array, kinds: NDArray[np.int64]) -> Smoothing:
    """No smoothing yet of the first actions, [A, action_dim], that many times as wide as 1 / `scale`."""
    room = ROOM if len(actions) <= ROOM else 0
    smoothing = Smoothing(np.zeros(1), np.zeros((room, room)), np.zeros((room, room)), np.empty((2, room)))
    if room:
        apart = ((actions[:, None] - actions) * scale) ** 2
        if len(kinds) > 0:
            apart = np.where(kinds == CATEGORICAL, actions[:, None] != actions, apart)
        smoothing.widest[: len(actions), : len(actions)] = np.exp(-0.5 / WIDEST**2 * apart.sum(-1))
    return smoothing


@helper
def distance(one: Array, other: Array, scale: Array, kinds: NDArray[np.int64]) -> float:
    """The squared distance of two actions in ranges of an action; different values without an order are 1 apart."""
    total = 0.0
    for k in range(len(scale)):
        apart = (one[k] - other[k]) * scale[k]
        if len(kinds) > 0 and kinds[k] == CATEGORICAL and apart != 0.0:
            apart = 1.0
        total += apart * apart
    return total


@helper
def note_place(
    smoothing: Smoothing, cell: int, action: Array, used: int, scale: Array, kinds: NDArray[np.int64]
) -> None:
    """Note the nearness of an action to the `used` first ones, with the widest bandwidth and with that of now."""
    bandwidth = smoothing.bandwidth[0]
    for other in range(used):
        apart = distance(action[cell], action[other], scale, kinds)
        near = math.exp(-0.5 / WIDEST**2 * apart)
        smoothing.widest[cell, other] = near
        smoothing.widest[other, cell] = near
        if bandwidth > 0.0:
            near = math.exp(-0.5 / bandwidth**2 * apart)
            smoothing.near[cell, other] = near
            smoothing.near[other, cell] = near


@helper
def smooth(smoothing: Smoothing, stats: Array, used: int) -> None:
    """Sum anew with the bandwidth of now."""
    total, weight, smoothed = stats[TOTAL], stats[WEIGHT], stats[SMOOTHED]
    for cell in range(used):
        total[cell], weight[cell] = 0.0, 0.0
        if stats[VISITS, cell] == 0.0:
            total[cell], weight[cell] = stats[GAIN, cell], 1.0
    _add_up(smoothing, stats, used, smoothing.bandwidth[0] > 0.0, total, weight)
    for cell in range(used):
        smoothed[cell] = total[cell] / weight[cell]


@helper
def _add_up(smoothing: Smoothing, stats: Array, used: int, is_smoothed: bool, total: Array, weight: Array) -> None:
    """Add gains and visits of all actions, times their nearness to each."""
    for other in range(used):
        visits, gains = stats[VISITS, other], stats[VISITS, other] * stats[GAIN, other]
        if visits > 0.0 and is_smoothed:
            near = smoothing.near[other]
            for cell in range(used):
                total[cell] += near[cell] * gains
                weight[cell] += near[cell] * visits
        else:
            total[other] += gains
            weight[other] += visits


@helper
def choose_bandwidth(smoothing: Smoothing, stats: Array, used: int) -> None:
    """Take the bandwidth of the least estimate of the risk, 0 if that is not to smooth or no action was tried twice.

    With the variance v of a gain, an unbiased estimate of the summed squared error of the smoothed means s, each
    times its visits, is sum n (s - m)^2 + 2 v sum h but for a constant; h is the weight of a mean in its own average.
    """
    squares, degrees, tried = 0.0, 0.0, 0.0
    for cell in range(used):
        squares += stats[SQUARES, cell]
        if stats[VISITS, cell] > 0.0:
            tried += 1.0
            degrees += stats[VISITS, cell] - 1.0
    smoothing.bandwidth[0] = 0.0
    if degrees == 0.0:
        return
    noise = squares / degrees
    halvings, least = -1, math.inf
    for step in range(BANDWIDTHS):
        _halve(smoothing, used, step)
        risk = _risk(smoothing, stats, used, noise)
        if risk <= least:
            halvings, least = step, risk
    if least < 2.0 * noise * tried:
        for step in range(halvings + 1):
            _halve(smoothing, used, step)
        smoothing.bandwidth[0] = WIDEST / 2.0**halvings


@helper
def _halve(smoothing: Smoothing, used: int, step: int) -> None:
    """Begin with the widest bandwidth at step 0, else halve it: a Gaussian of it to the power of 4."""
    for cell in range(used):
        near, widest = smoothing.near[cell], smoothing.widest[cell]
        for other in range(used):
            if step == 0:
                near[other] = widest[other]
            else:
                square = near[other] * near[other]
                near[other] = square * square


@helper
def _risk(smoothing: Smoothing, stats: Array, used: int, noise: float) -> float:
    total, weight = smoothing.sums[0], smoothing.sums[1]
    for cell in range(used):
        total[cell], weight[cell] = 0.0, 0.0
    _add_up(smoothing, stats, used, True, total, weight)
    risk = 0.0
    for cell in range(used):
        visits = stats[VISITS, cell]
        if visits > 0.0:
            off = total[cell] / weight[cell] - stats[GAIN, cell]
            risk += visits * off * off + 2.0 * noise * visits / weight[cell]
    return risk
