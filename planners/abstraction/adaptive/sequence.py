"""The best sequence of actions that is known: simulations change it, repeat it, or follow it for a while.

Where only a run of many right actions is rewarded, or only a small part of a wide box is any good, a search that
chooses step by step may meet a good sequence once and never again. It is kept and changed in stretches, by amounts
whose scale is drawn log-uniformly, so that nothing depends on how wide the box is; other simulations leave it at a
random step, from which on the tree does what it can. The next decision begins with the rest of it, as in iCEM (Pinneri
et al. 2020).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.adaptive.sight import KEPT
from bonspiel.planners.abstraction.spread import TIE
from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.kinds import INTEGER, REAL
from bonspiel.planners.model import Array, Rng

# Entries of Sequence.record. Of the sequence: the return for which it was taken, NaN if it was handed on; simulations
# that repeated it and their mean return; simulations since it was taken. Of the problem, which the next decision begins
# with: squared deviations of repeated returns, and their degrees of freedom; simulations that changed the sequence, and
# those of them that became the sequence; the same numbers of the other simulations, but for repeats.
ENTRIES = 10
TAKEN, REPEATS, MEAN, SINCE, NOISE, DEGREES, CHANGES, CHANGED, OTHERS, FOUND = range(ENTRIES)

OCTAVES = 10.0  # of the scales of changes, below the range of an action
MOST_PIECES = 3.0  # of a smooth change, each of which is linear
WHOLE_SEQUENCE = 0.15  # of the changes that go on to the end from the earliest step
NEW_LEVEL = 0.15  # of the changes that replace a stretch by one action
SMOOTH = 0.55  # of the changes that are linear in pieces; the rest differ from step to step

REPEATED = 0.15  # repeats of a sequence for each simulation since it was taken
WITHOUT_NOISE = 2.0  # repeats w after n simulations, while all of them returned the same: at most w (1 + ln(1 + n))
EVIDENCE = 1.0, 10.0  # successes and tries that each way of finding a sequence has from the start
MOST_CHANGES = 0.8  # of the simulations
ROUNDING = 1e-13  # of returns


class Sequence(NamedTuple):
    """A sequence of actions.

    Attributes:
        actions: [steps, action_dim].
        tried: those of the simulation under way, [steps, action_dim].
        record: what is known of it and of the problem, in the entries named above, [10].
        cell: the root's cell of its first action, int64 [1].
    """

    actions: Array
    tried: Array
    record: Array
    cell: NDArray[np.int64]


def new_sequence(actions: Array, cell: int) -> Sequence:
    """A sequence that was not played yet, [steps, action_dim], whose first action is that of this cell of the root."""
    record = np.zeros(ENTRIES)
    record[TAKEN] = math.nan
    return Sequence(actions, np.zeros_like(actions), record, np.full(1, cell))


def rest_of(last: Sequence, steps: int, passed: int) -> Array:
    """The actions of the last decision's sequence after `passed` steps, the last one repeated, [steps, action_dim]."""
    return last.actions[np.minimum(np.arange(passed, passed + steps), len(last.actions) - 1)]


def hand_on(last: Sequence, sequence: Sequence) -> None:
    """Begin with what the last decision knew of the problem."""
    sequence.record[NOISE:] = KEPT * last.record[NOISE:]


@helper
def worth(sequence: Sequence) -> float:
    """Its mean return, with that for which it was taken; no simulation returns more than one that was not played."""
    taken, repeats, mean = sequence.record[TAKEN], sequence.record[REPEATS], sequence.record[MEAN]
    if taken != taken:
        return mean if repeats > 0.0 else math.inf
    return (taken + repeats * mean) / (repeats + 1.0)


@helper
def noise_of(sequence: Sequence) -> float:
    """The standard deviation of the returns of one sequence."""
    degrees = sequence.record[DEGREES]
    return math.sqrt(sequence.record[NOISE] / degrees) if degrees > 0.0 else 0.0


@helper
def is_to_repeat(sequence: Sequence) -> bool:
    """True if it was repeated too seldom for the time that it has stood."""
    record = sequence.record
    most = math.inf if record[NOISE] > 0.0 else WITHOUT_NOISE * (1.0 + math.log(1.0 + record[SINCE]))
    return record[REPEATS] < min(REPEATED * record[SINCE], most)


@helper
def share_of_changes(sequence: Sequence, at_first: float) -> float:
    """The part of the simulations that change the sequence: more where these succeed more often than the tree's.

    Where neither succeeds it rises, since the tree has tried more often: from 0.1 to 0.25.
    """
    record, (successes, tries) = sequence.record, EVIDENCE
    changes = at_first * (record[CHANGED] + successes) / (record[CHANGES] + tries)
    others = (1.0 - at_first) * (record[FOUND] + successes) / (record[OTHERS] + tries)
    return min(changes / (changes + others), MOST_CHANGES)


@helper
def change(sequence: Sequence, low: Array, high: Array, kinds: NDArray[np.int64], begin: int, rng: Rng) -> int:
    """Try the sequence with a stretch changed, from step `begin` at the earliest; the first step of the stretch.

    An integer moves by at least one unless a bound is in the way, and for values without an order one is drawn: what is
    tried may be the sequence itself.
    """
    actions, tried = sequence.actions, sequence.tried
    steps, dim = actions.shape
    for i in range(steps):
        copy(actions[i], tried[i])
    scale = math.exp(-OCTAVES * math.log(2.0) * rng.random())
    first, last = begin, steps
    if rng.random() >= WHOLE_SEQUENCE:
        if rng.random() < 0.5:
            first = begin + int(rng.random() * (steps - begin))
        part = rng.random()
        last = min(first + 1 + int(steps * part * part), steps)
    kind, certain = rng.random(), int(rng.random() * dim)
    pieces = int(math.exp(math.log(MOST_PIECES + 1.0) * rng.random())) - 1
    length = max((last - first) // max(pieces, 1), 1)
    for k in range(dim):
        if k != certain and rng.random() < 0.5:
            continue
        width, whole = high[k] - low[k], len(kinds) > 0 and kinds[k] != REAL
        level = low[k] + (math.floor(rng.random() * (width + 1.0)) if whole else width * rng.random())
        here = there = rng.standard_normal()
        for i in range(first, last):
            if kind < NEW_LEVEL or (whole and kinds[k] != INTEGER):
                tried[i, k] = level
                continue
            if kind < NEW_LEVEL + SMOOTH:
                after = (i - first) % length
                if pieces > 0 and after == 0:
                    here, there = there, rng.standard_normal()
                amount = here + (there - here) * after / length
            else:
                amount = rng.standard_normal()
            amount *= scale * width
            if whole:
                amount = math.ceil(amount) if amount > 0.0 else math.floor(amount)
            tried[i, k] = min(max(actions[i, k] + amount, low[k]), high[k])
    return first


@helper
def is_itself(sequence: Sequence, steps: int) -> bool:
    """True if the first `steps` actions tried are those of the sequence."""
    for i in range(steps):
        for k in range(sequence.actions.shape[1]):
            if sequence.tried[i, k] != sequence.actions[i, k]:
                return False
    return True


@helper
def repeat(sequence: Sequence, returned: float, is_valid: bool) -> None:
    """Note what a simulation that repeated the sequence returned; an invalid one tells nothing about the noise."""
    record = sequence.record
    plays = record[REPEATS] + (record[TAKEN] == record[TAKEN])
    if plays > 0.0 and is_valid:
        off = returned - worth(sequence)
        if abs(off) > ROUNDING * abs(returned):
            record[NOISE] += off * off * plays / (plays + 1.0)
        record[DEGREES] += 1.0
    record[REPEATS] += 1.0
    record[MEAN] += (returned - record[MEAN]) / record[REPEATS]


@helper
def take(sequence: Sequence, steps: int, returned: float, spread: float, is_change: bool) -> bool:
    """Note a simulation that played other actions, and take these if they returned more than noise explains.

    The last action goes on where the simulation ended before the plan.

    Args:
        sequence: changed in place.
        steps: of the simulation.
        returned: its return, as far as the search sees.
        spread: range of all returns; differences that are tiny beside it count as none.
        is_change: whether it changed the sequence.

    Returns:
        True if its actions were taken.
    """
    record = sequence.record
    known = worth(sequence)
    record[SINCE] += 1.0
    record[CHANGES if is_change else OTHERS] += 1.0
    if not returned - known > max(TIE * spread, ROUNDING * abs(known)) + noise_of(sequence):
        return False
    record[CHANGED if is_change else FOUND] += 1.0
    record[TAKEN], record[REPEATS], record[MEAN], record[SINCE] = returned, 0.0, 0.0, 0.0
    for i in range(len(sequence.actions)):
        copy(sequence.tried[min(i, steps - 1)], sequence.actions[i])
    return True
