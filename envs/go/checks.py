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
from planners.checks import require


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
    state = check_state(model, given)
    points, mover = state[: model.area], state[model.area + MOVER]
    require(bool(np.isin(points, (-1.0, 0.0, 1.0)).all()), "state", given, "-1, 0 or 1 at each point")
    require(mover in (-1.0, 1.0), "state", given, f"-1 or 1 in entry {model.area + MOVER}, the player to move")
    whole = (state == np.round(state)).all() and (model.state_low <= state).all() and (state <= model.state_high).all()
    require(bool(whole), "state", given, f"whole numbers from {model.state_low} to {model.state_high}")
    dead = count_dead_chains(np.empty(workspace_of(model.size), np.int32), state, model.size)
    require(dead == 0, "state", given, f"a position in which every chain has a liberty; {dead} have none")
    return state
