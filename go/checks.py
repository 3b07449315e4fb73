"""Checks of what comes from outside: moves and positions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.go.board import workspace_of
from bonspiel.go.model import Go
from bonspiel.go.rules import LEGAL, REASONS, count_dead_chains, hash_points, judge_move
from bonspiel.go.state import HISTORY, KO, LAST, MOVER, NONE, PASSES, PLY
from bonspiel.go.vertices import vertex_of
from bonspiel.planners.checks import check_action, check_state
from bonspiel.planners.model import Array


def check_move(model: Go, state: Array, action: Any) -> int:
    """The move nearest to an action, if it is legal: a point, or size^2, a pass.

    Raises:
        ValueError: it is illegal, and the message names the rule, or it is outside the board.
    """
    index = round(float(check_action(model, np.atleast_1d(action))[0]))
    if index < model.area:
        workspace = np.empty(workspace_of(model.size), np.int32)
        verdict = judge_move(workspace, state, model.params, index)
        if verdict != LEGAL:
            raise ValueError(f"{vertex_of(index, model.size)} is illegal: {REASONS[verdict]}")
    return index


def legal_mask(model: Go, state: Array) -> NDArray[np.int8]:
    """1 for a legal move, else 0, [size^2 + 1]; a game that is over has none."""
    if model.steps_left(state) == 0:
        return np.zeros(model.max_actions, np.int8)
    out, keys = np.empty((model.max_actions, 1)), np.empty(model.max_actions, np.uint64)
    mask = np.zeros(model.max_actions, np.int8)
    mask[keys[: model.actions(state, model.params, out, keys)].astype(np.int64)] = 1
    return mask


def check_position(model: Go, given: Any) -> Array:
    """The state, if a game can go on from it; with superko the hash of its position is written where it is -1.

    Raises:
        ValueError: it is of the wrong shape, has other numbers than a state, a chain without liberties, or a ko, a last
            move or hashes that do not belong to its stones; or the game is over.
    """
    state, mover = check_state(model, given).copy(), model.area + MOVER
    fits = (state == np.round(state)) & (model.state_low <= state) & (state <= model.state_high)
    fits[mover] &= state[mover] != 0.0
    for place in np.flatnonzero(~fits)[:1]:
        low, high = model.state_low[place], model.state_high[place]
        allowed = "-1 or 1" if place == mover else f"a whole number from {low:g} to {high:g}"
        raise ValueError(f"state[{place}]={state[place]:g}: must be {allowed}")
    if model.steps_left(state) == 0:
        raise ValueError(f"state: the game must not be over, as it is after two passes or {model.horizon} plies")
    dead = count_dead_chains(np.empty(workspace_of(model.size), np.int32), state, model.size)
    if dead:
        raise ValueError(f"state: every chain must have a liberty, but {dead} of them have none")
    _check_moves(model, state)
    if model.superko:
        _check_history(model, state)
    return state


def _check_moves(model: Go, state: Array) -> None:
    """Refuse a ko or a last move that does not fit the stones."""
    area, stones = model.area, state[: model.area]
    ko, last = int(state[area + KO]), int(state[area + LAST])
    if ko >= 0 and stones[ko] != 0.0:
        raise ValueError(f"state[{area + KO}]={ko}: must be -1 or an empty point, which ko bars")
    if ko >= 0 and any(stones[point] != -state[area + MOVER] for point in _neighbours(ko, model.size)):
        raise ValueError(f"state[{area + KO}]={ko}: must be -1 or a point among stones of the other player")
    if 0 <= last < area and stones[last] != -state[area + MOVER]:
        raise ValueError(f"state[{area + LAST}]={last}: must be -1, {area} or the point of a stone of the other player")
    passes = int(state[area + PASSES])
    if last != NONE and (passes > 0) != (last == area):
        wanted = "1, as the last move was a pass" if last == area else f"0, as the last move, {last}, was no pass"
        raise ValueError(f"state[{area + PASSES}]={passes}: must be {wanted}")


def _neighbours(point: int, size: int) -> list[int]:
    row, column = divmod(point, size)
    beside = (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)
    return [y * size + x for y, x in beside if 0 <= y < size and 0 <= x < size]


def _check_history(model: Go, state: Array) -> None:
    """Refuse hashes that are not the position's, or of the future; write the position's where it is missing."""
    now = model.area + HISTORY + int(state[model.area + PLY])
    here = hash_points(np.empty(workspace_of(model.size), np.int32), state, model.size)
    if state[now] == NONE:
        state[now] = here
    if state[now] != here:
        raise ValueError(f"state[{now}]={state[now]:.0f}: must be the hash of the position, {here}, or -1")
    for place in now + 1 + np.flatnonzero(state[now + 1 :] != NONE)[:1]:
        raise ValueError(f"state[{place}]={state[place]:.0f}: must be -1, since that position is still to come")
