"""Enclosed problems of life and death by seed: a random wall, random stones within, kept if the first move decides."""

import random
from collections.abc import Iterator
from dataclasses import replace

from bonspiel.go.neighbourhoods import BLACK, DOWN, RIGHT, SIDES, WHITE
from bonspiel.go.tsumego.problem import OPEN, WON, Tsumego, solve_tsumego
from bonspiel.planners.dfpn.solve import ProofLimits

SIZE = 9
SHORT = ProofLimits(nodes=5000, megabytes=5.0)  # of the search that checks whether the first move decides
DEFENDER_AT_WALL, DEFENDER_WITHIN, ATTACKER_WITHIN = 0.75, 0.12, 0.08  # parts of the points that have stones
STEPS = list(zip(DOWN.tolist(), RIGHT.tolist(), strict=True))

Point = tuple[int, int]


def make_problem(seed: int, empty: int) -> Tsumego:
    """A problem whose region has this number of empty points, 4 to 30, in which the first move seems to decide.

    A position is dropped if a short search shows that one side wins whoever moves first; if that search finds nothing,
    it is kept, so that hard problems are not left out.
    """
    rng = random.Random(f"{seed} {empty}")
    while True:
        tsumego = _draw(rng, empty)
        if tsumego is not None and _first_move_decides(tsumego):
            return replace(tsumego, mover=rng.choice([BLACK, WHITE]))


def _first_move_decides(tsumego: Tsumego) -> bool:
    """Return whether a short search leaves it possible that either side wins if it moves first."""
    verdicts = (solve_tsumego(replace(tsumego, mover=mover), limits=SHORT).verdict for mover in (BLACK, WHITE))
    return all(verdict in (WON, OPEN) for verdict in verdicts)


def _draw(rng: random.Random, empty: int) -> Tsumego | None:
    """A random position of a group of Black's, enclosed by White; None if it is no problem."""
    region = _blob(rng, round(empty * 1.8))
    wall = {near for point in region for near in _around(point, len(STEPS))} - region
    stones = dict.fromkeys(wall, -1)
    for point in sorted(region):
        at_wall = any(near in wall for near in _around(point, SIDES))
        draw, black = rng.random(), DEFENDER_AT_WALL if at_wall else DEFENDER_WITHIN
        if draw < black:
            stones[point] = 1
        elif not at_wall and draw < black + ATTACKER_WITHIN:
            stones[point] = -1
    crucial = max(_chains({point for point in region if stones.get(point) == 1}), key=len, default=set[Point]())
    if len(region) - sum(point in stones for point in region) != empty:
        return None
    flat = tuple(stones.get(divmod(index, SIZE), 0) for index in range(SIZE * SIZE))
    try:
        return Tsumego(SIZE, flat, _numbers(region), _numbers(crucial), BLACK)
    except ValueError:
        return None


def _numbers(points: set[Point]) -> tuple[int, ...]:
    return tuple(sorted(row * SIZE + column for row, column in points))


def _around(point: Point, sides: int) -> Iterator[Point]:
    """The neighbours of a point on the board."""
    for down, right in STEPS[:sides]:
        row, column = point[0] + down, point[1] + right
        if 0 <= row < SIZE and 0 <= column < SIZE:
            yield row, column


def _blob(rng: random.Random, points: int) -> set[Point]:
    """Connected points, grown from one anywhere."""
    found = {(rng.randrange(SIZE), rng.randrange(SIZE))}
    while len(found) < points:
        found.add(rng.choice(sorted({near for point in found for near in _around(point, SIDES)} - found)))
    return found


def _chains(points: set[Point]) -> Iterator[set[Point]]:
    """The connected parts of a set of points."""
    left = set(points)
    while left:
        chain, due = set[Point](), [min(left)]
        while due:
            point = due.pop()
            if point in left:
                left.remove(point)
                chain.add(point)
                due += _around(point, SIDES)
        yield chain
