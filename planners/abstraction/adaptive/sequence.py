"""The best sequence of actions that is known, for a part of the simulations to follow.

Where only a run of many right actions is rewarded, a search that chooses step by step may meet it once and never again.
It is kept, repeated, and left at a random step from which on the tree does what it can; the next decision begins with
the rest of it, as in iCEM (Pinneri et al. 2020).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.fixed.trie import FixedWalk
from bonspiel.planners.abstraction.spread import TIE
from bonspiel.planners.core.jit import helper
from bonspiel.planners.model import Array, Rng

RETURNED, PLAYS = 0, 1  # entries of Sequence.record
UNKNOWN, HANDED_ON = -1.0, 0.0  # values of the latter before the sequence was played
REPEATED = 0.2  # of the simulations that follow the sequence, the part that does so to the end


class Sequence(NamedTuple):
    """The sequence of one simulation.

    Attributes:
        chosen: its actions: the root's cell, then at each step the index in the grid, int64 [steps].
        record: mean return of the simulations that were this sequence, and their number, [2].
    """

    chosen: NDArray[np.int64]
    record: Array


def no_sequence(steps: int) -> Sequence:
    """Room for a sequence of so many steps, of which none is known."""
    return Sequence(np.zeros(steps, np.int64), np.array([0.0, UNKNOWN]))


def hand_on(last: Sequence, sequence: Sequence, first_cell: int) -> None:
    """Begin a decision with the sequence of the last one without its first step; the last action is repeated.

    Args:
        last: the sequence of the last decision, of at least two steps.
        sequence: that of the new decision, changed in place.
        first_cell: the cell of the root nearest to the second action of `last`.
    """
    steps = np.arange(1, len(sequence.chosen) + 1)
    sequence.chosen[:] = last.chosen[np.minimum(steps, len(last.chosen) - 1)]
    sequence.chosen[0] = first_cell
    sequence.record[:] = math.inf, HANDED_ON  # no simulation takes its place before it was played


@helper
def leave_at(sequence: Sequence, share: float, rng: Rng) -> int:
    """The step from which on a simulation no longer follows the sequence: 0 from the start, all steps for to the end.

    A sequence that was handed on is played to the end at first, as its return is not known.
    """
    if share == 0.0 or sequence.record[PLAYS] == UNKNOWN:
        return 0
    steps = len(sequence.chosen)
    if sequence.record[PLAYS] == HANDED_ON:
        return steps
    if rng.random() >= share:
        return 0
    return min(int(rng.random() * steps / (1.0 - REPEATED)), steps)


@helper
def remember(sequence: Sequence, walk: FixedWalk, depth: int, final: int, leave: int, total: float) -> None:
    """Take a simulation for the sequence if it returned more; average what repeats of the sequence returned.

    Args:
        sequence: changed in place.
        walk: with the simulation's actions.
        depth: its steps.
        final: index in the grid of its last action, which goes on where the simulation ended before the plan.
        leave: step at which it left the sequence.
        total: its return.
    """
    record = sequence.record
    if leave >= depth and record[PLAYS] != UNKNOWN:
        record[PLAYS] += 1.0
        record[RETURNED] = (
            total if record[PLAYS] == 1.0 else record[RETURNED] + (total - record[RETURNED]) / record[PLAYS]
        )
    elif record[PLAYS] == UNKNOWN or total - record[RETURNED] > TIE * abs(record[RETURNED]):
        record[RETURNED], record[PLAYS] = total, 1.0
        for i in range(len(sequence.chosen)):
            sequence.chosen[i] = walk.chosen[i] if i < depth else final
