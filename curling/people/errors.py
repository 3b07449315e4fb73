"""Errors of execution of people: what their throws differ by where all aim at the same place.

The tables do not tell where players aimed. But the first shot of an end without a power play is nearly always the
same: a draw that stops in front of the stone in the house. How its speed and direction vary is the error of
execution, and little else. Where other shots vary, the places aimed at do too: their spread is an upper bound.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.ice.sheet import DC3_SHEET, DIAMETER, SET_UP_ROW, TEAM_STONES, present
from bonspiel.curling.ice.shots import draw
from bonspiel.curling.people.fit import LAW, fit, moved
from bonspiel.curling.people.tables import End, Shot
from bonspiel.planners.model import Array

EXPLAINED = 0.3  # m, largest distance of a stone to its place in a throw that counts as an explanation
FOLDS = 5
FIRST_FREEDOMS = 1.5, 4.0, 20.0  # of searches for the likeliest
LARGEST_TRIED = 200.0  # degrees of freedom, from where Student's t is as good as Gaussian
LEAST_CHANCE = 1e-300
# a stone that comes to rest in front of another and one that just touches it are pictured alike: the length of a
# draw is known to lie between these, m beyond the touch
TOUCH = -0.06, 0.25
LAST = 9  # of an end's ten shots, from 0
APART = 0.35  # m across, from a lone stone to all others


@dataclass(frozen=True)
class Sample:
    """Values that vary by an error of execution, each known to lie between two bounds, which are equal if it is known.

    Attributes:
        name: what they are.
        low: [n].
        high: [n].
        games: a number for the game of each, [n].
    """

    name: str
    low: Array
    high: Array
    games: NDArray[np.int64]


@dataclass(frozen=True)
class Estimate:
    """The errors of a sample as a Gaussian and as Student's t.

    Attributes:
        count: of the values.
        mean: of the Gaussian.
        sd: its standard deviation.
        location: of Student's t.
        scale: its scale.
        freedom: its degrees of freedom.
        gain: mean logarithm of the likelihood of games left out, of Student's t less that of the Gaussian.
        gain_error: standard error of that.
    """

    count: int
    mean: float
    sd: float
    location: float
    scale: float
    freedom: float
    gain: float
    gain_error: float


def first_draws(ends: Iterable[End]) -> tuple[Sample, Sample]:
    """The speeds, m/s, and directions, rad, of the first draws of ends without a power play.

    Directions are positive away from the side to which the stone curls. Left out are draws that touched another stone
    than that in the house, that were lost, or that no throw explains.
    """
    thrown, games = [], []
    for game, end in zip(_game_numbers(ends := list(ends)), ends, strict=True):
        shot = end.shots[0] if end.shots else None
        if shot is None or shot.number != 0 or shot.task != "draw" or end.power_play is not None:
            continue
        house = TEAM_STONES * end.hammer + SET_UP_ROW
        found = fit(shot) if set(moved(shot)) <= {house} else None
        if found is not None and found.distance <= EXPLAINED:
            thrown.append((*found.velocity, shot.rotation, shot.before[house, 1]))
            games.append(game)
    vx, vy, rotation, house_y = np.array(thrown).reshape(-1, 4).T
    speeds = np.hypot(vx, vy)
    low, high = (_speeds_to(house_y - DIAMETER + beyond) for beyond in TOUCH)
    near = (low < speeds) & (speeds < high)
    angles = rotation * np.arctan2(vx, vy)
    return _samples(np.where(near, low, speeds), np.where(near, high, speeds), angles, games)


def free_shots(ends: Iterable[End], task: str, last: bool = False) -> tuple[Sample, Sample]:
    """Speeds and directions, as of `first_draws`, of shots of a type that moved no stone; `last`: of an end, alone."""
    thrown, games = [], []
    for game, end in zip(_game_numbers(ends := list(ends)), ends, strict=True):
        for shot in end.shots[LAST:] if last else end.shots:
            found = fit(shot) if shot.task == task and len(moved(shot)) == 0 else None
            if found is not None:
                thrown.append((*found.velocity, shot.rotation))
                games.append(game)
    vx, vy, rotation = np.array(thrown).reshape(-1, 3).T
    return _samples(np.hypot(vx, vy), np.hypot(vx, vy), rotation * np.arctan2(vx, vy), games)


def lone_take_outs(ends: Iterable[End]) -> tuple[int, int]:
    """Count the take-outs, and hits and rolls, at a lone stone: those that missed it, and all.

    The opponent has no other stone in the house, and no stone lies within APART across the sheet of it.
    """
    results = [shot for end in ends for shot in end.shots if shot.task in ("take-out", "hit and roll")]
    missed = [target not in moved(shot) for shot in results if (target := _lone_target(shot)) is not None]
    return sum(missed), len(missed)


def estimate(sample: Sample) -> Estimate:
    """The likeliest Gaussian and Student's t, and which of the two foretells games left out better."""
    mean, sd = _likeliest(sample)
    location, scale, freedom = _likeliest(sample, free=True)
    gains = np.empty(len(sample.low))
    folds = sample.games % FOLDS
    for fold in np.unique(folds):
        known, left = _part(sample, folds != fold), _part(sample, folds == fold)
        student, gauss = (_log_likelihoods(left, *_likeliest(known, free=free)) for free in (True, False))
        gains[folds == fold] = student - gauss
    error = float(gains.std() / math.sqrt(len(gains)))
    return Estimate(len(gains), mean, sd, location, scale, freedom, float(gains.mean()), error)


def sd_with(sample: Sample, freedom: float) -> float:
    """The standard deviation of the likeliest Student's t with these degrees of freedom, above 2."""
    _, scale, _ = _likeliest(sample, freedom)
    return scale * math.sqrt(freedom / (freedom - 2.0))


def _game_numbers(ends: Sequence[End]) -> list[int]:
    """The number of each end's game, in the order of the games."""
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(end.game, len(numbers)) for end in ends]


def _speeds_to(places: Array) -> Array:
    """The speeds of draws to some distances from the release point, m/s."""
    by_place = {y: math.hypot(*draw(LAW, 0.0, y, 1.0)) for y in set(places.tolist())}
    return np.array([by_place[y] for y in places.tolist()])


def _samples(low: Array, high: Array, angles: Array, games: list[int]) -> tuple[Sample, Sample]:
    numbers = np.array(games, np.int64)
    return Sample("speed, m/s", low, high, numbers), Sample("direction, rad", angles, angles, numbers)


def _lone_target(shot: Shot) -> int | None:
    """The row of the only stone of the opponent in the house, if no other stone is near its line."""
    there = present(shot.before)
    in_house = there & (np.hypot(*(shot.before - (0.0, DC3_SHEET.tee)).T) < DC3_SHEET.in_house)
    targets = np.flatnonzero(in_house & (np.arange(len(there)) // TEAM_STONES != shot.team))
    if len(targets) != 1:
        return None
    near = there & (np.abs(shot.before[:, 0] - shot.before[targets[0], 0]) < APART)
    return int(targets[0]) if near.sum() == 1 else None


def _part(sample: Sample, chosen: NDArray[np.bool_]) -> Sample:
    return Sample(sample.name, sample.low[chosen], sample.high[chosen], sample.games[chosen])


def _log_likelihoods(sample: Sample, location: float, scale: float, freedom: float | None = None) -> Array:
    """The logarithm of the likelihood of each value, of a Gaussian without `freedom`."""
    from scipy.special import gammaln, ndtr, stdtr  # late: its import takes longer than all else here

    low = (sample.low - location) / scale
    between = sample.high > sample.low
    bounds = np.concatenate([low[between], (sample.high[between] - location) / scale])
    bounds, place = np.unique(bounds, return_inverse=True)  # most are alike, and their chances are slow to compute
    if freedom is None:
        found: Array = -0.5 * low * low - math.log(scale * math.sqrt(2.0 * math.pi))
        chances = ndtr(bounds)
    else:
        top = gammaln(0.5 * (freedom + 1.0)) - gammaln(0.5 * freedom) - math.log(scale * math.sqrt(math.pi * freedom))
        found = top - 0.5 * (freedom + 1.0) * np.log1p(low * low / freedom)
        chances = stdtr(freedom, bounds)
    below, above = np.split(chances[place], 2)
    found[between] = np.log(np.maximum(above - below, LEAST_CHANCE))
    return found


def _likeliest(sample: Sample, freedom: float | None = None, free: bool = False) -> tuple[float, ...]:
    """Location and scale that make a sample likeliest, and with `free` or given the degrees of freedom."""
    from scipy.optimize import minimize

    middle = 0.5 * (sample.low + sample.high)
    width = float(np.subtract(*np.quantile(middle, (0.75, 0.25)))) / 1.349 or 1.0
    centre = float(np.median(middle))

    given = () if freedom is None else (freedom,)

    def parameters(point: Array) -> tuple[float, ...]:
        scale, *tail = np.exp(np.clip(point[1:], -20.0, math.log(LARGEST_TRIED))).tolist()
        return (float(centre + width * point[0]), width * scale, *tail, *given)

    def unlikely(point: Array) -> float:
        return -float(_log_likelihoods(sample, *parameters(point)).sum())

    starts = [[0.0, 0.0, math.log(first)] for first in FIRST_FREEDOMS] if free else [[0.0, 0.0]]
    search: Callable[..., Any] = minimize
    found = [search(unlikely, start, method="Nelder-Mead", options={"maxfev": 2000, "fatol": 0.01}) for start in starts]
    return parameters(min(found, key=lambda one: one.fun).x)
