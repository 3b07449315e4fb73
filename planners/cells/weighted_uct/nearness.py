"""Sums over experiences weighted by their nearness to a state: the visits and returns that Weighted UCT chooses by."""

import math

import numpy as np

from bonspiel.planners.cells.weighted_uct.experience import (
    EXPERIENCE_WALK,
    EXPERIENCES,
    GRIDS,
    LIMIT,
    STRIP,
    WIDTH,
    Experiences,
    ExperienceWalk,
    cell_key,
)
from bonspiel.planners.core.hash_table import find_slot
from bonspiel.planners.core.jit import MATRIX, VECTOR, helper, kernel, uint64
from bonspiel.planners.model import Array


@helper
def _exp_minus(u: float) -> float:
    """exp(-u) as exp(-u/64)^64, to 2e-4 for u up to 12.5: plain arithmetic, which runs on several u at once."""
    v = u * -0.015625
    e = 1.0 + v * (1.0 + v * (0.5 + v * (0.16666666666666666 + v * 0.041666666666666664)))
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    return e * e


@helper
def _weigh(known: Experiences, walk: ExperienceWalk, first: int, count: int, place: Array) -> None:
    """Write the kernels of a run of events at a place into `walk.kernels`."""
    weights = walk.kernels
    precision = known.precision[first : first + count]  # slices spare the loops numba's check for negative indices
    for j in range(count):
        weights[j] = 0.0
    for i in range(len(place)):
        x, coordinates = place[i], known.place[i, first : first + count]
        for j in range(count):
            difference = x - coordinates[j]
            weights[j] += difference * difference
    limit = known.reach[LIMIT]
    if limit == math.inf:
        for j in range(count):
            weights[j] = math.exp(-weights[j] * precision[j])
    else:
        for j in range(count):
            exponent = weights[j] * precision[j]
            weights[j] = _exp_minus(exponent) if exponent <= limit else 0.0


@helper
def _sums(known: Experiences, walk: ExperienceWalk, first: int, count: int) -> tuple[float, float]:
    """Sum of the weights of a run of events and of their weighted values; four sums at once, which is twice as fast."""
    w, g = walk.kernels, known.value[first : first + count]
    w0, w1, w2, w3 = 0.0, 0.0, 0.0, 0.0
    g0, g1, g2, g3 = 0.0, 0.0, 0.0, 0.0
    whole = count - count % 4
    for j in range(0, whole, 4):
        w0 += w[j]
        w1 += w[j + 1]
        w2 += w[j + 2]
        w3 += w[j + 3]
        g0 += w[j] * g[j]
        g1 += w[j + 1] * g[j + 1]
        g2 += w[j + 2] * g[j + 2]
        g3 += w[j + 3] * g[j + 3]
    for j in range(whole, count):
        w0 += w[j]
        g0 += w[j] * g[j]
    return (w0 + w1) + (w2 + w3), (g0 + g1) + (g2 + g3)


@kernel(EXPERIENCES, EXPERIENCE_WALK, uint64, VECTOR, MATRIX)
def gather(known: Experiences, walk: ExperienceWalk, exact: np.uint64, place: Array, blend: Array) -> int:
    """Write n(x, a) and the weighted returns of every action at a place into `walk.near` (the thesis's (2.4), (2.5)).

    Args:
        known: the set.
        walk: receives them.
        exact: hash of the coordinates that are compared exactly.
        place: the coordinates compared by distance, [k].
        blend: kernel between actions, [A, A]; the identity if only equal actions are alike.
    """
    near, n_actions = walk.near, walk.near.shape[1]
    for action in range(n_actions):
        near[0, action] = 0.0
        near[1, action] = 0.0
    width = 2.0 * known.reach[WIDTH]
    for grid in range(known.size[GRIDS]):
        width *= 0.5
        for cell in range(len(known.offsets)):
            slot = find_slot(known.slots, known.keys, cell_key(exact, grid, width, place, known.offsets[cell]))
            if known.slots[slot] == 0:
                continue
            for action in range(n_actions):
                run = known.runs[known.slots[slot] - 1, action]
                for begin in range(0, run["count"], STRIP):
                    first, count = run["first"] + begin, min(run["count"] - begin, STRIP)
                    _weigh(known, walk, first, count, place)
                    visits, returns = _sums(known, walk, first, count)
                    near[0, action] += visits
                    near[1, action] += returns
    for row in range(2):
        for action in range(n_actions):
            total = 0.0
            for other in range(n_actions):
                total += blend[action, other] * near[row, other]
            near[2 + row, action] = total
    return 0
