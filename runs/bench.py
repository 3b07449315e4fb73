"""`bonspiel bench`: runs the benchmarks, functions that yield measurements.

Each is one line of BENCHMARKS, or an entry point of an installed package.
"""

import json
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from bonspiel import envs, planners
from bonspiel.extensions import Extension, extensions, sole
from bonspiel.planners.registry import look_up
from bonspiel.runs import provenance
from bonspiel.runs.benchmarks.measurement import ONLY_BY_NAME, Benchmark, Measurement
from bonspiel.runs.benchmarks.searches import COUNTED
from bonspiel.runs.experiment import parsed, planner_for

BENCHMARKS = (
    "bonspiel.runs.benchmarks.searches:speed",
    "bonspiel.runs.benchmarks.searches:growth",
    "bonspiel.runs.benchmarks.searches:overruns",
    "bonspiel.runs.benchmarks.searches:yardstick",
    "bonspiel.runs.benchmarks.processes:first_decision",
    "bonspiel.runs.benchmarks.processes:cold_decision",
    "bonspiel.runs.benchmarks.processes:first_batch",
    "bonspiel.runs.benchmarks.processes:memory",
    "bonspiel.runs.benchmarks.threads:shared_tree",
    "bonspiel.runs.benchmarks.processes:scaling",
)
GROUP = "bonspiel.benchmarks"  # entry points: NAME = "module:function"


def chosen(names: Sequence[str]) -> list[tuple[str, Benchmark]]:
    """The benchmarks of these names with their names, in order; without names all that need no extra.

    Of the latter, one of an installed package that cannot be imported is left out, with a line that says so.
    """
    own, added = {place.rpartition(":")[2]: place for place in BENCHMARKS}, extensions(GROUP)
    if names:
        return [(name, parsed(lambda name: _found(name, own, added), name)) for name in names]
    found: list[tuple[str, Benchmark]] = [(name, pkgutil.resolve_name(place)) for name, place in own.items()]
    for name in sorted(added.keys() - own.keys()):
        try:
            benchmark = _found(name, own, added)
        except ValueError as error:
            print(f"bonspiel bench: {name} is left out: {error}", file=sys.stderr)
            continue
        if ONLY_BY_NAME not in vars(benchmark):
            found.append((name, benchmark))
    return found


def _found(name: str, own: Mapping[str, str], added: Mapping[str, tuple[Extension, ...]]) -> Benchmark:
    """A benchmark by its name; the core's come before those of installed packages."""
    if place := own.get(name):
        benchmark: Benchmark = pkgutil.resolve_name(place)
        return benchmark
    packages = look_up("benchmark", name, {**dict.fromkeys(own, ()), **added})
    benchmark = sole("benchmark", name, packages, "uninstall one of them").load()
    return benchmark


def main(names: Sequence[str], texts: Sequence[str], *, as_json: bool) -> int:
    """Measure, print as a table that grows line by line, or JSON at the end; without texts all planners but random."""
    benchmarks = chosen(names)
    model = envs.parse("trap")
    texts = texts or planners.names_for(model)
    for text in texts:
        planner_for(text, model, "trap")
    found = []
    for number, (name, benchmark) in enumerate(benchmarks, 1):
        print(f"benchmark {number} of {len(benchmarks)}: {name}", file=sys.stderr, flush=True)
        if not as_json:
            print(f"\n{name.replace('_', ' ')}: {benchmark.__doc__}", flush=True)
        for measurement in benchmark(texts):
            found.append(replace(measurement, value=float(f"{measurement.value:.4g}")))
            if not as_json:
                print(line(found[-1]), flush=True)
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
