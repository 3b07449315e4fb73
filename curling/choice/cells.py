"""Cells of curling states, for planners that share statistics between similar positions.

Depth 0: the team to throw; 1: also shot, hammer and lead, in mixed doubles also who decided the set-up and the power
plays left; 2: also the numbers of each team's stones in play and in the house; from 3 on: also the stones' places, in
squares of 15.8 m / 2^depth (0.5 mm at depth 15).
"""

import math

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.state import FIRST_STONE, IN_HOUSE, LEAD, STATE_DIM, TEE, TIME, team_of
from bonspiel.planners.core.zobrist import LEVELS, combine, fraction, mix
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array

EXTENT = 15.8  # m, side of the square that the cells divide
PLACES = 3  # the first depth that distinguishes places of stones


@helper
def _counts(state: Array, params: Array) -> np.uint64:
    """Numbers of each team's stones in play and in the house, as hexadecimal digits of one number."""
    stones = state[FIRST_STONE:STATE_DIM].reshape((STONES, 2))
    number = 0
    for i in range(STONES):
        if stones[i, 1] > 0.0:
            digit = 2 * (i // TEAM_STONES)
            number += 16**digit
            if math.hypot(stones[i, 0], stones[i, 1] - params[TEE]) < params[IN_HOUSE]:
                number += 16 ** (digit + 1)
    return np.uint64(number)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Hashes at depths first..last-1; see `planners.model.Model`. Stones of a team are alike: their keys are added."""
    # np.uint64 converts the int of interpreted runs; the hammer follows from the team to throw and the time
    mover = np.uint64(mix(np.uint64(team_of(state) + 1)))
    when = np.uint64(combine(mover, np.uint64(np.int64(state[TIME]))))
    standing = np.uint64(combine(when, np.uint64(np.int64(state[LEAD]))))
    for i in range(STATE_DIM, len(state)):
        standing = np.uint64(combine(standing, np.uint64(np.int64(state[i]))))
    in_play = np.uint64(combine(standing, np.uint64(_counts(state, params))))
    for depth in range(first, last):
        out[depth - first] = mover if depth == 0 else standing if depth == 1 else in_play
    stones = state[FIRST_STONE:STATE_DIM].reshape((STONES, 2))
    # a third of the extent is far from cell borders at every depth, so tee draws share a cell
    low_x, low_y = -EXTENT / 3.0, params[TEE] - 2.0 * EXTENT / 3.0
    for i in range(STONES):
        if stones[i, 1] > 0.0:
            team = np.uint64(i // TEAM_STONES)
            x = np.uint64(fraction(stones[i, 0], low_x, low_x + EXTENT))
            y = np.uint64(fraction(stones[i, 1], low_y, low_y + EXTENT))
            for depth in range(max(first, PLACES), last):
                shift = np.uint64(LEVELS - depth)
                place = np.uint64(combine(team, x >> shift))
                out[depth - first] += np.uint64(combine(place, y >> shift))
