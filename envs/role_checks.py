"""Checks of the functions of a model, one by one, for `envs.checks`; every ValueError names the function."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from planners.base import AimBlock, Array, Model, Rng, require

DEPTHS = 16
SIZE = 100  # of a grid of aims
GUARD = -12345.678  # what buffers hold before a call, to see that all of them was written


def alike(model: Model, name: str, call: Callable[[Any, Rng], Any], rng: Rng) -> Any:
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


def sampled_action(model: Model, state: Array, rng: Rng) -> Array:
    """An action that the model draws in this state."""

    def call(function: Any, generator: Rng) -> tuple[Array]:
        given, action = state.copy(), np.full(len(model.action_low), GUARD)
        function(given, action, model.params, generator)
        require(bool((given == state).all()), "sample_action(...)", given, f"without effect on its state {state}")
        return (action,)

    (action,) = alike(model, "sample_action", call, rng)
    inside = bool(((model.action_low <= action) & (action <= model.action_high)).all())
    require(inside, "sample_action(...)", action, f"within {model.action_low} and {model.action_high}")
    return np.asarray(action)


def checked_step(model: Model, role: str, state: Array, action: Array, rng: Rng) -> tuple[Array, bool]:
    """What follows a state, and whether it is the end, by "step" or "step_exact", looked at from all sides."""
    name = f"{role}(...)"

    def call(function: Any, generator: Rng) -> tuple[Array, float, bool]:
        given, params, chosen = state.copy(), model.params.copy(), action.copy()
        next_state = np.full(model.state_dim, GUARD)
        result = function(given, chosen, next_state, params, generator)
        require(isinstance(result, tuple) and len(result) == 2, name, result, "a pair (reward, terminated)")
        inputs = (("state", state, given), ("action", action, chosen), ("params", model.params, params))
        for what, before, now in inputs:
            require(bool((before == now).all()), name, now, f"without effect on its {what} {before}")
        return next_state, *result

    next_state, reward, terminated = alike(model, role, call, rng)
    require(bool((next_state != GUARD).all()), name, next_state, "a write to every entry of next_state")
    require(bool(np.isfinite(next_state).all()), name, next_state, "finite in every entry of next_state")
    require(bool(np.isfinite(reward)), name, reward, "finite as a reward")
    require(isinstance(terminated, bool | np.bool_), name, terminated, "True or False as `terminated`")
    index = getattr(model, "time_index", None)
    require(
        index is None or next_state[index] == state[index] + 1.0,
        name,
        next_state,
        f"one step later than {state} in entry time_index={index}",
    )
    return next_state, bool(terminated)


def check_rollout(model: Any, states: list[Array], rng: Rng) -> None:
    """Values are finite."""
    for state in states:

        def call(function: Any, generator: Rng, state: Array = state) -> tuple[float]:
            return (function(state.copy(), np.empty(model.state_dim), model.horizon, model.params, generator),)

        (value,) = alike(model, "rollout", call, rng)
        require(bool(np.isfinite(value)), "rollout(...)", value, "finite")


def check_player(model: Any, states: list[Array], rng: Rng) -> None:
    """It is +1 or -1."""
    for state in states:

        def call(function: Any, _: Rng, state: Array = state) -> tuple[float]:
            return (function(state, model.params),)

        (player,) = alike(model, "player", call, rng)
        require(player in (1.0, -1.0), "player(...)", player, "+1.0 or -1.0")


def check_cells(model: Any, states: list[Array], rng: Rng) -> None:
    """Each depth refines the one before, and any depth may be asked for first."""
    hashes = []
    for state in states:

        def call(function: Any, _: Rng, first: int = 0, state: Array = state) -> tuple[Any]:
            out = np.zeros(DEPTHS - first, np.uint64)
            function(state, first, DEPTHS, model.params, out)
            return (out,)

        (cells,) = alike(model, "cells", call, rng)
        with np.errstate(over="ignore"):
            (half,) = call(model.cells, rng, DEPTHS // 2)
        require(
            bool((cells[DEPTHS // 2 :] == half).all()),
            "cells(...)",
            half,
            f"the same hashes whatever the first depth asked for, not {cells[DEPTHS // 2 :]}",
        )
        hashes.append(cells)
    for depth in range(1, DEPTHS):
        coarser: dict[int, int] = {}
        for cells in hashes:
            parent = coarser.setdefault(int(cells[depth]), int(cells[depth - 1]))
            require(
                parent == cells[depth - 1],
                "cells(...)",
                cells,
                f"refining: states with equal hashes at depth {depth} must have equal ones at depth {depth - 1}",
            )


def check_step_exact(model: Any, states: list[Array], rng: Rng) -> None:
    """It keeps the contract of `step`, and draws nothing."""
    for state in states:
        action, before = sampled_action(model, state, rng), copy.deepcopy(rng.bit_generator.state)
        checked_step(model, "step_exact", state, action, rng)
        require(rng.bit_generator.state == before, "step_exact(...)", state, "without any draw from rng")


def check_actions(model: Any, states: list[Array], rng: Rng) -> None:
    """There are some but not too many, within the bounds, each with a key of its own."""
    most: Any = getattr(model, "max_actions", None)
    low, high = model.action_low, model.action_high
    require(isinstance(most, int) and most >= 1, "max_actions", most, "a whole number of at least 1, as for `actions`")
    for state in states:

        def call(function: Any, _: Rng, state: Array = state) -> tuple[int, Array, Any]:
            given, out, keys = state.copy(), np.full((most, len(low)), GUARD), np.zeros(most, np.uint64)
            n = function(given, model.params, out, keys)
            require(bool((given == state).all()), "actions(...)", given, f"without effect on its state {state}")
            require(1 <= n <= most, "actions(...)", n, f"how many there are, from 1 to max_actions={most}")
            return n, out[:n], keys[:n]

        n, found, keys = alike(model, "actions", call, rng)
        require(bool(((low <= found) & (found <= high)).all()), "actions(...)", found, f"within {low} and {high}")
        require(len(np.unique(keys)) == n, "actions(...)", keys, "actions with a key of its own each")


def check_aim_grid(model: Any, states: list[Array], rng: Rng) -> None:
    """Blocks have the right shape, keep within the bounds, and know their noise."""
    low, high = model.action_low, model.action_high
    for state in states:
        grid, again = model.aim_grid(state.copy(), SIZE), model.aim_grid(state.copy(), SIZE)
        require(
            isinstance(grid, list) and len(grid) > 0 and all(isinstance(block, AimBlock) for block in grid),
            "aim_grid(...)",
            grid,
            "a list of planners.base.AimBlock, at least one",
        )
        for (actions, sd), (same, _) in zip(grid, again, strict=True):
            fits = np.ndim(actions) == 3 and np.size(actions) > 0 and np.shape(actions)[-1] == len(low)
            require(fits, "aim_grid(...)", np.shape(actions), f"blocks of shape [rows, columns, {len(low)}], not empty")
            inside = bool(((low <= actions) & (actions <= high)).all())
            require(inside, "aim_grid(...)", actions, f"within {low} and {high}")
            good = np.shape(sd) == (2,) and bool(((np.asarray(sd) >= 0.0) & np.isfinite(sd)).all())
            require(good, "aim_grid(...)", sd, "blocks whose sd are two finite numbers of at least 0")
            require(np.array_equal(actions, same), "aim_grid(...)", same, "the same at every call")


def check_steps_left(model: Any, states: list[Array], rng: Rng) -> None:
    """It is within the horizon."""
    for state in states:
        left = model.steps_left(state)
        require(
            isinstance(left, int) and 1 <= left <= model.horizon,
            "steps_left(...)",
            left,
            f"a whole number from 1 to horizon={model.horizon}",
        )


OPTIONAL = {
    "rollout": check_rollout,
    "player": check_player,
    "cells": check_cells,
    "step_exact": check_step_exact,
    "actions": check_actions,
    "aim_grid": check_aim_grid,
    "steps_left": check_steps_left,
}
