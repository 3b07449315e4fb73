"""Puts clients before positions and judges their shots, each position on some worker."""

import sys
import time
from collections.abc import Sequence
from contextlib import closing

from bonspiel.curling.arena.clients import Client
from bonspiel.curling.regret.clients import Question, ask
from bonspiel.curling.regret.positions import TestPosition
from bonspiel.curling.regret.referee import judge
from bonspiel.curling.regret.results import Examined, RegretFolder, key_of
from bonspiel.curling.regret.sources import judging
from bonspiel.runs.draws import named_rng
from bonspiel.runs.progress import progress
from bonspiel.runs.runner import parallel


def examine(number: int, place: TestPosition, clients: Sequence[Client], question: Question) -> Examined:
    """Ask all clients in position `number`, and judge their shots together.

    Raises:
        RunError: the server failed.
    """
    answers = {client.name: ask(client, place, number, question) for client in clients}
    shots = {name: answer.shot for name, answer in answers.items() if answer.shot is not None}
    seed, began = int(named_rng("regret", question.seed, number).integers(2**32)), time.process_time()
    found = judge(judging(place.match), place.state, list(shots.values()), seed) if shots else []
    verdicts = dict(zip(shots, found, strict=True))
    return Examined(number, key_of(place), answers, verdicts, time.process_time() - began)


def examine_all(
    folder: RegretFolder, places: Sequence[TestPosition], clients: Sequence[Client], question: Question, jobs: int
) -> list[Examined]:
    """Examine the positions that the folder lacks, with progress on standard error; all that it holds then.

    Raises:
        RunError: a server failed, or workers died.
        UsageError: the folder cannot be written.
    """
    tasks = [(i, place, tuple(clients), question) for i, place in enumerate(places) if i not in folder.done]
    if jobs > 1:
        parallel.compile_once()
    workers = parallel.spread(examine, tasks, jobs, pinned=jobs > 1)
    began, told, new = time.monotonic(), set[str](), 0
    with progress(len(tasks), "positions") as advance, closing(workers) as results:
        for one in results:
            folder.add(one)
            for name, answer in one.answers.items():
                if answer.failure is not None and name not in told:
                    told.add(name)
                    print(f"{name} fails in position {one.number + 1}: {answer.failure}", file=sys.stderr)
            new += 1
            advance(1, (time.monotonic() - began) / new * (len(tasks) - new))
    return [folder.done[i] for i in range(len(places))]
