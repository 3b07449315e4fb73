"""The match in the log of a client of Digital Curling 4: of our own, or of a program with the package dc4client.

Both hold the states that the server sent; ours also the throws and set-ups of its team. A state tells the last throw
with its error, and on some servers also the one that was asked for, in the fields "actual_...".
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from bonspiel.curling.client.message_log import ESTIMATE, FROM_SERVER, TO_SERVER
from bonspiel.curling.ice.sheet import LAST_SHOT, MIXED_FIRST_SHOT, SET_UP_ROW, STONES, TEAM_STONES, places, stones_at
from bonspiel.curling.logs.logged_match import Entry, Estimate, LoggedMatch, at_line, without_aims
from bonspiel.curling.match.rules import MODIFIED
from bonspiel.curling.match.state import apply_rules, stones_of
from bonspiel.curling.protocols import Finite
from bonspiel.curling.protocols.dc4 import StateUpdate, decode_state, stones_of_update
from bonspiel.curling.records.match_data import End, Match, Record, RecordedShot, Result, Setup, Throw, score_of
from bonspiel.curling.records.position import EXTRA_ENDS
from bonspiel.curling.records.umpire import first_state

PLAYERS = "team0", "team1"  # whose names no log holds
STANDARD_RULES = "five_rock", "no_tick", "none"  # that a match may have, the usual one first
STATE = re.compile(r"(?:latest_)?state_data: (winner_team=.*)", re.DOTALL)  # as dc4client logs it
STREAM = re.compile(r"SSE loop start -> \S*/matches/(\S+)/stream")

Moment = tuple[bool, int, int]


class Move(Finite, frozen=True):
    """The last throw of a state: with its error, and as it was asked for; spins are positive for counter-clockwise."""

    translational_velocity: float
    angular_velocity: float
    shot_angle: float
    actual_translational_velocity: float | None = None
    actual_angular_velocity: float | None = None
    actual_shot_angle: float | None = None

    @property
    def thrown(self) -> Throw:
        """The throw (vx, vy, spin)."""
        return (*_velocity(self.translational_velocity, self.shot_angle), self.angular_velocity)

    @property
    def as_aim(self) -> Throw:
        """The throw as if it had been aimed at, (vx, vy, rotation)."""
        return (*self.thrown[:2], _rotation(self.angular_velocity))

    @property
    def aim(self) -> Throw | None:
        """What was asked for, (vx, vy, rotation), if the server tells it."""
        speed, angle, spin = self.actual_translational_velocity, self.actual_shot_angle, self.actual_angular_velocity
        if speed is None or angle is None or spin is None:
            return None
        return (*_velocity(speed, angle), _rotation(spin))


def is_state(message: Any) -> bool:
    """True if a message of a client's log is a state of Digital Curling 4."""
    return isinstance(message, dict) and "end_number" in message


def read_client(file: Path, lines: Iterable[Entry]) -> LoggedMatch | None:
    """The match in the log of our own client; None if there is none.

    Raises:
        ValueError: an invalid line, or a match that a record cannot hold.
    """
    states, aims, estimates = dict[Moment, StateUpdate](), dict[Moment, Throw](), dict[Moment, Estimate]()
    newest: StateUpdate | None = None
    team: str | None = None
    for number, entry in lines:
        direction, said = entry.get("dir"), entry.get("msg")
        try:
            if direction == FROM_SERVER and is_state(said):
                state = decode_state(json.dumps(said))
                states[state.moment] = state
                newest = state if newest is None else max(newest, state, key=lambda one: one.moment)
            elif direction == TO_SERVER and newest is not None and isinstance(said, dict):
                team = newest.setup_team or newest.next_shot_team
                if "shot_angle" in said:
                    aims[newest.moment] = _requested(said)
            elif direction == ESTIMATE and newest is not None:
                estimates[newest.moment] = msgspec.convert(said, Estimate)
        except (ValueError, TypeError, KeyError) as error:
            raise at_line(file, number, error) from error
    own = () if team is None else (int(team == "team1"),)
    return _logged(states, aims, estimates, own)


def read_package(file: Path, lines: Iterable[Entry]) -> LoggedMatch | None:
    """The match in the log of a program with dc4client; None if there is none.

    Raises:
        ValueError: an invalid state, the states of several matches, or a match that a record cannot hold.
    """
    states, matches = dict[Moment, StateUpdate](), set[str]()
    for number, entry in lines:
        message = str(entry.get("message"))
        if begun := STREAM.search(message):
            matches.add(begun[1])
        elif printed := STATE.fullmatch(message):
            try:
                state = decode_state(_json_of(printed[1]))
            except ValueError as error:
                raise at_line(file, number, error) from error
            states[state.moment] = state
    if len(matches) > 1:
        raise ValueError(f"{file} holds {len(matches)} matches, as its program played them: save a log after each")
    return _logged(states, {}, {}, ())


def _json_of(printed: str) -> str:
    """The JSON of a state as pydantic prints it: `name=value name=Class(name=value, ...)`."""
    commas = re.sub(r"(?<!,) (?=\w+=)", ", ", printed)
    braces = re.sub(r"\w+\(", "{", commas).replace(")", "}").replace("'", '"').replace("None", "null")
    return "{" + re.sub(r"(\w+)=", r'"\1": ', braces) + "}"


def _logged(
    states: Mapping[Moment, StateUpdate],
    aims: Mapping[Moment, Throw],
    estimates: Mapping[Moment, Estimate],
    own: tuple[int, ...],
) -> LoggedMatch | None:
    """The match of the states, as far as they follow one another; `own` is the client's team, whose aims are known."""
    ordered = [states[moment] for moment in sorted(states)]
    if not ordered:
        return None
    if ordered[0].end_number > 0:
        raise ValueError(f"the log begins with end {ordered[0].end_number + 1}; a match is read from its first end on")
    shots, ends, setups, notes, told = list[RecordedShot](), list[End](), list[Setup](), list[str](), True
    unaimed = 0
    for before, after in pairwise(ordered):
        decided = after.winner_team is not None and after.last_move is None  # on time, without a shot
        if decided and after.end_number <= before.end_number + (before.shot == STONES):
            break
        if _is_gap(before, after):
            notes.append(
                f"states are missing after end {before.end_number + 1}, shot {before.shot}; it is read to there"
            )
            ordered = ordered[: ordered.index(after)]
            break
        if before.setup_team is not None:
            setups.append(_setup(before, after))
        elif before.next_shot_team is not None and after.shot > before.shot:
            move, estimate = msgspec.convert(after.last_move, Move), estimates.get(before.moment)
            told = told and move.aim is not None
            asked = aims.get(before.moment) or move.aim
            throw = asked or move.as_aim, move.thrown
            value, simulations = (None, None) if estimate is None or not own else estimate.of_team(own[0])
            team = int(before.next_shot_team == "team1")
            unaimed += team in own and asked is None
            seconds = max(before.remaining(team) - after.remaining(team), 0.0)
            turn = before.end_number, before.shot, team, before.hammer or 0
            stones = places(stones_of_update(after))
            shots.append(RecordedShot(*turn, *throw, stones, value, simulations, seconds))
            if before.shot == LAST_SHOT:
                ends.append(_end(after))
    last, settings = ordered[-1], ordered[0].mixed_doubles_settings
    game: dict[str, Any] = {"rule": STANDARD_RULES[0]}
    if settings is not None:
        game = {"rule": MODIFIED, "game": "mixed_doubles", "pattern": settings.positioned_stones_pattern}
    extra_ends = max(EXTRA_ENDS, last.end_number + 1 - last.ends)
    given: dict[str, Any] = {"physics": "dc4", "noise": "normal_dist", "ends": last.ends, "extra_ends": extra_ends}
    match = Match(players=PLAYERS, **given | game)
    record = Record(match, tuple(shots), tuple(ends), _result(last, score_of(ends)), tuple(setups))
    if settings is None:
        record = record._replace(match=_with_rule(record))
    assumed = "" if settings is not None else f"the rule {record.match.rule} and "
    notes.append(f"the log does not tell the players: {assumed}the server's default errors are assumed")
    if unaimed:
        notes.append(without_aims(unaimed))
    return LoggedMatch(record, (0, 1) if told and shots else own, tuple(notes))


def _is_gap(before: StateUpdate, after: StateUpdate) -> bool:
    """Return whether a state must have been between two others."""
    if after.end_number > before.end_number:
        follows = before.shot == STONES and after.end_number == before.end_number + 1 and not after.last_move
        return not follows
    first = MIXED_FIRST_SHOT if before.mixed_doubles_settings is not None else 0
    next_shot = first if before.setup_team is not None else before.shot + 1
    return after.shot not in (before.shot, next_shot) or (after.shot > first and after.last_move is None)


def _velocity(speed: float, angle: float) -> tuple[float, float]:
    return speed * math.cos(angle), speed * math.sin(angle)


def _requested(said: dict[str, Any]) -> Throw:
    """The aim of a client's own request, whose spin is positive for clockwise."""
    velocity = _velocity(float(said["translational_velocity"]), float(said["shot_angle"]))
    return (*velocity, _rotation(-float(said["angular_velocity"])))


def _rotation(spin: float) -> float:
    return 1.0 if spin >= 0.0 else -1.0


def _setup(before: StateUpdate, after: StateUpdate) -> Setup:
    """The set-up between two states, by the stones that it placed."""
    decider = int(before.setup_team == "team1")
    if after.hammer != decider:
        return Setup(before.end_number, decider, "center_guard")
    x = stones_of_update(after)[TEAM_STONES * decider + SET_UP_ROW, 0]
    return Setup(before.end_number, decider, "center_house" if x == 0.0 else "pp_right" if x > 0.0 else "pp_left")


def _end(state: StateUpdate) -> End:
    """The end that a state ends, with its points by the server; those of an extra end are the last ones."""
    column = min(state.end_number, state.ends)
    return End(state.end_number, (state.score.team0[column], state.score.team1[column]))


def _result(last: StateUpdate, score: tuple[int, int]) -> Result:
    if last.winner_team is None:
        return Result(score, None, None, "unfinished")
    winner = int(last.winner_team == "team1")
    played_out = last.last_move is not None and last.shot == STONES and score[winner] > score[1 - winner]
    return Result(score, winner, 1.0 - winner, "score" if played_out else "time_limit")


def _with_rule(record: Record) -> Match:
    """The match by the first rule that allows all its shots, as "none" does."""
    matches = [replace(record.match, rule=rule) for rule in STANDARD_RULES]
    return next(match for match in matches if _allows(match, record))


def _allows(match: Match, record: Record) -> bool:
    """Return whether the rule of a match leaves all stones where they are on record."""
    model = match.model()
    state = first_state(model)
    for shot in record.shots:
        stones, after = stones_at(shot.stones), np.empty_like(state)
        apply_rules(state, stones, after, model.params)
        if shot.shot < LAST_SHOT and not np.array_equal(stones_of(after), stones, equal_nan=True):
            return False
        state = after
    return True
