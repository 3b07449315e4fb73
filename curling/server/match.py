"""The referee of one match: whose turn it is, errors of execution, clocks, score and result; no sockets here."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from curling.match_data import End, Match, RecordedShot, Result, Throw, places
from curling.model import Curling
from curling.noise import noise_of, noisy_velocity
from curling.rules import score, thrower
from curling.sheet import LAST_SHOT, no_stones
from curling.state import HAMMER, stones_of
from curling.umpire import Outcome
from planners.base import Array

Errors = Callable[[float, float], tuple[float, float]]
Keep = Callable[[Match | RecordedShot | End | Result], None]


class Times(NamedTuple):
    """Thinking time of each team, in milliseconds: for the match, and for each extra end."""

    match: int
    extra_end: int


def errors_of(model: Curling, seed: int | Sequence[int]) -> Errors:
    """The velocities that aims give in one match; the error of throw t depends on the seed and t alone."""
    rng, cap, sds = np.random.default_rng(seed), model.law.max_speed, noise_of(model.noise).params
    return lambda vx, vy: noisy_velocity(vx, vy, cap, sds, rng)


class Referee:
    """One match, from the first throw to the result; team 1 has the hammer in the first end.

    Args:
        match: what is played, and by whom.
        model: `match.model()`, which equal matches share.
        times: thinking time.
        errors: the velocity thrown for one aimed at, both (vx, vy) in m/s; called once a throw.
        keep: receives the parts of the match's record as they come.

    Attributes:
        state: as of `curling.state`, before the next throw.
        end: number of the end, from 0; the next one as soon as an end is over.
        shot: number of the next shot in it, 0..15.
        hammer: the team that throws second in it.
        stones: at rest after the last throw, [16, 2], NaN where absent; those of the last end until the next throw.
        scores: points of each team in each end of the match's regular length; None where it is not over.
        extra_score: points of each team in the extra end that decided; None if there is none.
        remaining: each team's thinking time, ms.
        result: None until the match is over.
    """

    def __init__(self, match: Match, model: Curling, times: Times, errors: Errors, keep: Keep) -> None:
        """Begin the match and its record."""
        self.match, self.model, self.times = match, model, times
        self._errors, self._keep = errors, keep
        self.state = model.initial_state(np.random.default_rng(0))
        self.end, self.shot, self.hammer = 0, 0, int(self.state[HAMMER])
        self.stones = no_stones()
        self.scores: list[list[int | None]] = [[None] * match.ends, [None] * match.ends]
        self.extra_score: list[int | None] = [None, None]
        self.remaining = [times.match, times.match]
        self.result: Result | None = None
        self._points = np.zeros(2, int)
        keep(match)

    @property
    def team(self) -> int:
        """The team that throws next."""
        return int(thrower(self.shot, self.hammer))

    @property
    def board(self) -> Array:
        """The stones that the next throw finds, a new array [16, 2]."""
        return stones_of(self.state) if self.shot else no_stones()

    @property
    def total(self) -> tuple[int, int]:
        """Points of each team in the ends that are over."""
        return int(self._points[0]), int(self._points[1])

    def charge(self, used: int) -> bool:
        """Take the mover's time for its move, ms; whether it had more than that."""
        team = self.team
        in_time = used < self.remaining[team]
        self.remaining[team] = self.remaining[team] - used if in_time else 0
        return in_time

    def release(self, aim: Throw) -> Throw:
        """The throw that an aim (vx, vy, rotation +1 or -1) gives: velocity with its error, m/s, and spin, rad/s."""
        vx, vy = self._errors(aim[0], aim[1])
        return float(vx), float(vy), aim[2] * self.model.law.launch_spin

    def settle(self, aim: Throw, thrown: Throw, after: Outcome, seconds: float) -> None:
        """Take what a throw led to.

        Args:
            aim: as for `release`.
            thrown: what `release` gave.
            after: what `curling.umpire.outcome` says of it.
            seconds: that the mover needed.
        """
        turn = self.end, self.shot, self.team, self.hammer
        self._keep(RecordedShot(*turn, aim, thrown, places(after.stones), None, None, seconds))
        self.state, self.stones = after.state, after.stones
        if after.points is None:
            self.shot += 1
            return
        self._keep(End(self.end, after.points))
        self._points += after.points
        self._count(after.points)
        self.hammer = int(after.state[HAMMER])
        if after.over:
            team0, team1 = self.total
            winner = None if team0 == team1 else int(team1 > team0)
            self._finish(Result(self.total, winner, after.reward, "draw" if winner is None else "score"))
        elif self.end >= self.match.ends:
            self.remaining = [self.times.extra_end, self.times.extra_end]

    def concede(self) -> None:
        """The mover gives up."""
        self._lose("concede")

    def time_up(self) -> None:
        """The mover has no time left."""
        self.remaining[self.team] = 0
        self._lose("time_limit")

    def abandon(self, why: str) -> None:
        """The match ends without a result; one that is over already stays as it is."""
        if self.result is None:
            self._finish(Result(self.total, None, None, "abandoned", why))

    def _lose(self, reason: str) -> None:
        winner = 1 - self.team
        if self.shot < LAST_SHOT:
            self.shot += 1
        else:  # the reference server then counts the stones as they lie, and sets the clocks of an extra end
            sheet = self.model.law.sheet
            gain = int(score(self.stones, sheet.tee, sheet.in_house))
            points = max(gain, 0), max(-gain, 0)
            self._count(points)
            if self.end >= self.match.ends and self._points[0] + points[0] == self._points[1] + points[1]:
                self.remaining = [self.times.extra_end, self.times.extra_end]
        self._finish(Result(self.total, winner, 1.0 - winner, reason))

    def _count(self, points: tuple[int, int]) -> None:
        """Write an end on the scoreboard."""
        for team, gain in enumerate(points):
            if self.end < self.match.ends:
                self.scores[team][self.end] = gain
            elif points[0] != points[1]:
                self.extra_score[team] = gain
        self.end, self.shot = self.end + 1, 0

    def _finish(self, result: Result) -> None:
        self.result = result
        self._keep(result)
