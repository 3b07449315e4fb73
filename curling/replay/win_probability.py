"""The win probability in a position, estimated by playouts of the default policy."""

import numpy as np

from curling.model import Curling
from curling.sheet import STONES
from planners.base import Array

PLAYOUTS = 300  # for a standard error of at most 0.03
SEED = 1


def estimate_win_probability(model: Curling, state: Array, playouts: int = PLAYOUTS) -> float:
    """Team 0's probability to win, estimated; always the same for the same position.

    Args:
        model: for planning, as from `Curling.planning`.
        state: the position, in a match that is not over.
        playouts: to the end of the current end; the win probability after it is known from the score.
    """
    rng = np.random.default_rng([SEED, int(state[model.time_index])])
    scratch = np.empty(model.state_dim)
    values = [model.rollout(state.copy(), scratch, STONES, model.params, rng) for _ in range(playouts)]
    return float(np.mean(values))
