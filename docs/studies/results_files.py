"""Large results files, and the overhead of runner and store, for docs/reference/results-files.md.

python docs/studies/results_files.py --rows 1000000
python docs/studies/results_files.py --overhead quick
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bonspiel.runs import provenance
from bonspiel.runs.experiment import Entrant, Experiment, Setting
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.runner import driver
from bonspiel.runs.suite import Suite
from bonspiel.runs.suites.lookup import load
from bonspiel.runs.verbs.options import option

BUDGETS = (10, 30, 100, 300, 1000)
PLANNERS = ("uct", "pw", "dpw", "weighted_uct", "abstraction")
BATCH = 1_000
STEPS = 10

TASKS = {  # name: (import, statement)
    "status": ("from bonspiel.runs.results import status", "print(status.text(status.status(results), results.suite))"),
    "returns": ("", "results.returns()"),
    "simulations": ("", "results.values('simulations')"),
    "first actions": ("", "list(results.first_actions())"),
    "times, quantiles": ("from bonspiel.runs.statistics import timing", "timing.timing(results.times())"),
    "pending episodes": ("", "results.pending()"),
    "tables": (
        "from bonspiel.runs.statistics import curves",
        "[curves.table(panel) for panel in curves.panels(results.suite, results.returns(), results.values('episode'))]",
    ),
    "report": ("from bonspiel.runs.verbs.results import show", "show(Path(sys.argv[1]))"),
    "export to CSV": ("from bonspiel.runs.results import export", "export.to_csv(results, open('/dev/null', 'w'))"),
    "export to Parquet": ("from bonspiel.runs.results import export", "export.to_parquet(results, '/dev/null')"),
}
PROGRAM = """
import time; start = time.perf_counter()
import sys
from pathlib import Path
from bonspiel.runs.benchmarks.memory import largest_size
from bonspiel.runs.results import store
{imported}
with store.read(Path(sys.argv[1])) as results:
    {task}
print(time.perf_counter() - start, time.process_time(), largest_size(), file=sys.stderr)
"""


def generate(folder: Path, rows: int, rng: np.random.Generator) -> None:
    """Write a results file with made-up episodes of two environments, half of them with time budgets."""
    entrants = tuple(map(Entrant, PLANNERS))
    episodes = rows // (4 * len(BUDGETS) * len(PLANNERS))
    envs = ("trap:noise_range=0.1", "treasure_hunt:size=5")
    suite = Suite("large", tuple(Experiment(env, entrants, BUDGETS, BUDGETS, episodes) for env in envs))
    with run_folder.write(folder, suite, suite.resolve(), provenance.collect([]), False) as results:
        for setting in suite.settings():
            for first in range(0, episodes, BATCH):
                played = _episodes(setting, range(first, min(first + BATCH, episodes)), rng)
                results.add(Batch(setting, list(played), 1.0))


def _episodes(setting: Setting, numbers: range, rng: np.random.Generator) -> Iterator[Episode]:
    actions = rng.random((len(numbers), 1))
    times = setting.budget / 1e3 * rng.normal(1.0, 0.03, (len(numbers), STEPS)).astype("<f4")
    for number, action, took in zip(numbers, actions, times, strict=True):
        kept = took.tobytes() if setting.unit == "ms" else None
        total, seconds = float(rng.normal(1.0, 0.3)), float(took.sum())
        yield Episode(number, total, STEPS, seconds, 10_000, action.tobytes(), kept)


def measure_rows(rows: int) -> None:
    """Print time and memory of each task on a large file, each in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        start = time.perf_counter()
        generate(folder, rows, np.random.default_rng(0))
        size = (folder / store.FILE).stat().st_size / 2**20
        print(f"{rows:,} rows written in {time.perf_counter() - start:.1f} s, {size:.0f} MB")
        for name, (imported, task) in TASKS.items():
            command = [sys.executable, "-c", PROGRAM.format(imported=imported, task=task), str(folder)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            wall, processor, megabytes = map(float, done.stderr.splitlines()[-1].split())
            print(f"{name:<20} {wall:6.2f} s ({processor:.2f} s of processor time) {megabytes:7.0f} MB", flush=True)


def measure_overhead(name: str, jobs: int) -> None:
    """Print the share of the workers' time that a suite spends on planning, from the first kept batch on."""
    add, moments = store.Store.add, []

    def noting(self: store.Store, batch: Batch) -> None:
        add(self, batch)
        planned = sum(result.seconds for result in batch.results if isinstance(result, Episode))
        moments.append((time.perf_counter(), planned, batch.seconds))

    store.Store.add = noting  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as place:
        driver.play(load(name), Path(place) / "run", jobs, False, provenance.collect([]))
    store.Store.add = add  # type: ignore[method-assign]
    begun = len(list(load(name).settings()))  # one episode of each comes first, with the loading of its code
    steady = moments[begun:]
    wall = steady[-1][0] - moments[begun - 1][0]
    planning, playing = (sum(column) / (jobs * wall) for column in list(zip(*steady, strict=True))[1:])
    shares = f"planning {planning:.1%}, environment {playing - planning:.1%}, runner and store {1.0 - playing:.1%}"
    overhead = f"{shares} of the workers' time; all overhead is {1.0 / planning - 1.0:.1%} of planning"
    print(f"{name}, {jobs} jobs: {wall:.1f} s, {len(steady)} batches; {overhead}")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option(parser, "--rows", "N", "measure a results file of N episodes")
    option(parser, "--overhead", "SUITE", "measure the share of planning in the time of a run")
    option(parser, "--jobs", "N", "worker processes of that run", 2)
    arguments = parser.parse_args()
    if arguments.rows:
        measure_rows(arguments.rows)
    if arguments.overhead:
        measure_overhead(arguments.overhead, arguments.jobs)


if __name__ == "__main__":
    main()
