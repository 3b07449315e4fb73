"""The best sequence of actions that is known, which a part of the simulations changes, repeats, or follows for a while.

Where only a run of many right actions is rewarded, a search that chooses step by step may meet it once and never again.
It is kept, changed in stretches by amounts of every scale, and left at a random step from which on the tree does what
it can; the next decision begins with the rest of it, as in iCEM (Pinneri et al. 2020).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.spread import TIE
from bonspiel.planners.core.jit import helper
from bonspiel.planners.kinds import BOOLEAN, CATEGORICAL, INTEGER, REAL
from bonspiel.planners.model import Array, Rng

RETURNED, PLAYS, FIRST_RETURN = 0, 1, 2  # entries of Sequence.record


class Sequence(NamedTuple):
    """The sequence of one simulation.

    Attributes:
        actions: [steps, action_dim].
        tried: those of the simulation under way, [steps, action_dim].
        record: mean return of the simulations that were this sequence, their number, and the return by which it was taken, [3].
        cell: the root's cell of its first action, -1 for none yet, int64 [1].
    """

    actions: Array
    tried: Array
    record: Array
    cell: NDArray[np.int64]


def new_sequence(actions: Array) -> Sequence:
    """A sequence that was not played yet, [steps, action_dim]."""
    return Sequence(actions, np.empty_like(actions), np.array([math.inf, 0.0, math.nan, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), np.full(1, -1))


def shifted(last: Sequence, steps: int) -> Array:
    """The actions of the last decision without the first; the last one is repeated, [steps, action_dim]."""
    return last.actions[np.minimum(np.arange(1, steps + 1), len(last.actions) - 1)]


@helper
def change(sequence: Sequence, low: Array, high: Array, kinds: NDArray[np.int64], octaves: float, given: bool, knots_most: float, whole_p: float, most: float, rng: Rng) -> int:
    """Change a stretch by an amount whose scale is drawn log-uniformly; the first step that is changed."""
    actions, tried = sequence.actions, sequence.tried
    steps, dim = actions.shape
    for i in range(steps):
        for j in range(dim):
            tried[i, j] = actions[i, j]
    scale = most * 2.0 ** (-octaves * rng.random())
    first = 0 if rng.random() < 0.5 else int(rng.random() * steps)
    if given:
        first = min(max(first, 1), steps - 1)
    last = min(first + 1 + int(steps * rng.random() ** 2), steps)
    kind = rng.random()
    which = int(rng.random() * dim)
    knots = int(2.0 ** (knots_most * rng.random()))
    if rng.random() < whole_p:
        first, last = (1 if given else 0), steps
    for j in range(dim):
        if j != which and rng.random() < 0.5:
            continue
        width = high[j] - low[j]
        whole = len(kinds) > 0 and kinds[j] != REAL
        level, shift = low[j] + width * rng.random(), rng.standard_normal() * scale * width
        if whole:
            level = low[j] + math.floor(rng.random() * (width + 1.0))
        here, there, until, begun = shift, shift, last, first
        for i in range(first, last):
            if knots > 1 and i >= until or i == first and knots > 1:
                here = there
                there = rng.standard_normal() * scale * width
                begun = i
                until = i + max((last - first) // (knots - 1), 1)
            amount_smooth = here + (there - here) * (i - begun) / max(until - begun, 1)
            if kind < 0.15 or (whole and kinds[j] != INTEGER):
                tried[i, j] = level
                continue
            amount = amount_smooth if kind < 0.7 else rng.standard_normal() * scale * width
            if whole:
                amount = math.ceil(amount) if amount > 0.0 else math.floor(amount)
            tried[i, j] = min(max(actions[i, j] + amount, low[j]), high[j])
    return first


@helper
def remember(sequence: Sequence, steps: int, total: float, c: float) -> bool:
    """Take the actions tried, of `steps` steps, if they returned more than the sequence does in the mean."""
    record, actions, tried = sequence.record, sequence.actions, sequence.tried
    if not total - record[RETURNED] > TIE * abs(record[RETURNED]) + c * math.sqrt(record[3] / max(record[4], 1.0)):
        return False
    record[RETURNED], record[PLAYS], record[FIRST_RETURN] = total, 1.0, total
    for i in range(len(actions)):
        for j in range(actions.shape[1]):
            actions[i, j] = tried[min(i, steps - 1), j]
    return True


@helper
def repeated(sequence: Sequence, total: float) -> None:
    """Average a return of the sequence as it is."""
    record = sequence.record
    if record[PLAYS] > 0.0:
        record[5] += 1.0
        off = total - record[RETURNED]
        record[3] += off * off * record[PLAYS] / (record[PLAYS] + 1.0)
        record[4] += 1.0
    else:
        record[FIRST_RETURN] = total
    record[PLAYS] += 1.0
    record[RETURNED] = total if record[PLAYS] == 1.0 else record[RETURNED] + (total - record[RETURNED]) / record[PLAYS]
