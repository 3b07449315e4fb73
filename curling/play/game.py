"""A game of curling between a person and a planner, without input or output: a user interface shows and controls it.

The user interface passes the time, so that a test need not wait.
"""

import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Literal

import numpy as np

from bonspiel.curling.dynamics import release
from bonspiel.curling.env.picture import extent
from bonspiel.curling.game import recorded_shot
from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.match.mixed_doubles import allowed_choices, decider_of, is_setup_due, setup_of
from bonspiel.curling.match.setup_value import CENTER_HOUSE, CHOICES
from bonspiel.curling.match.state import hammer_of, row_of, shot_of, stones_of, team_of
from bonspiel.curling.play.aim import WEIGHTS, Aim
from bonspiel.curling.play.view import Flight, View
from bonspiel.curling.records.record import Match, RecordedShot, Setup
from bonspiel.curling.records.umpire import Outcome, first_state, outcome
from bonspiel.planners.checks import check_actions
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Budget, Decision, Planner
from bonspiel.runs.experiment import RunError

Phase = Literal["setup", "aim", "think", "flight", "end", "over"]


class InteractiveGame:
    """One match; the planner runs in a background thread.

    Args:
        match: its seed is that of the noise and of the planner's draws.
        planner: the opponent; it plans with the model's `planning()`.
        budget: the opponent's for each shot.
        me: the person's team, 0 or 1; team 1 has the first hammer.

    Attributes:
        state: before the next shot, or before the one under way.
        phase: "setup" (the person sets up an end of mixed doubles), "aim" (the person's turn), "think" (the planner's),
            "flight", "end" (one is over, not the last), "over".
        aim: where the person aims.
        setup: the set-up that the person considers, one of `curling.match.setup_value.CHOICES`.
        flight: the last shot, None at the start of an end.
        ends: points of team 0 less those of team 1 in the finished ends.
        setups: as recorded.
        shots: as recorded.
        decisions: of the planner, by the number of the shot: the state before it, and the decision.
    """

    def __init__(self, match: Match, planner: Planner, budget: Budget, me: int) -> None:
        self.match, self.model, self.me = match, match.model(), me
        self.names, self.opponent = match.players, match.players[1 - me]
        self.aim = Aim(0.0, self.model.law.sheet.tee)
        self.flight: Flight | None = None
        self.ends: list[int] = []
        self.phase: Phase
        self._planner, self._planned, self._budget = planner, self.model.planning(), budget
        self._engine = make_engine("analytic", physics=self.model.physics)
        self._noise, self._thoughts = map(np.random.default_rng, np.random.SeedSequence(match.seed).spawn(2))
        self._pool = ThreadPoolExecutor(1)
        self._answer: Future[Decision] | None = None
        self._preview: Array | None = None
        self._asked: float | None = None  # when the person's turn was seen first
        self.setup = CHOICES[CENTER_HOUSE]
        self.setups: list[Setup] = []
        self.shots: list[RecordedShot] = []
        self.decisions: dict[int, tuple[Array, Decision]] = {}
        self.state = first_state(self.model)
        self._next_turn()

    def close(self) -> None:
        """Count an end whose last stone still moves; wait for the background thread.

        That takes at most the planner's time for a shot.
        """
        if self.phase == "flight" and self.flight is not None and self.flight.outcome.points is not None:
            self._rest(self.flight.outcome)
        self._pool.shutdown()

    def tick(self, now: float) -> bool:
        """Advance to a time, in seconds on any clock: throw the planner's shot, bring stones to rest.

        Returns:
            Whether the picture has changed.

        Raises:
            RunError: the planner failed.
        """
        if self.phase == "aim" and self._asked is None:
            self._asked = now
        if self.phase == "think" and self._answer is not None and self._answer.done():
            try:
                decision = self._answer.result()
                check_actions(self.model, decision.action[None], "action")
            except Exception as error:
                where = f"shot {shot_of(self.state) - self.model.first_shot + 1} of end {len(self.ends) + 1}"
                raise RunError(f"{self.opponent} failed at {where}: {error}") from error
            self._throw(decision.action, now, decision)
            return True
        if self.phase == "flight" and self.flight is not None:
            if self.flight.frame(now) == len(self.flight.positions) - 1:
                self._rest(self.flight.outcome)
            return True
        return False

    def take_aim(self, aim: Aim) -> None:
        """Set the aim; a target off the sheet becomes the nearest one on it."""
        self.aim, self._preview = aim.on(self.model.law.sheet), None

    def point(self, x: float, y: float) -> None:
        """Move the target to (x, y), m."""
        self.take_aim(replace(self.aim, x=x, y=y))

    def move(self, across: float, along: float) -> None:
        """Move the target by distances in m."""
        self.point(self.aim.x + across, self.aim.y + along)

    def turn(self) -> None:
        """Change the spin."""
        self.take_aim(replace(self.aim, side=-self.aim.side))

    def weigh(self, change: int) -> None:
        """Choose a heavier (+1) or lighter (-1) weight, or another set-up; the first one follows the last."""
        if self.phase == "setup":
            choices = allowed_choices(self.state, self.model.params)
            self.setup = choices[(choices.index(self.setup) + change) % len(choices)]
        else:
            self.take_aim(replace(self.aim, weight=(self.aim.weight + change) % len(WEIGHTS)))

    def press(self, now: float, seconds: float | None = None) -> None:
        """The one button: set up the end, throw as aimed if possible, skip the rest of a shot, or begin the next end.

        `seconds` are the person's thinking time for the record, by default since the turn was seen by `tick`.
        """
        velocity = self.velocity
        if self.phase == "setup":
            self._set_up(self.setup)
        elif self.phase == "aim" and velocity is not None:
            if seconds is None:
                seconds = 0.0 if self._asked is None else now - self._asked
            self._throw(self.model.aim(*velocity, self.aim.side), now, seconds=seconds)
        elif self.phase == "flight" and self.flight is not None:
            self._rest(self.flight.outcome)
        elif self.phase == "end":
            self.flight = None
            self._next_turn()

    @property
    def velocity(self) -> tuple[float, float] | None:
        """(vx, vy) that the aim needs, m/s; None where no throw reaches the target."""
        return self.aim.velocity(self.model.law)

    @property
    def preview(self) -> Array | None:
        """Paths of the stones in the aimed shot without noise, [T, 16, 2]; None where no throw reaches the target."""
        velocity = self.velocity
        if self._preview is None and velocity is not None:
            self._preview = self._fly(*velocity, self.model.law.launch_spin * self.aim.side)
        return self._preview

    def view(self, now: float) -> View:
        """The picture of the ice at a time, as for `tick`."""
        if self.phase == "aim":
            return View(stones_of(self.state), None, self.preview, (self.aim.x, self.aim.y))
        if self.flight is None:
            return View(stones_of(self._shown))
        if self.phase == "flight":
            frame = self.flight.frame(now)
            return View(self.flight.positions[frame], self.flight.positions[: frame + 1])
        return View(self.flight.outcome.stones, self.flight.positions)

    @property
    def points(self) -> tuple[int, int]:
        """Points of each team."""
        return sum(n for n in self.ends if n > 0), -sum(n for n in self.ends if n < 0)

    @property
    def hammer(self) -> int:
        """The team that throws last in this end; after an end, in the next."""
        return hammer_of(self._shown)

    @property
    def left(self) -> tuple[int, int]:
        """Stones that each team still has to throw in this end."""
        if self.phase in ("end", "over"):
            return 0, 0
        thrown = shot_of(self._shown) - self.model.first_shot + (self.phase == "flight")
        stones = self.model.end_shots // 2
        sooner, later = stones - (thrown + 1) // 2, stones - thrown // 2
        return (sooner, later) if self.hammer == 1 else (later, sooner)

    @property
    def _shown(self) -> Array:
        """The state, where the person sets up the end with the set-up considered."""
        return self.model.begin_end(self.state, self.setup) if self.phase == "setup" else self.state

    def _set_up(self, choice: str | None) -> None:
        """Set up the end by a choice, or by the best one, and begin it."""
        self.state = self.model.begin_end(self.state, choice)
        self.setups.append(Setup(len(self.ends), *setup_of(self.state)))
        self._next_turn()

    def _next_turn(self) -> None:
        self._preview = self._asked = None
        if is_setup_due(self.state):
            if decider_of(self.state) == self.me:
                self.phase, self.setup = "setup", CHOICES[CENTER_HOUSE]
            else:
                self._set_up(None)
        elif team_of(self.state) == self.me:
            self.phase = "aim"
        else:
            self.phase = "think"
            given = self._planned, self.state, self._budget, self._thoughts
            self._answer = self._pool.submit(self._planner.plan, *given)

    def _fly(self, vx: float, vy: float, spin: float) -> Array:
        """Positions of the stones from the frame in which the thrown one becomes visible, [T, 16, 2]."""
        row = row_of(self.state)
        path = self._engine.unchecked_path(stones_of(self.state), row, np.array([vx, vy]), spin)[1].positions
        near = path[:, row, 1] > extent(self.model.law.sheet)[0]
        return path[int(near.argmax()) if near.any() else -1 :]

    def _throw(self, action: Array, now: float, decision: Decision | None = None, seconds: float = 0.0) -> None:
        thrown = release(self.state, action, self.model.params, self._noise)
        after, positions = outcome(self.model, self.state, thrown), self._fly(*thrown)
        self.flight, self.phase = Flight(positions, now, after), "flight"
        facts = (float(decision.value), decision.simulations, decision.seconds) if decision else (math.nan, 0, seconds)
        if decision:
            self.decisions[len(self.shots)] = self.state, decision
        self.shots.append(recorded_shot(self.state, action, thrown, after, *facts))

    def _rest(self, after: Outcome) -> None:
        self.state = after.state
        if after.points is None:
            self._next_turn()
        else:
            self.ends.append(after.points[0] - after.points[1])
            self.phase = "over" if after.over else "end"
