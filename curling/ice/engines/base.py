"""The interface of engines, and the checks of their arguments."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from bonspiel.curling.ice.physics import Physics, physics_of
from bonspiel.curling.ice.sheet import STONE_RADIUS, STONES, present
from bonspiel.planners.checks import require, require_count
from bonspiel.planners.model import Array

OVERLAP = 0.005  # m, largest accepted overlap of stones; servers report about a millimetre
NOISE_ROOM = 1.025  # largest accepted speed over the cap on aims, because of execution noise
MAX_SPIN = 10.0
MAX_THREADS = 1024
PATH_FRAMES = 20  # frames of a path per second of a real clock


class Path(NamedTuple):
    """The paths of the stones in a shot.

    Attributes:
        times: seconds since the release, [T]; at the last one all stones are at rest or off the sheet.
        positions: [T, 16, 2], NaN where absent.
    """

    times: Array
    positions: Array


@dataclass(frozen=True)
class Engine(ABC):
    """Plays shots of a physics, including removals but not the free guard zone rule (see `curling.match.rules`)."""

    physics: Literal["fcv1", "dc2", "dc4"] = "fcv1"

    def __post_init__(self) -> None:
        physics_of(self.physics)

    @cached_property
    def law(self) -> Physics:
        """The parameters of the physics."""
        return physics_of(self.physics)

    @property
    def path_interval(self) -> float:
        """Seconds between two frames of a path: 0.05, or 0.005 of dc2's ten times faster clock."""
        return 1.0 / PATH_FRAMES / self.law.pace

    @overload
    def shot(
        self, stones: ArrayLike, index: int, velocity: ArrayLike, spin: float, trajectory: Literal[False] = ...
    ) -> Array: ...

    @overload
    def shot(
        self, stones: ArrayLike, index: int, velocity: ArrayLike, spin: float, trajectory: Literal[True]
    ) -> tuple[Array, Path]: ...

    def shot(
        self, stones: ArrayLike, index: int, velocity: ArrayLike, spin: float, trajectory: bool = False
    ) -> Array | tuple[Array, Path]:
        """Play one shot.

        Args:
            stones: stones at rest, [16, 2] in metres, NaN where absent; not modified.
            index: row of the thrown stone, which must be absent.
            velocity: (vx, vy) at the release, m/s, vy above 0.
            spin: rad/s, counter-clockwise above 0.
            trajectory: also return the paths.

        Returns:
            The stones at rest, [16, 2], and with `trajectory` also their `Path`.

        Raises:
            ValueError: an argument that cannot occur in a game; the message names it.
        """
        board = self.check_stones(stones, index)
        aims = self._check_velocities(_numbers("velocity", velocity)[None], "velocity")
        turn = _check_spins(_numbers("spin", spin)[None], 1, "spin")
        if trajectory:
            return self._path(board, int(index), aims[0], float(turn[0]))
        final: Array = self._shots(board, int(index), aims, turn, 1)[0]
        return final

    def shots(self, stones: ArrayLike, index: int, velocities: ArrayLike, spins: ArrayLike, threads: int = 1) -> Array:
        """Play many shots independently, each on the same stones.

        Args:
            stones: as for `shot`.
            index: as for `shot`.
            velocities: [n, 2].
            spins: [n].
            threads: number of threads, at most 1024; the result does not depend on it.

        Returns:
            The stones at rest after each shot, [n, 16, 2].

        Raises:
            ValueError: as for `shot`.
        """
        board = self.check_stones(stones, index)
        aims = self._check_velocities(_numbers("velocities", velocities), "velocities")
        turns = _check_spins(_numbers("spins", spins), len(aims), "spins")
        require_count("threads", threads)
        require(threads <= MAX_THREADS, "threads", threads, f"at most {MAX_THREADS}")
        return self._shots(board, int(index), aims, turns, threads)

    def unchecked(self, stones: Array, index: int, velocity: Array, spin: float) -> Array:
        """`shot` for models, without checks; a stone with a velocity of 0 or not finite is lost."""
        if not _moves(velocity):
            return stones.copy()
        final: Array = self._shots(stones, index, velocity[None], np.array([spin]), 1)[0]
        return final

    def unchecked_path(self, stones: Array, index: int, velocity: Array, spin: float) -> tuple[Array, Path]:
        """`unchecked` with the `Path`."""
        if not _moves(velocity):
            return stones.copy(), Path(np.zeros(1), stones[None].copy())
        return self._path(stones, index, velocity, spin)

    @abstractmethod
    def _shots(self, stones: Array, index: int, velocities: Array, spins: Array, threads: int) -> Array:
        """`shots` of checked arguments; must not modify `stones`."""

    @abstractmethod
    def _path(self, stones: Array, index: int, velocity: Array, spin: float) -> tuple[Array, Path]:
        """`shot` of checked arguments, with the `Path`; must not modify `stones`."""

    def check_stones(self, stones: ArrayLike, index: int) -> Array:
        """The stones as a new float64 array, [16, 2].

        Raises:
            ValueError: wrong shape, off the sheet, overlapping, or the row `index` is occupied.
        """
        board = _numbers("stones", stones)
        require(board.shape == (STONES, 2), "stones", board.shape, f"an array of shape ({STONES}, 2)")
        absent = ~present(board)
        _require_rows(absent == np.isnan(board[:, 1]), "stones[{}]", board, "NaN in whole rows")
        limits, (x, y) = self.law.limits, board.T
        on_sheet = (np.abs(x) <= limits.side) & (y > 0.0) & (y <= limits.farthest)
        _require_rows(absent | on_sheet, "stones[{}]", board, "on the sheet")
        gaps = np.hypot(*(board[:, None] - board).T)
        np.fill_diagonal(gaps, np.inf)
        overlap = (gaps <= 2.0 * STONE_RADIUS - OVERLAP).any(1)
        _require_rows(~overlap, "stones[{}]", board, "clear of all other stones")
        whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
        require(whole and 0 <= index < STONES, "index", index, f"a whole number from 0 to {STONES - 1}")
        require(bool(absent[index]), "index", index, "the row of a stone that is not on the sheet")
        return board

    def _check_velocities(self, velocities: Array, name: str) -> Array:
        """The velocities as a contiguous array, [n, 2], if finite, towards the house and not too fast."""
        require(velocities.ndim == 2 and velocities.shape[1] == 2, name, velocities.shape, "pairs (vx, vy)")
        speeds, cap = np.hypot(velocities[:, 0], velocities[:, 1]), self.law.max_speed
        allowed = f"finite, towards the house (vy above 0), up to the cap of {cap} m/s and {NOISE_ROOM - 1.0:.1%} noise"
        _require_rows((velocities[:, 1] > 0.0) & (speeds <= NOISE_ROOM * cap), name, velocities, allowed)
        return np.ascontiguousarray(velocities)


def _check_spins(spins: Array, n: int, name: str) -> Array:
    """The spins as a contiguous array, [n], if within bounds."""
    require(spins.shape == (n,), name, spins.shape, f"{n} numbers")
    _require_rows(np.abs(spins) <= MAX_SPIN, name, spins, f"between -{MAX_SPIN} and {MAX_SPIN} rad/s")
    return np.ascontiguousarray(spins)


def _numbers(name: str, value: Any) -> Array:
    """Convert to a new float64 array of real numbers."""
    try:
        given = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}={value!r}: must be rows of the same length") from None
    require(given.dtype.kind in "iuf", name, value, "real numbers")
    return given.astype(np.float64)


def _require_rows(ok: ArrayLike, name: str, values: Array, allowed: str) -> None:
    """Raise a ValueError with the first row that is not `ok`; `name` may contain {} for its index."""
    for i in np.flatnonzero(np.logical_not(ok))[:1]:
        require(False, name.format(i), values[i].tolist(), allowed)


def _moves(velocity: Array) -> bool:
    return bool(0.0 < np.hypot(velocity[0], velocity[1]) < np.inf)
