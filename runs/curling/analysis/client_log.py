"""The match that a client or the server of Digital Curling 3 logged, as a record: real servers give their clients none.

The server's log, game.dcl2, has the messages under "log", one object per line: `is_ready` without a team, the moves of
both teams, and updates without trajectories.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from bonspiel.curling.client.dc3 import AnnouncedMatch
from bonspiel.curling.client.message_log import ESTIMATE, FROM_SERVER, TO_SERVER
from bonspiel.curling.ice.noise import NOISES, Noise, is_same_noise
from bonspiel.curling.ice.physics import FCV1
from bonspiel.curling.ice.sheet import LAST_SHOT, places
from bonspiel.curling.match.match_data import End, Match, Record, RecordedShot, Result, Throw, score_of
from bonspiel.curling.match.position import EXTRA_ENDS
from bonspiel.curling.match.record import check_noise
from bonspiel.curling.match.state import state_of
from bonspiel.curling.match.umpire import outcome
from bonspiel.curling.protocols import Finite, dc3
from bonspiel.curling.protocols.dc3_codec import decode_client, decode_server, stone_array
from bonspiel.runs.curling.analysis.valuation import exact

READABLE = (
    "a match is read from a record, the log of a client of Digital Curling 3 (results/client/dc3-TIME.jsonl), or the "
    "game.dcl2 of its server"
)
GAME_LINE = "gam"  # in game.dcl2, among remarks of the server
SERVER_COMMANDS = "is_ready", "new_game", "update"  # those that a record is made from


class Estimate(Finite, frozen=True):
    """The client's estimate of its own probability to win, if any, and the simulations that it ran."""

    chance: float | None
    simulations: int


Message: TypeAlias = dc3.ServerMessage | dc3.ClientMessage | Estimate


class LoggedMatch(NamedTuple):
    """A match as far as its log goes, and the team whose aims alone are known, None: of both; others are as thrown."""

    record: Record
    team: int | None


def first_object(file: Path) -> dict[str, Any]:
    """The JSON object in the first line of a file; empty if it is none.

    Raises:
        OSError: the file cannot be read.
    """
    with file.open("rb") as stream:
        try:
            first = json.loads(stream.readline())
        except (ValueError, RecursionError):
            return {}
    return first if isinstance(first, dict) else {}


def is_log(file: Path) -> bool:
    """Whether a file is the log of a client, of any protocol, or of a server of Digital Curling 3.

    Raises:
        OSError: it cannot be read.
    """
    first = first_object(file)
    return "dir" in first or {"tag", "log"} <= first.keys()


def read_log(file: Path) -> LoggedMatch:
    """The match of a log.

    Raises:
        ValueError: another protocol, no match, or one that a record cannot hold.
    """
    of_server = "dir" not in first_object(file)
    announced: AnnouncedMatch | None = None
    match: Match | None = None
    before: dc3.Update | None = None
    aim: Throw | None = None
    estimate: Estimate | None = None
    shots, ends = list[RecordedShot](), list[End]()
    for message in _messages(file):
        if isinstance(message, dc3.IsReady):
            announced = AnnouncedMatch(int(message.team == "team1"), message.game)
        elif isinstance(message, dc3.NewGame) and announced is not None:
            match = _match(announced, (message.name.team0, message.name.team1))
        elif isinstance(message, dc3.Move):
            aim = _throw(message.move) if isinstance(message.move, dc3.ShotMove) else None
        elif isinstance(message, Estimate):
            estimate = message
        elif isinstance(message, dc3.Update) and match is not None and announced is not None:
            last = message.last_move
            if before is not None and last is not None and isinstance(last.actual_move, dc3.ShotMove):
                own = of_server or before.next_team == f"team{announced.team}"
                chosen = (aim, estimate) if own else (None, None)
                shots.append(_shot(match, before, message, *chosen, score_of(ends)))
                if before.state.shot == LAST_SHOT:
                    ends.append(_end(before.state.end, message.state))
            before, aim, estimate = message, None, None
    if match is None or announced is None:
        party = "server" if of_server else "client"
        raise ValueError(f"{file} is the log of a {party}, but holds no match of Digital Curling 3; {READABLE}")
    result = _result(before.state.game_result if before is not None else None, score_of(ends))
    return LoggedMatch(Record(match, tuple(shots), tuple(ends), result), None if of_server else announced.team)


def _messages(file: Path) -> Iterator[Message]:
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        try:
            message = _message(json.loads(line))
            if message is not None:
                yield message
        except (ValueError, RecursionError) as error:
            if number == len(lines) and not line.endswith("\n"):
                return
            raise ValueError(f"{file}, line {number}: {error}") from error


def _message(entry: Any) -> Message | None:
    """The message of a line; None for those that a record is not made from.

    Raises:
        ValueError: no line of a log, or an invalid message.
    """
    if not isinstance(entry, dict):
        raise ValueError(f"not a line of a log ({type(entry).__name__} instead of an object)")
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


def _match(announced: AnnouncedMatch, names: tuple[str, str]) -> Match:
    game, first = announced.game, announced.first_position()
    kinds = {
        (player.type, player.stddev_speed, player.stddev_angle) for team in (0, 1) for player in game.players[team]
    }
    if len(kinds) > 1:
        raise ValueError("the players have different errors of execution, which a record does not hold")
    if first.max_speed is not None and first.max_speed < FCV1.max_speed:
        raise ValueError(f"the players throw at {first.max_speed:g} m/s at most, which a record does not hold")
    own = first.noise
    assert isinstance(own, Noise)
    check_noise(own)
    noise = next((name for name in ("normal_dist", "none") if is_same_noise(NOISES[name], own)), own)
    return Match(names, first.physics, first.rule, noise, game.setting.max_end, EXTRA_ENDS)


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
    value, simulations = None, None
    if estimate is not None:
        simulations, own = estimate.simulations, estimate.chance
        value = own if own is None or team == 0 else 1.0 - own
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
