"""`bonspiel bench`: runs the benchmarks, functions that yield measurements.

Each is one line of BENCHMARKS, or an entry point of an installed package.
"""

import json
import pkgutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from bonspiel import envs, planners
from bonspiel.planners.core.code.packages import Extension, extensions, sole
from bonspiel.planners.registry import look_up
from bonspiel.runs import provenance
from bonspiel.runs.benchmarks.measurement import Benchmark, Measurement
from bonspiel.runs.benchmarks.searches import COUNTED
from bonspiel.runs.experiment import parsed, planner_for
from bonspiel.runs.progress import counted, duration, time_left


class Listed(NamedTuple):
    """A benchmark of this project or of an installed package.

    Attributes:
        place: "module:function"; the function's name is the benchmark's.
        once: its seconds on two idle cores, beside those for each planner.
        each: its seconds for each planner.
        unnamed: measured without being named; not if it needs an extra.
    """

    place: str
    once: float = 10.0
    each: float = 0.0
    unnamed: bool = True

    @property
    def name(self) -> str:
        """The name on the command line."""
        return self.place.rpartition(":")[2]


BENCHMARKS = (
    Listed("bonspiel.runs.benchmarks.searches:speed", 0.0, 3.0),
    Listed("bonspiel.runs.benchmarks.searches:growth", 0.0, 1.5),
    Listed("bonspiel.runs.benchmarks.searches:overruns", 0.0, 7.0),
    Listed("bonspiel.runs.benchmarks.searches:yardstick", 2.0),
    Listed("bonspiel.runs.curling.benchmarks.engines:curling_engines", 40.0),
    Listed("bonspiel.runs.curling.benchmarks.last_stones:curling_proofs", 60.0),
    Listed("bonspiel.runs.curling.benchmarks.serving:serving", 60.0),
    Listed("bonspiel.runs.curling.benchmarks.serving_dc4:serving_dc4", 60.0, unnamed=False),
    Listed("bonspiel.runs.go.benchmark:go_playouts", 20.0),
    Listed("bonspiel.runs.go.benchmark:go_proofs", 20.0),
    Listed("bonspiel.runs.benchmarks.processes:first_decision", 0.0, 5.0),
    Listed("bonspiel.runs.benchmarks.processes:cold_decision", 0.0, 25.0),
    Listed("bonspiel.runs.benchmarks.processes:first_batch", 0.0, 6.0),
    Listed("bonspiel.runs.benchmarks.processes:memory", 0.0, 4.0),
    Listed("bonspiel.runs.benchmarks.threads:shared_tree", 30.0),
    Listed("bonspiel.runs.benchmarks.processes:scaling", 20.0),
)
GROUP = "bonspiel.benchmarks"  # entry points: NAME = "module:function"
NEWS_SECONDS = 10.0  # between two lines on the time left


class Clock:
    """Prints on standard error the expected time of all benchmarks, then of the rest.

    Args:
        listed: the benchmarks, in order.
        count: number of planners.
    """

    def __init__(self, listed: Sequence[Listed], count: int) -> None:
        self._expected = [once + each * count for _, once, each, _ in listed]
        self._done, self._printed = 0, time.monotonic()
        self._began = self._began_last = self._printed
        of = f"{counted(len(listed), 'benchmark')} of {counted(count, 'planner')}"
        print(f"{of}, about {duration(sum(self._expected))} on two idle cores", file=sys.stderr, flush=True)

    def left(self) -> float:
        """Seconds to the end, if the rest takes as many times its expected seconds as the benchmarks so far."""
        now, expected = time.monotonic(), sum(self._expected[: self._done])
        pace = (self._began_last - self._began) / expected if expected else 1.0
        rest = pace * self._expected[self._done] - (now - self._began_last)
        return max(0.0, rest) + pace * sum(self._expected[self._done + 1 :])

    def tick(self) -> None:
        """Print the time left, unless it was printed less than NEWS_SECONDS ago."""
        if time.monotonic() >= self._printed + NEWS_SECONDS:
            self._printed = time.monotonic()
            done = f"{self._done} of {len(self._expected)} benchmarks"
            print(f"{done}, {time_left(self.left())}", file=sys.stderr, flush=True)

    def next(self) -> None:
        """Begin the next benchmark."""
        self._done, self._began_last = self._done + 1, time.monotonic()


def chosen(names: Sequence[str]) -> list[tuple[Listed, Benchmark]]:
    """The benchmarks of these names, in order; without names all, but for those that an extra is needed for.

    Of the latter, one of an installed package that cannot be imported is left out, with a line that says so.

    Raises:
        UsageError: a name that is unknown, that two installed packages use, or of one that cannot be imported.
    """
    own, added = {listed.name: listed for listed in BENCHMARKS}, extensions(GROUP)
    if names:
        return [parsed(lambda name: _found(name, own, added), name) for name in names]
    found = [(listed, _imported(listed)) for listed in BENCHMARKS if listed.unnamed]
    for name in sorted(added.keys() - own.keys()):
        try:
            found.append(_found(name, own, added))
        except ValueError as error:
            print(f"bonspiel bench: {name} is left out: {error}", file=sys.stderr)
    return found


def _imported(listed: Listed) -> Benchmark:
    benchmark: Benchmark = pkgutil.resolve_name(listed.place)
    return benchmark


def _found(
    name: str, own: Mapping[str, Listed], added: Mapping[str, tuple[Extension, ...]]
) -> tuple[Listed, Benchmark]:
    """A benchmark by its name; the project's own come before those of installed packages."""
    if listed := own.get(name):
        return listed, _imported(listed)
    packages = look_up("benchmark", name, {**dict.fromkeys(own, ()), **added})
    extension = sole("benchmark", name, packages, "uninstall one of them")
    return Listed(extension.place), extension.load()


def main(names: Sequence[str], texts: Sequence[str], *, as_json: bool) -> int:
    """Measure, print as a table that grows line by line or as JSON at the end.

    Args:
        names: of benchmarks, see `chosen`.
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
    clock = Clock([listed for listed, _ in benchmarks], len(texts))
    for listed, benchmark in benchmarks:
        if not as_json:
            print(f"\n{listed.name.replace('_', ' ')}: {benchmark.__doc__}", flush=True)
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
