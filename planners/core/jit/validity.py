"""Invalid rollouts: what a search knows of them, and the returns that it takes in their place.

A rollout is invalid if a reward or a next state of the model is not finite, or if a step or a rollout of the model
raises. It ends there and counts as the worst: from each depth on, its return is less than that of all valid rollouts so
far, for the player who moves at that depth, by a part of their spread. So averages and bonuses keep the scale of what
was met, and what leads there is avoided. If the first is invalid, up to 64 random rollouts are tried in search of a
valid one; if all of them are invalid, nothing is known of the scale, and invalid rollouts of this decision count as
-1e9.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bonspiel.planners.core.jit.decorators import ROLES, helper
from bonspiel.planners.model import Array

ROWS = 64  # of returns by depth; deeper ones share the last row
INVALID, TRIALS, TRIAL_RETURN, REWARD = 2 * ROWS, 2 * ROWS + 1, 2 * ROWS + 2, 2 * ROWS + 3  # entries of a validity
FIRST = 2 * ROWS + 4  # entry at which the first invalid step begins
MOST_TRIALS = 64
FOUND = MOST_TRIALS + 1  # in place of the trials, when one was valid
MARGIN = 0.1  # below the worst valid return, as a part of the spread, or of the return itself where there is none
UNKNOWN = -1e9  # return of all invalid rollouts of a decision that began without a valid one
STEPS, ROLLOUTS = ("step", "step_exact"), ("rollout", "traced_rollout")  # roles whose results may be invalid

_NO_RETURNS = np.tile([math.inf, -math.inf], ROWS)


def new_validity(state_dim: int, action_dim: int) -> Array:
    """What a decision knows of its rollouts, none so far, in one vector, as more arrays would slow kernels down.

    It has the least and the largest return of valid rollouts, player +1's, from each depth on; the number of invalid
    rollouts; the number of trials of random rollouts, and the return of a valid one; reward, state and action of the
    first invalid step, NaN for the action of a rollout by the model; then room for two states and an action, and for
    the state where a rollout starts.
    """
    return _empty(4 + 4 * state_dim + 2 * action_dim).copy()


def hand_on(last: Array, validity: Array, passed: int) -> None:
    """Give a decision the valid returns that the last one met, from the depth on that has `passed` since."""
    if passed < ROWS:
        validity[: 2 * (ROWS - passed)] = last[2 * passed : 2 * ROWS]


@functools.cache
def _empty(room: int) -> Array:
    return np.concatenate((_NO_RETURNS, np.zeros(room)))


def no_validity() -> Array:
    """For kernels that take the model's results as they are."""
    return _NO_RETURNS.copy()


@helper
def is_kept(validity: Array) -> bool:
    """True if invalid results end a rollout; else they are taken as they are."""
    return len(validity) > FIRST


def merged_validity(parts: Sequence[Array], common: Array) -> Array:
    """The rollouts of several workers together, each of which has begun with the common ones.

    The first invalid one is that of the first worker that met any.
    """
    merged = next((part for part in parts if part[INVALID] > 0.0), parts[0]).copy()
    merged[INVALID] = common[INVALID] + sum(part[INVALID] - common[INVALID] for part in parts)
    merged[: 2 * ROWS : 2] = np.min([part[: 2 * ROWS : 2] for part in parts], axis=0)
    merged[1 : 2 * ROWS : 2] = np.max([part[1 : 2 * ROWS : 2] for part in parts], axis=0)
    return merged


@helper
def action_dim_of(validity: Array, state_dim: int) -> int:
    """Length of an action, by the length of the vector."""
    return (len(validity) - FIRST - 4 * state_dim) // 2


@helper
def gain_of(validity: Array, depth: int, mover: float, total: float) -> float:
    """The return from a depth on for the player who moves there; less than the worst so far if it is not finite.

    Args:
        validity: the problem's, which takes a finite return in.
        depth: steps from the root, 0 or more.
        mover: +1 or -1.
        total: the return for player +1.
    """
    low = 2 * min(depth, ROWS - 1)
    if total - total == 0.0:
        if total < validity[low]:  # rarely, so that it costs less than to write each time
            validity[low] = total
        if total > validity[low + 1]:
            validity[low + 1] = total
        return mover * total
    if validity[TRIALS] == MOST_TRIALS:
        return UNKNOWN
    while low > 0 and validity[low] == math.inf:
        low -= 2
    worst, spread = (validity[low] if mover > 0.0 else -validity[low + 1]), validity[low + 1] - validity[low]
    if validity[low] == math.inf:
        worst, spread = mover * validity[TRIAL_RETURN], 0.0
    return worst - MARGIN * (spread if spread > 0.0 else max(abs(worst), 1.0))


class GuardedFunctions(tuple[Any, ...]):
    """The functions of a Python model, which raise nothing in steps and rollouts but end them with NaN.

    Attributes:
        plain: the functions as they are.
        errors: the first that was raised, if any was.
    """

    plain: tuple[Callable[..., Any], ...]
    errors: list[Exception]


def guarded(functions: Sequence[Callable[..., Any]], let_through: type[Exception]) -> GuardedFunctions:
    """Guard the functions of a Python model, in the order of ROLES; exceptions of one kind are let through."""
    errors: list[Exception] = []

    def guard(function: Callable[..., Any], is_step: bool) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            reward = math.nan
            try:
                result = function(*arguments)
                reward, terminated = result if is_step else (result, True)
                if math.isfinite(reward):
                    if terminated or np.isfinite(arguments[2]).all():
                        return result
                    reward = math.nan
            except let_through:
                raise
            except Exception as error:
                errors.extend([] if errors else [error])
                reward = math.nan
            return (float(reward), True) if is_step else float(reward)

        return call

    made = GuardedFunctions(
        guard(function, role in STEPS) if role in STEPS + ROLLOUTS else function
        for role, function in zip(ROLES, functions, strict=True)
    )
    made.plain, made.errors = tuple(functions), errors
    return made
