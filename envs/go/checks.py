"""Checks of what comes from outside: moves and positions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.go.board import workspace_of
from envs.go.model import Go
from envs.go.rules import LEGAL, REASONS, count_dead_chains, judge_move
from envs.go.state import MOVER
from envs.go.vertices import vertex_of
from planners.base import Array, check_action, check_state


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
    """1 for a legal move, else 0, [size^2 + 1]."""
    out, keys = np.empty((model.max_actions, 1)), np.empty(model.max_actions, np.uint64)
    mask = np.zeros(model.max_actions, np.int8)
    mask[keys[: model.actions(state, model.params, out, keys)].astype(np.int64)] = 1
    return mask


def check_position(model: Go, given: Any) -> Array:
    """The state, if it can occur in a game.

    Raises:
        ValueError: it is of the wrong shape, has other numbers than a state, or a chain without liberties.
    """
    state, mover = check_state(model, given), model.area + MOVER
    fits = (state == np.round(state)) & (model.state_low <= state) & (state <= model.state_high)
    fits[mover] &= state[mover] != 0.0
    for place in np.flatnonzero(~fits)[:1]:
        low, high = model.state_low[place], model.state_high[place]
        allowed = "-1 or 1" if place == mover else f"a whole number from {low:g} to {high:g}"
        raise ValueError(f"state[{place}]={state[place]:g}: must be {allowed}")
    dead = count_dead_chains(np.empty(workspace_of(model.size), np.int32), state, model.size)
    if dead:
        raise ValueError(f"state: every chain must have a liberty, but {dead} of them have none")
    return state
