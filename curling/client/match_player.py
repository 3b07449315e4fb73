"""Plays the moves of one match: asks the planner within its time; where it fails, plays its best shot so far.

Where there is none, that is a rule-based shot, and without time for one a draw to the tee.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from bonspiel.curling.child_process import PlannerGone
from bonspiel.curling.client.message_log import MessageLog
from bonspiel.curling.client.planning.patience import Patience
from bonspiel.curling.client.planning.planner_process import OWN_SECONDS, PlannerProcess
from bonspiel.curling.client.planning.planner_worker import ShotChoice
from bonspiel.curling.client.planning.time_manager import LEAST, TimeManager, slices_left
from bonspiel.curling.ice.physics import physics_of
from bonspiel.curling.protocols.console import print_error
from bonspiel.curling.records.position import MatchPosition

WARM_UP = 3.0  # s at most for the planning before a match


class AimedShot(NamedTuple):
    """The velocity aimed at, m/s, and the rotation, +1.0 for counter-clockwise or -1.0."""

    vx: float
    vy: float
    rotation: float

    def __str__(self) -> str:
        return f"({self.vx:.3f}, {self.vy:.3f}) {'ccw' if self.rotation > 0.0 else 'cw'}"


Send = Callable[[AimedShot | None], Awaitable[None]]


@dataclass
class MatchPlayer:
    """Chooses and sends the moves of one match, in any protocol."""

    planner: PlannerProcess
    timing: TimeManager
    log: MessageLog
    report: Callable[[str], None]  # takes lines about the progress of the match
    concede: float | None = None  # concede when the planner's estimate of winning is below this
    is_strict: bool = False  # a planner that fails before the match does not play it
    begun: bool = field(default=False, init=False)  # whether the match has, so that a lost connection ends it
    patience: Patience = field(init=False)  # with the server, before the match
    _last_move: tuple[float, float] | None = None  # time left before it, and the time that it took, s

    def __post_init__(self) -> None:
        """Wait for a server without end, unless somebody sets another patience."""
        self.patience = Patience(self.report)

    async def warm_up(self, position: MatchPosition, remaining: float) -> None:
        """Let the planner plan once, while no clock runs, for as long as in a match of `remaining` seconds.

        Raises:
            PlannerGone: it fails, and the player is strict.
        """
        allowance = self.timing.allowance(remaining, _slices(position))
        failure = await self.planner.warm_up(position, max(min(allowance.seconds, WARM_UP), LEAST))
        if failure is not None:
            self.warn(f"the planner fails: {failure}")
            if self.is_strict:
                raise PlannerGone(failure)

    async def move(self, where: str, position: MatchPosition, remaining: float, received: float, send: Send) -> None:
        """Choose and send one move.

        Args:
            where: end and shot, for people.
            position: in which the own team throws next.
            remaining: on the own clock, s.
            received: when the server's message arrived, in `time.monotonic` seconds.
            send: sends a shot, or concedes if given None.
        """
        slices, spent = _slices(position), time.monotonic() - received
        allowance = self.timing.allowance(remaining, slices, spent)
        if allowance.limit > 0.0:
            choice = await self.planner.choose(position, *allowance)
        else:
            failure, left = f"no time to plan, {remaining:.3g} s are left", (remaining - spent) / 2.0
            choice = await self.planner.rule_based(position, min(OWN_SECONDS, left), failure)
        concedes = self.concede is not None and choice.chance is not None and choice.chance < self.concede
        shot = None if concedes else _aimed_shot(position, choice)
        await send(shot)
        self._last_move = remaining, time.monotonic() - received
        self.log.write_estimate(choice.expected, choice.simulations)
        if choice.failure is not None:
            found = "a rule-based shot" if choice.is_own else "the best shot so far"
            thrown = "a draw to the tee" if choice.action is None else found
            self.warn(f"{where}: {thrown} instead of the planner's answer: {choice.failure}")
        simulations = "1 simulation" if choice.simulations == 1 else f"{choice.simulations:,} simulations"
        effort = f"{simulations} in {choice.seconds:.2f} s, {remaining:.1f} s were left"
        self.report(f"{where}: {shot or 'conceded'}{_expected(choice.chance)}, {effort}")

    async def set_up(self, where: str, position: MatchPosition, send: Callable[[str], Awaitable[None]]) -> None:
        """Choose and send the set-up of an end of mixed doubles, for which no clock runs.

        Args:
            where: the end, for people.
            position: before the set-up, which the own team decides.
            send: sends one of `curling.match.setup_value.CHOICES`.
        """
        choice = await self.planner.choose_setup(position)
        await send(choice.name)
        if choice.failure is not None:
            self.warn(f"{where}: {choice.name} instead of the planner's answer: {choice.failure}")
        self.report(f"{where}: {choice.name}{_expected(choice.chance)}")

    def learn_charge(self, remaining: float | None) -> None:
        """Learn the cost of the last move from the time left on the own clock, s; None if the clock was reset."""
        if self._last_move is not None and remaining is not None:
            before, own = self._last_move
            self.timing.learn_move(before - remaining, own)
        self._last_move = None

    def warn(self, text: str) -> None:
        """Print a warning, and log it."""
        self.log.write_note(text)
        print_error(text)


def _slices(position: MatchPosition) -> float:
    return slices_left(position.shot, position.ends_left, position.settings.first_shot)


def _expected(chance: float | None) -> str:
    return "" if chance is None else f", expects to win {chance:.1%}"


def _aimed_shot(position: MatchPosition, choice: ShotChoice) -> AimedShot:
    if choice.action is None:
        return AimedShot(*physics_of(position.settings.physics).tee_draw, 1.0)
    vx, vy, spin = choice.action
    return AimedShot(vx, vy, 1.0 if spin >= 0.0 else -1.0)
