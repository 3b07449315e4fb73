"""Checks of parameters and arguments, and the one place that looks for the optional parts of a model."""

import functools
import math
from collections.abc import Sequence
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.kinds import is_discrete, kind_codes
from bonspiel.planners.model import Model

Part = TypeVar("Part")

MOST_STEPS = 10_000_000  # longer plans do not fit in memory
MOST_ACTIONS = 1 << 14  # of a fixed set: every node keeps statistics of each, and Weighted UCT a number for every two


def require(ok: bool | np.bool_, name: str, value: Any, allowed: str) -> None:
    """Raise ValueError naming a parameter, its value and what is allowed, unless `ok`."""
    if not ok:
        raise ValueError(f"{name}={value!r}: must be {allowed}")


def is_real(value: Any) -> bool:
    """True if a value is a number, of Python or numpy, and no bool."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def require_at_least(name: str, value: float, low: float) -> None:
    """Raise ValueError unless the parameter is finite and at least `low`."""
    require(is_real(value) and low <= value < np.inf, name, value, f"finite and at least {low:g}")


def require_positive(name: str, value: Any, high: float = np.inf) -> None:
    """Raise ValueError unless the parameter is finite, above 0 and at most `high`."""
    ok = is_real(value) and 0.0 < value <= high and value < np.inf
    require(ok, name, value, "finite and above 0" if high == np.inf else f"above 0 and at most {high:g}")


def require_share(name: str, value: Any) -> None:
    """Raise ValueError unless the parameter is a number in [0, 1]."""
    require(is_real(value) and 0.0 <= value <= 1.0, name, value, "in [0, 1]")


def require_count(name: str, value: Any, low: int = 1, high: float = np.inf) -> None:
    """Raise ValueError unless the parameter is a whole number from `low` to `high`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    bounds = f"of at least {low}" if high == np.inf else f"from {low} to {high}"
    require(whole and low <= value <= high, name, value, f"a whole number {bounds}")


def require_choice(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raise ValueError unless the parameter is one of `allowed`."""
    require(value in allowed, name, value, " or ".join(map(repr, allowed)))


@functools.cache
def _members(part: type[Any]) -> tuple[str, ...]:
    return tuple(name for name in vars(part) if not name.startswith("_"))


def offers(model: object, part: type[Part]) -> TypeGuard[Part]:
    """True if a model has an optional part, such as `HasActions`; None counts as missing.

    Attributes are looked up one by one, because isinstance with a protocol does not see what a proxy passes on.
    """
    for name in _members(part):  # type: ignore[arg-type]
        if getattr(model, name, None) is None:
            return False
    return True


def missing(model: object, *parts: type[Any]) -> str | None:
    """Names the members of optional parts that a model lacks, such as "needs `rollout`"; None if it has them all."""
    names = [name for part in parts for name in _members(part) if getattr(model, name, None) is None]  # type: ignore[arg-type]
    return "needs " + ", ".join(f"`{name}`" for name in names) if names else None


def missing_action_bounds(model: Model) -> str | None:
    """Say why a model without finite action bounds, or with the upper one below the lower, is refused; else None."""
    widths = (model.action_high - model.action_low).tolist()  # hot path
    if all(0.0 <= width < math.inf for width in widths):
        return None
    if all(map(math.isfinite, widths)):
        return "needs an `action_high` of at least `action_low`"
    return "needs finite `action_low` and `action_high`"


def discrete_actions(model: Model) -> str | None:
    """Say why a planner that makes actions of its own refuses a model that has none but the listed ones."""
    return "makes actions of its own, but only those of `actions` can be played" if is_discrete(model) else None


def two_players(model: Model) -> str | None:
    """Say why a planner for one player refuses a game of two; None if the model has one player."""
    return "one player only" if getattr(model, "player", None) is not None else None


def _numbers(given: Any, copy: bool | None) -> NDArray[np.float64]:
    """The array of what was given, copied if need be or always; one without numbers if it has something else."""
    try:
        return np.array(given, np.float64, copy=copy, order="C")
    except (TypeError, ValueError):
        return np.empty((0, 0))


def _vector(name: str, value: Any, length: int) -> NDArray[np.float64]:
    checked = _numbers(value, None)
    if checked.shape != (length,):
        require(False, name, value, f"a vector of {length} numbers")
    return checked


def check_state(model: Model, state: Any) -> NDArray[np.float64]:
    """The state as a contiguous float64 vector.

    Raises:
        TypeError: `model` is no model.
        ValueError: wrong shape, or a value that is not finite.
    """
    try:
        length = model.state_dim
    except AttributeError:
        raise TypeError(not_a_model(model)) from None
    checked = _vector("state", state, length)
    if not math.isfinite(sum(checked.tolist())):  # hot path; a sum of finite numbers may be infinite too
        require(np.isfinite(checked).all(), "state", state, "finite")
    return checked


def not_a_model(given: Any) -> str:
    """Say what to pass instead of something that is no model."""
    if hasattr(getattr(getattr(given, "unwrapped", None), "model", None), "state_dim"):
        remedy = "pass env.unwrapped.model"
    elif hasattr(given, "num_envs"):
        remedy = "pass bonspiel.envs.from_gymnasium(env) with a single environment, not a vector of them"
    elif hasattr(given, "action_space"):
        remedy = "pass bonspiel.envs.from_gymnasium(env)"
    else:
        remedy = "see bonspiel.envs.check_model"
    return f"model={given!r}: must be a planners.Model, which has `state_dim`; {remedy}"


def check_returns(found: Any, n: int, steps: int) -> NDArray[np.float64]:
    """The result of a model's `sequence_returns` as float64: rewards, [n, steps], or returns, [n].

    Raises:
        ValueError: another shape, or no real numbers.
    """
    name, allowed = "sequence_returns(...)", f"rewards of shape {(n, steps)} or returns of shape {(n,)}"
    try:
        raw = np.asarray(found)
        if raw.dtype.kind in "cSUTMm":  # numpy would turn most of these into numbers, with a warning at best
            raise TypeError(f"they are of type {raw.dtype}")
        checked = np.asarray(raw, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: must be real numbers, {allowed}: {error}") from error
    require(checked.shape in ((n, steps), (n,)), name, checked.shape, allowed)
    return checked


def check_action(model: Model, action: Any, name: str = "action") -> NDArray[np.float64]:
    """One action as a contiguous float64 vector, [action_dim].

    Raises:
        ValueError: wrong shape, a value outside the model's bounds, or one that is not whole where it has to be.
    """
    checked = _vector(name, action, len(model.action_low))
    _require_within(model, checked, name, action)
    return checked


def check_actions(model: Model, actions: Any, name: str = "root_actions") -> NDArray[np.float64]:
    """The actions as a contiguous float64 matrix, [A, action_dim].

    Raises:
        ValueError: wrong shape, no action at all, a value outside the model's bounds, or one that is not whole where it
            has to be.
    """
    checked, dim = _numbers(actions, copy=True), len(model.action_low)  # a copy, since decisions keep it
    fits = checked.ndim == 2 and checked.shape[0] > 0 and checked.shape[1] == dim
    require(fits, name, actions, f"a matrix of at least one row of {dim} numbers")
    _require_within(model, checked, name, actions)
    return checked


def _require_within(model: Model, checked: NDArray[np.float64], name: str, given: Any) -> None:
    low, high = model.action_low, model.action_high
    if not ((checked >= low) & (checked <= high)).all():  # hot path: format the message only on failure
        require(False, name, given, f"within {low} and {high}")
    if getattr(model, "action_kinds", None) is not None:
        require_whole(model, checked, name, given)


def require_whole(model: Model, actions: NDArray[np.float64], name: str, given: Any) -> None:
    """Raise ValueError unless actions, [..., action_dim], hold whole numbers in all coordinates that are not real."""
    codes = kind_codes(model)
    if len(codes) > 0:
        whole = (codes == 0) | (np.floor(actions) == actions)
        kinds = getattr(model, "action_kinds", ())
        require(whole.all(), name, given, f"whole numbers except where action_kinds={tuple(kinds)} says real")


def steps_taken(model: Model, state: NDArray[np.float64]) -> int:
    """Steps of the episode that led to `state`, [state_dim], by the model's `time_index`; 0 if it has none."""
    index = getattr(model, "time_index", None)
    return 0 if index is None else int(state[index])


def steps_left(model: Model, state: NDArray[np.float64], lookahead: int | None = None) -> int:
    """Steps that a plan from `state` looks ahead: to the end of the episode, or up to a `lookahead`.

    Args:
        model: the generative model, whose own `lookahead` is a limit too.
        state: [state_dim].
        lookahead: the planner's limit.

    Raises:
        ValueError: there is none, as `steps_left` or `time_index` of the model says, or there are too many.
    """
    own = getattr(model, "steps_left", None)
    left = model.horizon - steps_taken(model, state) if own is None else int(own(state))
    if left < 1:
        require(False, "state", state, "one with steps left; in this one the episode is over")
    steps = min(left, getattr(model, "lookahead", None) or left, lookahead or left)
    if steps > MOST_STEPS:
        require(False, "steps of a plan", steps, f"at most {MOST_STEPS:,}: give the planner a lookahead")
    return steps
