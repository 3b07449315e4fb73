"""Invalid rollouts: what a search knows of them, and the returns that it takes in their place.

A rollout is invalid if a reward or a next state of the model is not finite, or if the model raises. It ends there and
counts as the worst: from each depth on, its return is the worst of the valid rollouts so far for the player who moves
at that depth. So averages and bonuses stay in the range of what was met, and what leads there is avoided.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bonspiel.planners.core.jit.decorators import ROLES, helper
from bonspiel.planners.model import Array

INVALID, TRIALS, TRIAL_RETURN, REWARD, FIRST = 0, 1, 2, 3, 4  # entries of Validity.record
STEPS, ROLLOUTS = ("step", "step_exact"), ("rollout", "traced_rollout")  # roles whose results may be invalid
MOST_ROWS = 256  # deeper returns share the last row


class Validity(NamedTuple):
    """The valid and the invalid rollouts of a decision.

    Attributes:
        returns: the least and the largest return of valid rollouts from each depth on, player +1's, [rows, 2].
        record: the number of invalid rollouts; of trials, random rollouts while no valid one is known, and the return
            of a valid one; then reward, state and action of the first invalid step, NaN for the action of a rollout by
            the model; then room for two states and an action, and for the state where a rollout starts. Empty where the
            model's results are taken as they are.
    """

    returns: Array
    record: Array


def no_validity() -> Validity:
    """For kernels that take the model's results as they are."""
    return Validity(np.empty((1, 2)), np.empty(0))


def new_validity(steps: int, state_dim: int, action_dim: int) -> Validity:
    """For a decision, without rollouts so far."""
    return Validity(_no_returns(min(steps, MOST_ROWS)).copy(), np.zeros(FIRST + 4 * state_dim + 2 * action_dim))


@functools.cache
def _no_returns(rows: int) -> Array:
    return np.repeat([[math.inf, -math.inf]], rows, axis=0)


def copy_of(validity: Validity) -> Validity:
    """The same, for another worker to extend."""
    return Validity._make(part.copy() for part in validity)


def merged_validity(parts: Sequence[Validity], common: Validity) -> Validity:
    """The rollouts of several workers together, each of which has begun with the common ones.

    The first invalid one is that of the first worker that met any.
    """
    returns = np.column_stack(
        (np.min([part.returns[:, 0] for part in parts], axis=0), np.max([part.returns[:, 1] for part in parts], axis=0))
    )
    record = next((part.record for part in parts if part.record[INVALID] > 0.0), parts[0].record).copy()
    record[INVALID] = common.record[INVALID] + sum(part.record[INVALID] - common.record[INVALID] for part in parts)
    return Validity(returns, record)


@helper
def action_dim_of(record: Array, state_dim: int) -> int:
    """Length of an action, by the length of the record."""
    return (len(record) - FIRST - 4 * state_dim) // 2


@helper
def gain_of(validity: Validity, depth: int, mover: float, total: float) -> float:
    """The return from a depth on for the player who moves there; the worst so far if it is not finite.

    Args:
        validity: the problem's, which takes a finite return in.
        depth: steps from the root, 0 or more.
        mover: +1 or -1.
        total: the return for player +1.
    """
    returns = validity.returns
    row = min(depth, len(returns) - 1)
    if total - total == 0.0:
        if total < returns[row, 0]:  # rarely, so that it costs less than to write each time
            returns[row, 0] = total
        if total > returns[row, 1]:
            returns[row, 1] = total
        return mover * total
    while row > 0 and returns[row, 0] == math.inf:
        row -= 1
    if returns[row, 0] == math.inf:
        return mover * validity.record[TRIAL_RETURN]
    return returns[row, 0] if mover > 0.0 else -returns[row, 1]


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
