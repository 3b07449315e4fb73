"""The actions that `curling.model.Curling` offers a search: rule-based candidates, and draws around them.

Both are compiled functions of the model.
"""

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.choice.candidates import MOST_CANDIDATES, candidate_shots
from bonspiel.curling.dynamics import velocity_of
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import (
    FREE_GUARD,
    LAW,
    TEE,
    TEE_VX,
    TEE_VY,
    VX_UNIT,
    VY_UNIT,
    VY_ZERO,
    is_mixed,
    read_stones,
    shot_of,
    team_of,
)
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array, Rng


@helper
def _write_action(action: Array, vx: float, vy: float, side: float, params: Array) -> None:
    """Write the action that aims at a velocity, m/s."""
    action[0], action[1], action[2] = vx / params[VX_UNIT], (vy - params[VY_ZERO]) / params[VY_UNIT], side


@compiled("actions")
def actions(state: Array, params: Array, out: Array, keys: NDArray[np.uint64]) -> int:
    """Write the rule-based shots of `curling.choice.candidates` and return their number."""
    stones = np.empty((STONES, 2))
    read_stones(state, stones)
    free_guard, mixed = int(params[FREE_GUARD]), is_mixed(params)
    n = candidate_shots(int(params[LAW]), stones, shot_of(state), team_of(state), free_guard, mixed, out, keys)
    for i in range(n):
        _write_action(out[i], out[i, 0], out[i, 1], out[i, 2], params)
    return n


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """With equal chances a shot near a candidate, or a draw or hit of either spin anywhere on the sheet."""
    if rng.random() < 0.5:
        aims = np.empty((MOST_CANDIDATES, 3))
        n = actions(state, params, aims, np.empty(MOST_CANDIDATES, np.uint64))
        near = aims[int(rng.random() * n)]
        vx, vy = velocity_of(near, params)
        # up to 0.3 m to the side and 2 % of the speed
        vx += vy * 0.3 * (2.0 * rng.random() - 1.0) / params[TEE]
        vy *= 1.0 + 0.02 * (2.0 * rng.random() - 1.0)
        side = near[2]
    else:
        weight = 0.93 + 0.10 * rng.random() if rng.random() < 0.5 else 1.03 + 0.57 * rng.random()
        side = 1.0 if rng.random() < 0.5 else -1.0
        x = 4.0 * rng.random() - 2.0
        vy = params[TEE_VY] * weight
        # a stone twice as fast curls about a quarter as far
        vx = vy * x / params[TEE] + side * params[TEE_VX] / (weight * weight)
    _write_action(action, vx, vy, side, params)
