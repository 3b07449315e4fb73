"""States to evaluate one after another, round and round, until a budget is spent."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import helper, typeof
from bonspiel.planners.model import Array


class Rounds(NamedTuple):
    """The states and what was found.

    Attributes:
        states: [n, state_dim].
        order: indices of the states to evaluate, int64 [m].
        sums: summed values of each state, for player +1, [n].
        done: evaluations so far, int64 [1].
    """

    states: Array
    order: NDArray[np.int64]
    sums: Array
    done: NDArray[np.int64]


def new_rounds(states: Array, order: NDArray[np.int64], sums: Array) -> Rounds:
    """Rounds that add to `sums`, beginning with the first of the order."""
    return Rounds(states, order, sums, np.zeros(1, np.int64))


NO_ROUNDS = new_rounds(np.empty((0, 1)), np.empty(0, np.int64), np.empty(0))
ROUNDS = typeof(NO_ROUNDS)


@helper
def next_index(rounds: Rounds) -> int:
    """The index of the state to evaluate now."""
    index = rounds.order[rounds.done[0] % len(rounds.order)]
    rounds.done[0] += 1
    return index
