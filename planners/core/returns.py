"""The least and the largest return of a search, by which rules of exploration can be scaled; the error without one."""

import math

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.code.packages import error_place, error_text
from bonspiel.planners.core.jit import RNG, ROLES, VECTOR, Problem, helper, kernel, no_validity, step
from bonspiel.planners.core.jit.validity import FIRST, INVALID, MOST_TRIALS, REWARD, TRIAL_GAIN, TRIALS, action_dim_of
from bonspiel.planners.core.problem import PROBLEM
from bonspiel.planners.model import Array, Rng

STEP = ROLES.index("step")
MOST_TRIED, TRIES = 16, 3  # actions that may be played, and steps by each

_NONE = np.array([np.inf, -np.inf])  # copied, which is twice as fast as made from a list


def no_returns() -> Array:
    """The least and the largest return of a search that has met none, [2]."""
    return _NONE.copy()


@helper
def note_return(returns: Array, gain: float) -> None:
    """Extend the least and the largest return by one more, but for that of an invalid rollout, which is no number."""
    if gain < returns[0]:
        returns[0] = gain
    if gain > returns[1]:
        returns[1] = gain


class InvalidRollouts(ValueError):
    """No rollout of a decision was valid.

    Attributes:
        rollouts: their number.
    """

    rollouts: int = 0


def invalid_in(validity: Array) -> int:
    """The number of invalid rollouts."""
    return int(validity[INVALID]) if len(validity) > FIRST else 0


def all_invalid(validity: Array) -> bool:
    """True if there were invalid rollouts, and no valid one."""
    return bool(invalid_in(validity) > 0 and validity[0] == math.inf)


def require_valid(problem: Problem) -> None:
    """Raise InvalidRollouts, with the first state and action, if all rollouts are invalid."""
    if not all_invalid(problem.validity):
        return
    text, cause = _first_invalid(problem)
    error = InvalidRollouts(f"all rollouts of the model are invalid: {text}")
    error.rollouts = invalid_in(problem.validity)
    raise error from cause


@kernel(PROBLEM, VECTOR, VECTOR, RNG)
def _repeat(problem: Problem, action: Array, next_state: Array, rng: Rng) -> tuple[float, bool]:
    return step(problem, problem.state, action, next_state, rng)


def valid_trial(problem: Problem) -> tuple[Array, float] | None:
    """The first action and the return for the player to move of a valid random rollout, if one was found."""
    validity, dim = problem.validity, len(problem.state)
    if validity[TRIALS] <= MOST_TRIALS:
        return None
    count = action_dim_of(validity, dim)
    begin = FIRST + dim + count
    return validity[begin : begin + count].copy(), float(validity[TRIAL_GAIN])


def first_playable(problem: Problem, actions: Array, visits: NDArray[np.int64], values: Array, best: int) -> int:
    """The row to play: `best`, or the next one by visits and mean where the step from here by all before is invalid.

    For a search in which some rollouts were: where valid returns hardly differ, the worst of them avoids nothing.
    """
    others = sorted(
        (row for row in range(len(visits)) if visits[row] > 0 and row != best), key=lambda row: -values[row]
    )
    for row in (best, *sorted(others, key=lambda row: -visits[row])[: MOST_TRIED - 1]):
        if _is_playable(problem, actions[row]):
            return row
    return best


def _is_playable(problem: Problem, action: Array) -> bool:
    """True unless this step is invalid each time."""
    step = _repeat if isinstance(problem.functions, np.ndarray) else _repeat.py_func  # type: ignore[attr-defined]
    again, rng = problem._replace(validity=problem.validity.copy()), np.random.default_rng(0)
    next_state = np.empty_like(problem.state)
    return any(math.isfinite(step(again, action, next_state, rng)[0]) for _ in range(TRIES))


def _first_invalid(problem: Problem) -> tuple[str, Exception | None]:
    """What the first invalid step gave, in words, and what it raised; it is repeated, since a kernel keeps neither."""
    validity, dim = problem.validity, len(problem.state)
    state, action = validity[FIRST : FIRST + dim], validity[FIRST + dim :][: action_dim_of(validity, dim)]
    functions = getattr(problem.functions, "plain", problem.functions)
    raised = getattr(problem.functions, "errors", [])
    reward, next_state = float(validity[REWARD]), np.zeros(dim)
    where = f"in state={_shown(state)} action={_shown(action)}"
    if np.isnan(action).all():
        where = f"a rollout from state={_shown(state)}"
    else:
        again = problem._replace(state=state.copy(), validity=no_validity())
        arguments = action.copy(), next_state, np.random.default_rng(0)
        try:
            if isinstance(functions, np.ndarray):
                repeated, _ = _repeat(again, *arguments)
            else:
                repeated, _ = functions[STEP](again.state, *arguments[:2], problem.params, arguments[2])
            reward = reward if math.isfinite(repeated) else repeated
        except Exception as error:
            raised = [error]
    if raised:
        return f"{where} raises {error_text(raised[0])}{error_place(raised[0])}", raised[0]
    if not np.isfinite(next_state).all():
        return f"{where} gives next_state={_shown(next_state)}", None
    return f"{where} gives {'next_state' if math.isfinite(reward) else 'reward'}={reward}", None


def _shown(vector: Array) -> str:
    """A vector in one line; of a long one both ends."""
    return np.array2string(vector, max_line_width=10_000, threshold=16, separator=", ")
