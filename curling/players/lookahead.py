"""Expected values of shots by the learned value, a shot or two ahead, over given errors of execution; compiled.

All shots meet the same errors, so that their values differ by the shots and not by luck (common random numbers).
Values are those for the team that throws the shot at hand.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.choice.actions import actions
from bonspiel.curling.choice.candidates import MOST_CANDIDATES
from bonspiel.curling.choice.playouts import value_within
from bonspiel.curling.dynamics import step_exact, step_with_errors
from bonspiel.curling.ice.engines.analytic import WORKSPACE
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import MIXED_STATE_DIM, team_of
from bonspiel.curling.network.end_network import new_workspace
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, helper, kernel, typeof
from bonspiel.planners.model import Array, Rng

FEW = 3  # errors of each reply, before the best few meet all
BEST_REPLIES = 5
AIMS_KEPT = 8  # that are compared with the candidates


class Scratch(NamedTuple):
    """Arrays to write to: states, stones, workspaces of engine and network, replies, their keys and sums of values."""

    after: Array
    answered: Array
    stones: Array
    workspace: Array
    network: Array
    replies: Array
    keys: NDArray[np.uint64]
    sums: Array


def new_scratch() -> Scratch:
    """Scratch space, for one thread and one model."""
    after, answered = np.empty((2, MIXED_STATE_DIM))
    replies, keys = np.empty((MOST_CANDIDATES + AIMS_KEPT, 3)), np.empty(MOST_CANDIDATES, np.uint64)
    places, sums = np.empty((STONES, 2)), np.empty(len(replies))
    return Scratch(after, answered, places, np.empty(WORKSPACE), new_workspace(), replies, keys, sums)


SCRATCH = typeof(new_scratch())


@helper
def _throw(
    state: Array, aim: Array, errors: Array, after: Array, params: Array, scratch: Scratch, rng: Rng
) -> tuple[float, bool]:
    """The value after a throw with these errors for the team that throws, and whether the end is over; writes `after`.

    The value is the reward at the end of the end, or what the network expects within it.
    """
    worth, over = step_with_errors(state, aim, errors, after, params, scratch.stones, scratch.workspace)
    if not over:
        worth += value_within(after, params, scratch.network)
    return (1.0 - 2.0 * team_of(state)) * worth, over


@kernel(VECTOR, MATRIX, VECTOR, RNG, VECTOR, SCRATCH)
def screen(state: Array, aims: Array, params: Array, rng: Rng, values: Array, scratch: Scratch) -> None:
    """Write the value of each aim thrown without errors."""
    sign = 1.0 - 2.0 * team_of(state)
    for i in range(len(aims)):
        worth, over = step_exact(state, aims[i], scratch.after, params, rng)
        if not over:
            worth += value_within(scratch.after, params, scratch.network)
        values[i] = sign * worth


@kernel(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, SCRATCH)
def after_throw(state: Array, aim: Array, errors: Array, params: Array, after: Array, scratch: Scratch) -> None:
    """Write the state after a throw with these errors."""
    step_with_errors(state, aim, errors, after, params, scratch.stones, scratch.workspace)


@kernel(VECTOR, MATRIX, MATRIX, VECTOR, RNG, MATRIX, SCRATCH)
def expect(state: Array, aims: Array, errors: Array, params: Array, rng: Rng, values: Array, scratch: Scratch) -> None:
    """Write the value of each aim thrown with each error, [aims, errors]."""
    for i in range(len(aims)):
        for j in range(len(errors)):
            values[i, j], _ = _throw(state, aims[i], errors[j], scratch.after, params, scratch, rng)


@helper
def _append_aims(state: Array, aims: Array, count: int, params: Array, rng: Rng, scratch: Scratch) -> int:
    """Append the best of the aims, thrown without errors, to `count` shots in `scratch.replies`; their number."""
    sign, kept = 1.0 - 2.0 * team_of(state), 0
    for i in range(len(aims)):
        worth, over = step_exact(state, aims[i], scratch.answered, params, rng)
        if not over:
            worth += value_within(scratch.answered, params, scratch.network)
        worth *= sign
        if kept == AIMS_KEPT and worth <= scratch.sums[count + kept - 1]:
            continue
        kept = min(kept + 1, AIMS_KEPT)
        at = count + kept - 1
        while at > count and scratch.sums[at - 1] < worth:
            scratch.sums[at] = scratch.sums[at - 1]
            copy(scratch.replies[at - 1], scratch.replies[at])
            at -= 1
        scratch.sums[at] = worth
        copy(aims[i], scratch.replies[at])
    return count + kept


@helper
def best_shot(
    state: Array, aims: Array, errors: Array, params: Array, rng: Rng, scratch: Scratch
) -> tuple[float, int, int]:
    """The value of the best candidate, or aim, for the team to throw, its index in `scratch.replies`, and the throws.

    The best of the aims without errors join the candidates; a few errors choose some of all these, and all errors the
    best of them.
    """
    few, count = min(FEW, len(errors)), actions(state, params, scratch.replies, scratch.keys)
    count = _append_aims(state, aims, count, params, rng, scratch)
    for i in range(count):
        scratch.sums[i] = 0.0
        for j in range(few):
            worth, _ = _throw(state, scratch.replies[i], errors[j], scratch.answered, params, scratch, rng)
            scratch.sums[i] += worth
    thrown, best, index = len(aims) + count * few, -np.inf, 0
    for _ in range(min(BEST_REPLIES, count)):
        chosen = 0
        for i in range(count):
            if scratch.sums[i] > scratch.sums[chosen]:
                chosen = i
        total = scratch.sums[chosen]
        for j in range(few, len(errors)):
            worth, _ = _throw(state, scratch.replies[chosen], errors[j], scratch.answered, params, scratch, rng)
            total += worth
        thrown += len(errors) - few
        if total / len(errors) > best:
            best, index = total / len(errors), chosen
        scratch.sums[chosen] = -np.inf
    return best, index, thrown


@kernel(VECTOR, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, RNG, MATRIX, SCRATCH)
def look_further(
    state: Array,
    aims: Array,
    errors: Array,
    reply_aims: Array,
    reply_errors: Array,
    params: Array,
    rng: Rng,
    values: Array,
    scratch: Scratch,
) -> int:
    """Write the value of each aim thrown with each error and answered by the best reply; the number of throws."""
    thrown, team = 0, team_of(state)
    for i in range(len(aims)):
        for j in range(len(errors)):
            values[i, j], over = _throw(state, aims[i], errors[j], scratch.after, params, scratch, rng)
            thrown += 1
            if not over:
                reply, _, more = best_shot(scratch.after, reply_aims, reply_errors, params, rng, scratch)
                values[i, j] = reply if team_of(scratch.after) == team else -reply
                thrown += more
    return thrown
