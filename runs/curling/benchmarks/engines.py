"""Speed of the engines of curling, of playouts and of candidates."""

import statistics
from collections.abc import Iterator, Sequence

import numpy as np

from bonspiel.runs.benchmarks.measurement import Measurement

STONES_ON_SHEET = 5


def curling_engines(texts: Sequence[str]) -> Iterator[Measurement]:
    """Shots with 5 stones, noisy ends, playouts, candidates; `python -m bonspiel.curling.bench` prints more."""
    from bonspiel.curling import bench, make_engine

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
