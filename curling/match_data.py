"""A game of curling as data: who plays what, each shot as aimed, as thrown and as it came to rest, and the result."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta

from curling.model import Curling
from curling.noise import Noise
from planners.base import Array

PLAYED_OUT, CUT_SHORT, OPEN = ("score", "draw"), ("forfeit", "concede", "time_limit"), ("abandoned", "unfinished")
REASONS = PLAYED_OUT + CUT_SHORT + OPEN  # why a game is over; if it is cut short, the winner is the other team

Place = tuple[float, float]
Throw = tuple[float, float, float]


@dataclass(frozen=True)
class Match:
    """What is played, and by whom; team 1 has the hammer in the first end.

    Attributes:
        players: who plays for team 0 and for team 1.
        physics: as of `curling.model.Curling`, like rule, noise, ends and extra_ends.
        rule: see physics; the simulator's own if None, like noise.
        noise: see physics.
        ends: see physics.
        extra_ends: see physics.
        tie: value of a draw for the team that would have the hammer in the next end; the other team gets the rest.
        budgets: what each team may spend on a shot, such as "100 ms"; None if that is not known.
        seed: root of all randomness of the tournament; None if that is not known.
        pair: number of the pair of games with the same errors of execution; None if there is none.
        engine: what moves the stones, as of `curling.engines.make_engine`.
    """

    players: tuple[str, str]
    physics: str
    rule: str | None
    noise: str | Noise | None
    ends: int
    extra_ends: int = 0
    tie: float = 0.5
    budgets: tuple[str, str] | None = None
    seed: int | None = None
    pair: int | None = None
    engine: str = "analytic"

    def model(self) -> Curling:
        """The model of the match; its steps are what happens on the ice."""
        return Curling(
            ends=self.ends,
            rule=self.rule,
            noise=self.noise,
            physics=self.physics,  # type: ignore[arg-type]
            extra_ends=self.extra_ends,
            reward="win",
            tie=self.tie,
        )


class RecordedShot(NamedTuple):
    """One shot.

    Attributes:
        end: number of the end, from 0.
        shot: number of the shot in its end, 0..15.
        team: who threw, 0 or 1.
        hammer: the team with the hammer in this end.
        aim: (vx, vy, rotation): velocity, m/s, and +1 for counter-clockwise or -1.
        thrown: (vx, vy, spin): velocity, m/s, with the error of the execution, and spin, rad/s.
        stones: 16 places (x, y) at rest after the shot and the rules, m; None where absent. Rows 0-7 are team 0's.
        value: the thrower's estimate of what team 0 will get, 0 to 1; None if there is none.
        simulations: run for the decision; None if that is not known.
        seconds: wall-clock time that the decision took.
    """

    end: int
    shot: int
    team: int
    hammer: int
    aim: Throw
    thrown: Throw
    stones: Annotated[tuple[Place | None, ...], Meta(min_length=16, max_length=16)]
    value: float | None
    simulations: int | None
    seconds: float


class End(NamedTuple):
    """An end that is over: its number, from 0, and the points of each team."""

    end: int
    points: tuple[int, int]


class Result(NamedTuple):
    """How the game ended.

    Attributes:
        score: points of each team.
        winner: 0 or 1; None for a draw, or if nobody won.
        value: what team 0 gets: 1, 0, or what a draw is worth to it; None if the game has no result.
        reason: "score", "draw", "forfeit", "concede", "time_limit", or without a result "abandoned" or "unfinished".
        detail: why a game was forfeited or abandoned; else None.
    """

    score: tuple[int, int]
    winner: int | None
    value: float | None
    reason: str
    detail: str | None = None

    def value_for(self, team: int) -> float:
        """What a team gets, 0 to 1.

        Raises:
            ValueError: the game has no result.
        """
        if self.value is None:
            raise ValueError(f"a game without a result ({self.reason})")
        return self.value if team == 0 else 1.0 - self.value


class Record(NamedTuple):
    """A game, as far as it went."""

    match: Match
    shots: tuple[RecordedShot, ...]
    ends: tuple[End, ...]
    result: Result


def places(stones: Array) -> tuple[Place | None, ...]:
    """Stones [16, 2], NaN where absent, as a shot keeps them."""
    return tuple(None if math.isnan(x) else (float(x), float(y)) for x, y in stones)


def stones_after(shot: RecordedShot) -> Array:
    """The stones of a shot, [16, 2], NaN where absent."""
    return np.array([(math.nan, math.nan) if place is None else place for place in shot.stones])


def score_of(ends: Sequence[End]) -> tuple[int, int]:
    """Points of each team in these ends."""
    return sum(end.points[0] for end in ends), sum(end.points[1] for end in ends)
