"""How fast things are on this machine: each benchmark is a function that yields measurements, listed in BENCHMARKS."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import envs
import planners
from planners import Array, Budget, Rng
from runs import parallel, provenance
from runs.experiment import RunError, Setting
from runs.suite import parse_text

REPEATS = 7
TARGET_SECONDS = 0.1  # a repeat lasts at least so long: shorter ones measure the clock and the scheduler
MODELS = {"trap:noise_range=0.1": (100, 1_000, 100_000), "treasure_hunt:size=5": (1_000,)}
SLOW = {"weighted_uct": (1_000, 10_000)}  # its cost grows faster than the simulations
WALKS = ("trap", "treasure_hunt:size=1000,hole_terminates=false")  # nothing ends a walk in these
WALK_STEPS = 10_000
COUNTED = 1_000  # model steps are counted up to so many simulations
MEMORY_SIMULATIONS = 1_000_000
STONES_ON_SHEET = 5


@dataclass(frozen=True)
class Measurement:
    """One figure: what was measured, of which planner, in which environment, with how many simulations."""

    what: str
    value: float
    unit: str
    planner: str = ""
    env: str = ""
    simulations: int = 0


Benchmark = Callable[[Sequence[str]], Iterator[Measurement]]


class CountingModel:
    """A model whose steps are counted; it is interpreted, since compiled code cannot be looked into."""

    compiled = False

    def __init__(self, model: Any) -> None:
        """Count the steps of `model`."""
        self._model = model
        self.steps = 0

    def __getattr__(self, name: str) -> Any:
        """Everything else is the model's."""
        return getattr(self._model, name)

    def step(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """The model's step."""
        self.steps += 1
        result: tuple[float, bool] = self._model.step(state, action, next_state, params, rng)
        return result


def count_steps(planner: planners.Planner, model: Any, simulations: int) -> int:
    """Model steps of a search from the start: the interpreted search grows the same tree as the compiled one."""
    counting = CountingModel(model)
    rng = np.random.default_rng(0)
    planner.plan(counting, model.initial_state(rng), Budget(simulations=simulations), rng)
    return counting.steps


def seconds_of(task: Callable[[], object]) -> float:
    """Median seconds of a task, after one run to warm up, each repeat as often as it takes to be measurable."""
    task()
    start = time.perf_counter()
    task()
    calls = max(1, round(TARGET_SECONDS / max(time.perf_counter() - start, 1e-7)))
    repeats = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(calls):
            task()
        repeats.append((time.perf_counter() - start) / calls)
    return statistics.median(repeats)


def speed(texts: Sequence[str]) -> Iterator[Measurement]:
    """Decisions at the start state, on one core."""
    for env, budgets in MODELS.items():
        model = envs.parse(env)
        for text in texts:
            planner = planners.parse(text)
            for n in simulations_for(text, budgets):
                rng = np.random.default_rng(0)
                state, budget = model.initial_state(rng), Budget(simulations=n)
                seconds = seconds_of(partial(planner.plan, model, state, budget, rng))
                yield Measurement("speed", n / seconds, "simulations/s", text, env, n)
                if n <= COUNTED:
                    yield Measurement("speed", count_steps(planner, model, n) / seconds, "model steps/s", text, env, n)


def simulations_for(text: str, budgets: Sequence[int]) -> Sequence[int]:
    """The budgets, or a slow planner's own where they are many."""
    return SLOW.get(text.partition(":")[0], budgets) if len(budgets) > 1 else budgets


def yardstick(texts: Sequence[str]) -> Iterator[Measurement]:
    """Random walks without any search: what the compiled models alone cost."""
    for env in WALKS:
        model, rng = envs.parse(env), np.random.default_rng(0)
        state, scratch = model.initial_state(rng), model.initial_state(rng)
        seconds = seconds_of(partial(model.rollout, state, scratch, WALK_STEPS, model.params, rng))
        yield Measurement("yardstick", WALK_STEPS / seconds, "model steps/s", "(none)", env)


def in_fresh_process(program: str, *arguments: str) -> float:
    """The number that a Python program prints in a process of its own.

    Raises:
        RunError: the program failed.
    """
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"a measurement of {' '.join(arguments)} failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout.split()[-1])


FIRST_DECISION = """
import time; start = time.perf_counter()
import sys, numpy, planners, envs
model, rng = envs.parse(sys.argv[1]), numpy.random.default_rng(0)
planners.parse(sys.argv[2]).plan(model, model.initial_state(rng), planners.Budget(simulations=100), rng)
print(time.perf_counter() - start)
"""

MEMORY = """
import pathlib, resource, sys, numpy, planners, envs
model, rng = envs.parse(sys.argv[1]), numpy.random.default_rng(0)
planner, state = planners.parse(sys.argv[2]), model.initial_state(rng)
status = pathlib.Path("/proc/self/status")
def peak(n):
    planner.plan(model, state, planners.Budget(simulations=n), rng)
    if status.exists():  # Linux: the largest size of this program alone; getrusage's includes the one that started it
        return 1024 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
small = peak(1000)
print((peak(int(sys.argv[3])) - small) / int(sys.argv[3]))
"""


def first_decision(texts: Sequence[str]) -> Iterator[Measurement]:
    """A fresh process with a warm cache, imports included."""
    env = next(iter(MODELS))
    for text in texts:
        planners.parse(text)
        seconds = statistics.median(in_fresh_process(FIRST_DECISION, env, text) for _ in range(3))
        yield Measurement("first decision in a fresh process", seconds, "s", text, env, 100)


def memory(texts: Sequence[str]) -> Iterator[Measurement]:
    """Growth of a process's largest resident size in one search."""
    env = next(iter(MODELS))
    for text in texts:
        n = max(simulations_for(text, (1_000, MEMORY_SIMULATIONS)))
        yield Measurement("memory", in_fresh_process(MEMORY, env, text, str(n)), "bytes/simulation", text, env, n)


def scaling(texts: Sequence[str]) -> Iterator[Measurement]:
    """Episodes on Trap with one and with two jobs, workers started before; about 10 s."""
    env, n = next(iter(MODELS)), 1_000
    for text in texts[:1]:
        setting = Setting(env, text, n, "simulations", 0)
        trial = parallel.Schedule({setting: range(20)}, 1)
        cost = sum(batch.seconds for batch in parallel.run(trial)) / 20
        episodes = max(20, round(6.0 / cost))
        seconds = {}
        for jobs in (1, 2):
            for _ in parallel.run(parallel.Schedule({setting: range(4 * jobs)}, jobs)):
                pass
            start = time.perf_counter()
            for _ in parallel.run(parallel.Schedule({setting: range(episodes)}, jobs)):
                pass
            seconds[jobs] = time.perf_counter() - start
        yield Measurement("2 jobs against 1", seconds[1] / seconds[2], "times", text, env, n)


def curling_engines(texts: Sequence[str]) -> Iterator[Measurement]:
    """Shots with 5 stones on the sheet, and whole noisy ends; `python -m curling.bench` prints more."""
    from curling import bench, make_engine

    rng = np.random.default_rng(0)
    for name, boards, shots in (("analytic", 50, 2_000), ("box2d", 5, 2)):
        micros = bench.microseconds(make_engine(name), STONES_ON_SHEET, boards, shots, rng)
        yield Measurement("curling", 1e6 / statistics.median(micros), "shots/s", "(none)", f"{name} engine, fcv1")
    ends, _ = bench.ends_of_draws(20_000, rng)
    yield Measurement("curling", ends, "ends/s", "(none)", "16 noisy draws, analytic engine")
    playouts = bench.random_playouts(20_000, rng)
    yield Measurement("curling", playouts, "ends/s", "(none)", "random playouts with all rules")


BENCHMARKS: tuple[Benchmark, ...] = (speed, yardstick, curling_engines, first_decision, memory, scaling)


def main(texts: Sequence[str], *, as_json: bool) -> int:
    """Measure, print as a table that grows line by line or as JSON at the end.

    Args:
        texts: planners as on the command line; all but random if empty.
        as_json: print one JSON object.

    Raises:
        UsageError: an unknown planner or parameter.
    """
    texts = texts or [name for name in planners.names() if name != "random"]
    for text in texts:
        parse_text(planners.parse, text)
    found = []
    for benchmark in BENCHMARKS:
        if not as_json:
            print(f"\n{benchmark.__name__.replace('_', ' ')}: {benchmark.__doc__}", flush=True)
        for measurement in benchmark(texts):
            found.append(replace(measurement, value=float(f"{measurement.value:.4g}")))
            if not as_json:
                print(line(found[-1]), flush=True)
    if as_json:
        machine = provenance.collect(["bench", "--json"])
        print(json.dumps({"machine": machine, "measurements": [asdict(m) for m in found]}, indent=1))
    else:
        print(f"\nmodel steps were counted in an interpreted search with the same seed, up to {COUNTED:,} simulations; "
              "a revisit of a stored outcome is none")
    return 0


def line(measurement: Measurement) -> str:
    """A measurement for people."""
    m = measurement
    where = f"{m.env} {m.simulations:,} simulations" if m.simulations else m.env
    return f"  {m.planner:<30} {where:<48} {m.value:>14,.4g} {m.unit}"
