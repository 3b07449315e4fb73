"""The best shot found so far, in memory that the client shares with the planner's process.

A pipe would block the planner when it is full, and would have to be read while the client waits.
"""

import ctypes
import struct
import zlib
from multiprocessing.context import BaseContext
from typing import NamedTuple

_SHOT = struct.Struct("<q5d")
_CHECKSUM = struct.Struct("<I")


class ShotSoFar(NamedTuple):
    """A shot, its planner's estimate of winning, NaN without one, and the simulations run until it was found."""

    vx: float
    vy: float
    spin: float
    chance: float
    simulations: float


class BestSoFar:
    """One shot, which its writer may replace at any time; it goes to the other process when that is started."""

    def __init__(self, context: BaseContext) -> None:
        self._memory = context.RawArray(ctypes.c_char, _SHOT.size + _CHECKSUM.size)

    def publish(self, move: int, shot: ShotSoFar) -> None:
        """Replace the shot by one for this move, 1 or more."""
        text = _SHOT.pack(move, *shot)
        self._memory.raw = text + _CHECKSUM.pack(zlib.crc32(text))

    def read(self, move: int) -> ShotSoFar | None:
        """The shot, if there is one for this move."""
        for _ in range(100):
            text = bytes(self._memory.raw)
            shot, checksum = text[: _SHOT.size], _CHECKSUM.unpack(text[_SHOT.size :])[0]
            if zlib.crc32(shot) == checksum:  # else it was read while it was written
                number, *fields = _SHOT.unpack(shot)
                return ShotSoFar(*fields) if number == move else None
        return None
