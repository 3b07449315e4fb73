"""How fast things are on this machine: each benchmark is a function that yields measurements, listed in BENCHMARKS."""

import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

import numpy as np

import envs
import planners
from runs import provenance
from runs.benchmarks.measurement import Benchmark, Measurement
from runs.benchmarks.processes import cold_decision, first_batch, first_decision, memory, scaling
from runs.benchmarks.searches import COUNTED, growth, overruns, speed, yardstick
from runs.curling.benchmarks.serving import serving
from runs.suite import parse_text

STONES_ON_SHEET = 5


def curling_engines(texts: Sequence[str]) -> Iterator[Measurement]:
    """Shots with 5 stones on the sheet, noisy ends, playouts, candidates; `python -m curling.bench` prints more."""
    from curling import bench, make_engine

    rng = np.random.default_rng(0)
    for name, boards, shots in (("analytic", 50, 2_000), ("box2d", 5, 2)):
        micros = bench.microseconds(make_engine(name), STONES_ON_SHEET, boards, shots, rng)
        yield Measurement("curling", 1e6 / statistics.median(micros), "shots/s", "(none)", f"{name} engine, fcv1")
    ends, _ = bench.ends_of_draws(20_000, rng)
    yield Measurement("curling", ends, "ends/s", "(none)", "16 noisy draws, analytic engine")
    whole, last, a_position = bench.policy_figures(rng)
    yield Measurement("curling", whole, "playouts/s", "(none)", "default policy, from the empty sheet")
    yield Measurement("curling", last, "playouts/s", "(none)", "default policy, last 4 shots, median of 9 positions")
    yield Measurement("curling", a_position, "us", "(none)", "all candidates, median of 9 positions after 12 shots")
    yield Measurement("curling", bench.presearch_seconds(), "s", "presearch", "4,284 aims x 47 rounds, median of 6")


BENCHMARKS: tuple[Benchmark, ...] = (
    speed,
    growth,
    overruns,
    yardstick,
    curling_engines,
    serving,
    first_decision,
    cold_decision,
    first_batch,
    memory,
    scaling,
)


def main(texts: Sequence[str], *, as_json: bool) -> int:
    """Measure, print as a table that grows line by line or as JSON at the end.

    Args:
        texts: planners as on the command line; all but random if empty.
        as_json: print one JSON object.

    Raises:
        UsageError: an unknown planner or parameter.
    """
    texts = texts or planners.names_for(envs.parse("trap"))
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
        print(
            f"\nmodel steps were counted in an interpreted search with the same seed, up to {COUNTED:,} simulations; "
            "a revisit of a stored outcome is none"
        )
    return 0


def line(measurement: Measurement) -> str:
    """A measurement for people."""
    m = measurement
    budgets = {"simulations": m.simulations, "ms": m.milliseconds}
    where = " ".join([m.env, *(f"{budget:,} {unit}" for unit, budget in budgets.items() if budget)])
    return f"  {m.planner:<30} {where:<48} {m.value:>14,.4g} {m.unit}"
