"""Plays the games of an arena, some at the same time, in one process."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from bonspiel.curling.arena import cores
from bonspiel.curling.arena.clients import Client
from bonspiel.curling.arena.cores import Share
from bonspiel.curling.arena.game import Seat, play_game
from bonspiel.curling.arena.tournament import Arena
from bonspiel.curling.arena.venue import Dc3Venue, Venue
from bonspiel.curling.child_process import PlannerGone
from bonspiel.curling.client.planning.patience import Patience
from bonspiel.curling.client.planning.standby import FIRST_SECONDS, LOADING_SECONDS
from bonspiel.curling.client.planning.worker_process import PlannerRefused, WorkerProcess
from bonspiel.curling.game import CurlingGame
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.server.lobby import PortError
from bonspiel.curling.server.shot_executor import ShotExecutor
from bonspiel.runs import interrupts
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import RunError, Setting
from bonspiel.runs.games.game import ScheduledGame, Side
from bonspiel.runs.games.match import RECORDS, PlayPending, record_file
from bonspiel.runs.games.play import episode_of
from bonspiel.runs.games.standings import kind_of
from bonspiel.runs.progress import progress
from bonspiel.runs.results.rows import Batch
from bonspiel.runs.results.store import Store
from bonspiel.runs.runner import driver

Keep = Callable[[Batch], str]
MOST_TOLD = 20  # kinds of failures that are printed while games are played
COMPILING = 900.0  # s for a planner to become ready, whose first use may compile its code on a busy machine


def by_servers(arena: Arena, folder: Path, jobs: int, each: int | None) -> PlayPending:
    """A way to play the games of an arena, each on a server of its own.

    Args:
        arena: the tournament.
        folder: of the match.
        jobs: games that are played at the same time.
        each: cores of each client; None shares out all.

    Raises:
        UsageError: a number out of range.
    """
    cores.shares(jobs, cores.available(), each)  # refused before anything is written
    return lambda results, keep: _Driver(arena, folder, results, keep).play(jobs, each)


class _Driver:
    """Plays the pending games of an index.

    Args:
        arena: the tournament.
        folder: of the match.
        results: the index.
        keep: see `PlayPending`.
    """

    def __init__(self, arena: Arena, folder: Path, results: Store, keep: Keep) -> None:
        self._arena, self._folder, self._results, self._keep = arena, folder, results, keep
        self._told = set[tuple[str, ...]]()

    def play(self, jobs: int, each: int | None) -> None:
        """Play all pending games, `jobs` at a time, each client on `each` cores, as in `by_servers`."""
        left = driver.announce(self._results, jobs, "games")
        pending = [setting for setting, indices in self._results.pending().items() if indices]
        playing = {side for setting in pending for side in self._arena.pairings()[setting]}
        warm_up(self._arena.game, [self._arena.clients[side] for side in sorted(playing)])
        paths = self._arena.protocol == "dc3"
        executor = ShotExecutor(self._arena.game.model, "analytic", paths, 0)
        with cores.claimed(jobs, each) as (shares, warning):
            if warning is not None:
                print(f"warning: {warning}", file=sys.stderr)
            with closing(executor) as self._executor, progress(left, "games") as self._advance:
                self._left, self._played, self._began = left, 0, time.monotonic()
                try:
                    interrupts.run_async(self._play_all(shares))
                except PortError as error:
                    raise RunError(f"{error}; finished games are kept: continue with --resume") from error

    async def _play_all(self, shares: list[tuple[Share, Share]]) -> None:
        games = self._games()
        tasks = [asyncio.create_task(self._play_some(games, pair)) for pair in shares]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()

    def _games(self) -> Iterator[tuple[Setting, int]]:
        """The pending games: of all pairings in turn, so that early results tell about all."""
        pending = self._results.pending()
        yield from sorted(
            ((setting, index) for setting, indices in pending.items() for index in indices), key=lambda game: game[1]
        )

    async def _play_some(self, games: Iterator[tuple[Setting, int]], shares: tuple[Share, Share]) -> None:
        for setting, index in games:
            began, arena = time.monotonic(), self._arena
            scheduled = arena.schedule(setting, index)
            file = record_file(self._folder / RECORDS, arena.game, arena.pairings()[setting], index)
            seats = []
            for team, (side, share) in enumerate(zip(scheduled.sides, shares, strict=True)):
                rng = named_rng(f"client {team}|{setting.planner}", arena.seed, index)
                client = arena.client(side.planner)
                seconds = arena.start_seconds if client.planner is None else max(arena.start_seconds, COMPILING)
                seats.append(Seat(client, share, int(rng.integers(2**32)), seconds))
            match, venue, stem = arena.game.match(scheduled), self._venue(scheduled), file.with_suffix("")
            game = await play_game(match, seats, venue, stem)
            summary = arena.game.summary(game)
            batch = Batch(setting, [episode_of(summary, index)], time.monotonic() - began, [game])
            news = self._keep(batch)
            self._results.add(batch)
            self._tell(file, summary.forfeit, scheduled.sides)
            self._played, self._left = self._played + 1, self._left - 1
            self._advance(1, (time.monotonic() - self._began) / self._played * self._left, news)

    def _venue(self, scheduled: ScheduledGame) -> Venue:
        server = self._arena.server(scheduled, self._executor)
        if self._arena.protocol == "dc3":
            return Dc3Venue(server)
        from bonspiel.curling.arena.venue_dc4 import Dc4Venue  # late: it needs the extra dc4

        return Dc4Venue(server)

    def _tell(self, file: Path, failure: str | None, sides: Sequence[Side]) -> None:
        """Print the first failure of each kind."""
        if failure is None or (kind := kind_of(failure, sides)) in self._told:
            return
        if len(self._told) < MOST_TOLD:
            self._told.add(kind)
            print(f"{file.stem}: {failure}; the clients' outputs are beside {file}", file=sys.stderr)


def warm_up(game: CurlingGame, clients: Sequence[Client]) -> None:
    """Let the planners among the clients plan once, one after the other, with lines on standard error.

    They compile their code before the first game: a rival, or its library, would not wait for that.

    Programs of the user's are not started, and failures are left to the games, which tell of them.
    """
    position = MatchPosition.of(game.model, game.initial_state(np.random.default_rng(0)))
    for client in clients:
        if client.planner is not None and not client.planner.startswith("process:"):
            _report(f"warming up {client.name}, before the first game")
            interrupts.run_async(_plan(client.planner, position))


async def _plan(planner: str, position: MatchPosition) -> None:
    worker = WorkerProcess(planner, seed=0)
    try:
        with suppress(PlannerGone, PlannerRefused):
            await Patience(_report).others(_answers(worker, position), f"{planner}, which may have to compile")
    finally:
        worker.kill()


async def _answers(worker: WorkerProcess, position: MatchPosition) -> None:
    await worker.ready(COMPILING)
    for seconds in (FIRST_SECONDS, LOADING_SECONDS):
        await worker.ask(position, seconds, COMPILING, is_quiet=True)


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
