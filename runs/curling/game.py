"""One game of curling between two planners."""

import functools
import math
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from curling import players
from curling.dynamics import release
from curling.match_data import score_of
from curling.model import Curling
from curling.record import End, Match, Record, RecordedShot, Result, places
from curling.sheet import STONES
from curling.state import HAMMER, TIME, team_of
from curling.umpire import outcome
from planners.base import Array, Budget, Planner, Rng, check_actions, require
from runs.runner.episode import budget_of, environment_rng, named_rng, reason


class Side(NamedTuple):
    """A planner's text and what it may spend on a shot; `unit` is "simulations" or "ms"."""

    planner: str
    budget: int | float
    unit: str

    @property
    def allowance(self) -> str:
        """The budget as people read it."""
        return f"{self.budget:g} {self.unit}"

    def limit(self) -> Budget:
        """The budget as planners take it."""
        return budget_of(self.budget, self.unit)


@dataclass(frozen=True)
class Game:
    """A game to be played.

    Attributes:
        sides: who plays for team 0 and for team 1, which has the hammer in the first end.
        match: what is played; its seed and pair choose the errors of execution.
        number: of the game, among those of its two planners.
    """

    sides: tuple[Side, Side]
    match: Match
    number: int


@functools.cache
def _models(model: Curling) -> tuple[Curling, Curling]:
    """What games of equal models share: the match itself, and what planners look ahead with."""
    return model, model.planning()


@functools.cache
def _player(side: Side, model: Curling) -> Planner:
    """The planner, after a first plan that nobody counts: what is loaded or made once is then there."""
    planner = players.parse(side.planner)
    rng = np.random.default_rng(0)
    with suppress(Exception):  # one that fails will fail in its games too, where the reason is recorded
        planner.plan(model, model.initial_state(rng), side.limit(), rng)
    return planner


class Forfeit(Exception):
    """A planner gave no shot that can be played; the message says why."""


def _decide(planner: Planner, model: Curling, state: Array, side: Side, rng: Rng) -> tuple[Array, float, int, float]:
    """The action, its value for the player, the simulations and the seconds it took.

    Raises:
        Forfeit: the planner failed, or its action is not finite or out of bounds.
    """
    start = time.perf_counter()
    try:
        decision = planner.plan(model, state.copy(), side.limit(), rng)
        seconds = time.perf_counter() - start
        require(np.isrealobj(decision.action), "action", decision.action, "real numbers")
        action = check_actions(model, decision.action[None], "action")[0]
        return action, float(decision.value), int(decision.simulations), seconds
    except Exception as error:
        raise Forfeit(f"{side.planner}: {reason(error)}") from error


def play(game: Game) -> Record:
    """Play a game; a planner that fails forfeits it.

    The error of execution of throw t comes from (seed, pair, t) and a planner's draws from (seed, game, the two sides),
    so that a game does not depend on where or when it is played.
    """
    match, (model, planning) = game.match, _models(game.match.model())
    seed, pair = match.seed or 0, match.pair or 0
    crew = [_player(side, planning) for side in game.sides]
    rngs = [named_rng(f"{team}|{game.sides}", seed, game.number) for team in (0, 1)]
    shots: list[RecordedShot] = []
    ends: list[End] = []
    state, over, value = model.initial_state(np.random.default_rng(0)), False, 0.5
    while not over:
        team = team_of(state)
        end, shot = divmod(int(state[TIME]), STONES)
        try:
            action, promise, simulations, seconds = _decide(crew[team], planning, state, game.sides[team], rngs[team])
        except Forfeit as error:
            return Record(
                match, tuple(shots), tuple(ends), Result(score_of(ends), 1 - team, float(team), "forfeit", str(error))
            )
        thrown = release(action, model.params, environment_rng(seed, pair, len(shots)))
        aim = float(action[0]), float(action[1]), 1.0 if action[2] >= 0.0 else -1.0
        hammer = int(state[HAMMER])
        state, stones, points, value, over = outcome(model, state, thrown)[:5]
        expected = promise * (1.0 if team == 0 else -1.0)
        shots.append(
            RecordedShot(
                end,
                shot,
                team,
                hammer,
                aim,
                thrown,
                places(stones),
                expected if math.isfinite(expected) else None,
                simulations,
                seconds,
            )
        )
        if points is not None:
            ends.append(End(end, points))
    score = score_of(ends)
    drawn = score[0] == score[1]
    winner = None if drawn else int(score[1] > score[0])
    return Record(match, tuple(shots), tuple(ends), Result(score, winner, value, "draw" if drawn else "score"))
