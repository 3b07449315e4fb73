"""Speed of the playouts of Go."""

from collections.abc import Iterator, Sequence

import numpy as np

from runs.benchmarks.measurement import Measurement


def go_playouts(texts: Sequence[str]) -> Iterator[Measurement]:
    """Playouts from the empty board to whose each point is; `python -m envs.go.bench` prints the same."""
    from envs.go.bench import playout_rates

    for model, rate in playout_rates(np.random.default_rng(0)):
        yield Measurement("go", rate, "playouts/s", "(none)", f"{model.playout} playouts, {model.size} x {model.size}")
