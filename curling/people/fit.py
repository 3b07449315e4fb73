"""The throw that explains a shot of people: the velocity with which the engine moves the stones as the table tells.

The ice of a championship curls otherwise than the engine's. So stones that did not move are no obstacles here: the
thrown stone came past them, whatever the engine says. A draw that moved no other stone is then explained exactly, by
`curling.ice.shots.draw`; for others the nearest result is searched, by the offset from the first stone struck and the
speed of the release. Where both stones left the sheet, that is one of many throws.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.physics import FCV1, law_index
from bonspiel.curling.ice.sheet import DC3_SHEET, DIAMETER, no_stones, present
from bonspiel.curling.ice.shots import draw, hit
from bonspiel.curling.people.tables import Shot
from bonspiel.planners.model import Array

LAW = law_index(FCV1.name)
ENGINE = make_engine("analytic", FCV1.name)
MOVED = 0.05  # m: a smaller change of a place is one of the picture
LOST_OR_LEFT = 0.6  # m, cost of a stone that is on the sheet in one result alone
FARTHEST = 2.0  # m, most that one stone costs
OFFSETS, WEIGHTS = 41, 41  # of the first grid; the weight is 0 for the slowest throw and 1 for FASTEST
FASTEST = 3.8  # m/s
KEPT, STEPS, SHRINK = 4, 9, 0.5
AROUND = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, 7)] * 2), -1).reshape(-1, 2)
ROOM = 0.0002  # m, between stones that the table's rounding lets overlap


@dataclass(frozen=True)
class Fit:
    """A throw that explains a shot.

    Attributes:
        velocity: (vx, vy) at the release, m/s.
        distance: the largest between a stone and its place in the table, m; infinite if another stone survives.
        struck: the row of the stone that it struck first; None if it struck none.
    """

    velocity: tuple[float, float]
    distance: float
    struck: int | None


def moved(shot: Shot) -> NDArray[np.intp]:
    """The rows of the stones that a shot moved or took out, without the thrown one's."""
    change = np.hypot(*(shot.after - shot.before).T)
    gone = ~present(shot.after)
    return np.flatnonzero(present(shot.before) & (gone | (change > MOVED)))


def fit(shot: Shot) -> Fit | None:
    """The throw that explains a shot best; None where the table does not say enough of it."""
    if shot.row is None:
        return None
    rows, (x, y) = moved(shot), shot.after[shot.row]
    if len(rows):
        return _search(shot, rows)
    velocity = draw(LAW, x, y, float(shot.rotation))  # NaN for a stone that was lost
    return None if math.isnan(velocity[0]) else Fit(velocity, 0.0, None)


def _search(shot: Shot, rows: NDArray[np.intp]) -> Fit | None:
    """The best throw at the first stone on its way, among those that moved."""
    before = no_stones()
    before[rows] = shot.before[rows]
    _separate(before)
    seen = no_stones()
    seen[[*rows, shot.row]] = shot.after[[*rows, shot.row]]
    first = int(rows[np.argmin(before[rows, 1])])
    offsets = np.linspace(-0.995, 0.995, OFFSETS) * DIAMETER
    best = np.stack(np.meshgrid(offsets, np.linspace(0.0, 1.0, WEIGHTS)), -1).reshape(-1, 2)
    width = np.array([2.0 * DIAMETER / OFFSETS, 1.0 / WEIGHTS])
    velocities, costs = _costs(shot, before, seen, first, best)
    for _ in range(STEPS):
        near = best[np.argsort(costs, kind="stable")[:KEPT]]
        best = np.concatenate([near, *(one + width * AROUND for one in near)])
        velocities, costs = _costs(shot, before, seen, first, best)
        width = width * SHRINK
    i = int(np.argmin(costs))
    if not costs[i] < math.inf:
        return None
    distances = _distances(_throw(shot, before, velocities[i : i + 1]), seen)[0]
    return Fit((float(velocities[i, 0]), float(velocities[i, 1])), float(distances.max()), first)


def _costs(shot: Shot, before: Array, seen: Array, first: int, tries: Array) -> tuple[Array, Array]:
    """The velocities of throws by (offset, weight), [n, 2], and how far their results are from the table's."""
    (x, y), side = before[first], float(shot.rotation)
    slowest = math.hypot(*draw(LAW, x, y - DIAMETER, side))
    speeds = slowest + (FASTEST - slowest) * tries[:, 1] ** 2  # draws are close to each other, hits are not
    velocities = np.array([hit(LAW, x, y, *throw, side) for throw in zip(tries[:, 0], speeds, strict=True)])
    costs = np.full(len(tries), math.inf)
    thrown = np.isfinite(velocities[:, 0])
    if thrown.any():
        distances = _distances(_throw(shot, before, velocities[thrown]), seen)
        costs[thrown] = np.where(np.isinf(distances), LOST_OR_LEFT, np.minimum(distances, FARTHEST)).sum(1)
    return velocities, costs


def _throw(shot: Shot, before: Array, velocities: Array) -> Array:
    spins = np.full(len(velocities), shot.rotation * FCV1.launch_spin)
    assert shot.row is not None
    return ENGINE.shots(before, shot.row, velocities, spins)


def _distances(after: Array, seen: Array) -> Array:
    """The distance of each stone to its place, [n, 16]; infinite if it is on the sheet in one of both alone."""
    apart = np.hypot(*np.moveaxis(after - seen, -1, 0))
    here, there = ~np.isnan(after[..., 0]), present(seen)
    return np.where(here & there, apart, np.where(here ^ there, math.inf, 0.0))


def _separate(stones: Array) -> None:
    """Push stones that overlap apart, in place; they stay on the sheet."""
    limits = DC3_SHEET.limits
    rows = np.flatnonzero(present(stones))
    for _ in range(len(rows) ** 2):
        for i in rows:
            for j in rows[rows > i]:
                way = stones[j] - stones[i]
                gap = math.hypot(*way)
                if gap < DIAMETER + ROOM:
                    push = (0.5 * (DIAMETER + 2.0 * ROOM - gap) / gap) * way
                    stones[i] -= push
                    stones[j] += push
                    stones[[i, j]] = stones[[i, j]].clip((-limits.side, 0.0), (limits.side, limits.farthest))
