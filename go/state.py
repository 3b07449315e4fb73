"""The state of a game of Go as a flat vector, n lines each way; points are counted from left to right, top to bottom.

| field | meaning |
|---|---|
| 0 to n^2 - 1 | the points: +1 Black's stone, -1 White's, 0 empty |
| n^2 + MOVER | the player to move, +1 Black or -1 White |
| n^2 + KO | the point that simple ko bars for this move, or -1 |
| n^2 + LAST, n^2 + BEFORE_LAST | the last two moves: a point, n^2 for a pass, -1 for none |
| n^2 + PASSES | passes in a row |
| n^2 + PLY | moves and passes so far |
| n^2 + HISTORY + t | with superko: hash of the position after t plies, -1 from the future on |
"""

import numpy as np

from bonspiel.planners.model import Array

MOVER, KO, LAST, BEFORE_LAST, PASSES, PLY, HISTORY = range(7)
NONE = -1.0
AREAS = 3  # plies for each point of the board after which a game ends

# entries of a model's params
SIZE, KOMI, SUPERKO, MOGO = range(4)


def state_dim(size: int, superko: bool) -> int:
    """Length of a state."""
    return size * size + HISTORY + (AREAS * size * size if superko else 0)


def first_state(size: int, superko: bool) -> Array:
    """The empty board, Black to move."""
    state, area = np.zeros(state_dim(size, superko)), size * size
    state[area + MOVER] = 1.0
    state[[area + KO, area + LAST, area + BEFORE_LAST]] = NONE
    state[area + HISTORY + 1 :] = NONE  # the hash of the empty board is 0
    return state
