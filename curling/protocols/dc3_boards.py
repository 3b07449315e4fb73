"""The stones in messages of Digital Curling 3 as arrays."""

import math

import numpy as np

from curling.protocols.dc3_messages import PerTeam, Position, State, Stone, Stones
from curling.sheet import STONES, TEAM_STONES
from planners.base import Array


def stones(state: State) -> Array:
    """The stones of a state, [16, 2], m, NaN where absent."""
    return board(state.stones)


def board(listed: PerTeam[Stones]) -> Array:
    """Stones as listed, such as a trajectory's start and finish, as an array [16, 2], m, NaN where absent."""
    absent = (math.nan, math.nan)
    return np.array([absent if s is None else (s.position.x, s.position.y) for s in listed.team0 + listed.team1])


def stones_of(board: Array, angles: Array | None = None) -> PerTeam[Stones]:
    """Stones [16, 2], m, NaN where absent, as messages list them.

    Args:
        board: the stones.
        angles: how far each stone has turned, [16], rad; 0 if None.

    Raises:
        ValueError: a number that is not finite.
    """
    turned = np.zeros(STONES) if angles is None else angles
    placed = tuple(
        None if math.isnan(x) else Stone(Position(float(x), float(y)), float(angle))
        for (x, y), angle in zip(board, turned, strict=True)
    )
    return PerTeam(placed[:TEAM_STONES], placed[TEAM_STONES:])
