"""Eyes, liberties and the 3x3 patterns of MoGo by the eight neighbours of a point, looked up in a table.

A neighbourhood is a number with two bits for the colour of each neighbour, in the order of `DOWN` and `RIGHT`.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

EMPTY, BLACK, WHITE, EDGE = range(4)  # colours of a point of the board
DOWN = np.array([-1, 0, 0, 1, -1, -1, 1, 1])  # from a point to its neighbours: rows,
RIGHT = np.array([0, -1, 1, 0, -1, 1, -1, 1])  # and columns
NEIGHBOURS, SIDES = 8, 4  # the first four lie beside the point, the others across its corners

# flags of a neighbourhood: an empty point beside it, a pattern; shifted by the colour, an eye, and a stone beside it
OPEN, PATTERN = 1, 8
EYE, BESIDE = 1, 8

# Gelly, Wang, Munos, Teytaud 2006. * is the move; x is not X, o is not O, ? is any of the three, - is the edge.
PATTERNS = {
    "hane": ("XOX/.*./???", "XO./.*./?.?", "XO?/X*./x.?"),
    "cut1": ("XO?/O*o/?o?", "XO?/O*X/???"),
    "cut2": ("?X?/O*O/ooo",),
    "side": ("X.?/O*?/---", "OX?/X*O/---", "?X?/x*O/---", "?XO/x*x/---", "?OX/X*O/---"),
}
COLOURS = {
    "X": (BLACK,),
    "O": (WHITE,),
    ".": (EMPTY,),
    "-": (EDGE,),
    "x": (EMPTY, WHITE),
    "o": (EMPTY, BLACK),
    "?": (EMPTY, BLACK, WHITE),
}
SWAPPED = str.maketrans("XOxo", "OXox")


def number_of(neighbours: tuple[int, ...]) -> int:
    """The neighbourhood of these colours."""
    return sum(colour << 2 * place for place, colour in enumerate(neighbours))


def orientations(pattern: str) -> Iterator[NDArray[np.str_]]:
    """A pattern in all symmetries and with the colours swapped, [3, 3]."""
    for text in (pattern, pattern.translate(SWAPPED)):
        square = np.array([list(row) for row in text.split("/")])
        for turned in (square, square.T):
            for quarters in range(4):
                yield np.rot90(turned, quarters)


def matches(pattern: str) -> set[int]:
    """The neighbourhoods that a pattern matches."""
    found = set()
    for square in orientations(pattern):
        allowed = (COLOURS[str(square[1 + row, 1 + column])] for row, column in zip(DOWN, RIGHT, strict=True))
        found |= {number_of(neighbours) for neighbours in product(*allowed)}
    return found


def _table() -> NDArray[np.uint8]:
    """The flags of all neighbourhoods, [65536]."""
    numbers = np.arange(1 << 2 * NEIGHBOURS)
    colours = numbers[:, None] >> 2 * np.arange(NEIGHBOURS) & 3
    sides, corners = colours[:, :SIDES], colours[:, SIDES:]
    flags = np.where((sides == EMPTY).any(1), OPEN, 0)
    for own, enemy in ((BLACK, WHITE), (WHITE, BLACK)):
        enclosed = ((sides == own) | (sides == EDGE)).all(1)
        safe = (corners == enemy).sum(1) <= np.where((corners == EDGE).any(1), 0, 1)
        flags |= np.where(enclosed & safe, EYE << own, 0) | np.where((sides == own).any(1), BESIDE << own, 0)
    patterns = [number for family in PATTERNS.values() for pattern in family for number in matches(pattern)]
    flags[patterns] |= PATTERN
    return flags.astype(np.uint8)


TABLE = _table()
