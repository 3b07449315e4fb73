"""A check for authors of models: does the model keep the contract that planners rely on?"""

from typing import Any

import numpy as np

from envs.role_checks import OPTIONAL, checked_step, sampled_action
from planners.base import Array, Model, Rng, require
from planners.jit import SIGNATURES


def check_model(model: Model, rng: Rng, states: int = 100) -> None:
    """Call every function of a model along random episodes and see that it does what `planners.Model` says.

    Args:
        model: the model, compiled or not.
        rng: chooses the states and actions; a compiled model is called with copies of it, in both forms.
        states: how many states to look at.

    Raises:
        ValueError: the model breaks the contract; names the function or attribute and what is wrong.
    """
    _check_attributes(model)
    seen: list[Array] = []
    while len(seen) < states:
        state = _initial_state(model, rng)
        for _ in range(min(model.horizon, states - len(seen))):
            seen.append(state)
            action = sampled_action(model, state, rng)
            state, terminated = checked_step(model, "step", state, action, rng)
            if terminated:
                break
    for name, check in OPTIONAL.items():
        if getattr(model, name, None) is not None:
            check(model, seen, rng)


def _check_attributes(model: Model) -> None:
    for name in (
        "state_dim",
        "action_low",
        "action_high",
        "discount",
        "horizon",
        "params",
        "compiled",
        "step",
        "sample_action",
        "initial_state",
    ):
        require(hasattr(model, name), name, "missing", "an attribute of the model")
    require(model.state_dim >= 1, "state_dim", model.state_dim, "at least 1")
    require(model.horizon >= 1, "horizon", model.horizon, "at least 1")
    require(0.0 < model.discount <= 1.0, "discount", model.discount, "above 0 and at most 1")
    low, high = model.action_low, model.action_high
    _check_vector("action_low", low, None)
    _check_vector("action_high", high, len(low))
    _check_vector("params", model.params, None)
    require(bool((low < high).all()), "action_low", low, f"below action_high={high}")
    for name in ("state_low", "state_high"):
        if getattr(model, name, None) is not None:
            require(
                np.shape(getattr(model, name)) == (model.state_dim,),
                name,
                getattr(model, name),
                f"a vector of {model.state_dim} numbers",
            )
    index = getattr(model, "time_index", None)
    require(index is None or 0 <= index < model.state_dim, "time_index", index, f"between 0 and {model.state_dim - 1}")
    if model.compiled:
        for name in SIGNATURES:
            function = getattr(model, name, None)
            require(
                function is None or hasattr(function, "py_func"),
                name,
                function,
                f'decorated with planners.jit.compiled("{name}"), since the model says compiled=True',
            )


def _check_vector(name: str, value: Any, length: int | None) -> None:
    ok = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1
    require(ok and value.flags.c_contiguous, name, value, "a contiguous float64 vector")
    require(length is None or len(value) == length, name, value, f"of length {length}")
    require(bool(np.isfinite(value).all()), name, value, "finite")


def _initial_state(model: Model, rng: Rng) -> Array:
    state = model.initial_state(rng)
    _check_vector("initial_state(...)", state, model.state_dim)
    again = model.initial_state(rng)
    require(not np.shares_memory(state, again), "initial_state(...)", state, "a new array at every call")
    return state
