"""Checks of the functions of a model, one by one, for `envs.checks`; every ValueError names the function."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bonspiel.planners.checks import check_returns, missing, offers, require, require_whole
from bonspiel.planners.model import AimBlock, Array, HasActions, HasTimeIndex, HasTracedRollout, Model, Rng

DEPTHS = 16
SIZE = 100  # of a grid of aims
GUARD = -12345.678  # fills buffers before a call, to see that all of them was written


class InvalidResult(ValueError):
    """A reward, a next state or the value of a rollout is not finite, which a search passes over if it is rare."""


def _require_finite(name: str, value: Any, allowed: str) -> None:
    if not np.isfinite(value).all():
        raise InvalidResult(f"{name}={value!r}: must be {allowed}")


def alike(model: Model, name: str, call: Callable[[Any, Rng], Any], rng: Rng) -> Any:
    """The result of a call, which must be the same again, and in both forms of a compiled function."""
    function, start = getattr(model, name), copy.deepcopy(rng)
    with np.errstate(over="ignore"):  # hashes wrap around
        first, after = call(function, rng), rng.bit_generator.state
        for form in [function, function.py_func] if model.compiled else [function]:
            other = copy.deepcopy(start)
            again = call(form, other)
            which = "again" if form is function else "interpreted"
            same = all(map(_same, first, again)) and other.bit_generator.state == after
            require(same, f"{name}(...)", (first, again), f"the same {which} with the same random numbers")
    return first


def _same(a: Any, b: Any) -> bool:
    if np.issubdtype(np.asarray(a).dtype, np.integer):
        return np.array_equal(a, b)
    return np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True)  # compiled sines may differ in the last bit


def _require_unchanged(name: str, what: str, before: Array, now: Array) -> None:
    require((before == now).all(), f"{name}(...)", now, f"without effect on its {what} {before}")


def _require_within(model: Model, name: str, actions: Any) -> None:
    low, high = model.action_low, model.action_high
    require(((low <= actions) & (actions <= high)).all(), f"{name}(...)", actions, f"within {low} and {high}")
    require_whole(model, actions, f"{name}(...)", actions)


def sampled_action(model: Model, state: Array, rng: Rng) -> Array:
    """An action that the model draws in this state."""

    def call(function: Any, generator: Rng) -> tuple[Array]:
        given, action = state.copy(), np.full(len(model.action_low), GUARD)
        function(given, action, model.params, generator)
        _require_unchanged("sample_action", "state", state, given)
        return (action,)

    action: Array = alike(model, "sample_action", call, rng)[0]
    _require_within(model, "sample_action", action)
    return action


def checked_step(model: Model, role: str, state: Array, action: Array, rng: Rng) -> tuple[Array, bool]:
    """The next state and whether it is the end, by "step" or "step_exact", with every check of both."""
    name = f"{role}(...)"

    def call(function: Any, generator: Rng) -> tuple[Array, float, bool]:
        inputs = {"state": state, "action": action, "params": model.params}
        given = {what: before.copy() for what, before in inputs.items()}
        next_state = np.full(model.state_dim, GUARD)
        result = function(given["state"], given["action"], next_state, given["params"], generator)
        require(isinstance(result, tuple) and len(result) == 2, name, result, "a pair (reward, terminated)")
        for what, before in inputs.items():
            _require_unchanged(role, what, before, given[what])
        return next_state, *result

    next_state, reward, terminated = alike(model, role, call, rng)
    require((next_state != GUARD).all(), name, next_state, "a write to every entry of next_state")
    _require_finite(name, next_state, "finite in every entry of next_state")
    require(np.ndim(reward) == 0, name, reward, "a number as a reward")
    _require_finite(name, reward, "finite as a reward")
    require(isinstance(terminated, bool | np.bool_), name, terminated, "True or False as `terminated`")
    if offers(model, HasTimeIndex):
        index = model.time_index
        later = f"one step later than {state} in entry time_index={index}"
        require(next_state[index] == state[index] + 1.0, name, next_state, later)
    return next_state, bool(terminated)


def check_rollout(model: Any, state: Array, rng: Rng) -> None:
    """Values are finite."""

    def call(function: Any, generator: Rng) -> tuple[float]:
        return (function(state.copy(), np.empty(model.state_dim), model.horizon, model.params, generator),)

    (value,) = alike(model, "rollout", call, rng)
    _require_finite("rollout(...)", value, "finite")


def check_player(model: Any, state: Array, rng: Rng) -> None:
    """It is +1 or -1."""
    (player,) = alike(model, "player", lambda function, _: (function(state, model.params),), rng)
    require(player in (1.0, -1.0), "player(...)", player, "+1.0 or -1.0")


def _hashes(model: Any, state: Array, first: int, rng: Rng) -> Any:
    def call(function: Any, _: Rng) -> tuple[Any]:
        out = np.zeros(DEPTHS - first, np.uint64)
        function(state, first, DEPTHS, model.params, out)
        return (out,)

    return alike(model, "cells", call, rng)[0]


def check_cells(model: Any, state: Array, rng: Rng) -> None:
    """Any depth may be asked for first."""
    whole, half = _hashes(model, state, 0, rng)[DEPTHS // 2 :], _hashes(model, state, DEPTHS // 2, rng)
    same = f"the same hashes whatever the first depth asked for, not {whole}"
    require((whole == half).all(), "cells(...)", half, same)


def check_refinement(model: Any, states: list[Array], rng: Rng) -> None:
    """Each depth of the cells refines the one before."""
    coarser: dict[tuple[int, int], int] = {}
    for state in states:
        cells = _hashes(model, state, 0, rng)
        for depth in range(1, DEPTHS):
            parent = coarser.setdefault((depth, int(cells[depth])), int(cells[depth - 1]))
            refining = f"refining: equal hashes at depth {depth} must mean equal ones at depth {depth - 1}"
            require(parent == cells[depth - 1], "cells(...)", cells, refining)


def check_step_exact(model: Any, state: Array, rng: Rng) -> None:
    """It keeps the contract of `step`, and draws nothing."""
    action, before = sampled_action(model, state, rng), copy.deepcopy(rng.bit_generator.state)
    checked_step(model, "step_exact", state, action, rng)
    require(rng.bit_generator.state == before, "step_exact(...)", state, "without any draw from rng")


def check_actions(model: Any, state: Array, rng: Rng) -> None:
    """From 1 to max_actions, within the bounds, each with a key of its own."""
    most: Any = getattr(model, "max_actions", None)
    require(isinstance(most, int) and most >= 1, "max_actions", most, "a whole number of at least 1, as for `actions`")

    def call(function: Any, _: Rng) -> tuple[int, Array, Any]:
        given, out, keys = state.copy(), np.full((most, len(model.action_low)), GUARD), np.zeros(most, np.uint64)
        n = function(given, model.params, out, keys)
        _require_unchanged("actions", "state", state, given)
        require(1 <= n <= most, "actions(...)", n, f"a number of actions from 1 to max_actions={most}")
        return n, out[:n], keys[:n]

    n, found, keys = alike(model, "actions", call, rng)
    _require_within(model, "actions", found)
    require(len(np.unique(keys)) == n, "actions(...)", keys, "actions with a key of its own each")


def check_aim_grid(model: Any, state: Array, rng: Rng) -> None:
    """Blocks have the right shape, keep within the bounds, and know their noise."""
    name, dim = "aim_grid(...)", len(model.action_low)
    grid, again = model.aim_grid(state.copy(), SIZE), model.aim_grid(state.copy(), SIZE)
    blocks = isinstance(grid, list) and len(grid) > 0 and all(isinstance(block, AimBlock) for block in grid)
    require(blocks, name, grid, "a list of bonspiel.planners.model.AimBlock, at least one")
    for (actions, sd), (same, _) in zip(grid, again, strict=True):
        fits = np.ndim(actions) == 3 and np.size(actions) > 0 and np.shape(actions)[-1] == dim
        require(fits, name, np.shape(actions), f"blocks of shape [rows, columns, {dim}], not empty")
        _require_within(model, "aim_grid", actions)
        good = np.shape(sd) == (2,) and ((np.asarray(sd) >= 0.0) & np.isfinite(sd)).all()
        require(good, name, sd, "blocks whose sd are two finite numbers of at least 0")
        require(np.array_equal(actions, same), name, same, "the same at every call")


def check_steps_left(model: Any, state: Array, rng: Rng) -> None:
    """It is within the horizon."""
    left, horizon = model.steps_left(state), model.horizon
    within = isinstance(left, int) and 1 <= left <= horizon
    require(within, "steps_left(...)", left, f"a whole number from 1 to horizon={horizon}")


def check_traced_rollout(model: Any, state: Array, rng: Rng) -> None:
    """Finite values; players of all actions traced, with an end; owners from -1 to 1, and a winner."""
    name, depth = "traced_rollout(...)", model.horizon
    regions: Any = getattr(model, "n_regions", None)
    require(
        isinstance(regions, int) and regions >= 1, "n_regions", regions, f"a whole number of at least 1, for {name}"
    )

    def call(function: Any, generator: Rng) -> tuple[float, Array, Array]:
        keys, movers, owners = np.zeros(depth + 1, np.uint64), np.full(depth + 1, GUARD), np.full(regions + 1, GUARD)
        given = state.copy(), np.empty(model.state_dim), depth, model.params, generator
        return function(*given, keys, movers, owners), movers, owners

    value, movers, owners = alike(model, "traced_rollout", call, rng)
    require(np.isfinite(value), name, value, "finite")
    require((movers == 0.0).any(), name, movers, "movers with a 0 after the last action")
    played = movers[: int(np.argmax(movers == 0.0))]
    require(np.isin(played, (1.0, -1.0)).all(), name, played, "movers that are +1.0 or -1.0")
    require((np.abs(owners) <= 1.0).all(), name, owners, "owners from -1 to 1")
    winner = "a winner after the owners: +1.0, -1.0 or 0.0 for nobody"
    require(owners[-1] in (-1.0, 0.0, 1.0), name, float(owners[-1]), winner)


def _known_actions(model: Any, state: Array, role: str, *parts: type[Any]) -> Array:
    """The actions that the model lists in this state, [A, action_dim], for a function that needs them and more."""
    lacking = missing(model, HasActions, *parts)
    require(lacking is None, role, "offered", f"left out, as it {lacking}")
    out = np.empty((model.max_actions, len(model.action_low)))
    return out[: model.actions(state.copy(), model.params, out, np.empty(len(out), np.uint64))]


def check_priors(model: Any, state: Array, rng: Rng) -> None:
    """Finite, of no fewer than 0 visits."""
    given = _known_actions(model, state, "priors")

    def call(function: Any, _: Rng) -> tuple[Array]:
        out = np.full((len(given), 2), GUARD)
        function(state.copy(), model.params, given.copy(), out)
        return (out,)

    (out,) = alike(model, "priors", call, rng)
    good = np.isfinite(out).all() and (out[:, 0] >= 0.0).all() and (out != GUARD).all()
    require(good, "priors(...)", out, "visits of at least 0 and a finite mean for each action")


def _region_of(action: Array, params: Array, function: Any, _: Rng) -> tuple[int]:
    return (function(action, params),)


def check_region(model: Any, state: Array, rng: Rng) -> None:
    """It is a region, or -1."""
    for action in _known_actions(model, state, "region", HasTracedRollout):
        (found,) = alike(model, "region", partial(_region_of, action.copy(), model.params), rng)
        require(-1 <= found < model.n_regions, "region(...)", found, f"from -1 to n_regions - 1={model.n_regions - 1}")


def check_sequence_returns(model: Any, state: Array, rng: Rng) -> None:
    """Of the shape, and what `step` comes to: the same if neither draws random numbers, otherwise the same in the mean.

    Numbers of less than double precision may differ by COARSE of the largest reward.
    """
    name, steps = "sequence_returns", min(model.horizon, LONGEST_SEQUENCE)
    sequences = np.empty((SEQUENCES, steps, len(model.action_low)))
    for action in sequences.reshape(-1, len(model.action_low)):
        model.sample_action(state.copy(), action, model.params, rng)
    given, kept, before = state.copy(), sequences.copy(), copy.deepcopy(rng.bit_generator.state)
    result = model.sequence_returns(given, sequences, model.params, rng)
    found = check_returns(result, SEQUENCES, steps)
    _require_unchanged(name, "state", state, given)
    _require_unchanged(name, "actions", kept, sequences)
    single = np.array([_rewards(model, state, actions, rng, found.ndim == 1) for actions in sequences])
    coarse = np.asarray(result).dtype.itemsize < found.itemsize and np.asarray(result).dtype.kind not in "biu"
    tolerance = 1e-6 + (COARSE * np.abs(single[np.isfinite(single)]).max(initial=0.0) if coarse else 0.0)
    same = np.allclose(found, single, rtol=1e-6, atol=tolerance, equal_nan=True)
    if rng.bit_generator.state == before:
        require(same, f"{name}(...)", found, f"what `step` gives within {tolerance:g}, {single}; 0 after the end")
        return
    many = np.repeat(sequences, REPEATS, axis=0)
    result = check_returns(model.sequence_returns(state.copy(), many, model.params, rng), len(many), steps)
    sums = result.reshape(len(many), -1).sum(1)
    singly = np.array([_rewards(model, state, actions, rng, found.ndim == 1).sum() for actions in many])
    for both in zip(np.split(sums, SEQUENCES), np.split(singly, SEQUENCES), strict=True):
        _check_mean(f"{name}(...)", *both, tolerance)


def _check_mean(name: str, sums: Array, singly: Array, tolerance: float) -> None:
    """The sums of rewards of one sequence, [n], and those of single steps, [n]; noise may make some of them invalid."""
    valid, singly = sums[np.isfinite(sums)], singly[np.isfinite(singly)]
    if len(valid) == 0 or len(singly) == 0:
        require(len(singly) == 0, name, sums, f"finite in some of {REPEATS} repeats, as with single steps")
        return
    error = np.sqrt(valid.var() / len(valid) + singly.var() / len(singly))
    alike = f"as the mean of single steps, {singly.mean():g}, for one sequence of noisy steps"
    require(abs(valid.mean() - singly.mean()) <= 5.0 * error + tolerance, name, float(valid.mean()), alike)


COARSE = 1e-3
SEQUENCES, LONGEST_SEQUENCE, REPEATS = 4, 10, 16


def _rewards(model: Any, state: Array, actions: Array, rng: Rng, summed: bool) -> Any:
    """The rewards of single steps, [steps], 0 after the end; or their discounted sum."""
    state, following, rewards, weight = state.copy(), np.empty_like(state), np.zeros(len(actions)), 1.0
    for t, action in enumerate(actions):
        reward, terminated = model.step(state, action.copy(), following, model.params, rng)
        rewards[t] = weight * reward if summed else reward
        if terminated:
            break
        weight *= model.discount
        state[:] = following
    return rewards.sum() if summed else rewards


OPTIONAL = {
    "sequence_returns": check_sequence_returns,
    "rollout": check_rollout,
    "player": check_player,
    "cells": check_cells,
    "step_exact": check_step_exact,
    "actions": check_actions,
    "aim_grid": check_aim_grid,
    "steps_left": check_steps_left,
    "traced_rollout": check_traced_rollout,
    "priors": check_priors,
    "region": check_region,
}
