"""The worker process that runs a planner, and its messages: a position with a time limit, answered by a shot.

Meanwhile the best shot so far is in shared memory: first the best of the rule-based candidates, after a few playouts
each, then what the search reports.

The client itself imports compiled code only for rule-based shots, when the worker has loaded or compiled it.
"""

from __future__ import annotations

import functools
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bonspiel.curling.child_process import Pipe, answer, questions
from bonspiel.curling.client.planning.best_so_far import BestSoFar, ShotSoFar
from bonspiel.curling.client.planning.setup_choice import best_setup
from bonspiel.curling.client.planning.time_manager import LEAST
from bonspiel.curling.ice.sheet import LAST_SHOT, STONES
from bonspiel.curling.records.position import MatchPosition
from bonspiel.planners.core.code.errors import error_text

if TYPE_CHECKING:
    from bonspiel.planners.model import Rng
    from bonspiel.planners.planner import Decision, Planner

FIRST_SHOTS = 256  # of playouts for the first answer, 2 ms; with all else it is there 5 ms after the position
SLOW_SECONDS = 2.0  # a shot; with less, the estimate of the chances must take no time
SURE_LEAD = 0.5  # of the visits to come: what leads by more is played without them


@dataclass(frozen=True)
class ShotChoice:
    """A planner's shot, or the reason why it chose none.

    Attributes:
        action: (vx, vy, spin): velocity aimed at, m/s, and a number whose sign is the rotation; None for no shot. With
            a failure it is the best shot so far.
        chance: its team's probability to win, see `curling.win_probability`; None where the planner estimates none.
        simulations: simulations run.
        seconds: time taken, as measured by the client.
        failure: why this is not the planner's answer, in one line.
        is_own: whether it is a rule-based shot that the client found itself.
        expected: the planner's own estimate of its team's probability to win with this shot; None where it has none,
            or has not answered.
    """

    action: tuple[float, float, float] | None = None
    chance: float | None = None
    simulations: int = 0
    seconds: float = 0.0
    failure: str | None = None
    is_own: bool = False
    expected: float | None = None


def run_worker(pipe: Pipe, planner: str | Planner, seed: int | None, best: BestSoFar) -> None:
    """Answer (move, position, seconds, is_quiet) with a `ShotChoice` until the other end of the pipe is closed.

    Where the end has to be set up first, the answer is a `SetupChoice`. `best` takes the best shot of this move so far;
    with less than LEAST seconds the first one is the answer. What a quiet one prints is dropped. The first message is
    sent unasked: None, or why the planner's text was refused.
    """
    os.dup2(2, 1)  # standard output may be the connection to a server
    import numpy as np

    from bonspiel.curling import players

    try:
        parsed = players.parse(planner) if isinstance(planner, str) else planner
    except ValueError as error:
        answer(pipe, str(error))
        return
    answer(pipe, None)
    rng, playouts_rng = np.random.default_rng(seed), np.random.default_rng(seed)
    for move, position, seconds, is_quiet in questions(pipe):
        if position.is_setup_due:
            answer(pipe, best_setup(position))
            continue
        arrived, publish = time.perf_counter(), functools.partial(best.publish, move)
        with _silence() if is_quiet else nullcontext():
            choice = first_answer(position, playouts_rng, publish)
            if seconds >= LEAST:
                seconds -= time.perf_counter() - arrived
                choice = _choose(parsed, position, seconds, rng, publish, choice.simulations)
        answer(pipe, choice)


@contextmanager
def _silence() -> Iterator[None]:
    """Drop what is printed, by programs of the planner too."""
    kept, nowhere = (os.dup(1), os.dup(2)), os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, before in zip((1, 2), kept, strict=True):
            os.dup2(before, stream)
            os.close(before)
        os.close(nowhere)


def first_answer(position: MatchPosition, rng: Rng, publish: Callable[[ShotSoFar], None]) -> ShotChoice:
    """The best of the rule-based candidates after a few playouts, published; its estimate is too rough to give."""
    from bonspiel.planners.abstraction import AbstractionTree
    from bonspiel.planners.planner import Budget

    try:
        budget = Budget(simulations=FIRST_SHOTS // (STONES - position.shot))
        model, state = position.model(), position.state()
        decision = AbstractionTree(exploration=0.3, tree_steps=0).plan(model, state, budget, rng)
        vx, vy, spin = decision.action.tolist()
        publish(ShotSoFar(vx, vy, spin, math.nan, decision.simulations))
        return ShotChoice((vx, vy, spin), None, decision.simulations)
    except Exception as error:
        return _failed(error)


def _choose(
    planner: Planner,
    position: MatchPosition,
    seconds: float,
    rng: Rng,
    publish: Callable[[ShotSoFar], None],
    simulations: int,
) -> ShotChoice:
    """The planner's choice, before the time is over if that is clear.

    `publish` takes the best shots so far that have more than `simulations` simulations.
    """
    from bonspiel.planners.checks import check_actions
    from bonspiel.planners.contract.decisions import checked_plan
    from bonspiel.planners.core.search import progress_to
    from bonspiel.planners.planner import Budget

    end, is_last = time.perf_counter() + seconds, position.ends_left == 1 and position.shot >= LAST_SHOT - 1

    def estimates(decision: Decision) -> bool:
        return math.isfinite(float(decision.value))

    def report(decision: Decision) -> bool:
        if decision.simulations > simulations:
            vx, vy, spin = check_actions(model, decision.action[None], "action")[0].tolist()
            publish(ShotSoFar(vx, vy, spin, chance if estimates(decision) else math.nan, decision.simulations))
        return not is_last and _is_clear(decision, end - time.perf_counter())

    try:
        import numpy as np

        from bonspiel.curling.win_probability import win_probability

        model, state = position.model(), position.state()
        chance = abs(position.team - win_probability(model, state, is_quick=seconds < SLOW_SECONDS))
        left = max(end - time.perf_counter(), 1e-6)
        with progress_to(report):
            decision = checked_plan(planner, model, state, Budget(seconds=left), rng)
        vx, vy, spin = np.asarray(decision.action, np.float64).tolist()
        if not estimates(decision):
            return ShotChoice((vx, vy, spin), simulations=int(decision.simulations))
        own = float(decision.value) + position.team  # team 1's values are below 0
        return ShotChoice((vx, vy, spin), chance, int(decision.simulations), expected=own)
    except Exception as error:
        return _failed(error)


def _is_clear(decision: Decision, left: float) -> bool:
    """Return whether the lead of the most visited action is too large to be lost in the seconds left."""
    visits = sorted([0, *decision.visits.tolist()])
    to_come = decision.simulations / decision.seconds * left
    return visits[-1] - visits[-2] > SURE_LEAD * to_come


def _failed(error: Exception) -> ShotChoice:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return ShotChoice(failure=f"{error_text(error)} ({where.name}, line {where.lineno})")
