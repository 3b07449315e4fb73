"""The referee of a match of Digital Curling 4: its clocks, and the errors of its players."""

import math
from collections.abc import Sequence

from bonspiel.curling.ice.execution import students
from bonspiel.curling.ice.noise import noise_of
from bonspiel.curling.match.mixed_doubles import choice_of, decider_of, is_setup_due, setup_of
from bonspiel.curling.match.setup_value import PP_LEFT
from bonspiel.curling.match.state import HAMMER, POWER, shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.protocols.dc4 import LEAST_SPIN, MOST_SPIN
from bonspiel.curling.protocols.dc4_server import Player, Shot
from bonspiel.curling.records.match_data import Match, Result, Setup, Throw
from bonspiel.curling.server.referee import Publish, Referee, ThinkingTimes
from bonspiel.planners.model import Array, Rng


class Dc4Referee(Referee):
    """A referee with one clock a team for the regular ends, and one for all extra ends together.

    Args:
        match: see `Referee`.
        model: see `Referee`.
        times: thinking times, the second one for all extra ends.
        players: of each team, in the order of its throws: who makes each of them.
        rngs: of the execution errors of each team; see `ServerContext.error_rngs`.
        publish: see `Referee`.
        start: see `Referee`.

    Attributes:
        power_plays: the ends in which the teams had theirs; None as long as a team had none.
    """

    def __init__(
        self,
        match: Match,
        model: Curling,
        times: ThinkingTimes,
        players: Sequence[Sequence[Player]],
        rngs: Sequence[Rng],
        publish: Publish,
        start: Array | None = None,
    ) -> None:
        super().__init__(match, model, times, (self._with_error, self._with_error), publish, start)
        self._players, self._rngs = players, rngs
        self._regular: list[int] | None = None  # what was left of the regular ends, in extra ends
        self.power_plays: list[int | None] = [None, None]
        if start is not None and match.is_mixed:
            before = max(self.end - 1, 0)  # which end it was in, nobody knows
            self.power_plays = [None if left else before for left in start[POWER : POWER + 2]]

    @property
    def is_setup_due(self) -> bool:
        """Return whether the end of mixed doubles has to be set up first."""
        return is_setup_due(self.state)

    @property
    def team(self) -> int:
        """The team that throws next, or that sets up the end."""
        return decider_of(self.state) if self.is_setup_due else super().team

    @property
    def clocks(self) -> tuple[Sequence[int], Sequence[int]]:
        """Thinking time left to each team for the regular ends, and for the extra ends, ms."""
        if self._regular is None:
            return self.remaining, [self.times.extra_end, self.times.extra_end]
        return self._regular, self.remaining

    def charge(self, used: int) -> bool:
        """See `Referee.charge`; a clock that is just used up is in time."""
        team = self.team
        in_time = used <= self.remaining[team]
        self.remaining[team] = self.remaining[team] - used if in_time else 0
        return in_time

    def set_up(self, choice: str) -> None:
        """Set up the end by one of `curling.match.setup_value.CHOICES`; replace one that is not allowed."""
        self.state = self.model.begin_end(self.state, choice)
        self.shot, self.hammer = shot_of(self.state), int(self.state[HAMMER])
        played = Setup(self.end, *setup_of(self.state))
        if choice_of(played.choice) >= PP_LEFT:
            self.power_plays[played.team] = self.end
        self._publish(played)

    def begin_extra_end(self) -> None:
        """Go over to the clocks of extra ends, once."""
        if self._regular is None:
            self._regular = self.remaining
            super().begin_extra_end()

    def lose_on_time(self, team: int) -> None:
        """Let a team lose; the score stays as it is."""
        winner = 1 - team
        self.finish(Result(self.total, winner, 1.0 - winner, "time_limit"))

    def throw_of(self, shot: Shot) -> tuple[Throw, Throw]:
        """The aim of a shot and its throw, as in `RecordedShot`; call this once per throw."""
        spin = min(max(abs(shot.angular_velocity), LEAST_SPIN), MOST_SPIN)
        spin = spin if shot.angular_velocity <= 0.0 else -spin
        speed = max(shot.translational_velocity, 0.0)
        aim = speed * math.cos(shot.shot_angle), speed * math.sin(shot.shot_angle), math.copysign(1.0, spin)
        return aim, (*self.add_error(aim)[:2], spin)

    def _with_error(self, vx: float, vy: float) -> tuple[float, float]:
        player = self._players[self.team][(self.shot - self.match.first_shot) // 2]
        freedom = noise_of(self.match.noise).freedom
        of_speed, of_angle = (students(one, freedom) for one in self._rngs[self.team].standard_normal(2))
        speed = max(min(math.hypot(vx, vy), player.max_velocity) + of_speed * player.shot_std_dev, 0.0)
        angle = math.atan2(vy, vx) + of_angle * player.angle_std_dev
        return speed * math.cos(angle), speed * math.sin(angle)
