"""The data of a recorded match: its settings and players, the set-ups, the shots, the ends and the result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from bonspiel.curling.model import Curling
from bonspiel.curling.settings import MatchSettings

PLAYED_OUT, CUT_SHORT, OPEN = ("score", "draw"), ("forfeit", "concede", "time_limit"), ("abandoned", "unfinished")
REASONS = PLAYED_OUT + CUT_SHORT + OPEN  # why a game ended; one cut short is won by the other team

Real = Annotated[float, Meta(ge=-1000.0, le=1000.0)]  # m, m/s or rad/s; more than any sheet or throw has
Point = tuple[Real, Real]
Throw = tuple[Real, Real, Real]


@dataclass(frozen=True, kw_only=True)
class Match(MatchSettings):
    """The settings and players of a match; team 1 has the hammer in the first end.

    Records keep the settings that decide a match: not those that say how planners see it.

    Attributes:
        reward: of the match's model, 1 for a win of team 0.
        players: names of the players of team 0 and team 1.
        budgets: budget of each team for a shot, such as "100 ms"; None if unknown.
        seed: random seed of the tournament; None if unknown.
        pair: number of the pair of games with the same execution errors; None if unpaired.
        engine: name of the engine, see `curling.ice.engines.make_engine`.
    """

    reward: Literal["points", "win", "win_probability"] = "win"
    players: tuple[str, str]
    budgets: tuple[str, str] | None = None
    seed: int | None = None
    pair: int | None = None
    engine: str = "analytic"

    def model(self) -> Curling:
        """The model of the match."""
        return Curling.of(self)


class Setup(NamedTuple):
    """The set-up of an end of mixed doubles.

    Attributes:
        end: number of the end, from 0.
        team: the team that decided, 0 or 1.
        choice: one of `curling.match.setup_value.CHOICES`.
    """

    end: int
    team: int
    choice: str


class RecordedShot(NamedTuple):
    """One shot of a recorded match.

    Attributes:
        end: number of the end, from 0.
        shot: number of the shot in its end, 0..15, in mixed doubles 6..15.
        team: the throwing team, 0 or 1.
        hammer: the team with the hammer in this end.
        aim: (vx, vy, rotation): velocity, m/s, and +1 for counter-clockwise or -1.
        thrown: (vx, vy, spin): velocity with the execution error, m/s, and spin, rad/s.
        stones: 16 places (x, y) at rest after the shot and the rules, m; None where absent. Rows 0-7 are team 0's.
        value: the thrower's estimate of team 0's result, 0 to 1; None without an estimate.
        simulations: number of simulations of the decision; None if unknown.
        seconds: wall-clock time of the decision.
    """

    end: int
    shot: int
    team: int
    hammer: int
    aim: Throw
    thrown: Throw
    stones: Annotated[tuple[Point | None, ...], Meta(min_length=16, max_length=16)]
    value: float | None
    simulations: int | None
    seconds: float


class End(NamedTuple):
    """A finished end: its number, from 0, and the points of each team."""

    end: int
    points: tuple[int, int]


class Result(NamedTuple):
    """The result of a game.

    Attributes:
        score: points of each team.
        winner: 0 or 1; None for a draw or without a result.
        value: of the result for team 0: 1, 0, or its value of a draw; None without a result.
        reason: "score", "draw", "forfeit", "concede", "time_limit", or without a result "abandoned" or "unfinished".
        detail: the cause of a forfeit or an abandoned game; else None.
    """

    score: tuple[int, int]
    winner: int | None
    value: float | None
    reason: str
    detail: str | None = None

    def value_for(self, team: int) -> float:
        """Value of the result for a team, 0 to 1.

        Raises:
            ValueError: the game has no result.
        """
        if self.value is None:
            raise ValueError(f"the game has no result ({self.reason})")
        return self.value if team == 0 else 1.0 - self.value


Item = Match | Setup | RecordedShot | End | Result
"""One part of a record, which is one line of its file."""


class Record(NamedTuple):
    """A finished or interrupted game."""

    match: Match
    shots: tuple[RecordedShot, ...]
    ends: tuple[End, ...]
    result: Result
    setups: tuple[Setup, ...] = ()


def score_of(ends: Sequence[End]) -> tuple[int, int]:
    """Total points of each team."""
    return sum(end.points[0] for end in ends), sum(end.points[1] for end in ends)
