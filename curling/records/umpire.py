"""Plays throws by an engine and the rules, and checks match records by replaying them."""

import functools
import math
from typing import NamedTuple

import numpy as np

from bonspiel.curling.ice.engines import Path, make_engine
from bonspiel.curling.ice.sheet import LAST_SHOT, STONES, TEAM_STONES, places, stones_at
from bonspiel.curling.match import mixed_doubles
from bonspiel.curling.match.rules import score
from bonspiel.curling.match.state import (
    FIRST_STONE,
    HAMMER,
    IN_HOUSE,
    LEAD,
    STATE_DIM,
    TEE,
    TIME,
    apply_rules,
    row_of,
    shot_of,
    stones_of,
    team_of,
)
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import CUT_SHORT, PLAYED_OUT, End, Record, Setup, Throw, score_of
from bonspiel.planners.checks import require
from bonspiel.planners.model import Array


class Outcome(NamedTuple):
    """The outcome of a throw.

    Attributes:
        state: the next state, [state_dim]; after an end of mixed doubles that before the next set-up.
        stones: at rest, after the rules, [16, 2], NaN where absent.
        points: of each team, if the end is over, else None.
        reward: of the model, team 0's.
        over: whether the match is over.
        foul: whether the free guard zone rule put the stones back.
        path: paths of the stones, if requested, else None.
    """

    state: Array
    stones: Array
    points: tuple[int, int] | None
    reward: float
    over: bool
    foul: bool
    path: Path | None


_engine = functools.cache(make_engine)


def first_state(model: Curling) -> Array:
    """The state in which a match begins, in mixed doubles before the first set-up."""
    return mixed_doubles.first_state() if model.is_mixed else model.initial_state(np.random.default_rng(0))


def set_up(model: Curling, state: Array, setup: Setup | None) -> Array:
    """The state after a recorded set-up.

    Raises:
        ValueError: none is due, or it is that of another end or team, or missing.
    """
    end = int(state[TIME]) // STONES
    if not mixed_doubles.is_setup_due(state):
        place = f"shot {shot_of(state) - model.first_shot + 1} of end {end + 1}"
        raise ValueError(f"set-up={setup!r}: must be none before {place}")
    team = mixed_doubles.decider_of(state)
    if setup is None or setup[:2] != (end, team):
        raise ValueError(f"set-up={setup!r}: must have {end=} and {team=}")
    return model.begin_end(state, setup.choice)


def turn_of(state: Array) -> tuple[int, int, int, int]:
    """The turn, (end, shot, team, hammer), as in `curling.records.match_data.RecordedShot`."""
    return *divmod(int(state[TIME]), STONES), int(team_of(state)), int(state[HAMMER])


def outcome(model: Curling, state: Array, thrown: Throw, engine: str = "analytic", trajectory: bool = False) -> Outcome:
    """Play a throw and apply the rules.

    Args:
        model: the match.
        state: before the throw, [state_dim].
        thrown: (vx, vy, spin) with the execution error, see `curling.records.record.RecordedShot`.
        engine: name of the engine, see `curling.ice.engines.make_engine`.
        trajectory: also return the paths of the stones.
    """
    vx, vy, spin = thrown
    moves = _engine(engine, model.physics)
    arguments = stones_of(state), int(row_of(state)), np.array([vx, vy]), float(spin)
    stones, path = moves.unchecked_path(*arguments) if trajectory else (moves.unchecked(*arguments), None)
    next_state = np.empty_like(state)
    reward, over = apply_rules(state, stones, next_state, model.params)
    if shot_of(state) < STONES - 1:
        kept = stones_of(next_state)
        return Outcome(next_state, kept, None, reward, over, not np.array_equal(kept, stones, equal_nan=True), path)
    # the next state is an empty sheet, but no rule removes stones after the last shot
    return Outcome(next_state, stones, end_points(state, next_state), reward, over, False, path)


def end_points(state: Array, next_state: Array) -> tuple[int, int]:
    """The points of team 0 and team 1 in an end, from the states before and after its last shot."""
    return _points(int(next_state[LEAD] - state[LEAD]))


def _points(gain: int) -> tuple[int, int]:
    """The points of team 0 and team 1, one of which is 0, from team 0's less team 1's."""
    return max(gain, 0), max(-gain, 0)


def _points_by_stones(record: Record) -> dict[int, tuple[int, int]]:
    """The points of both teams by the stones after the last shot of each end."""
    params = record.match.model().params
    found = dict[int, tuple[int, int]]()
    for shot in record.shots:
        if shot.shot == LAST_SHOT:
            at_rest = np.nan_to_num(stones_at(shot.stones))
            found[shot.end] = _points(int(score(at_rest, params[TEE], params[IN_HOUSE])))
    return found


def contradictions(record: Record) -> list[str]:
    """Name what cannot be in the ends, the result and the estimates of a record; nothing is replayed."""
    found = [
        f"end {end.end + 1} has {end.points[0]} : {end.points[1]} points"
        for end in record.ends
        if min(end.points) != 0 or max(end.points) > TEAM_STONES
    ]
    counted = _points_by_stones(record)
    found += [
        f"end {end.end + 1} is {end.points[0]} : {end.points[1]} by its line on record, and "
        f"{counted[end.end][0]} : {counted[end.end][1]} by its stones"
        for end in record.ends
        if end.end in counted and counted[end.end] != end.points
    ]
    if record.result.reason in PLAYED_OUT and len(record.ends) < record.match.ends:
        found.append(f"the match is played out after {len(record.ends)} of {record.match.ends} ends")
    if (numbers := [end.end for end in record.ends]) != list(range(len(numbers))):
        found.append(f"ends are numbered {', '.join(str(number + 1) for number in numbers)}")
    (first, second), result = score_of(record.ends), record.result
    if result.score != (first, second):
        found.append(f"the score is {result.score[0]} : {result.score[1]}, by its ends {first} : {second}")
    if result.reason == "score" and result.winner != int(second > first):
        found.append(f"team {result.winner} wins at {first} : {second}")
    if result.winner is not None and result.value != 1.0 - result.winner:
        found.append(f"the value of the result is {result.value} for team 0, and team {result.winner} wins")
    for shot in record.shots:
        place = f"in shot {shot.shot + 1} of end {shot.end + 1}"
        if shot.value is not None and not 0.0 <= shot.value <= 1.0:
            found.append(f"the estimate is {shot.value} {place}")
        if not shot.seconds >= 0.0:
            found.append(f"{shot.seconds} s were used {place}")
    return found


def replay(record: Record, tolerance: float = 1e-6) -> Array:
    """Replay a record on its engine, each throw from the recorded stones before it.

    `tolerance` is the largest distance of a stone from its recorded place, m; for records of other simulators.

    Returns:
        The states before each shot and the final one, [shots + 1, state_dim].

    Raises:
        ValueError: a set-up, a shot, an end, the score or the result differs from the replay; the message names the
            first one.
    """
    model = record.match.model()
    state, ends, setups = first_state(model), iter(record.ends), iter(record.setups)
    states, over, value = [state], False, math.nan
    for shot in record.shots:
        where = f"end {shot.end + 1}, shot {shot.shot - model.first_shot + 1}"
        require(not over, where, shot, "none, the match is over")
        if mixed_doubles.is_setup_due(state):
            state = states[-1] = set_up(model, state, next(setups, None))
        turn = turn_of(state)
        require(turn == shot[:4], f"{where}: (end, shot, team, hammer)", shot[:4], f"{turn}")
        after, stones = outcome(model, state, shot.thrown, record.match.engine), stones_at(shot.stones)
        apart = np.abs(after.stones - stones)
        same = (np.isnan(after.stones) == np.isnan(stones)).all() and not (apart > tolerance).any()
        require(bool(same), f"{where}: stones", shot.stones, f"those of the replay, {places(after.stones)}")
        state, over, value = after.state, after.over, after.reward
        if after.points is None:
            state[FIRST_STONE:STATE_DIM] = np.nan_to_num(stones).ravel()
        else:
            # an unfinished record may lack the line of its last end
            end = next(ends, None)
            cut = end is None and shot is record.shots[-1] and record.result.reason == "unfinished"
            require(
                cut or end == (shot.end, after.points),
                f"the line of end {shot.end + 1}",
                end,
                f"{End(shot.end, after.points)}",
            )
        states.append(state)
    require(next(ends, None) is None, "ends", record.ends, "the ends of the shots on record")
    for setup in setups:  # of an end without a shot on record
        require(not over, "set-up", setup, "none, the match is over")
        state = states[-1] = set_up(model, state, setup)
    _check_result(record, over, value)
    return np.array(states)


def _check_result(record: Record, over: bool, value: float) -> None:
    """Check score, reason, winner and value against the ends; `value` is the reward of the last throw."""
    result, score = record.result, score_of(record.ends)
    expected: tuple[int | None, float | None] = None, None  # winner and value
    require(result.score == score, "score", result.score, f"{score}")
    if over and result.reason != "unfinished":
        reason = "draw" if score[0] == score[1] else "score"
        require(result.reason == reason, "reason", result.reason, repr(reason))
        expected = None if reason == "draw" else int(score[1] > score[0]), value
    else:
        require(result.reason not in PLAYED_OUT, "reason", result.reason, "another one, the match is not over")
        if result.reason == "forfeit" and result.winner is None:  # both failed
            expected = None, 0.5
        elif result.reason in CUT_SHORT:
            require(result.winner in (0, 1), "winner", result.winner, "0 or 1")
            expected = result.winner, 1.0 - float(result.winner or 0)
    require(result.winner == expected[0], "winner", result.winner, f"{expected[0]}")
    require(result.value == expected[1], "value", result.value, f"{expected[1]}")


def exact(model: Curling, aim: Throw) -> Throw:
    """The throw of an aim without an error, at the speed of the aim."""
    return aim[0], aim[1], model.law.launch_spin * (1.0 if aim[2] >= 0.0 else -1.0)


def exact_in(model: Curling, state: Array, aim: Throw) -> Throw:
    """The throw of an aim without an error by the player who throws next, who has a largest speed."""
    vx, vy, spin = exact(model, aim)
    slower = min(1.0, model.thrower(state).max_speed / max(math.hypot(vx, vy), 1e-9))
    return slower * vx, slower * vy, spin
