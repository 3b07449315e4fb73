"""A check for authors of models: does the model keep the contract that planners rely on?"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from planners.base import Array, Model, Rng, require

DEPTHS = 16
GUARD = -12345.678  # what buffers hold before a call, to see that all of them was written


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
            action = _sampled_action(model, state, rng)
            state, terminated = _checked_step(model, state, action, rng)
            if terminated:
                break
    optional = {"rollout": _check_rollout, "player": _check_player, "cells": _check_cells}
    for name, check in optional.items():
        if getattr(model, name, None) is not None:
            check(model, seen, rng)


def _check_attributes(model: Model) -> None:
    for name in ("state_dim", "action_low", "action_high", "discount", "horizon", "params", "compiled", "step",
                 "sample_action", "initial_state"):
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
            require(np.shape(getattr(model, name)) == (model.state_dim,), name, getattr(model, name),
                    f"a vector of {model.state_dim} numbers")
    index = getattr(model, "time_index", None)
    require(index is None or 0 <= index < model.state_dim, "time_index", index, f"between 0 and {model.state_dim - 1}")
    if model.compiled:
        for name in ("step", "sample_action", "rollout", "player", "cells"):
            function = getattr(model, name, None)
            require(function is None or hasattr(function, "py_func"), name, function,
                    f'decorated with planners.jit.compiled("{name}"), since the model says compiled=True')


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


def _alike(model: Model, name: str, call: Callable[[Any, Rng], Any], rng: Rng) -> Any:
    """The result of a call, which must be the same again, and in both forms of a compiled function."""
    function = getattr(model, name)
    forms = [function, function.py_func] if model.compiled else [function]
    start = copy.deepcopy(rng)
    with np.errstate(over="ignore"):  # hashes wrap around
        first, after = call(function, rng), rng.bit_generator.state
    for form in forms:
        other = copy.deepcopy(start)
        with np.errstate(over="ignore"):
            again = call(form, other)
        what = f"the same {'again' if form is function else 'interpreted'} with the same random numbers"
        same = all(map(_same, first, again))
        require(same and other.bit_generator.state == after, f"{name}(...)", (first, again), what)
    return first


def _same(a: Any, b: Any) -> bool:
    if np.issubdtype(np.asarray(a).dtype, np.integer):
        return np.array_equal(a, b)
    return np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True)  # compiled sines may differ in the last bit


def _sampled_action(model: Model, state: Array, rng: Rng) -> Array:
    def call(function: Any, generator: Rng) -> tuple[Array]:
        given, action = state.copy(), np.full(len(model.action_low), GUARD)
        function(given, action, model.params, generator)
        require(bool((given == state).all()), "sample_action(...)", given, f"without effect on its state {state}")
        return (action,)

    (action,) = _alike(model, "sample_action", call, rng)
    inside = bool(((model.action_low <= action) & (action <= model.action_high)).all())
    require(inside, "sample_action(...)", action, f"within {model.action_low} and {model.action_high}")
    return np.asarray(action)


def _checked_step(model: Model, state: Array, action: Array, rng: Rng) -> tuple[Array, bool]:
    def call(function: Any, generator: Rng) -> tuple[Array, float, bool]:
        given, params, chosen = state.copy(), model.params.copy(), action.copy()
        next_state = np.full(model.state_dim, GUARD)
        result = function(given, chosen, next_state, params, generator)
        require(isinstance(result, tuple) and len(result) == 2, "step(...)", result, "a pair (reward, terminated)")
        inputs = (("state", state, given), ("action", action, chosen), ("params", model.params, params))
        for name, before, now in inputs:
            require(bool((before == now).all()), "step(...)", now, f"without effect on its {name} {before}")
        return next_state, *result

    next_state, reward, terminated = _alike(model, "step", call, rng)
    require(bool((next_state != GUARD).all()), "step(...)", next_state, "a write to every entry of next_state")
    require(bool(np.isfinite(next_state).all()), "step(...)", next_state, "finite in every entry of next_state")
    require(bool(np.isfinite(reward)), "step(...)", reward, "finite as a reward")
    require(isinstance(terminated, bool | np.bool_), "step(...)", terminated, "True or False as `terminated`")
    index = getattr(model, "time_index", None)
    require(index is None or next_state[index] == state[index] + 1.0, "step(...)", next_state,
            f"one step later than {state} in entry time_index={index}")
    return next_state, bool(terminated)


def _check_rollout(model: Any, states: list[Array], rng: Rng) -> None:
    for state in states:
        def call(function: Any, generator: Rng, state: Array = state) -> tuple[float]:
            return (function(state.copy(), np.empty(model.state_dim), model.horizon, model.params, generator),)

        (value,) = _alike(model, "rollout", call, rng)
        require(bool(np.isfinite(value)), "rollout(...)", value, "finite")


def _check_player(model: Any, states: list[Array], rng: Rng) -> None:
    for state in states:
        def call(function: Any, _: Rng, state: Array = state) -> tuple[float]:
            return (function(state, model.params),)

        (player,) = _alike(model, "player", call, rng)
        require(player in (1.0, -1.0), "player(...)", player, "+1.0 or -1.0")


def _check_cells(model: Any, states: list[Array], rng: Rng) -> None:
    hashes = []
    for state in states:
        def call(function: Any, _: Rng, first: int = 0, state: Array = state) -> tuple[Any]:
            out = np.zeros(DEPTHS - first, np.uint64)
            function(state, first, DEPTHS, model.params, out)
            return (out,)

        (cells,) = _alike(model, "cells", call, rng)
        with np.errstate(over="ignore"):
            (half,) = call(model.cells, rng, DEPTHS // 2)
        require(bool((cells[DEPTHS // 2 :] == half).all()), "cells(...)", half,
                f"the same hashes whatever the first depth asked for, not {cells[DEPTHS // 2 :]}")
        hashes.append(cells)
    for depth in range(1, DEPTHS):
        coarser: dict[int, int] = {}
        for cells in hashes:
            parent = coarser.setdefault(int(cells[depth]), int(cells[depth - 1]))
            require(parent == cells[depth - 1], "cells(...)", cells,
                    f"refining: states with equal hashes at depth {depth} must have equal ones at depth {depth - 1}")
