"""The practice server under load, and whole matches of the DC3 client over a slow network.

python docs/studies/curling_serving.py load dc4 --matches 50 --ends 8 --pause 1
python docs/studies/curling_serving.py delay --matches 20 --at-once 2 --ends 10 --seconds 219 --delay 200

`delay` measures the time used of each move's slice, and losses on time. The load without a pause is
`bonspiel bench serving serving_dc4`.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.curling.benchmarks import practice, serving, serving_dc4
from bonspiel.curling.client.planning.time_manager import slices_left
from bonspiel.curling.protocols import dc3, dc3_codec
from bonspiel.runs.verbs.command_line import DONE, FAILED
from bonspiel.runs.verbs.options import option

TEAMS = "team0", "team1"
MOST_SHARE = 0.95  # of its slice that a move may take
CHUNK = 1 << 16

Watch = Callable[[bytes], None]


async def delayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float, watch: Watch) -> None:
    """Forward what is read, each piece after a delay of `seconds`; close at the end."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def collect() -> None:
        data = b"begun"
        while data:
            try:
                data = await reader.read(CHUNK)
            except OSError:
                data = b""
            pieces.put_nowait((loop.time() + seconds, data))

    collecting = asyncio.create_task(collect())
    try:
        while True:
            due, data = await pieces.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                break
            watch(data)
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        collecting.cancel()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


@asynccontextmanager
async def proxy(port: int, seconds: float, watch: Watch) -> AsyncIterator[int]:
    """A port of this machine that leads to another one, until the block ends; `watch` is shown the bytes from there.

    A round trip is delayed by `seconds`, half of them each way.
    """
    connections: set[asyncio.Task[Any] | None] = set()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(asyncio.current_task())
        answers, requests = await asyncio.open_connection("127.0.0.1", port)
        there = delayed(reader, requests, seconds / 2.0, lambda data: None)
        await asyncio.gather(there, delayed(answers, writer, seconds / 2.0, watch))

    async with await asyncio.start_server(connect, "127.0.0.1", 0) as door:
        yield door.sockets[0].getsockname()[1]
        await asyncio.gather(*filter(None, connections))


@dataclass
class TimeUse:
    """A client's use of time, from the server's messages to it.

    Attributes:
        slices: of each of its moves, s.
        shares: of the slice, charged for the move.
        result: of the match; None until it is over.
    """

    slices: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    result: dc3.GameResult | None = None
    team: int = 0
    ends: int = 0
    _rest: bytes = b""
    _before: dc3.Update | None = None

    def watch(self, data: bytes) -> None:
        """Take the next bytes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            match dc3_codec.decode_server(line):
                case dc3.IsReady() as ready:
                    self.team, self.ends = TEAMS.index(ready.team), ready.game.setting.max_end
                case dc3.Update() as update:
                    self._update(update)

    def _update(self, update: dc3.Update) -> None:
        before, self._before, self.result = self._before, update, update.state.game_result
        if before is None or before.next_team != TEAMS[self.team]:
            return
        state, left = before.state, update.state.thinking_time_remaining[self.team]
        if update.state.end > state.end and update.state.end >= self.ends:
            return  # the clock was reset for an extra end: the time of this move is unknown
        remaining = state.thinking_time_remaining[self.team]
        self.slices.append(remaining / slices_left(state.shot, max(self.ends - state.end, 1)))
        self.shares.append((remaining - left) / self.slices[-1])


async def play_one(match: int, ports: Sequence[int], delay: float, planner: str, folder: Path) -> list[TimeUse]:
    """Play one match of two clients, each behind its own proxy with a delay in s; returns their use of time.

    The folder takes what the clients log and print, in files named by the match's number.
    """

    async def one(team: int, port: int) -> TimeUse:
        times, name = TimeUse(), f"{match:02}-{TEAMS[team]}"
        async with proxy(port, delay, times.watch) as door:
            log = str(folder / f"{name}.jsonl")
            line = [*practice.BONSPIEL, "client", "dc3", "--port", str(door), "--log", log, "--planner", planner]
            with (folder / f"{name}.txt").open("w") as output:
                process = await asyncio.create_subprocess_exec(*line, stdout=output, stderr=output)
            try:
                status = await process.wait()
            finally:
                if process.returncode is None:
                    process.kill()
        if status != 0 or times.result is None:
            print(f"  {name}: exit status {status}, see {output.name}", flush=True)
        return times

    found = await asyncio.gather(*(one(team, port) for team, port in enumerate(ports)))
    for team, times in zip(TEAMS, found, strict=True):
        print(f"match {match} {team}: {summary(times)}", flush=True)
    return found


def summary(times: TimeUse) -> str:
    """A client's use of time in one line."""
    result = times.result and f"{times.result.winner} ({times.result.reason})"
    if not times.shares:
        return f"no move, winner {result}"
    slices, shares = np.array(times.slices), np.array(times.shares)
    used = f"median {np.median(shares):.3f}, p95 {np.quantile(shares, 0.95):.3f}, max {shares.max():.3f} of the slice"
    moves = f"{len(shares)} moves, slices {slices.min():.2f} to {slices.max():.2f} s"
    return f"{moves}, used {used} (move {int(shares.argmax())}), winner {result}"


async def many(matches: int, at_once: int, one: Callable[[int], Coroutine[Any, Any, list[TimeUse]]]) -> list[TimeUse]:
    """Play all matches, `at_once` at a time."""
    free = asyncio.Semaphore(at_once)

    async def in_turn(match: int) -> list[TimeUse]:
        async with free:
            return await one(match)

    return [times for both in await asyncio.gather(*map(in_turn, range(1, matches + 1))) for times in both]


def run_load(arguments: argparse.Namespace) -> int:
    """Measure the server under load and print.

    Raises:
        RunError: a match did not end, a move was lost, or the server does not start.
    """
    matches, ends = arguments.matches, arguments.ends
    if arguments.protocol == "dc4":
        load = serving_dc4.measure(matches, ends, arguments.pause)
    else:
        load = serving.measure(matches, ends)
    for one in serving.figures_of(load, matches, ends):
        print(f"{one.value:12,.4g} {one.unit:<8} {one.env}", flush=True)
    return DONE


def run_delay(arguments: argparse.Namespace) -> int:
    """Measure; print a line per client and a summary; FAILED if a move was late or a match did not end regularly."""
    folder = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    rules = f"--ends {arguments.ends} --thinking-time {arguments.seconds} --extra-end-time {arguments.extra_seconds}"
    server = practice.server(folder / "server.txt", "dc3", *rules.split(), "--records", str(folder))
    with server as served:

        def one(match: int) -> Coroutine[Any, Any, list[TimeUse]]:
            return play_one(match, served.ports, arguments.delay / 1000.0, arguments.planner, folder)

        found = asyncio.run(many(arguments.matches, arguments.at_once, one))
    shares = np.array([share for times in found for share in times.shares])
    lost = sum(times.result is not None and times.result.reason == "time_limit" for times in found) // 2
    unfinished = sum(times.result is None for times in found)
    late = int((shares >= MOST_SHARE).sum())
    used = f"median {np.median(shares):.3f}, p99 {np.quantile(shares, 0.99):.3f}, max {shares.max():.3f} of the slice"
    ended = f"{lost} lost on time, {unfinished} clients without a result"
    print(f"{arguments.matches} matches, {len(shares)} moves: used {used}; {late} later than {MOST_SHARE}; {ended}")
    return FAILED if late or lost or unfinished else DONE


def main(line: Sequence[str] | None = None) -> int:
    """Run one of the two studies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    studies = parser.add_subparsers(required=True, metavar="STUDY")
    load = studies.add_parser("load", help="many matches at once, with clients that move at once")
    load.set_defaults(function=run_load)
    option(load, "protocol", ("dc3", "dc4"), "protocol of the server")
    option(load, "--matches", "N", "matches to play", serving.MATCHES)
    option(load, "--ends", "N", "ends of a match", serving.ENDS)
    option(load, "--pause", "S", "with dc4: thinking time of a client per shot, in seconds", 0.0)
    delay = studies.add_parser("delay", help="whole matches over a slow network")
    delay.set_defaults(function=run_delay)
    option(delay, "--matches", "N", "matches to play", 20)
    option(delay, "--at-once", "N", "matches played in parallel", 1)
    option(delay, "--ends", "N", "ends of a match", 10)
    option(delay, "--seconds", "S", "thinking time of a team in the match, in seconds", 219.0)
    option(delay, "--extra-seconds", "S", "thinking time of a team in an extra end, in seconds", 21.9)
    option(delay, "--delay", "T", "delay of a round trip in milliseconds", 200.0)
    option(delay, "--planner", "NAME", "planner of both teams", "presearch")
    option(delay, "--out", "FOLDER", "folder for the logs of the clients", Path("results/delay"))
    arguments = parser.parse_args(line)
    status: int = arguments.function(arguments)
    return status


if __name__ == "__main__":
    sys.exit(main())
