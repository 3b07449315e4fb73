"""Processor time of decisions of `adaptive` and `scaled_abstraction`, the costs in docs/results/adaptive.md.

python docs/studies/adaptive.py

Planners take turns, so that both meet the same machine; printed is the fastest of nine decisions of each, in ms.
"""

import time

import numpy as np

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.runs.suite import model_of

CASES = [
    ("trap", 10_000),
    ("treasure_hunt", 3_000),
    ("treasure_hunt", 10_000),
    ("treasure_hunt:size=15", 10_000),
    ("double_integrator", 300),
    ("cart_pole:noise=10", 300),
    ("pendulum", 300),
]
NAMES = ("scaled_abstraction", "adaptive")

if __name__ == "__main__":
    for problem, simulations in CASES:
        model = model_of(problem)
        state, best = model.initial_state(np.random.default_rng(1)), dict.fromkeys(NAMES, np.inf)
        for seed in range(10):
            for name in NAMES:
                start = time.process_time()
                planners.make(name).plan(model, state, Budget(simulations), np.random.default_rng(seed))
                if seed > 0:  # the first decision loads code
                    best[name] = min(best[name], 1000.0 * (time.process_time() - start))
        scaled, adaptive = best.values()
        print(f"| `{problem}`, {simulations:,} | {scaled:.1f} | {adaptive:.1f} | {adaptive / scaled:.2f} |", flush=True)
