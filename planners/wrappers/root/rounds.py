"""Workers that share their statistics from round to round.

In each round every worker extends a copy of the common statistics; afterwards the additions of all are added up.
"""

import time
from collections.abc import Sequence

import numpy as np

from bonspiel.planners.checks import require
from bonspiel.planners.model import Rng
from bonspiel.planners.planner import Budget, Decision, MergeableSearch
from bonspiel.planners.wrappers.root.workers import Run, run_all


def plan_in_rounds(
    common: MergeableSearch,
    budgets: Sequence[Budget],
    seeds: Sequence[int],
    rounds: int,
    run: Run,
    start: float,
    rng: Rng,
) -> Decision:
    """Plan in rounds, with a budget and a seed for each worker.

    `start` is the clock when the plan began; `rng` draws between actions that are equal in the end.
    """
    least = min((budget.simulations for budget in budgets if budget.simulations is not None), default=rounds)
    require(rounds <= least, "rounds", rounds, f"at most the simulations of a worker, {least}")
    rngs = [np.random.default_rng(seed) for seed in seeds]
    for number in range(rounds):
        parts = [_part(budget, number, rounds, start) for budget in budgets]
        tasks = [(common, part, rng) for part, rng in zip(parts, rngs, strict=True)]
        ends = run_all(run, _extended, tasks, together=budgets[0].seconds is not None)
        common, rngs = common.merged([search for search, _ in ends]), [rng for _, rng in ends]
    return common.decide(start, rng)


def _part(budget: Budget, number: int, rounds: int, start: float) -> Budget:
    """A worker's budget in the round of this number, from 0."""
    if budget.simulations is not None:
        first, last = (budget.simulations * index // rounds for index in (number, number + 1))
        return Budget(simulations=last - first)
    until = start + (budget.seconds or 0.0) * (number + 1) / rounds
    return Budget(seconds=max(until - time.perf_counter(), 1e-6))


def _extended(common: MergeableSearch, budget: Budget, rng: Rng) -> tuple[MergeableSearch, Rng]:
    """A worker's round: its search, and its generator, of which another process has a copy."""
    return common.extended(budget, rng), rng
