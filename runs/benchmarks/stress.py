"""`bonspiel bench --stress`: many long searches by several threads in one tree, checked for lost visits."""

import itertools
import sys
from typing import Any

import numpy as np

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.wrappers.threads.invariants import faults
from bonspiel.runs.progress import followed

INNER = ("uct", "pw", "dpw", "dpw:leaf=rollout")
SEARCHES, SIMULATIONS, THREADS = 100, 1_000_000, 4


def main() -> int:
    """Search Trap again and again, and print the faults of the trees; returns 1 if there are any."""
    model, wrong = envs.parse("trap"), 0
    turns = list(zip(range(SEARCHES), itertools.cycle(INNER), strict=False))
    for number, inner in followed(turns, "searches"):
        for fault in one_search(model, inner, number):
            wrong += 1
            print(f"search {number}, threads:inner=({inner}),threads={THREADS}: {fault}", file=sys.stderr)
    lost = f"{wrong} faults" if wrong else "no visit lost, no fault in a tree"
    print(f"{SEARCHES} searches of {SIMULATIONS:,} simulations on {THREADS} threads: {lost}")
    return 1 if wrong else 0


def one_search(model: Any, inner: str, seed: int) -> list[str]:
    """The faults of the tree of a search."""
    planner = planners.parse(f"threads:inner=({inner}),threads={THREADS}")
    with kept_trees() as trees:
        planner.plan(model, model.initial_state(None), Budget(SIMULATIONS), np.random.default_rng(seed))
    by_state = not inner.startswith("dpw")
    return faults(trees[0], SIMULATIONS, by_state, ends_within=not by_state)
