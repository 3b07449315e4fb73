"""Judgements of the shots of a match: the win probability that an aim lost, and the luck of its execution."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bonspiel.curling.records.match_data import RecordedShot, Throw

BLUNDER = 0.05  # of win probability; a larger loss is a blunder if it is beyond the error of its estimate
CLEAR = 2.0  # standard errors


class Judgement(NamedTuple):
    """A shot and the judge's choice in its position; win probabilities are the throwing team's.

    Attributes:
        choice: the judge's aim, (vx, vy, rotation), m/s.
        choice_name: its name, such as "draw".
        played_name: that of the aim on record.
        before: expected win probability of the judge's aim.
        aimed: that of the aim on record.
        after: win probability where the stones came to rest.
        loss_error: standard error of `loss`.
        luck_error: standard error of `luck`.
    """

    choice: Throw
    choice_name: str
    played_name: str
    before: float
    aimed: float
    after: float
    loss_error: float
    luck_error: float

    @property
    def loss(self) -> float:
        """Win probability lost by aiming so and not as the judge would; 0 or less says: not worse."""
        return self.before - self.aimed

    @property
    def luck(self) -> float:
        """Win probability gained by the error of execution."""
        return self.after - self.aimed

    @property
    def is_blunder(self) -> bool:
        """Return whether the loss is large, and beyond the error of its estimate."""
        return self.loss > max(BLUNDER, CLEAR * self.loss_error)


class TeamSummary(NamedTuple):
    """The judged shots of a team.

    Attributes:
        shots: how many.
        loss: mean over the shots; losses below 0 count as they are, as the mean would otherwise be too large.
        loss_error: its standard error, as far as the estimates cause it.
        blunders: how many.
        luck: sum over the shots.
        luck_error: its standard error.
        costliest: the numbers of the shots with the largest losses above 0, largest first, at most three.
    """

    shots: int
    loss: float
    loss_error: float
    blunders: int
    luck: float
    luck_error: float
    costliest: tuple[int, ...]


class Judged(NamedTuple):
    """The judgements of a match.

    Attributes:
        judge: the judge and its budget in words.
        shots: of the record.
        judgements: by the number of the shot in the record, from 0; some shots may have none.
    """

    judge: str
    shots: Sequence[RecordedShot]
    judgements: Mapping[int, Judgement]

    def summary(self, team: int) -> TeamSummary | None:
        """The summary of a team; None if none of its shots was judged."""
        own = {number: one for number, one in self.judgements.items() if self.shots[number].team == team}
        if not own:
            return None
        by_loss = sorted(own, key=lambda number: (-own[number].loss, number))
        costliest = tuple(number for number in by_loss[:3] if own[number].loss > 0.0)
        return TeamSummary(
            len(own),
            sum(one.loss for one in own.values()) / len(own),
            math.hypot(*(one.loss_error for one in own.values())) / len(own),
            sum(one.is_blunder for one in own.values()),
            sum(one.luck for one in own.values()),
            math.hypot(*(one.luck_error for one in own.values())),
            costliest,
        )
