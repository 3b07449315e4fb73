"""Workers that share their statistics from round to round.

In each round every worker extends a copy of the common statistics; afterwards the additions of all are added up.
"""

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
    in_turn: bool = False,
) -> Decision:
    """Plan in rounds, with a budget and a seed for each worker.

    Args:
        common: the search to extend.
        budgets: of the workers.
        seeds: of the workers.
        rounds: number of rounds; those for which no time is left are left out.
        run: see `run_all`.
        start: clock when the plan began.
        in_turn: whether the workers share a budget of seconds.
    """
    least = min((budget.simulations for budget in budgets if budget.simulations is not None), default=rounds)
    require(rounds <= least, "rounds", rounds, f"at most the simulations of a worker, {least}")
    rngs, timed = [np.random.default_rng(seed) for seed in seeds], budgets[0].seconds is not None
    for number in range(rounds):
        if timed and in_turn:
            ends: list[tuple[MergeableSearch, Rng]] = []
            for worker, rng in enumerate(rngs, 1):
                share = (number + worker / len(rngs)) / rounds
                if number == 0 == len(ends) or not budgets[0].is_out(share, start):
                    ends.append(_extended(common, budgets[0].rest(share, 0, start), rng))
        elif number > 0 and budgets[0].is_out((number + 1) / rounds, start):
            continue
        else:
            parts = [_part(budget, number, rounds, start) for budget in budgets]
            tasks = [(common, part, rng) for part, rng in zip(parts, rngs, strict=True)]
            ends = run_all(run, _extended, tasks, together=timed)
            rngs = [rng for _, rng in ends]
        if ends:
            common = common.merged([search for search, _ in ends])
    return common.decide(start)


def _part(budget: Budget, number: int, rounds: int, start: float) -> Budget:
    """A worker's budget in the round of this number, from 0."""
    if budget.simulations is None:
        return budget.rest((number + 1) / rounds, 0, start)
    first, last = (budget.simulations * index // rounds for index in (number, number + 1))
    return Budget(simulations=last - first)


def _extended(common: MergeableSearch, budget: Budget, rng: Rng) -> tuple[MergeableSearch, Rng]:
    """A worker's round: its search, and its generator, of which another process has a copy."""
    return common.extended(budget, rng), rng
