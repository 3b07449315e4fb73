"""Measurements, and the timing of tasks."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bonspiel import planners

REPEATS = 7
TARGET_SECONDS = 0.1  # least length of a repeat: shorter ones measure the clock and the scheduler
TRAP = "trap:noise_range=0.1"
SLOW = {"weighted_uct": (1_000, 10_000)}  # its cost grows faster than the simulations


@dataclass(frozen=True)
class Measurement:
    """One figure: its name, planner, environment and budget."""

    what: str
    value: float
    unit: str
    planner: str = ""
    env: str = ""
    simulations: int = 0
    milliseconds: int = 0


Benchmark = Callable[[Sequence[str]], Iterator[Measurement]]
ONLY_BY_NAME = "only_by_name"  # attribute of such a benchmark


def only_by_name(benchmark: Benchmark) -> Benchmark:
    """Mark a benchmark that needs an extra: it is measured only if it is named."""
    vars(benchmark)[ONLY_BY_NAME] = True
    return benchmark


def planner_name(text: str) -> str:
    """The registered name behind a planner's text, which may begin with an alias."""
    name = text.partition(":")[0]
    return planners.REGISTRY.aliases.get(name, name)


def simulations_for(text: str, budgets: Sequence[int]) -> Sequence[int]:
    """The budgets, or a slow planner's own where they are many."""
    return SLOW.get(planner_name(text), budgets) if len(budgets) > 1 else budgets


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
