"""Benchmarks in processes of their own: start-up, memory, workers."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

from bonspiel.runs.benchmarks.measurement import TRAP, Measurement, simulations_for
from bonspiel.runs.experiment import RunError, Setting
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.schedule import Schedule

MEMORY_SIMULATIONS = 1_000_000
START_REPEATS = 3


def in_fresh_process(program: str, *arguments: str, **variables: str) -> float:
    """The number that a program prints in a process of its own; `variables` are added to the environment."""
    command, env = [sys.executable, "-c", program, *arguments], os.environ | variables
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"a measurement of {' '.join(arguments)} failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout.split()[-1])


FIRST_DECISION = """
import time; start = time.perf_counter()
import sys, numpy
from bonspiel import envs, planners
model, rng = envs.parse(sys.argv[1]), numpy.random.default_rng(0)
planners.parse(sys.argv[2]).plan(model, model.initial_state(rng), planners.Budget(simulations=100), rng)
print(time.perf_counter() - start)
"""

MEMORY = """
import math, resource, sys, numpy
from bonspiel import envs, planners
from bonspiel.runs.benchmarks.memory import largest_size
model, rng = envs.parse(sys.argv[1]), numpy.random.default_rng(0)
planner, state = planners.parse(sys.argv[2]), model.initial_state(rng)
def peak(n):
    planner.plan(model, state, planners.Budget(simulations=n), rng)
    megabytes = largest_size()  # on Linux: of this program only; getrusage's includes the one that started it
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if math.isnan(megabytes) else megabytes * 2**20
small = peak(1000)
print((peak(int(sys.argv[3])) - small) / int(sys.argv[3]))
"""

FIRST_BATCH = """
import sys, time
from bonspiel.runs.experiment import Setting
from bonspiel.runs.runner import parallel
from bonspiel.runs.runner.schedule import Schedule
setting = Setting(sys.argv[1], sys.argv[2], 100, "simulations", 0)
start = time.perf_counter()
seconds = [time.perf_counter() - start for _ in parallel.run(Schedule({setting: range(2)}, 2))]
print(seconds[0])
"""


def first_decision(texts: Sequence[str]) -> Iterator[Measurement]:
    """A fresh process with a warm cache, imports included."""
    for text in texts:
        in_fresh_process(FIRST_DECISION, TRAP, text)
        seconds = statistics.median(in_fresh_process(FIRST_DECISION, TRAP, text) for _ in range(START_REPEATS))
        yield Measurement("first decision in a fresh process", seconds, "s", text, TRAP, 100)


def cold_decision(texts: Sequence[str]) -> Iterator[Measurement]:
    """The same with an empty cache, as after an installation or a change of the sources: everything is compiled."""
    for text in texts:
        with tempfile.TemporaryDirectory() as folder:
            seconds = in_fresh_process(FIRST_DECISION, TRAP, text, BONSPIEL_CACHE=folder)
        yield Measurement("first decision with a cold cache", seconds, "s", text, TRAP, 100)


def first_batch(texts: Sequence[str]) -> Iterator[Measurement]:
    """From the start of two workers to the first episode that one of them returns, with a warm cache."""
    for text in texts:
        seconds = statistics.median(in_fresh_process(FIRST_BATCH, TRAP, text) for _ in range(START_REPEATS))
        yield Measurement("first batch of a fresh worker", seconds, "s", text, TRAP, 100)


def memory(texts: Sequence[str]) -> Iterator[Measurement]:
    """Growth of a process's largest resident size in one search."""
    for text in texts:
        n = max(simulations_for(text, (1_000, MEMORY_SIMULATIONS)))
        yield Measurement("memory", in_fresh_process(MEMORY, TRAP, text, str(n)), "bytes/simulation", text, TRAP, n)


def scaling(texts: Sequence[str]) -> Iterator[Measurement]:
    """Episodes on Trap with one and with two jobs, workers started before; about 10 s."""
    n = 1_000
    for text in texts[:1]:
        setting = Setting(TRAP, text, n, "simulations", 0)
        trial = Schedule({setting: range(20)}, 1)
        cost = sum(batch.seconds for batch in parallel.run(trial)) / 20
        episodes = max(20, round(6.0 / cost))
        seconds = {}
        for jobs in (1, 2):
            for _ in parallel.run(Schedule({setting: range(4 * jobs)}, jobs)):
                pass
            start = time.perf_counter()
            for _ in parallel.run(Schedule({setting: range(episodes)}, jobs)):
                pass
            seconds[jobs] = time.perf_counter() - start
        yield Measurement("2 jobs against 1", seconds[1] / seconds[2], "times", text, TRAP, n)
