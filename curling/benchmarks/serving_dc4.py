"""Many simultaneous matches of Digital Curling 4 on the practice server, with clients that answer at once."""

import asyncio
import base64
import json
import random
import time
import urllib.request
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any

import msgspec

from bonspiel.curling.benchmarks.serving import ENDS, MATCHES, Load, figures_of, measure_clients
from bonspiel.runs.benchmarks.measurement import Measurement, only_by_name
from bonspiel.runs.experiment import RunError

PLAYER = {"max_velocity": 4.0, "shot_std_dev": 0.0, "angle_std_dev": 0.0, "player_name": "load"}
TEAM = {"use_default_config": True, "team_name": "load", "player1": PLAYER, "player2": PLAYER}
LIMITS = {"time_limit": 1e6, "extra_end_time_limit": 1e6}


class State(msgspec.Struct):
    """The part of a state that these clients need."""

    total_shot_number: int
    end_number: int
    next_shot_team: str | None
    winner_team: str | None


def authorization(team: int) -> str:
    """The header of a team's user."""
    return f"Authorization: Basic {base64.b64encode(f'user{team}:pass{team}'.encode()).decode()}"


class Client:
    """One team of one match: throws a draw near the house whenever it is its turn, after a pause in s."""

    def __init__(self, load: Load, port: int, match_id: str, team: int, pause: float) -> None:
        self._load, self._port, self._match_id, self._team, self._pause = load, port, match_id, team, pause
        self._rng = random.Random(f"{match_id} {team}")

    async def play(self) -> None:
        """Play the match to its end."""
        listener, listening = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        listening.write(self._head("GET", f"/matches/{self._match_id}/stream").encode() + b"\r\n")
        thrower, throwing = await asyncio.open_connection("127.0.0.1", self._port)
        decode, sent, mine = msgspec.json.Decoder(State).decode, None, f"team{self._team}"
        while line := await listener.readline():
            if not line.startswith(b"data: "):
                continue
            state, now = decode(line[6:]), time.perf_counter()
            if state.total_shot_number or not state.end_number:
                self._load.updates += 1  # the empty sheet of a later end follows no move
                if sent is not None:
                    self._load.latencies.append(now - sent)
                    await self._answered(thrower)
                    sent = None
            if state.winner_team is not None:
                self._load.finished += 1
                break
            if state.next_shot_team == mine:
                if self._pause:
                    await asyncio.sleep(self._pause)
                throwing.write(self._throw())
                sent = time.perf_counter()
        for writer in (listening, throwing):
            writer.close()

    async def _answered(self, thrower: asyncio.StreamReader) -> None:
        head = await thrower.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise RunError(f"serving: a throw was refused: {head.splitlines()[0].decode()}")
        await thrower.readexactly(len(b"null"))

    def _throw(self) -> bytes:
        speed, angle = self._rng.uniform(2.35, 2.45), self._rng.uniform(1.51, 1.63)
        body = b'{"translational_velocity":%f,"angular_velocity":1.5708,"shot_angle":%f}' % (speed, angle)
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return (self._head("POST", f"/shots?match_id={self._match_id}") + kind).encode() + body

    def _head(self, method: str, place: str) -> str:
        return f"{method} {place} HTTP/1.1\r\nHost: localhost\r\n{authorization(self._team)}\r\n"


def post(port: int, place: str, body: dict[str, Any], team: int) -> Any:
    """Send a request as a team's user; the content of the answer."""
    name, _, text = authorization(team).partition(": ")
    headers = {name: text, "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{place}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def new_match(port: int, ends: int) -> str:
    """Create a match and give both teams their seats; its id."""
    names = {"tournament": {"tournament_name": "load"}, "simulator": {"simulator_name": "fcv1"}, "match_name": "load"}
    rules = {"game_mode": "standard", "applied_rule": "fgz_rule", "standard_end_count": ends}
    match_id = str(post(port, "/matches", names | rules | LIMITS, 0))
    for team in (0, 1):
        place = f"/store-team-config?match_id={match_id}&expected_match_team_name=team{team}"
        post(port, place, TEAM, team)
    return match_id


def measure(matches: int, ends: int, pause: float = 0.0) -> Load:
    """Play simultaneous matches; the clients run in this process, the server in one of its own.

    Raises:
        RunError: the server does not start, or refuses a throw.
    """

    def clients(load: Load, ports: Sequence[int]) -> list[Coroutine[Any, Any, None]]:
        (port,) = ports
        ids = [new_match(port, ends) for _ in range(matches)]
        return [Client(load, port, one, team, pause).play() for one in ids for team in (0, 1)]

    return measure_clients(clients, "dc4")


@only_by_name
def serving_dc4(texts: Sequence[str]) -> Iterator[Measurement]:
    """Simultaneous matches of Digital Curling 4: a stream for each client, and a POST request for each move."""
    yield from figures_of(measure(MATCHES, ENDS), MATCHES, ENDS, "serving_dc4")
