"""Plays a tournament: hands the games to the runner and their records to the folder."""

import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from joblib.externals.loky.process_executor import TerminatedWorkerError

from curling.record import Record
from runs.curling import game
from runs.curling.game import Game
from runs.experiment import RunError, UsageError, number
from runs.games import standings
from runs.games.tournament import Folder, Pairing, Tournament, opened
from runs.progress import counted, progress
from runs.runner import parallel

Task = tuple[Pairing, int]


def play(
    tournament: Tournament, games: int, path: Path, jobs: int, resume: bool, provenance: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """Play all games of a tournament that are not in its folder yet.

    Args:
        tournament: what to play.
        games: for each two planners; even, as games come in pairs.
        path: the folder.
        jobs: number of worker processes; 1 plays in this process.
        resume: whether to go on with a tournament that is there.
        provenance: as from `runs.provenance.collect`.

    Returns:
        The results as JSON and as text.

    Raises:
        UsageError: something unknown, or the folder cannot take this tournament.
        RunError: a record could not be written, or a worker died; the games that are over are kept.
    """
    games = number("games", games, 2, 1_000_000, whole=True)
    if games % 2:
        raise UsageError(f"games={games}: must be even, since games are played in pairs with the hammer swapped")
    with opened(path, tournament, resume, provenance) as folder:
        tasks = [(pairing, index) for index in range(games) for pairing in tournament.pairings()]
        records = {task: folder.read(*task) for task in tasks if folder.has(*task)}
        pending = [task for task in tasks if task not in records]
        print(
            f"{' against '.join(side.planner for side in tournament.sides)}: {len(pending)} of {len(tasks)} games "
            f"to play with {counted(jobs, 'job')}, into {path}",
            file=sys.stderr,
        )
        try:
            _play_pending(folder, pending, records, jobs)
        except TerminatedWorkerError as error:
            raise RunError(
                "a worker process died (killed, or out of memory); the games that are over are kept: "
                "go on with --resume, and with fewer --jobs if memory was short"
            ) from error
    return _results(tournament, games, records)


def _play_task(task: Task, chosen: Game) -> tuple[Task, Record]:
    return task, game.play(chosen)


def _play_pending(folder: Folder, pending: list[Task], records: dict[Task, Record], jobs: int) -> None:
    """Play games, and keep each as soon as it is over."""
    tournament, begin = folder.tournament, time.monotonic()
    points = [0.0] * len(tournament.sides)

    def count(task: Task, record: Record) -> None:
        value = record.result.value_for(task[1] % 2)
        points[task[0][0]] += value
        points[task[0][1]] += 1.0 - value

    for task, record in records.items():
        count(task, record)
    tasks = ((task, tournament.game(*task)) for task in pending)
    with progress(len(pending), "games") as advance, closing(parallel.spread(_play_task, tasks, jobs)) as played:
        for done, (task, record) in enumerate(played, 1):
            folder.add(*task, record)
            records[task] = record
            count(task, record)
            left = (time.monotonic() - begin) / done * (len(pending) - done)
            advance(1, left, ", " + " : ".join(f"{value:g}" for value in points))


def _results(tournament: Tournament, games: int, records: Mapping[Task, Record]) -> tuple[dict[str, Any], str]:
    rng = np.random.default_rng(tournament.match.seed)
    found = [
        standings.pairing(*pairing, [records[pairing, index] for index in range(games)])
        for pairing in tournament.pairings()
    ]
    of_side = {
        side: [
            (int(index % 2 != place), record)
            for (pairing, index), record in records.items()
            for place in (0, 1)
            if pairing[place] == side
        ]
        for side in range(len(tournament.sides))
    }
    ratings = standings.ratings_of(found, tournament.sides, rng)
    return (
        standings.to_json(found, tournament.sides, ratings),
        standings.tables(found, tournament.sides, of_side, ratings, rng),
    )
