"""Plays a suite: passes episodes to the runner and results to the store."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import joblib

from bonspiel.envs.snapshot.advice import advice
from bonspiel.runs import seeding
from bonspiel.runs.experiment import WHOLE, RunPart
from bonspiel.runs.progress import LINE_SECONDS, counted, progress
from bonspiel.runs.results import packed, run_folder
from bonspiel.runs.results.rows import Batch
from bonspiel.runs.results.store import Count, Store
from bonspiel.runs.runner import backends, cores, parallel
from bonspiel.runs.runner.backends import HERE, Place, Workers
from bonspiel.runs.runner.episode import play_batch
from bonspiel.runs.runner.schedule import Schedule
from bonspiel.runs.suite import Suite, model_of

CHANGED = "this shows whether its planners have changed since:"
PULSE_GROWTH = 1.2  # of the time between two lines while no episode ends


def play(
    suite: Suite,
    folder: Path,
    jobs: int | None,
    resume: bool,
    provenance: Mapping[str, Any],
    part: RunPart = WHOLE,
    place: Place = HERE,
    unseeded: bool = False,
    keep: Sequence[Path | str] = (),
) -> None:
    """Play all episodes of a suite, or of a part of it, that are not in the folder's results yet.

    A new run keeps the episodes of the runs `keep`, as of `packed.read_any`; of two that have one, the first's. All
    cores, or workers of a cluster, play if `jobs` is None, and this process if it is 1.
    """
    resolved = suite.resolve(unseeded)
    slow = {env: advice(model_of(env)) for env in dict.fromkeys(experiment.env for experiment in suite.experiment)}
    for note in (*seeding.notes(resolved), *(f"{env}: {advised}" for env, advised in slow.items() if advised)):
        print(f"note: {note}", file=sys.stderr)
    with backends.connect(place, jobs) as workers, ExitStack() as stack:
        earlier = [stack.enter_context(packed.read_any(run)) for run in keep]
        for run, old in zip(keep, earlier, strict=True):
            if old.provenance.get("sources") != provenance.get("sources"):
                print(f"note: {run} was played by other sources; {CHANGED} bonspiel verify {run}", file=sys.stderr)
        with run_folder.write(folder, suite, resolved, provenance, resume, part, earlier) as results:
            run_folder.check_kept(results, earlier)
            play_pending(results, workers)


@contextmanager
def _pulse(schedule: Schedule, advance: Callable[..., None]) -> Iterator[None]:
    """Show the time left while no episode ends too."""
    over = threading.Event()

    def show() -> None:
        wait = LINE_SECONDS
        while not over.wait(wait):
            advance(0, schedule.seconds_left())
            wait *= PULSE_GROWTH

    watcher = threading.Thread(target=show, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def announce(results: Store, jobs: int, things: str) -> int:
    """Print how many episodes of a run are left, by their noun; the number."""
    left = sum(map(len, results.pending().values()))
    total = Count.of(results.counts()).total
    share = "" if results.part == WHOLE else f", part {results.part}"
    task = f"{left} of {total} {things} to play with {counted(jobs, 'job')}, into {results.folder}"
    print(f"{results.suite.name}{share}: {task}", file=sys.stderr)
    return left


def play_pending(
    results: Store,
    workers: Workers,
    play: parallel.PlayBatch = play_batch,
    keep: Callable[[Batch], str] = lambda batch: "",
    things: str = "episodes",
) -> None:
    """Play the pending episodes of a run and add each batch, after `keep` has seen it and told news, to its results."""
    pending, left = results.pending(), announce(results, workers.jobs, things)
    schedule = Schedule(pending, workers.jobs)
    if schedule.timed and not workers.remote and workers.jobs > (free := min(joblib.cpu_count(), cores.untaken())):
        beside = f", as another run with time budgets has {cores.taken()}" if cores.taken() else ""
        remedy = f"use --jobs {free} or fewer" if free > 0 else "wait for its end"
        print(
            f"warning: {counted(workers.jobs, 'job')} share {counted(free, 'core')}{beside}, which falsifies time "
            f"budgets; {remedy}",
            file=sys.stderr,
        )
    with progress(left, things) as advance, _pulse(schedule, advance):
        with closing(parallel.run(schedule, workers, play)) as batches:
            for batch in batches:
                news = keep(batch)
                results.add(batch)
                advance(len(batch.results), schedule.seconds_left(), news)
