"""The driver of every search: extends a tree until the budget is spent, and reads the decision off its root."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from planners.base import Array, Budget, Decision, Model, Rng, check_state, steps_left
from planners.core.jit import functions_of, runner
from planners.core.selection import final_choice
from planners.core.tree import MEAN, SearchTree, grow, new_tree

Tree = TypeVar("Tree")

FIRST_CHUNK = 1_024  # simulations
INTERRUPT_SECONDS = 0.1  # between two chances for Ctrl-C to be heard
CHUNK_SECONDS = 0.0005  # between two looks at the clock, under a time budget
CLOSING_SECONDS = 0.00005  # of a time budget, for reading the decision off the tree and giving its memory back
LARGEST_GROWTH = 4_096.0
FIRST_NODES = 4_096
MOST_NODES_AT_FIRST = 1 << 24  # 2 GB of address space; memory is used as nodes are, and growing would copy it


def most_visited(visits: NDArray[np.int64], value: Array) -> int:
    """Index of the action with the most visits, then the higher mean."""
    return final_choice(visits, np.where(visits > 0, value[:, MEAN], np.nan))


def extend(
    search: Callable[[Tree, int, int], int],
    tree: Tree,
    more_room: Callable[[Tree, float], Tree],
    budget: Budget,
    start: float | None = None,
) -> tuple[Tree, int]:
    """Run simulations until the budget is spent.

    Args:
        search: (tree, done, n) runs up to n simulations in place, after `done` others, and returns how many it did
            before the tree was full.
        tree: the tree to extend.
        more_room: (tree, factor) gives the same tree with room for `factor` times what it holds.
        budget: simulations or seconds.
        start: clock at the beginning of the seconds, what the tree was made in included; now if None.

    Returns:
        The tree and the number of simulations run.
    """
    start = time.perf_counter() if start is None else start
    by_count = budget.simulations is not None
    seconds = max((budget.seconds or 0.0) - CLOSING_SECONDS, 1e-9)
    done, chunk = 0, FIRST_CHUNK if by_count else 1
    while True:
        if budget.simulations is not None:
            chunk = min(chunk, budget.simulations - done)
        did = search(tree, done, chunk)
        done += did
        elapsed = time.perf_counter() - start
        spent = done / budget.simulations if budget.simulations is not None else elapsed / seconds
        if done > 0 and spent >= 1.0:
            return tree, done
        if did == 0:
            # Doubling a large tree would overrun a time budget: make room at once for what the search so far foretells.
            tree = more_room(tree, min(max(1.25 / max(spent, 1e-9), 2.0), LARGEST_GROWTH))
        if done > 0:
            left = INTERRUPT_SECONDS if by_count else min(CHUNK_SECONDS, seconds - elapsed)
            chunk = max(1, int(done / elapsed * left))


def plan_with_tree(
    kernel: Any,
    settings: Sequence[Any],
    needed: frozenset[str],
    by_state: bool,
    model: Model,
    state: Array,
    budget: Budget,
    rng: Rng,
    root_actions: Array | None,
    columns: int = 2,
    choose: Callable[[NDArray[np.int64], Array], int] = most_visited,
) -> Decision:
    """Plan with a kernel over a SearchTree.

    Args:
        kernel: (tree, functions, params, discount, steps, simulations, rng, *settings) -> simulations done.
        settings: what else the kernel takes.
        needed: the model functions that it calls.
        by_state: whether outcomes are found by their states.
        model: see `planners.Planner.plan`, as for the rest.
        state: [state_dim].
        budget: simulations or seconds.
        rng: the source of every random draw.
        root_actions: [A, action_dim] or None.
        columns: see `new_tree`.
        choose: see `decide`.
    """
    start = time.perf_counter()
    state = check_state(model, state)
    functions = functions_of(model, needed)
    search, params, discount = runner(kernel, model), model.params, float(model.discount)
    steps = steps_left(model, state)
    nodes = min(budget.simulations or FIRST_NODES, MOST_NODES_AT_FIRST)
    tree = new_tree(model, state, steps, nodes, root_actions, by_state, columns)

    def run(tree: SearchTree, _: int, simulations: int) -> int:
        return int(search(tree, functions, params, discount, steps, simulations, rng, *settings))

    tree, simulations = extend(run, tree, grow, budget, start)
    first = tree.nodes[0]["first_edge"]
    root = slice(first, first + tree.nodes[0]["actions"])
    visits = tree.edges["visits"][root].copy()
    return decide(tree.action[root].copy(), visits, tree.value[root], simulations, start, choose)


def decide(
    actions: Array,
    visits: NDArray[np.int64],
    value: Array,
    simulations: int,
    start: float,
    choose: Callable[[NDArray[np.int64], Array], int] = most_visited,
) -> Decision:
    """The decision by the statistics of the root.

    Args:
        actions: [A, action_dim].
        visits: [A].
        value: rows that begin with the mean return, [A, 2 or more].
        simulations: how many were run.
        start: clock at the beginning of the search.
        choose: (visits, value) gives the index of the action to play, one that has visits.
    """
    values = np.where(visits > 0, value[:, MEAN], np.nan)
    best = choose(visits, value)
    if math.isnan(values[best]):
        raise ValueError("the model gave rewards that are not numbers; envs.check_model tells where")
    seconds = time.perf_counter() - start
    return Decision(actions[best], float(values[best]), simulations, seconds, actions, visits, values)
