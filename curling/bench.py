"""Speed of the analytic engine: shots a second on one core by number of stones on the sheet.

python -m curling.bench
"""

import time

import numpy as np

from curling.engines.analytic import AnalyticEngine
from curling.physics import FCV1
from curling.sheet import STONE_RADIUS, no_stones
from planners.base import Array, Rng

DRAWS_AND_HITS = (-0.15, 0.25, 2.3, 2.8)  # m/s: vx from, to, vy from, to


def random_board(count: int, rng: Rng) -> Array:
    """`count` stones, rows 0, 1, ..., at uniform places between hog line and back line of fcv1, none overlapping."""
    stones = no_stones()
    placed = 0
    while placed < count:
        place = rng.uniform((-2.2, 32.2), (2.2, 40.3))
        if not (np.hypot(*(stones[:placed] - place).T) < 2.0 * STONE_RADIUS).any():
            stones[placed] = place
            placed += 1
    return stones


def random_shots(n: int, rng: Rng) -> tuple[Array, Array]:
    """Velocities [n, 2] of draws and hits of fcv1, and spins [n] of either turn."""
    x_from, x_to, y_from, y_to = DRAWS_AND_HITS
    return rng.uniform((x_from, y_from), (x_to, y_to), (n, 2)), rng.choice([-1.0, 1.0], n) * FCV1.launch_spin


def shots_per_second(count: int, boards: int = 100, shots: int = 2000, seed: int = 0) -> float:
    """Median over boards of `count` stones of the speed of one compiled call of `shots` shots."""
    engine, rng, speeds = AnalyticEngine(), np.random.default_rng(seed), []
    for _ in range(boards):
        board, (velocities, spins) = random_board(count, rng), random_shots(shots, rng)
        start = time.process_time()
        engine.shots(board, 15, velocities, spins)
        speeds.append(shots / (time.process_time() - start))
    return float(np.median(speeds))


if __name__ == "__main__":
    for count in (0, 1, 2, 5, 10, 15):
        print(f"{count:2d} stones on the sheet: {shots_per_second(count):12,.0f} shots/s")
