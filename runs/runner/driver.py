"""Plays a suite: hands the episodes to the runner and their results to the store."""

import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from runs.experiment import RunError
from runs.part import WHOLE, Part
from runs.progress import counted, progress
from runs.results import run_folder
from runs.runner import backends, parallel
from runs.runner.backends import HERE, Place
from runs.suite import Suite


def play(
    suite: Suite,
    folder: Path,
    jobs: int | None,
    resume: bool,
    provenance: Mapping[str, Any],
    part: Part = WHOLE,
    place: Place = HERE,
) -> None:
    """Play all episodes of a suite, or of a part of it, that are not in the folder's results yet.

    Args:
        suite: what to play.
        folder: where the results go.
        jobs: number of workers; 1 plays in this process, None takes all cores, or all workers of a cluster.
        resume: whether to go on with a run that is there.
        provenance: as from `runs.provenance.collect`.
        part: the share of the episodes to play.
        place: the workers' machine or cluster.

    Raises:
        UsageError: the suite names something unknown, the cluster is not there, or the folder cannot take this run.
        RunError: results could not be written, or workers died again and again; what was played before is kept.
    """
    resolved = suite.resolve()
    with (
        backends.connect(place, jobs) as workers,
        run_folder.write(folder, suite, resolved, provenance, resume, part) as results,
    ):
        pending = results.pending()
        left = sum(map(len, pending.values()))
        total = sum(len(part.episodes(count)) for count in suite.episodes().values())
        share = "" if part == WHOLE else f", part {part}"
        print(
            f"{suite.name}{share}: {left} of {total} episodes to play with {counted(workers.jobs, 'job')}, into "
            f"{folder}",
            file=sys.stderr,
        )
        schedule = parallel.Schedule(pending, workers.jobs)
        if schedule.timed and not workers.remote and workers.jobs > (cores := joblib.cpu_count()):
            print(
                f"warning: {counted(workers.jobs, 'job')} share {counted(cores, 'core')}, which falsifies time "
                f"budgets; use --jobs {cores} or fewer",
                file=sys.stderr,
            )
        try:
            with progress(left) as advance, closing(parallel.run(schedule, workers)) as batches:
                for batch in batches:
                    results.add(batch)
                    advance(len(batch.results), schedule.remaining() / workers.jobs)
        except TerminatedWorkerError as error:
            raise RunError(
                "worker processes died again and again (killed, or out of memory); the results so far are "
                "kept: go on with --resume, and with fewer --jobs if memory was short"
            ) from error
