"""The probability to win before each end by what the network expects of an end, from the last end back; compiled.

A table of end scores says the same of every lead. The network knows what each score is worth, and so that a team a
point behind in the last end plays another end than one that is ahead.
"""

import numpy as np

from bonspiel.curling.choice.playouts import value
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import ENDS, LAST_END, LEAD, NETWORK, REWARD, STATE_DIM, TIME, VALUES, WIN_PROBABILITY
from bonspiel.curling.match.value import LEADS, MOST_LEAD
from bonspiel.planners.jit import RNG, VECTOR, kernel
from bonspiel.planners.model import Array, Rng


@kernel(VECTOR, VECTOR, VECTOR, RNG)
def _expect_ends(params: Array, state: Array, scratch: Array, rng: Rng) -> None:
    """Replace the values in `params`, row by row, by those of an empty sheet in whose end team 0 has the hammer."""
    last, regular = int(params[LAST_END]), int(params[ENDS])
    for left in range(1, last + 1):
        end = last - left
        for column in range(LEADS):
            lead, at = column - MOST_LEAD, VALUES + left * LEADS + column
            if end >= regular and lead != 0:
                params[at] = 1.0 if lead > 0 else 0.0
                continue
            state[TIME], state[LEAD] = float(end * STONES), float(lead)
            params[at] = value(state, scratch, STONES, params, rng)


def expect_ends(params: Array) -> Array:
    """The parameters of a match with such values, a new array; there must be weights among them."""
    expected = params.copy()
    expected[REWARD] = WIN_PROBABILITY
    # with weights, `value` draws nothing
    _expect_ends(expected, np.zeros(STATE_DIM), np.empty(STATE_DIM), np.random.default_rng(0))
    first, end = VALUES, int(params[NETWORK])
    return np.concatenate([params[:first], expected[first:end], params[end:]])
