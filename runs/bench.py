"""`bonspiel bench`: each benchmark is a function that yields measurements, listed in BENCHMARKS."""

import json
import pkgutil
from collections.abc import Sequence
from dataclasses import asdict, replace

import envs
import planners
from runs import provenance
from runs.benchmarks.measurement import Benchmark, Measurement
from runs.benchmarks.processes import cold_decision, first_batch, first_decision, memory, scaling
from runs.benchmarks.searches import COUNTED, growth, overruns, speed, yardstick
from runs.benchmarks.threads import shared_tree
from runs.experiment import planner_for

# of other folders as text
BENCHMARKS: tuple[Benchmark | str, ...] = (
    speed,
    growth,
    overruns,
    yardstick,
    "runs.curling.benchmarks.engines:curling_engines",
    "runs.curling.benchmarks.last_stones:curling_proofs",
    "runs.curling.benchmarks.serving:serving",
    "runs.go.benchmark:go_playouts",
    "runs.go.benchmark:go_proofs",
    first_decision,
    cold_decision,
    first_batch,
    memory,
    shared_tree,
    scaling,
)


def main(texts: Sequence[str], *, as_json: bool) -> int:
    """Measure, print as a table that grows line by line or as JSON at the end.

    Args:
        texts: planners as on the command line; all but random if empty.
        as_json: print one JSON object.

    Raises:
        UsageError: an unknown planner or parameter, or a planner that cannot search Trap.
    """
    model = envs.parse("trap")
    texts = texts or planners.names_for(model)
    for text in texts:
        planner_for(text, model, "trap")
    found = []
    for chosen in BENCHMARKS:
        benchmark: Benchmark = pkgutil.resolve_name(chosen) if isinstance(chosen, str) else chosen
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
