"""The referee of one match: turns, execution errors, clocks, score and result; no sockets here."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bonspiel.curling.ice.execution import noisy_velocity
from bonspiel.curling.ice.noise import noise_of
from bonspiel.curling.ice.sheet import LAST_SHOT, STONES, TEAM_STONES, no_stones, places
from bonspiel.curling.match.rules import score, thrower
from bonspiel.curling.match.state import HAMMER, LEAD, TIME, stones_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import End, Item, Match, RecordedShot, Result, Throw
from bonspiel.curling.records.umpire import Outcome, first_state
from bonspiel.planners.model import Array, Rng

ErrorSampler = Callable[[float, float], tuple[float, float]]
Publish = Callable[[Item], None]


class ThinkingTimes(NamedTuple):
    """Thinking time of each team, in milliseconds: for the match, and for each extra end."""

    match: int
    extra_end: int


def error_sampler(model: Curling, seed: int | Sequence[int] | Rng) -> ErrorSampler:
    """The thrown velocity for a velocity aimed at; the error of the n-th throw depends on the seed and n alone."""
    rng, cap, sds = np.random.default_rng(seed), model.law.max_speed, noise_of(model.noise).params
    return lambda vx, vy: noisy_velocity(vx, vy, cap, sds, rng)


class Referee:
    """One match, from the first throw to the result; team 1 has the hammer in the first end.

    Args:
        match: rules and players.
        model: `match.model()`, which equal matches share.
        times: thinking times.
        errors: of each team: the thrown velocity for a velocity aimed at, both (vx, vy) in m/s; called once per throw.
        publish: takes the items of the match's record.
        start: the state in which the match begins, before a shot; None: as matches begin.

    Attributes:
        state: as in `curling.match.state`, before the next throw.
        end: number of the current end, from 0.
        shot: number of the next shot in it, 0..15; in mixed doubles 0 before the set-up, then 6..15.
        hammer: the team that throws second in it.
        stones: at rest after the last throw, [16, 2], NaN where absent; those of the last end until the next throw.
        scores: points of each team in each regular end; None until it is over.
        extra_score: points of each team in the extra end that decided the match; None if there is none.
        remaining: thinking time left to each team, ms.
        result: None until the match is over.
    """

    def __init__(
        self,
        match: Match,
        model: Curling,
        times: ThinkingTimes,
        errors: Sequence[ErrorSampler],
        publish: Publish,
        start: Array | None = None,
    ) -> None:
        self.match, self.model, self.times = match, model, times
        self._errors, self._publish = errors, publish
        self.state = first_state(model) if start is None else start
        self.end, self.shot = divmod(int(self.state[TIME]), STONES)
        self.hammer, self.stones = int(self.state[HAMMER]), no_stones() if start is None else stones_of(start)
        self.scores: list[list[int | None]] = [[None] * match.ends, [None] * match.ends]
        self.extra_score: list[int | None] = [None, None]
        self.remaining = [times.match, times.match]
        self.result: Result | None = None
        self._points = np.zeros(2, int)
        if start is not None:
            self._score_ends(int(start[LEAD]))
        publish(match)

    @property
    def team(self) -> int:
        """The team that throws next."""
        return int(thrower(self.shot, self.hammer))

    @property
    def next_stones(self) -> Array:
        """The stones before the next throw, a new array [16, 2]."""
        return stones_of(self.state) if self.shot else no_stones()

    @property
    def total(self) -> tuple[int, int]:
        """Points of each team in all finished ends."""
        return int(self._points[0]), int(self._points[1])

    def charge(self, used: int) -> bool:
        """Deduct the time for a move, ms, from the clock of the team to move; whether it had enough."""
        team = self.team
        in_time = used < self.remaining[team]
        self.remaining[team] = self.remaining[team] - used if in_time else 0
        return in_time

    def add_error(self, aim: Throw) -> Throw:
        """The throw for an aim (vx, vy, rotation +1 or -1): velocity with execution error, m/s, and spin, rad/s."""
        vx, vy = self._errors[self.team](aim[0], aim[1])
        return float(vx), float(vy), aim[2] * self.model.law.launch_spin

    def apply_shot(self, aim: Throw, thrown: Throw, after: Outcome, seconds: float) -> None:
        """Record a throw, see `add_error`, with its outcome and thinking time, s, and advance the match."""
        turn, stones = (self.end, self.shot, self.team, self.hammer), places(after.stones)
        self._publish(RecordedShot(*turn, aim, thrown, stones, None, None, seconds))
        self.state, self.stones = after.state, after.stones
        if after.points is None:
            self.shot += 1
            return
        self._publish(End(self.end, after.points))
        self._points += after.points
        self._score_end(after.points)
        self.hammer = int(after.state[HAMMER])
        if after.over:
            team0, team1 = self.total
            winner = None if team0 == team1 else int(team1 > team0)
            self.finish(Result(self.total, winner, after.reward, "draw" if winner is None else "score"))
        elif self.end >= self.match.ends:
            self.begin_extra_end()

    def begin_extra_end(self) -> None:
        """Set the clocks for an extra end."""
        self.remaining = [self.times.extra_end, self.times.extra_end]

    def concede(self) -> None:
        """Let the team to move concede."""
        self._lose("concede")

    def time_up(self) -> None:
        """Let the team to move lose on time."""
        self.remaining[self.team] = 0
        self._lose("time_limit")

    def abandon(self, reason: str) -> None:
        """End the match without a result, unless it has one already."""
        if self.result is None:
            self.finish(Result(self.total, None, None, "abandoned", reason))

    def _score_ends(self, lead: int) -> None:
        """Give the leading team its lead in the first ends; which ends it was in, nobody knows."""
        for end in range(min(self.end, self.match.ends)):
            gain = min(abs(lead), TEAM_STONES)
            points = (gain, 0) if lead > 0 else (0, gain)
            lead -= points[0] - points[1]
            self._points += points
            for team in (0, 1):
                self.scores[team][end] = points[team]

    def _lose(self, reason: str) -> None:
        winner = 1 - self.team
        if self.shot < LAST_SHOT:
            self.shot += 1
        else:  # then the reference server scores the end without the last stone, and may set the clocks of an extra end
            sheet = self.model.law.sheet
            gain = int(score(self.stones, sheet.tee, sheet.in_house))
            points = max(gain, 0), max(-gain, 0)
            self._score_end(points)
            if self.end >= self.match.ends and self._points[0] + points[0] == self._points[1] + points[1]:
                self.begin_extra_end()
        self.finish(Result(self.total, winner, 1.0 - winner, reason))

    def _score_end(self, points: tuple[int, int]) -> None:
        for team, gain in enumerate(points):
            if self.end < self.match.ends:
                self.scores[team][self.end] = gain
            elif points[0] != points[1]:
                self.extra_score[team] = gain
        self.end, self.shot = self.end + 1, 0

    def finish(self, result: Result) -> None:
        """End the match."""
        self.result = result
        self._publish(result)
