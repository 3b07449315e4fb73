"""The positions of a problem of life and death, as the search keeps them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.go.board import BOARD_ARRAYS, LARGEST, Board, Ints, board_in, points_of
from bonspiel.planners.jit import helper, typeof

STONES, MOVER, PASSES, KO = range(4)  # entries of a row of `Game.facts`
SIZE, ATTACKER, PROVER, THREATS, FORCED, CONNECTIONS = range(6)  # entries of `Game.settings`
CHAINS, EYES, LABELS, LINKS, LIST = range(5)  # rows of `Game.scratch`
LISTED, COUNT = range(2)  # entries of `Game.eye_points`
MOVER_KEYS, PASS_KEYS, KO_KEYS = 0, 3, 6  # first indices of their keys in KEYS
KEYS = np.random.default_rng(1).integers(1 << 62, size=KO_KEYS + (LARGEST + 2) ** 2)


class Game(NamedTuple):
    """Positions in rows.

    Attributes:
        boards: of `go.board`, [rows, workspace].
        facts: hash of the stones, the colour to move, passes in a row, and the point that ko bars, [rows, 4].
        region: the points where moves are allowed, [any].
        inside: 1 for those points, else 0, [points].
        crucial: the points of the stones to be captured, [any].
        anchors: a stone of each chain of the attacker's with a liberty outside, which nobody can take, [any].
        settings: size of the board, colours of the attacker, of the player who proves a win and of the player with
            endless ko threats (0: neither), and two switches, [6].
        scratch: of `go.tsumego.eyes`, [5, points].
        eye_points: the hash of the stones for which `scratch` lists the points that could be eyes, -1 at first, and the
            number of these points, [2].
    """

    boards: NDArray[np.int32]
    facts: NDArray[np.int64]
    region: Ints
    inside: Ints
    crucial: Ints
    anchors: Ints
    settings: NDArray[np.int64]
    scratch: NDArray[np.int32]
    eye_points: NDArray[np.int64]


def new_game(rows: int, board: Ints, region: Ints, inside: Ints, crucial: Ints, anchors: Ints) -> Game:
    """A game with the root's board in each row; facts and settings are 0."""
    boards = np.repeat(board[None], rows, axis=0)
    scratch = np.zeros((5, len(inside)), np.int32)
    facts, settings = np.zeros((rows, 4), np.int64), np.zeros(6, np.int64)
    return Game(boards, facts, region, inside, crucial, anchors, settings, scratch, np.array([-1, 0]))


_NONE = np.zeros(1, np.int32)
GAME = typeof(new_game(1, _NONE, _NONE, _NONE, _NONE, _NONE))


@helper
def board_of(game: Game, row: int) -> Board:
    """The board of a position."""
    return board_in(game.boards[row], game.settings[SIZE])


@helper
def copy_board(game: Game, row: int, into: int) -> None:
    """Copy the board of a row, without the owners of points."""
    used = (BOARD_ARRAYS - 1) * points_of(game.settings[SIZE])
    source, target = game.boards[row], game.boards[into]
    for place in range(used):
        target[place] = source[place]
    board_of(game, into).counts[0] = board_of(game, row).counts[0]
