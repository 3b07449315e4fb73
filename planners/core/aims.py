"""What the aims of a model's grid lead to without the noise of the execution."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planners.base import AimBlock, Array, Model, Rng
from planners.core.jit import MATRIX, RNG, TABLE, VECTOR, boolean, int64, kernel, runner, step_exact


@kernel(int64(TABLE, VECTOR, VECTOR, MATRIX, MATRIX, VECTOR, boolean[::1], RNG))
def _play_all(
    functions: Any,
    params: Array,
    state: Array,
    actions: Array,
    states: Array,
    rewards: Array,
    ended: NDArray[np.bool_],
    rng: Rng,
) -> int:
    for i in range(len(actions)):
        rewards[i], ended[i] = step_exact(functions, state, actions[i], states[i], params, rng)
    return len(actions)


def aims_of(blocks: Sequence[AimBlock]) -> Array:
    """All actions of the blocks, [n, action_dim]."""
    return np.concatenate([block.actions.reshape(-1, block.actions.shape[-1]) for block in blocks])


def outcomes(
    model: Model, functions: Any, state: Array, actions: Array, rng: Rng
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """What follows each action without noise: states [n, state_dim], rewards [n], and whether the episode is over.

    Args:
        model: one that has `step_exact`.
        functions: the model's, from `functions_of`.
        state: where the actions are taken, [state_dim].
        actions: [n, action_dim].
        rng: for the signature of `step_exact`, which draws nothing.
    """
    states, rewards = np.empty((len(actions), len(state))), np.empty(len(actions))
    ended = np.empty(len(actions), np.bool_)
    runner(_play_all, model)(functions, model.params, state, actions, states, rewards, ended, rng)
    return states, rewards, ended
