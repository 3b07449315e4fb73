"""The least and the largest return of a search, by which rules of exploration can be scaled; the error without one."""

import math
from typing import Any

import numpy as np

from bonspiel.planners.core.code.errors import error_place, error_text
from bonspiel.planners.core.jit import RNG, ROLES, VECTOR, Problem, address_of, helper, kernel, no_validity, step
from bonspiel.planners.core.jit.validity import FIRST, INVALID, REWARD, action_dim_of
from bonspiel.planners.core.problem import DEFAULTS, PROBLEM
from bonspiel.planners.model import Array, Rng

STEP = ROLES.index("step")

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


def require_valid(problem: Problem) -> int:
    """The number of invalid rollouts; if all are, raise InvalidRollouts with the first state and action.

    Raises:
        InvalidRollouts: all are.
        TypeError: as the planner calls `rollout`, which the model lacks.
    """
    if not all_invalid(problem.validity):
        return invalid_in(problem.validity)
    text, cause = _first_invalid(problem)
    error = InvalidRollouts(f"all rollouts of the model are invalid: {text}")
    error.rollouts = invalid_in(problem.validity)
    raise error from cause


@kernel(PROBLEM, VECTOR, VECTOR, RNG)
def _repeat(problem: Problem, action: Array, next_state: Array, rng: Rng) -> tuple[float, bool]:
    return step(problem, problem.state, action, next_state, rng)


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
        _require_rollout(functions)
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


def _require_rollout(functions: Any) -> None:
    function, default = functions[ROLES.index("rollout")], DEFAULTS["rollout"]
    if function is default or (isinstance(functions, np.ndarray) and function == address_of(default, "rollout")):
        raise TypeError("the planner calls `rollout`, which this model lacks; its `unsupported` must say so")


def _shown(vector: Array) -> str:
    """A vector in one line; of a long one both ends."""
    return np.array2string(vector, max_line_width=10_000, threshold=16, separator=", ")
