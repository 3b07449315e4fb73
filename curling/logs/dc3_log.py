"""The match in the log of a client or of the server of Digital Curling 3.

The server's log, game.dcl2, has the messages under "log", one object per line: `is_ready` without a team, the moves of
both teams, and updates without trajectories.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from bonspiel.curling.client.dc3 import AnnouncedMatch, errors_of
from bonspiel.curling.client.message_log import ESTIMATE, FROM_SERVER, TO_SERVER
from bonspiel.curling.ice.noise import NOISES, Noise, Thrower, is_same_noise, mean_noise
from bonspiel.curling.ice.physics import FCV1
from bonspiel.curling.ice.sheet import LAST_SHOT, places
from bonspiel.curling.logs.logged_match import Entry, Estimate, LoggedMatch, at_line, without_aims
from bonspiel.curling.match.state import state_of
from bonspiel.curling.protocols import dc3
from bonspiel.curling.protocols.dc3_codec import decode_client, decode_server, stone_array
from bonspiel.curling.records.match_data import End, Match, Record, RecordedShot, Result, Throw, score_of
from bonspiel.curling.records.record import check_noise
from bonspiel.curling.records.umpire import exact, outcome

GAME_LINE = "gam"  # in game.dcl2, among remarks of the server
SERVER_COMMANDS = "is_ready", "new_game", "update"  # those that a record is made from

Message: TypeAlias = dc3.ServerMessage | dc3.ClientMessage | Estimate


def read(file: Path, lines: Iterable[Entry], of_server: bool) -> LoggedMatch | None:
    """The match in the lines of a client's log, or of the server's; None if there is none.

    Raises:
        ValueError: an invalid line, or a match that a record cannot hold.
    """
    announced: AnnouncedMatch | None = None
    match: Match | None = None
    notes: tuple[str, ...] = ()
    before: dc3.Update | None = None
    aim: Throw | None = None
    estimate: Estimate | None = None
    unaimed = 0
    shots, ends = list[RecordedShot](), list[End]()
    for number, entry in lines:
        try:
            message = _message(entry)
        except (ValueError, RecursionError) as error:
            raise at_line(file, number, error) from error
        if isinstance(message, dc3.IsReady):
            announced = AnnouncedMatch(int(message.team == "team1"), message.game)
        elif isinstance(message, dc3.NewGame) and announced is not None:
            match, notes = _match(announced, (message.name.team0, message.name.team1))
        elif isinstance(message, dc3.Move):
            aim = _throw(message.move) if isinstance(message.move, dc3.ShotMove) else None
        elif isinstance(message, Estimate):
            estimate = message
        elif isinstance(message, dc3.Update) and match is not None and announced is not None:
            last = message.last_move
            if before is not None and last is not None and isinstance(last.actual_move, dc3.ShotMove):
                own = of_server or before.next_team == f"team{announced.team}"
                chosen = (aim, estimate) if own else (None, None)
                unaimed += own and aim is None
                shots.append(_shot(match, before, message, *chosen, score_of(ends)))
                if before.state.shot == LAST_SHOT:
                    ends.append(_end(before.state.end, message.state))
            before, aim, estimate = message, None, None
    if match is None or announced is None:
        return None
    result = _result(before.state.game_result if before is not None else None, score_of(ends))
    record = Record(match, tuple(shots), tuple(ends), result)
    if unaimed:
        notes = (*notes, without_aims(unaimed))
    return LoggedMatch(record, (0, 1) if of_server else (announced.team,), notes)


def _message(entry: dict[str, Any]) -> Message | None:
    """The message of a line; None for those that a record is not made from.

    Raises:
        ValueError: an invalid message.
    """
    if "dir" not in entry:
        return _server_s_message(entry)
    direction, said = entry["dir"], entry.get("msg")
    if direction == ESTIMATE:
        return msgspec.convert(said, Estimate)
    if not isinstance(said, dict) or direction not in (FROM_SERVER, TO_SERVER):
        return None
    return (decode_server if direction == FROM_SERVER else decode_client)(json.dumps(said).encode())


def _server_s_message(entry: dict[str, Any]) -> Message | None:
    said = entry.get("log")
    if entry.get("tag") != GAME_LINE or not isinstance(said, dict):
        return None
    if said.get("cmd") == "move":
        return decode_client(json.dumps(said).encode())
    if said.get("cmd") not in SERVER_COMMANDS:
        return None
    team = {"team": "team0"} if said["cmd"] == "is_ready" else {}  # which it is does not matter: all aims are known
    return decode_server(json.dumps(said | team).encode())


def _match(announced: AnnouncedMatch, names: tuple[str, str]) -> tuple[Match, tuple[str, ...]]:
    """The match, and what its record cannot say of the players: it has one noise, and no top speed."""
    game, first, notes = announced.game, announced.first_position(), list[str]()
    players = [player for team in (0, 1) for player in game.players[team]]
    errors = [Noise(*errors_of(player)) for player in players]
    for noise in errors:
        check_noise(noise)
    own = errors[0]
    if len(set(errors)) > 1:
        own = mean_noise([Thrower(FCV1.max_speed, noise) for noise in errors])
        notes.append(f"the players' errors differ, and their mean stands for all: {own.speed:g} m/s, {own.angle:g} rad")
    slowest = min((player.max_speed for player in players if player.max_speed is not UNSET), default=FCV1.max_speed)
    if slowest < FCV1.max_speed:
        notes.append(f"some players throw at {slowest:g} m/s at most; other shots may be faster than theirs")
    known = next((name for name in ("normal_dist", "none") if is_same_noise(NOISES[name], own)), None)
    settings = replace(first.settings, ends=game.setting.max_end, noise=known or own, reward="win", max_speed=None)
    return Match(**settings.values(), players=names), tuple(notes)


def _throw(move: dc3.ShotMove) -> Throw:
    return move.velocity.x, move.velocity.y, -1.0 if move.rotation == "cw" else 1.0


def _shot(
    match: Match,
    before: dc3.Update,
    after: dc3.Update,
    aim: Throw | None,
    estimate: Estimate | None,
    score: tuple[int, int],
) -> RecordedShot:
    """The shot between two updates; `aim` and `estimate` are None if they are not known."""
    state, last = before.state, after.last_move
    assert last is not None and isinstance(last.actual_move, dc3.ShotMove)
    team, hammer, model = int(before.next_team == "team1"), int(state.hammer == "team1"), match.model()
    thrown = _throw(last.actual_move)
    released = exact(model, thrown)
    if state.shot < LAST_SHOT:
        stones = stone_array(after.state.stones)
    elif isinstance(last.trajectory, dc3.Trajectory):
        stones = stone_array(last.trajectory.finish)
    else:  # the state is that of the next end: play the last stone again
        position = state_of(stone_array(state.stones), state.shot, hammer, state.end, score[0] - score[1])
        stones = outcome(model, position, released).stones
    seconds = state.thinking_time_remaining[team] - after.state.thinking_time_remaining[team]
    throw = aim or thrown, released, places(stones)
    value, simulations = (None, None) if estimate is None else estimate.of_team(team)
    return RecordedShot(state.end, state.shot, team, hammer, *throw, value, simulations, max(seconds, 0.0))


def _end(end: int, state: dc3.State) -> End:
    """An end with its points by the server."""
    regular = end < len(state.scores[0])
    points = [state.scores[team][end] if regular else state.extra_end_score[team] for team in (0, 1)]
    return End(end, (points[0] or 0, points[1] or 0))


def _result(result: dc3.GameResult | None, score: tuple[int, int]) -> Result:
    if result is None:
        return Result(score, None, None, "unfinished")
    winner = None if result.winner is None else int(result.winner == "team1")
    return Result(score, winner, 0.5 if winner is None else 1.0 - winner, result.reason)
