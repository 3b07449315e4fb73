"""The match that a client of Digital Curling 3 logged, as a record: real servers give their clients none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from curling.client.dc3 import AnnouncedMatch
from curling.client.message_log import FROM_SERVER, TO_SERVER
from curling.client.position import EXTRA_ENDS
from curling.match_data import End, Match, Record, RecordedShot, Result, Throw, places, score_of
from curling.noise import NOISES, Noise
from curling.physics import FCV1
from curling.protocols import dc3
from curling.protocols.dc3_codec import decode_client, decode_server, stone_array
from curling.sheet import LAST_SHOT
from curling.state import state_of
from curling.umpire import outcome
from runs.curling.analysis.valuation import exact


class LoggedMatch(NamedTuple):
    """A match as far as its log goes, and the client's team, whose aims alone are known; others are as thrown."""

    record: Record
    team: int


def is_log(file: Path) -> bool:
    """Whether a file is the log of a client, of any protocol.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as stream:
        try:
            first = json.loads(stream.readline())
        except ValueError:
            return False
    return isinstance(first, dict) and "dir" in first


def read_log(file: Path) -> LoggedMatch:
    """The match of a log.

    Raises:
        ValueError: another protocol, no match, or one that a record cannot hold.
    """
    announced: AnnouncedMatch | None = None
    match: Match | None = None
    before: dc3.Update | None = None
    aim: Throw | None = None
    shots, ends = list[RecordedShot](), list[End]()
    for message in _messages(file):
        if isinstance(message, dc3.IsReady):
            announced = AnnouncedMatch(int(message.team == "team1"), message.game)
        elif isinstance(message, dc3.NewGame) and announced is not None:
            match = _match(announced, (message.name.team0, message.name.team1))
        elif isinstance(message, dc3.Move):
            aim = _throw(message.move) if isinstance(message.move, dc3.ShotMove) else None
        elif isinstance(message, dc3.Update) and match is not None and announced is not None:
            last = message.last_move
            if before is not None and last is not None and isinstance(last.actual_move, dc3.ShotMove):
                own = before.next_team == f"team{announced.team}"
                shots.append(_shot(match, before, message, aim if own else None, score_of(ends)))
                if before.state.shot == LAST_SHOT:
                    ends.append(_end(before.state.end, message.state))
            before = message
    if match is None or announced is None:
        raise ValueError(f"{file} is the log of a client, but of no match of Digital Curling 3")
    result = _result(before.state.game_result if before is not None else None, score_of(ends))
    return LoggedMatch(Record(match, tuple(shots), tuple(ends), result), announced.team)


def _messages(file: Path) -> Iterator[dc3.ServerMessage | dc3.ClientMessage]:
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            message = json.dumps(entry["msg"]).encode() if isinstance(entry.get("msg"), dict) else None
            if message is not None and entry["dir"] == FROM_SERVER:
                yield decode_server(message)
            elif message is not None and entry["dir"] == TO_SERVER:
                yield decode_client(message)
        except ValueError as error:
            if number == len(lines) and not line.endswith("\n"):
                return
            raise ValueError(f"{file}, line {number}: {error}") from error


def _match(announced: AnnouncedMatch, names: tuple[str, str]) -> Match:
    game, first = announced.game, announced.first_position()
    kinds = {
        (player.type, player.stddev_speed, player.stddev_angle) for team in (0, 1) for player in game.players[team]
    }
    if len(kinds) > 1:
        raise ValueError("the players have different errors of execution, which a record does not hold")
    if first.max_speed is not None and first.max_speed < FCV1.max_speed:
        raise ValueError(f"the players throw at {first.max_speed:g} m/s at most, which a record does not hold")
    assert not isinstance(first.noise, str)
    own = Noise(*first.noise)
    noise = next((name for name in ("normal_dist", "none") if NOISES[name] == own), own)
    return Match(names, first.physics, first.rule, noise, game.setting.max_end, EXTRA_ENDS)


def _throw(move: dc3.ShotMove) -> Throw:
    return move.velocity.x, move.velocity.y, -1.0 if move.rotation == "cw" else 1.0


def _shot(
    match: Match, before: dc3.Update, after: dc3.Update, aim: Throw | None, score: tuple[int, int]
) -> RecordedShot:
    """The shot between two updates; `aim` is None if it is not known."""
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
    turn = state.end, state.shot, team, hammer
    return RecordedShot(*turn, aim or thrown, released, places(stones), None, None, max(seconds, 0.0))


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
