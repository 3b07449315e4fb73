"""Many simultaneous matches on the practice server, with clients that answer at once."""

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from bonspiel.curling.benchmarks import practice
from bonspiel.curling.records import record
from bonspiel.runs.benchmarks.measurement import Measurement
from bonspiel.runs.benchmarks.memory import largest_size
from bonspiel.runs.experiment import RunError

MATCHES, ENDS = 50, 8
GREETING = b'{"cmd":"dc_ok","name":"load"}\n'
READY = b'{"cmd":"ready_ok","player_order":[0,1,2,3]}\n'


class ServerMessage(msgspec.Struct):
    """The part of a server's message that these clients need."""

    cmd: str
    team: str = ""
    next_team: str | None = None


@dataclass
class Load:
    """Measurements of all matches.

    Attributes:
        latencies: of the clients, from each move to the update that follows, s.
        updates: received in all.
        finished: clients with a finished match.
        seconds: for all matches.
        megabytes: the largest resident size of the server.
        records: of matches that were played out.
    """

    latencies: list[float] = field(default_factory=list)
    updates: int = 0
    finished: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    records: int = 0

    async def run_client(self, port: int) -> None:
        """One client: throws a draw near the house at once, whenever it is its turn."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        decode, team, sent, rng = msgspec.json.Decoder(ServerMessage).decode, "", None, random.Random(port)
        try:
            while line := await reader.readline():
                heard, now = decode(line), time.perf_counter()
                if heard.cmd == "dc":
                    writer.write(GREETING)
                elif heard.cmd == "is_ready":
                    team = heard.team
                    writer.write(READY)
                elif heard.cmd == "update":
                    self.updates += 1
                    if sent is not None:
                        self.latencies.append(now - sent)
                    sent = None
                    if heard.next_team == team:
                        sent = time.perf_counter()
                        writer.write(draw(rng))
                elif heard.cmd == "game_over":
                    self.finished += 1
                    break
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


def draw(rng: random.Random) -> bytes:
    """The message of a draw near the house."""
    vx, vy = rng.uniform(-0.15, 0.15), rng.uniform(2.35, 2.45)
    return b'{"cmd":"move","move":{"type":"shot","velocity":{"x":%f,"y":%f},"rotation":"cw"}}\n' % (vx, vy)


def measure(matches: int, ends: int) -> Load:
    """Play simultaneous matches; the clients run in this process, the server in one of its own.

    Raises:
        RunError: the server does not start.
    """

    def clients(load: Load, ports: Sequence[int]) -> list[Coroutine[Any, Any, None]]:
        return [load.run_client(port) for port in ports for _ in range(matches)]

    return measure_clients(clients, "dc3", "--ends", str(ends), "--trajectory", "0")


def measure_clients(
    clients: Callable[[Load, Sequence[int]], Sequence[Coroutine[Any, Any, None]]], protocol: str, *arguments: str
) -> Load:
    """Run clients in this process, on a server in one of its own with these arguments.

    `clients` makes them from the measurements that they fill in and the server's ports; its time does not count.

    Raises:
        RunError: the server does not start, or a client has an error.
    """
    with tempfile.TemporaryDirectory() as folder:
        given = [*arguments, "--seed", "1", "--records", folder]
        with practice.server(Path(folder) / "server.txt", protocol, *given) as served:
            load = Load()
            coroutines = clients(load, served.ports)

            async def run_clients() -> None:
                await asyncio.gather(*coroutines)

            start = time.perf_counter()
            asyncio.run(run_clients())
            load.seconds, load.megabytes = time.perf_counter() - start, largest_size(served.process.pid)
        load.records = sum(record.read(file).result.reason == "score" for file in Path(folder).glob("*.jsonl"))
        return load


def serving(texts: Sequence[str]) -> Iterator[Measurement]:
    """Simultaneous matches of Digital Curling 3 on the practice server, with clients that move at once; about 6 s."""
    yield from figures_of(measure(MATCHES, ENDS), MATCHES, ENDS)


def figures_of(load: Load, matches: int, ends: int, what: str = "serving") -> Iterator[Measurement]:
    """The measurements of matches as figures with the name `what`.

    Raises:
        RunError: a match did not end, or a move was lost.
    """
    moves, where = len(load.latencies), f"{matches} matches at once, {ends} ends"
    if (load.finished, load.records, load.updates) != (2 * matches, matches, 2 * (moves + matches)):
        ended = f"{load.finished / 2:g} ended for their clients and {load.records} on record"
        raise RunError(f"{what}: of {matches} matches {ended}, with {moves} moves and {load.updates} updates")
    p50, p99 = (1e3 * float(np.quantile(load.latencies, share)) for share in (0.5, 0.99))
    yield Measurement(what, moves / load.seconds, "moves/s", "(none)", where)
    yield Measurement(what, p50, "ms", "(none)", "median, move to update")
    yield Measurement(what, p99, "ms", "(none)", "p99, move to update")
    yield Measurement(what, load.megabytes, "MB", "(none)", "largest size of the server")
