"""The skip decides: asks the planner within the time there is, and throws a draw to the tee where it has no shot."""

import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from curling.client import console
from curling.client.clock import LEAST, Clock, shots_left
from curling.client.log import MessageLog
from curling.client.situation import Situation
from curling.client.thinker import Thinker
from curling.client.worker import Choice
from curling.physics import physics_of

WARM_UP = 3.0  # s, at most, for the whole plan before a match

Say = Callable[[str], None]


class Throw(NamedTuple):
    """The velocity aimed at, m/s, and the rotation, +1.0 for counter-clockwise or -1.0."""

    vx: float
    vy: float
    rotation: float

    def __str__(self) -> str:
        """As people read it."""
        return f"({self.vx:.3f}, {self.vy:.3f}) {'ccw' if self.rotation > 0.0 else 'cw'}"


class Skip:
    """Makes the moves of one match, whatever the protocol.

    Args:
        thinker: the planner.
        clock: time management.
        log: notes what fails.
        say: takes lines that tell how the match goes.
        concede: give up when the planner's own estimate of winning is below this; None never does.
    """

    def __init__(self, thinker: Thinker, clock: Clock, log: MessageLog, say: Say, concede: float | None = None) -> None:
        """Begin a match."""
        self.thinker, self.clock, self.log, self.say, self.concede = thinker, clock, log, say, concede
        self._moved: tuple[float, float] | None = None  # the clock before the last move, and the time that it took

    async def warm_up(self, situation: Situation, remaining: float) -> None:
        """Let the planner plan once as it will in the match, where no clock runs yet.

        Args:
            situation: a first position.
            remaining: thinking time for the match, s.
        """
        allowance = self.clock.allowance(remaining, shots_left(situation.shot, situation.ends))
        failure = await self.thinker.warm_up(situation, max(min(allowance.seconds, WARM_UP), LEAST))
        if failure is not None:
            self.complain(f"the planner fails: {failure}")

    async def move(
        self,
        where: str,
        situation: Situation,
        remaining: float,
        received: float,
        send: Callable[[Throw | None], Awaitable[None]],
    ) -> None:
        """Decide and send one move.

        Args:
            where: in the match, for people.
            situation: the own team is to throw.
            remaining: on the own clock, s.
            received: when the server's message came, as `time.monotonic` says.
            send: takes the throw, or None to concede.
        """
        shots, spent = shots_left(situation.shot, situation.ends), time.monotonic() - received
        allowance = self.clock.allowance(remaining, shots, spent)
        if allowance.seconds:
            choice = await self.thinker.decide(situation, *allowance)
        else:
            choice = Choice(failure=f"no time to plan in, {remaining:.3g} s are left")
        gives_up = self.concede is not None and choice.chance is not None and choice.chance < self.concede
        throw = None if gives_up else _throw(situation, choice)
        await send(throw)
        self._moved = remaining, time.monotonic() - received
        if choice.failure is not None:
            self.complain(f"{where}: a draw to the tee instead of the planner's shot: {choice.failure}")
        self.say(f"{where}: {throw or 'conceded'}, {_estimate(choice)}, {remaining:.1f} s were left")

    def clock_shows(self, remaining: float | None) -> None:
        """Learn what the server charged for the last move.

        Args:
            remaining: on the own clock after it, s; None where the clock has been set anew.
        """
        if self._moved is not None and remaining is not None:
            before, own = self._moved
            self.clock.charged(before - remaining, own)
        self._moved = None

    def complain(self, text: str) -> None:
        """Say what is wrong, and note it."""
        self.log.note(text)
        console.complain(text)


def _throw(situation: Situation, choice: Choice) -> Throw:
    if choice.action is None:
        return Throw(*physics_of(situation.physics).tee_draw, 1.0)
    vx, vy, spin = choice.action
    return Throw(vx, vy, 1.0 if spin >= 0.0 else -1.0)


def _estimate(choice: Choice) -> str:
    chance = "" if choice.chance is None else f"expects to win {choice.chance:.1%}, "
    return f"{chance}{choice.simulations:,} simulations in {choice.seconds:.2f} s"
