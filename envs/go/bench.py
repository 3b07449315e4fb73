"""Playouts per second of CPU time on one core, from the empty board to whose each point is.

python -m bonspiel.envs.go.bench                                     print them for both playouts on 9 x 9 and 19 x 19
"""

import time
from collections.abc import Iterator

import numpy as np

from bonspiel.envs.go.estimate import owned_parts
from bonspiel.envs.go.model import Go
from bonspiel.planners.model import Rng

SIZES = {9: 20_000, 19: 5_000}  # playouts timed on each


def playout_rate(model: Go, playouts: int, rng: Rng) -> float:
    """Playouts per second of CPU time."""
    state = model.initial_state(rng)
    owned_parts(model, state, rng, 1)  # loads compiled code
    start = time.process_time()
    owned_parts(model, state, rng, playouts)
    return playouts / (time.process_time() - start)


def playout_rates(rng: Rng) -> Iterator[tuple[Go, float]]:
    """The rate of each playout on each size."""
    for size, playouts in SIZES.items():
        for model in (Go(size, playout="light"), Go(size, playout="mogo")):
            yield model, playout_rate(model, playouts, rng)


if __name__ == "__main__":
    for model, rate in playout_rates(np.random.default_rng(0)):
        print(f"{model.playout:<5} {model.size:2} x {model.size:<2} {rate:>10,.0f} playouts/s")
