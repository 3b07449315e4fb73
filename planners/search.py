"""The driver of every search: extends a tree until the budget is spent, and reads the decision off its root."""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from planners.base import Array, Budget, Decision, Model, Rng, check_state, steps_left
from planners.jit import functions_of, runner
from planners.selection import final_choice
from planners.tree import MEAN, SearchTree, grow, new_tree

Tree = TypeVar("Tree")

LARGEST_CHUNK = 65_536  # simulations between two looks at the clock and at Ctrl-C
CHUNK_SECONDS = 0.0005
FIRST_NODES = 4_096
MOST_NODES_AT_FIRST = 1 << 24  # 2 GB of address space; memory is used as nodes are, and growing would copy it


def extend(
    search: Callable[[Tree, int, int], int], tree: Tree, more_room: Callable[[Tree, float], Tree], budget: Budget
) -> tuple[Tree, int]:
    """Run simulations until the budget is spent.

    Args:
        search: (tree, done, n) runs up to n simulations in place, after `done` others, and returns how many it did
            before the tree was full.
        tree: the tree to extend.
        more_room: (tree, factor) gives the same tree with `factor` times the room.
        budget: simulations or seconds.

    Returns:
        The tree and the number of simulations run.
    """
    start = time.perf_counter()
    done, chunk = 0, 1 if budget.simulations is None else LARGEST_CHUNK
    while True:
        if budget.simulations is not None:
            chunk = min(chunk, budget.simulations - done)
        did = search(tree, done, chunk)
        done += did
        elapsed = time.perf_counter() - start
        if budget.simulations is not None:
            if done >= budget.simulations:
                return tree, done
            if did < chunk:
                tree = more_room(tree, 2.0)
            continue
        left = (budget.seconds or 0.0) - elapsed
        if done > 0:
            if left <= 0.0:
                return tree, done
            chunk = max(1, min(LARGEST_CHUNK, int(done / elapsed * min(CHUNK_SECONDS, left))))
        if did == 0:
            # Doubling a large tree would overrun the budget: make room at once for what the speed so far foretells.
            tree = more_room(tree, min(max(1.25 * (elapsed + left) / elapsed, 2.0), 64.0))


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
    """
    start = time.perf_counter()
    state = check_state(model, state)
    functions = functions_of(model, needed)
    search, params, discount = runner(kernel, model), model.params, float(model.discount)
    steps = steps_left(model, state)
    nodes = min(budget.simulations or FIRST_NODES, MOST_NODES_AT_FIRST)
    tree = new_tree(model, state, steps, nodes, root_actions, by_state)

    def run(tree: SearchTree, _: int, simulations: int) -> int:
        return int(search(tree, functions, params, discount, steps, simulations, rng, *settings))

    tree, simulations = extend(run, tree, grow, budget)
    first = tree.nodes[0]["first_edge"]
    root = slice(first, first + tree.nodes[0]["actions"])
    return decide(tree.action[root].copy(), tree.edges["visits"][root].copy(), tree.value[root], simulations, start)


def decide(actions: Array, visits: NDArray[np.int64], value: Array, simulations: int, start: float) -> Decision:
    """The decision by the statistics of the root.

    Args:
        actions: [A, action_dim].
        visits: [A].
        value: rows that begin with the mean return, [A, 2].
        simulations: how many were run.
        start: clock at the beginning of the search.
    """
    values = np.where(visits > 0, value[:, MEAN], np.nan)
    best = final_choice(visits, values)
    seconds = time.perf_counter() - start
    return Decision(actions[best], float(values[best]), simulations, seconds, actions, visits, values)
