"""The line that a proof-number search is on, and what it calls of a problem."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.dfpn.table import NOWHERE, Ints
from bonspiel.planners.jit import model_helper, typeof

SEARCHING, SOLVED, TOO_DEEP = range(3)  # the status of a search
PLY, ROOT, NODES, STATUS, PROVER, PROOF = range(6)  # entries of `ProofWalk.progress`


class Rules(NamedTuple):
    """The functions of a problem of two players who move in turn.

    Positions lie in rows of `game`, anything that the functions know; the root is in row 0. Moves are whole numbers
    from 0 on. To have a search compiled, declare them with `planners.jit.kernel` or `helper`.

    Attributes:
        moves: (game, row, moves, keys) -> count; writes the moves at a position, and for each the key of the position
            that it leads to: one number of at least 0 for the position and who moves there, well mixed. Without a move,
            the player to move has lost.
        play: (game, row, move, into); writes the position after a move into another row.
        verdict: (game, row) -> +1 if the player who is to prove something has done it, -1 if it cannot be done any
            more, 0 while open.
        estimate: (game, row) -> the phi and delta of a position that was not searched yet, each at least 1.
    """

    moves: Callable[..., int]
    play: Callable[..., object]
    verdict: Callable[..., int]
    estimate: Callable[..., tuple[int, int]]


@model_helper
def one_each(game: Any, row: int) -> tuple[int, int]:
    """The estimate of problems that know no better."""
    return 1, 1


class Switches(NamedTuple):
    """Options that may speed up a search, each off or on; verdicts are the same.

    Attributes:
        simulation: after a reply has refuted a move, its proof is replayed against the other moves.
        estimate: new positions are played and judged, and their numbers are the problem's estimate.
        widening: a move is searched until it is 5/4 as hard as the next best.
    """

    simulation: bool = False
    estimate: bool = False
    widening: bool = False


class ProofWalk(NamedTuple):
    """The positions from the root to where the search is, a row for each ply, and their moves.

    Attributes:
        progress: the ply, that of the root, nodes so far, the status, the parity of plies at which the player moves who
            is to prove something, and the positions of the proof that were counted, [6].
        keys: of positions, [plies].
        paths: the path to each, as the xor of random numbers of its plies and moves, [plies].
        phi_limits: thresholds of phi, [plies].
        delta_limits: thresholds of delta, [plies].
        met: the least ply that each position was met at, [plies].
        urged: 1 if a new position is to be searched below in spite of the limits, else 0, [plies].
        works: nodes searched in this visit of each, [plies].
        rests: in a replay, the least ply that the verdict rests on so far, [plies].
        counts: numbers of moves, [plies].
        chosen: which of the moves is being searched, NOWHERE before the first, [plies].
        moves: [plies, moves].
        child_keys: of the positions after them, [plies, moves].
        child_phi: proof numbers there, NOWHERE while unknown, [plies, moves].
        child_delta: [plies, moves].
        child_rests: [plies, moves].
        child_old: 1 if that position was met at the ply of this one or above, else 0, [plies, moves].
        doubted: 1 if the verdict in the table was refuted on this path, else 0, [plies, moves].
        guide_keys: in a replay, of positions of the proof replayed, [plies].
        guide_moves: the moves at one, [moves].
        guide_child_keys: the positions after them, [moves].
        codes: random numbers of ply and move, [plies, moves].
    """

    progress: Ints
    keys: Ints
    paths: Ints
    phi_limits: Ints
    delta_limits: Ints
    met: Ints
    urged: Ints
    works: Ints
    rests: Ints
    counts: Ints
    chosen: Ints
    moves: NDArray[np.int64]
    child_keys: NDArray[np.int64]
    child_phi: NDArray[np.int64]
    child_delta: NDArray[np.int64]
    child_rests: NDArray[np.int64]
    child_old: NDArray[np.int64]
    doubted: NDArray[np.int64]
    guide_keys: Ints
    guide_moves: Ints
    guide_child_keys: Ints
    codes: NDArray[np.int64]


def new_walk(plies: int, moves: int) -> ProofWalk:
    """Room for lines of this many plies, and for moves numbered below `moves`."""
    lines = np.zeros((10, plies), np.int64)
    children = np.zeros((7, plies, moves), np.int64)
    codes = np.random.default_rng(0).integers(1 << 62, size=(plies, moves))
    guide = np.zeros((2, moves), np.int64)
    return ProofWalk(np.zeros(6, np.int64), *lines, *children, np.zeros(plies, np.int64), *guide, codes)  # type: ignore[call-arg]


WALK, SWITCHES = typeof(new_walk(1, 1)), typeof(Switches())


@model_helper
def verdict_for_mover(rules: Rules, walk: ProofWalk, game: Any, ply: int) -> int:
    """+1 if the player to move at a ply has won, -1 if they have lost, 0 while open."""
    verdict = rules.verdict(game, ply)
    return verdict if ply % 2 == walk.progress[PROVER] else -verdict


@model_helper
def repeated_ply(walk: ProofWalk, ply: int, key: int) -> int:
    """The ply of the line so far at which the position of a key stood, or NOWHERE; `ply` is the last one."""
    for earlier in range(ply - 1, -1, -2):
        if walk.keys[earlier] == key:
            return earlier
    return NOWHERE
