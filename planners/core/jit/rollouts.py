"""Steps and rollouts of the model within a search: each is counted, and an invalid one ends with NaN."""

import math
from typing import Any

from numba.extending import overload

from bonspiel.planners.core.jit.calls import (
    call_rollout,
    call_step,
    call_step_exact,
    call_traced_rollout,
    sample_action,
)
from bonspiel.planners.core.jit.decorators import model_helper, rare_helper
from bonspiel.planners.core.jit.validity import (
    FIRST,
    FOUND,
    INVALID,
    MOST_TRIALS,
    REWARD,
    TRIAL_RETURN,
    TRIALS,
    action_dim_of,
    is_kept,
)
from bonspiel.planners.model import Array


def _sum_of(reward: Any, terminated: Any, next_state: Array) -> Any:
    """A number that is not finite where the reward or the next state is not; Python models are guarded."""
    return reward


@overload(_sum_of)  # type: ignore[untyped-decorator]
def _(reward: Any, terminated: Any, next_state: Any) -> Any:
    def compiled_sum(reward: Any, terminated: Any, next_state: Any) -> Any:
        total = reward
        if not terminated:  # what a last step leaves there, nobody reads
            for i in range(len(next_state)):
                total += next_state[i]
        return total

    return compiled_sum


@model_helper
def step(problem: Any, state: Array, action: Array, next_state: Array, rng: Any) -> Any:
    """Call the model's function, and count a step; (NaN, True) if it is invalid."""
    if len(problem.counter) > 0:
        problem.counter[0] += 1.0
    reward, terminated = call_step(problem, state, action, next_state, rng)
    total = _sum_of(reward, terminated, next_state)
    if total - total != 0.0 and _is_invalid(problem, reward, terminated, next_state):
        _note_invalid(problem, state, action, reward, rng)
        return math.nan, True
    return reward, terminated


@model_helper
def step_exact(problem: Any, state: Array, action: Array, next_state: Array, rng: Any) -> Any:
    """Call the model's function, and count a step; (NaN, True) if it is invalid."""
    if len(problem.counter) > 0:
        problem.counter[0] += 1.0
    reward, terminated = call_step_exact(problem, state, action, next_state, rng)
    total = _sum_of(reward, terminated, next_state)
    if total - total != 0.0 and _is_invalid(problem, reward, terminated, next_state):
        _note_invalid(problem, state, action, reward, rng)
        return math.nan, True
    return reward, terminated


@model_helper
def rollout(problem: Any, state: Array, scratch: Array, depth: Any, rng: Any) -> Any:
    """Call the model's function; NaN if it is invalid. To count, a step at a time, and NaN for one without steps.

    A rollout leaves the state as it was where a step ended the episode. One whose steps do not add up to the whole
    shows by another search.
    """
    _keep(problem, state)
    total = 0.0
    if len(problem.counter) == 0:
        total = call_rollout(problem, state, scratch, depth, rng)
    else:
        for _ in range(depth):
            for i in range(len(state)):
                problem.counter[1 + i] = state[i]
            scratch[0] = math.nan
            total += call_rollout(problem, state, scratch, 1, rng)
            problem.counter[0] += 1.0 if scratch[0] == scratch[0] else math.nan
            moved = False
            for i in range(len(state)):
                moved = moved or state[i] != problem.counter[1 + i]
            if not moved:
                break
    return _valid_return(problem, total, rng)


@model_helper
def traced_rollout(
    problem: Any, state: Array, scratch: Array, depth: Any, rng: Any, keys: Any, movers: Array, owners: Array
) -> Any:
    """Call the model's function, whose steps cannot be counted; NaN if it is invalid."""
    _keep(problem, state)
    if len(problem.counter) > 0:
        problem.counter[0] = math.nan
    total = call_traced_rollout(problem, state, scratch, depth, rng, keys, movers, owners)
    return _valid_return(problem, total, rng)


@model_helper
def _keep(problem: Any, state: Array) -> None:
    """Keep the state that a rollout starts from, which it may overwrite, for a message."""
    validity = problem.validity
    if is_kept(validity):
        begin = len(validity) - len(state)
        for i in range(len(state)):
            validity[begin + i] = state[i]


@model_helper
def _valid_return(problem: Any, total: Any, rng: Any) -> Any:
    """The return of a rollout, NaN if it is invalid."""
    validity = problem.validity
    if total - total == 0.0 or not is_kept(validity):
        return total
    _note_invalid(problem, validity[len(validity) - len(problem.state) :], validity[:0], total, rng)
    return math.nan


@model_helper
def meet_again(problem: Any, reward: Any) -> None:
    """Count an invalid rollout that ends in an outcome kept from an earlier one."""
    if reward != reward and is_kept(problem.validity):
        problem.validity[INVALID] += 1.0


@rare_helper
def _is_invalid(problem: Any, reward: Any, terminated: Any, next_state: Array) -> Any:
    """True if the rule applies and the result is invalid: a sum of finite numbers may overflow."""
    invalid = reward - reward != 0.0
    if not (invalid or terminated):
        for i in range(len(next_state)):
            invalid = invalid or next_state[i] - next_state[i] != 0.0
    return invalid and is_kept(problem.validity)


@rare_helper
def _note_invalid(problem: Any, state: Array, action: Array, reward: Any, rng: Any) -> None:
    """Count an invalid rollout and keep the first; try random ones if no valid one is known."""
    validity, dim = problem.validity, len(state)
    validity[INVALID] += 1.0
    if validity[INVALID] == 1.0:
        validity[REWARD] = reward
        for i in range(dim):
            validity[FIRST + i] = state[i]
        for i in range(action_dim_of(validity, dim)):
            validity[FIRST + dim + i] = action[i] if len(action) > 0 else math.nan
    while validity[0] == math.inf and validity[TRIALS] < MOST_TRIALS:
        validity[TRIALS] += 1.0
        total = _random_return(problem, rng)
        if total - total == 0.0:
            validity[TRIALS], validity[TRIAL_RETURN] = FOUND, total


@rare_helper
def _random_return(problem: Any, rng: Any) -> Any:
    """The return of random actions from the root, NaN if it is invalid."""
    dim = len(problem.state)
    action_dim = action_dim_of(problem.validity, dim)
    room = problem.validity[FIRST + dim + action_dim :]
    state, next_state, action = room[:dim], room[dim : 2 * dim], room[2 * dim : 2 * dim + action_dim]
    for i in range(dim):
        state[i] = problem.state[i]
    total, weight = 0.0, 1.0
    for _ in range(problem.steps):
        sample_action(problem, state, action, rng)
        if len(problem.counter) > 0:
            problem.counter[0] += 1.0
        reward, terminated = call_step(problem, state, action, next_state, rng)
        if _is_invalid(problem, reward, terminated, next_state):
            return math.nan
        total += weight * reward
        if terminated:
            break
        weight *= problem.discount
        for i in range(dim):
            state[i] = next_state[i]
    return total
