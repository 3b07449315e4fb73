"""One game of an arena: two clients on a server of its own, and the record of their match."""

import asyncio
import errno
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bonspiel.curling.arena.client_process import ClientProcess
from bonspiel.curling.arena.clients import Client
from bonspiel.curling.arena.cores import Share
from bonspiel.curling.arena.venue import LEFT, Venue
from bonspiel.curling.records.match_data import End, Item, Match, Record, RecordedShot, Result, Setup, score_of
from bonspiel.curling.records.record import LONGEST_REASON, printable
from bonspiel.runs.experiment import RunError
from bonspiel.runs.files import writing

NOTICE = 1.0  # s for the server to notice that a client has ended
GRACE = 1.0  # s for a client that left to end
OF_PROGRAM = errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC  # else it cannot be started by the machine
LOOK = 0.1  # s between two looks at the connection of a client

Failures = dict[int, str]
"""Why teams failed, in one line each, by team."""


class Seat(NamedTuple):
    """A client for one game.

    Attributes:
        client: the client.
        share: its cores.
        seed: its random seed.
        seconds: to become ready.
    """

    client: Client
    share: Share
    seed: int
    seconds: float


async def play_game(match: Match, seats: Sequence[Seat], venue: Venue, stem: Path) -> Record:
    """Play a game; its record. A client that fails loses it; if both fail at once, it is a draw.

    Args:
        match: first line of the record.
        seats: of team 0 and of team 1.
        venue: the server for this game alone.
        stem: path of the record without its ending; the outputs of the clients go beside it.

    Raises:
        RunError: the server failed, or the machine cannot start a program.
        UsageError: an output cannot be written.
    """
    processes: dict[int, ClientProcess] = {}
    failures: Failures = {}
    async with venue.opened():
        try:
            for team, (client, share, seed, _) in enumerate(seats):
                output = stem.with_name(f"{stem.name}-{client.file_name}.txt")
                with writing(output):
                    output.write_bytes(b"")
                values = dict(venue.values(team)) | {"name": client.name, "seed": str(seed)}
                if client.planner is not None:
                    values["log"] = str(output.with_suffix(".log"))
                login = {"DC4_USER": values["user"], "DC4_PASSWORD": values["password"]} if "user" in values else {}
                try:
                    processes[team] = await ClientProcess.start(client.command(values), login, share, output)
                except OSError as error:
                    if error.errno not in OF_PROGRAM:
                        what = f"{client.name} cannot be started ({error.strerror})"
                        raise RunError(f"{what}; finished games are kept: continue with --resume") from error
                    failures[team] = f"cannot be started ({error.strerror})"
            failures = failures or await failures_until_over(venue, processes, [seat.seconds for seat in seats])
            items, result = tuple(venue.items), venue.result  # before what clients still do, until they have ended
            for team in failures.keys() & processes.keys():
                await processes[team].wait(GRACE)
                failures[team] += processes[team].ending
        finally:
            in_vain = not venue.over.is_set()
            await asyncio.gather(*(process.end(in_vain=in_vain) for process in processes.values()))
    if result is not None and result.reason == "time_limit" and result.winner is not None:
        result = result._replace(detail=venue.refusal(1 - result.winner))
    return _record(match, items, result, failures)


async def failures_until_over(venue: Venue, processes: dict[int, ClientProcess], seconds: Sequence[float]) -> Failures:
    """Wait until the match is over; the failures that ended it, if any did. A team has `seconds` to become ready."""
    late = {team: asyncio.create_task(_late(venue, team, seconds[team])) for team in processes}
    ends = [venue.over.wait(), *(_gone(venue, team, process) for team, process in processes.items())]
    tasks = [*late.values(), *(asyncio.create_task(end) for end in ends)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        unready = [team for team, task in late.items() if task.done()]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if venue.over.is_set():
        return dict([venue.fault]) if venue.fault is not None else {}
    gone = [team for team, process in processes.items() if process.has_ended and not venue.is_connected(team)]
    if venue.begun.is_set():
        return dict.fromkeys(gone, LEFT)
    if gone:
        return {team: "ended before the match" + _complaint(venue, team) for team in gone}
    return {team: f"was not ready within {seconds[team]:g} s" + _complaint(venue, team) for team in unready}


def _complaint(venue: Venue, team: int) -> str:
    complaint = venue.complaint(team)
    return "" if complaint is None else f": {complaint}"


async def _late(venue: Venue, team: int, seconds: float) -> None:
    """Wait until a team is not ready although it should be; for ever if the match begins."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await venue.begun.wait()
    while not venue.begun.is_set():
        if not venue.is_ready(team):
            return
        await asyncio.sleep(LOOK)
    await asyncio.Event().wait()


async def _gone(venue: Venue, team: int, process: ClientProcess) -> None:
    """Wait until a client has ended, and nothing that it started is connected either."""
    await process.wait()
    await asyncio.sleep(NOTICE)
    while venue.is_connected(team):
        await asyncio.sleep(LOOK)


def _record(match: Match, items: Sequence[Item], result: Result | None, failures: Failures) -> Record:
    shots = tuple(item for item in items if isinstance(item, RecordedShot))
    ends = tuple(item for item in items if isinstance(item, End))
    setups = tuple(item for item in items if isinstance(item, Setup))
    if failures:
        detail = "; ".join(f"{match.players[team]}: {reason}" for team, reason in sorted(failures.items()))
        winner = 1 - min(failures) if len(failures) == 1 else None
        value = 0.5 if winner is None else 1.0 - winner
        result = Result(score_of(ends), winner, value, "forfeit", printable(detail, LONGEST_REASON))
    if result is None or result.value is None:
        raise RunError(f"{result.detail if result else 'the match has no result'}; continue with --resume")
    return Record(match, shots, ends, result, setups)
