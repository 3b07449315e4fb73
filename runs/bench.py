"""`bonspiel bench`: each benchmark is a function that yields measurements, listed in BENCHMARKS."""

import json
import pkgutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from bonspiel import envs, planners
from bonspiel.planners.registry import look_up
from bonspiel.runs import provenance
from bonspiel.runs.benchmarks.measurement import Benchmark, Measurement
from bonspiel.runs.benchmarks.processes import cold_decision, first_batch, first_decision, memory, scaling
from bonspiel.runs.benchmarks.searches import COUNTED, growth, overruns, speed, yardstick
from bonspiel.runs.benchmarks.threads import shared_tree
from bonspiel.runs.experiment import parsed, planner_for
from bonspiel.runs.progress import counted, duration, time_left

# those of other folders as text, imported when they run
BENCHMARKS: tuple[Benchmark | str, ...] = (
    speed,
    growth,
    overruns,
    yardstick,
    "bonspiel.runs.curling.benchmarks.engines:curling_engines",
    "bonspiel.runs.curling.benchmarks.last_stones:curling_proofs",
    "bonspiel.runs.curling.benchmarks.serving:serving",
    "bonspiel.runs.go.benchmark:go_playouts",
    "bonspiel.runs.go.benchmark:go_proofs",
    first_decision,
    cold_decision,
    first_batch,
    memory,
    shared_tree,
    scaling,
)
BY_NAME: tuple[Benchmark | str, ...] = ("bonspiel.runs.curling.benchmarks.serving_dc4:serving_dc4",)  # need an extra

# seconds on two idle cores: once, and for each planner; ONE for all others
EXPECTED = {
    "speed": (0.0, 3.0),
    "growth": (0.0, 1.5),
    "overruns": (0.0, 7.0),
    "yardstick": (2.0, 0.0),
    "curling_engines": (40.0, 0.0),
    "curling_proofs": (60.0, 0.0),
    "serving": (60.0, 0.0),
    "serving_dc4": (60.0, 0.0),
    "go_playouts": (20.0, 0.0),
    "go_proofs": (20.0, 0.0),
    "first_decision": (0.0, 5.0),
    "cold_decision": (0.0, 25.0),
    "first_batch": (0.0, 6.0),
    "memory": (0.0, 4.0),
    "shared_tree": (30.0, 0.0),
    "scaling": (20.0, 0.0),
}
ONE = (10.0, 0.0)
NEWS_SECONDS = 10.0  # between two lines on the time left


class Clock:
    """Tells on standard error how long all benchmarks will take, and how long the rest of them.

    Args:
        names: of the benchmarks, in order.
        count: number of planners.
    """

    def __init__(self, names: Sequence[str], count: int) -> None:
        found = (EXPECTED.get(name, ONE) for name in names)
        self._expected = [once + each * count for once, each in found]
        self._done, self._told = 0, time.monotonic()
        self._began = self._began_last = self._told
        of = f"{counted(len(names), 'benchmark')} of {counted(count, 'planner')}"
        print(f"{of}, about {duration(sum(self._expected))} on two idle cores", file=sys.stderr, flush=True)

    def left(self) -> float:
        """Seconds to the end, if all goes on as slowly as what is done."""
        now, expected = time.monotonic(), sum(self._expected[: self._done])
        pace = (self._began_last - self._began) / expected if expected else 1.0
        rest = pace * self._expected[self._done] - (now - self._began_last)
        return max(0.0, rest) + pace * sum(self._expected[self._done + 1 :])

    def tick(self) -> None:
        """Tell the time left, if that was long ago."""
        if time.monotonic() >= self._told + NEWS_SECONDS:
            self._told = time.monotonic()
            done = f"{self._done} of {len(self._expected)} benchmarks"
            print(f"{done}, {time_left(self.left())}", file=sys.stderr, flush=True)

    def next(self) -> None:
        """Begin the next benchmark."""
        self._done, self._began_last = self._done + 1, time.monotonic()


def name_of(benchmark: Benchmark | str) -> str:
    """The name of a benchmark on the command line."""
    return benchmark.rpartition(":")[2] if isinstance(benchmark, str) else benchmark.__name__


def chosen(names: Sequence[str]) -> list[Benchmark]:
    """The benchmarks of these names, in order; BENCHMARKS if there are none.

    Raises:
        UsageError: an unknown name.
    """
    known = {name_of(benchmark): benchmark for benchmark in (*BENCHMARKS, *BY_NAME)}
    found = [parsed(lambda text: look_up("benchmark", text, known), name) for name in names] or BENCHMARKS
    return [pkgutil.resolve_name(one) if isinstance(one, str) else one for one in found]


def main(names: Sequence[str], texts: Sequence[str], *, as_json: bool) -> int:
    """Measure, print as a table that grows line by line or as JSON at the end.

    Args:
        names: of benchmarks; all of BENCHMARKS if empty.
        texts: planners as on the command line; all but random if empty.
        as_json: print one JSON object.

    Raises:
        UsageError: an unknown benchmark, planner or parameter, or a planner that cannot search Trap.
    """
    benchmarks = chosen(names)
    model = envs.parse("trap")
    texts = texts or planners.names_for(model)
    for text in texts:
        planner_for(text, model, "trap")
    found = []
    clock = Clock([benchmark.__name__ for benchmark in benchmarks], len(texts))
    for benchmark in benchmarks:
        if not as_json:
            print(f"\n{benchmark.__name__.replace('_', ' ')}: {benchmark.__doc__}", flush=True)
        for measurement in benchmark(texts):
            found.append(replace(measurement, value=float(f"{measurement.value:.4g}")))
            if not as_json:
                print(line(found[-1]), flush=True)
            clock.tick()
        clock.next()
    if as_json:
        machine = provenance.collect(["bench", *names, "--json"])
        print(json.dumps({"machine": machine, "measurements": [asdict(m) for m in found]}, indent=1))
    elif any(m.what == "speed" for m in found):
        print(
            f"\nmodel steps were counted in the compiled model with the same seed, up to {COUNTED:,} simulations; "
            "revisiting a stored outcome is no step"
        )
    return 0


def line(measurement: Measurement) -> str:
    """A measurement as a line of the table."""
    m = measurement
    budgets = {"simulations": m.simulations, "ms": m.milliseconds}
    where = " ".join([m.env, *(f"{budget:,} {unit}" for unit, budget in budgets.items() if budget)])
    return f"  {m.planner:<30} {where:<48} {m.value:>14,.4g} {m.unit}"
