"""The probability to win a match from a position: the one estimate that clients, analyses and pages show.

It is what the network of `curling.end_network` expects, and takes both teams for equally strong.
docs/results/curling.md says how often teams win by it.
"""

import functools
from dataclasses import replace

import numpy as np

from curling.model import Curling
from curling.model_params import NETWORK_TABLE, why_no_weights
from curling.sheet import STONES
from planners.base import Array

PLAYOUTS = 300  # for a standard error of at most 0.03
SEED = 1


@functools.lru_cache(maxsize=8)
def with_network_table(match: Curling) -> Curling:
    """Return the match with what the network expects of its ends in place of a table of end scores."""
    found = replace(match, table=NETWORK_TABLE)
    found.params  # noqa: B018 - so that its copies, which a search makes, have them
    return found


def estimating(match: Curling) -> Curling:
    """Return the match for planners whose `value` is the win probability; that is a playout where there are no weights.

    Args:
        match: of any reward and table.
    """
    planning = match.planning()
    return planning if why_no_weights(planning) is not None else with_network_table(planning)


def win_probability(match: Curling, state: Array) -> float:
    """Return team 0's probability to win a match that is not over, always the same for the same position.

    Args:
        match: of any reward and table.
        state: before a shot, [state_dim]; an end of mixed doubles may have to be set up first.
    """
    model = estimating(match)
    state = model.begin_end(state)
    if why_no_weights(model) is not None:
        return estimate_win_probability(model, state)
    return float(model.value(state, np.empty_like(state), STONES, model.params, np.random.default_rng(SEED)))


def estimate_win_probability(model: Curling, state: Array, playouts: int = PLAYOUTS) -> float:
    """Team 0's probability to win a match that is not over; always the same for the same position.

    The model is from `Curling.planning`: playouts last to the end of the end, the score gives the value after it.
    """
    rng = np.random.default_rng([SEED, int(state[model.time_index])])
    scratch = np.empty(model.state_dim)
    values = [model.rollout(state.copy(), scratch, STONES, model.params, rng) for _ in range(playouts)]
    return float(np.mean(values))
