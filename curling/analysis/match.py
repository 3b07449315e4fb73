"""Judges the shots of a record, each on some worker."""

import functools
import math
import time
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.analysis.shot_names import shot_name
from bonspiel.curling.analysis.valuation import Estimate, PositionJudge, estimate
from bonspiel.curling.ice.sheet import STONES, stones_at
from bonspiel.curling.match.mixed_doubles import is_setup_due
from bonspiel.curling.match.state import TIME, apply_rules, team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import Match, Record, Throw
from bonspiel.curling.records.umpire import contradictions, first_state, set_up, turn_of
from bonspiel.curling.replay.judgement import Judgement
from bonspiel.curling.win_probability import calibrated, estimating
from bonspiel.planners.checks import require
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Budget, Planner
from bonspiel.runs.progress import progress
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.episode import failures_named

WARM_UP = Budget(simulations=2_000)


class Judge(NamedTuple):
    """The planner that judges, as on the command line, its budget for a shot, and the seed of all draws."""

    planner: str
    budget: Budget
    seed: int


class ThrownShot(NamedTuple):
    """A shot on record with the positions before and after it.

    Attributes:
        number: in the record, from 0.
        state: before it, [state_dim].
        aim: (vx, vy, rotation), m/s.
        next_state: after it, with the stones of the record.
        reward: team 0's win probability after its last stone, None within an end.
    """

    number: int
    state: Array
    aim: Throw
    next_state: Array
    reward: float | None


def thrown_shots(record: Record) -> list[ThrownShot]:
    """The shots of a record, by the stones on record, whatever simulator moved them.

    Where the line of an end has other points than its stones, the stones count, which is said.

    Raises:
        ValueError: a match that cannot be played, or a shot that is not the next one.
    """
    model, found = estimating(record.match.model()), list[ThrownShot]()
    state, setups = first_state(model), iter(record.setups)
    for number, shot in enumerate(record.shots):
        over = model.steps_left(state) == 0
        if not over and is_setup_due(state):
            state = set_up(model, state, next(setups, None))
        turn = turn_of(state)
        allowed = "none, the match is over" if over else f"{turn}, the next shot"
        require(not over and turn == shot[:4], "(end, shot, team, hammer)", shot[:4], allowed)
        next_state = np.empty_like(state)
        reward, ended = apply_rules(state, stones_at(shot.stones), next_state, model.params)
        after_end = calibrated(model, next_state, reward) if ended else None
        found.append(ThrownShot(number, state, shot.aim, next_state, after_end))
        state = next_state
    for line in contradictions(record):
        say_once(f"the record contradicts itself: {line}")
    return found


def states_of(record: Record) -> list[Array]:
    """The states before all shots of a record, and before the next one if the match can go on, [state_dim] each.

    Raises:
        ValueError: see `thrown_shots`.
    """
    model, shots = record.match.model(), thrown_shots(record)
    state = shots[-1].next_state if shots else first_state(model)
    states = [shot.state for shot in shots]
    if model.steps_left(state) == 0:
        return states
    setup = next((setup for setup in record.setups if setup.end == int(state[TIME]) // STONES), None)
    return [*states, model.begin_end(state, setup.choice if setup else None)]


@functools.cache
def _warmed_up(text: str, model: Curling) -> Planner:
    """The planner of a text, after an untimed plan that loads or compiles its code."""
    planner, rng = players.parse(text), np.random.default_rng(0)
    planner.plan(model, model.initial_state(rng), WARM_UP, rng)
    return planner


def judge_shot(judge: Judge, match: Match, shot: ThrownShot) -> tuple[int, Judgement]:
    """The number of the shot and its judgement.

    Raises:
        RunError: the planner failed.
    """
    model, state = estimating(match.model()), shot.state
    with failures_named(judge.planner, "this match"):
        desk = PositionJudge(model, state, _warmed_up(judge.planner, model), judge.budget, judge.seed)
        choice, played = desk.choose(), desk.value_aim(shot.aim)
        best = played if choice == shot.aim else desk.value_aim(choice)
        after = Estimate(shot.reward, 0.0) if shot.reward is not None else desk.value_position(shot.next_state)
    aimed, loss = estimate(played), estimate(best - played)

    def own(value: float) -> float:
        return value if team_of(state) == 0 else 1.0 - value

    return shot.number, Judgement(
        choice,
        shot_name(model, state, choice),
        shot_name(model, state, shot.aim),
        own(estimate(best).mean),
        own(aimed.mean),
        own(after.mean),
        loss.error,
        math.hypot(after.error, aimed.error),
    )


def judge_match(record: Record, shots: Sequence[ThrownShot], judge: Judge, jobs: int) -> dict[int, Judgement]:
    """The judgements of some shots of a record by their numbers, with progress on standard error.

    With a budget of simulations the same whatever the number of workers, `jobs`.

    Raises:
        RunError: the planner failed, or workers died.
    """
    with failures_named(judge.planner, "this match"):  # compiled here once, if at all, and no part of the time left
        _warmed_up(judge.planner, record.match.model().planning())
    tasks = ((judge, record.match, shot) for shot in shots)
    began, found = time.monotonic(), dict[int, Judgement]()
    workers = parallel.spread(judge_shot, tasks, jobs, pinned=judge.budget.seconds is not None)
    with progress(len(shots), "shots") as advance, closing(workers) as results:
        for number, judgement in results:
            found[number] = judgement
            advance(1, (time.monotonic() - began) / len(found) * (len(shots) - len(found)))
    return dict(sorted(found.items()))
