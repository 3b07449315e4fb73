"""The abstraction tree: UCB1 on statistics gathered over cells of similar states (a 2017 thesis, algorithms 5, 7)."""

import math
import time
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from planners.action_search import ActionSearch, proposed_actions
from planners.actions import action_set
from planners.backup import average
from planners.base import (
    Array,
    Budget,
    Decision,
    Model,
    Rng,
    check_actions,
    check_state,
    require,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
    steps_left,
)
from planners.jit import (
    MATRIX,
    RNG,
    TABLE,
    VECTOR,
    boolean,
    cells,
    float64,
    functions_of,
    helper,
    int64,
    kernel,
    part,
    player,
    runner,
    step,
)
from planners.search import decide, extend
from planners.selection import sqrt_2_log, ucb1
from planners.tree import copy
from planners.trie import CELL_BLOCK, NOWHERE, TRIE, Trie, find, grow, has_room, new_trie
from planners.zobrist import LEVELS, box_bounds, box_cells


@part
def _walk(
    trie: Trie, functions: Any, cell_params: Array, state: Array, mover: float, depth: int, weights: Array,
    thresholds: Array,
) -> float:  # fmt: skip
    """Sum the weighted statistics of the cells that hold the state, coarse to fine (algorithm 5, steps 2 to 4).

    A cell without a child where the state goes on gets one once it has been visited often enough, and the walk enters
    it at once.

    Returns:
        The weighted number of visits.
    """
    sums = trie.sums
    actions = len(sums) // 2
    visits = 0.0
    cells(functions, state, 0, min(CELL_BLOCK, len(weights)), cell_params, trie.cells)
    node = find(trie, trie.cells[0], 0, mover, True)
    level = 0
    while True:
        weight = weights[level]
        stats = trie.stats[node]
        for i in range(2 * actions):
            sums[i] += weight * stats[i]
        visits += weight * stats[2 * actions]
        trie.walk[depth, level] = node
        level += 1
        if level == len(weights):
            break
        if level % CELL_BLOCK == 0:
            cells(functions, state, level, min(level + CELL_BLOCK, len(weights)), cell_params, trie.cells)
        deep = stats[2 * actions] >= thresholds[level - 1]
        node = find(trie, trie.cells[level % CELL_BLOCK], level, mover, deep)
        if node == NOWHERE:
            break
    trie.walked[depth] = level
    return visits


@helper
def _choose(sums: Array, visits: float, exploration: float, exponent: float) -> int:
    """UCB1 on the sums with their visits scaled to f(z) = z^q in all (algorithm 5, step 5; equations 3.4 to 3.7).

    With n~ and S = sum n~ it maximises r~/n~ + C sqrt(2 ln max(S^q, 1) / (n~ S^(q-1))); one division an action is left.
    """
    actions = len(sums) // 2
    log_visits = math.log(visits)
    log_scaled = max(exponent * log_visits, 0.0)
    width = exploration * math.sqrt(2.0 * log_scaled * math.exp((1.0 - exponent) * log_visits))
    best, best_mean, best_score = 0, -math.inf, -math.inf
    for action in range(actions):
        inverse = 1.0 / sums[action]
        mean = sums[actions + action] * inverse
        score = mean + width * math.sqrt(inverse)
        if score > best_score or (score == best_score and mean > best_mean):
            best, best_mean, best_score = action, mean, score
    return best


@helper
def _back_up(trie: Trie, depth: int, discount: float) -> None:
    """Add the discounted return to every node of every walk, and to the root's bandit."""
    actions = len(trie.sums) // 2
    total = 0.0
    for i in range(depth - 1, -1, -1):
        total = trie.reward[i, 0] + discount * total
        gain = trie.reward[i, 1] * total
        action = trie.chosen[i]
        for level in range(trie.walked[i]):
            node = trie.walk[i, level]
            trie.stats[node, action] += 1.0
            trie.stats[node, actions + action] += gain
            trie.stats[node, 2 * actions] += 1.0
    trie.root_visits[trie.chosen[0]] += 1
    average(trie.root_value, trie.chosen[0], gain, trie.root_visits[trie.chosen[0]])


@kernel(
    int64(
        TRIE, TABLE, VECTOR, VECTOR, VECTOR, float64, int64, int64, int64, RNG,
        MATRIX, MATRIX, float64, VECTOR, VECTOR, float64, float64, float64, boolean,
    )
)  # fmt: skip
def _search(
    trie: Trie, functions: Any, params: Array, cell_params: Array, root: Array, discount: float, steps: int,
    before: int, simulations: int, rng: Rng,
    actions: Array, root_actions: Array, exploration: float, weights: Array, thresholds: Array, exponent: float,
    prior_visits: float, prior_value: float, root_in_trie: bool,
) -> int:  # fmt: skip
    n_actions = len(actions)
    for simulation in range(simulations):
        if not has_room(trie, steps):
            return simulation
        copy(root, trie.state[0])
        depth, terminated = 0, False
        while depth < steps and not terminated:
            state, next_state = trie.state[depth % 2], trie.state[1 - depth % 2]
            mover = player(functions, state, params)
            if depth == 0 and not root_in_trie:
                width = exploration * sqrt_2_log(before + simulation)
                trie.chosen[0] = ucb1(trie.root_value, 0, len(root_actions), width)
                trie.walked[0] = 0
                action = root_actions[trie.chosen[0]]
            else:
                trie.sums[:n_actions] = prior_visits
                trie.sums[n_actions:] = prior_visits * prior_value
                visits = n_actions * prior_visits + _walk(
                    trie, functions, cell_params, state, mover, depth, weights, thresholds
                )
                trie.chosen[depth] = _choose(trie.sums, visits, exploration, exponent)
                action = actions[trie.chosen[depth]]
            trie.reward[depth, 1] = mover
            trie.reward[depth, 0], terminated = step(functions, state, action, next_state, params, rng)
            depth += 1
        _back_up(trie, depth, discount)
    return simulations


NEEDED = frozenset({"step", "cells"})
FIRST_NODES = 4_096


class Cells(NamedTuple):
    """When cells are split and how much they weigh; see `AbstractionTree`."""

    threshold: float
    threshold_base: float
    weight_power: float
    scale_power: float
    max_depth: int

    def arrays(self) -> tuple[Array, Array]:
        """The weight and the threshold of every depth, [max_depth + 1] each."""
        depths = np.arange(self.max_depth + 1.0)
        return (depths + 1.0) ** self.weight_power, self.threshold * self.threshold_base**depths


FIXED = Cells(8.0, 1.5, 2.0, 2.0 / 3.0, 24)  # the thesis's parameters for Trap
SETS = Cells(1.0, 1.3, 4.0, 0.4, 15)  # and for curling


@dataclass(frozen=True)
class AbstractionTree:
    """UCB1 on statistics shared by similar states: the cells that hold a state, coarse to fine, each with a weight.

    A model with `actions` has its own set of actions in each state (algorithm 8), and the thesis's parameters for
    curling are the defaults there; otherwise one fixed set serves all states, and the defaults are those for Trap.

    Args:
        exploration: C of UCB1, at least 0.
        n_actions: size of the fixed set: a regular grid in one dimension, low-discrepancy points in more.
        threshold: visits t0 that a cell of depth 0 needs before it is split, t0 b^d at depth d; None is 8, or 1 with
            `actions`.
        threshold_base: b, at least 1; None is 1.5, or 1.3.
        weight_power: p of a cell's weight (d + 1)^p at depth d; None is 2, or 4.
        scale_power: q of f(z) = z^q, the number of visits that the weighted ones count for, in (0, 1]; None is 2/3, or
            0.4.
        prior_visits: visits that every action of the fixed set has from the start, above 0.
        prior_value: mean return of those visits.
        new_visits: visits of the cell's mean return that each of `actions` has from the start in every cell, above 0.
        policy_visits: visits that each of `actions` adds under the logarithm, at least 0.
        max_depth: depth of the finest cells, at most 32; None is 24, or 15.
        root: how the decision's own state chooses, by its own "bandit" (algorithm 7) or, with a fixed set, through the
            "trie", or, with `actions`, by sequential "halving".
        tree_steps: with `actions`, so many steps are chosen in the trie and then the model's rollout goes on; None is
            all of them.
    """

    exploration: float = 1.0
    n_actions: int = 8
    threshold: float | None = None
    threshold_base: float | None = None
    weight_power: float | None = None
    scale_power: float | None = None
    prior_visits: float = 1e-3
    prior_value: float = 0.0
    new_visits: float = 1.0
    policy_visits: float = 0.0
    max_depth: int | None = None
    root: Literal["bandit", "trie", "halving"] = "bandit"
    tree_steps: int | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_count("n_actions", self.n_actions)
        cells = self.cells(False)
        require_positive("threshold", cells.threshold)
        require_at_least("threshold_base", cells.threshold_base, 1.0)
        require_at_least("weight_power", cells.weight_power, 0.0)
        require_positive("scale_power", cells.scale_power, 1.0)
        require_positive("prior_visits", self.prior_visits)
        require_at_least("prior_value", self.prior_value, -1e300)
        require_positive("new_visits", self.new_visits)
        require_at_least("policy_visits", self.policy_visits, 0.0)
        require_count("max_depth", cells.max_depth, 0)
        require(cells.max_depth <= LEVELS, "max_depth", self.max_depth, f"at most {LEVELS}")
        require_choice("root", self.root, ("bandit", "trie", "halving"))
        if self.tree_steps is not None:
            require_count("tree_steps", self.tree_steps, 0)

    def cells(self, own_sets: bool) -> Cells:
        """The parameters of the trie, with the defaults for a model with or without its own sets of actions."""
        default = SETS if own_sets else FIXED
        given = {name: getattr(self, name) for name in Cells._fields}
        return default._replace(**{name: value for name, value in given.items() if value is not None})

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`.

        Raises:
            TypeError: the model has neither `cells` nor finite `state_low` and `state_high`.
            ValueError: as any planner; also a `root` that this kind of model cannot have.
        """
        start = time.perf_counter()
        state = check_state(model, state)
        own_sets = hasattr(model, "actions")
        require(self.root in (("bandit", "halving") if own_sets else ("bandit", "trie")), "root", self.root,
                f"{'bandit or halving' if own_sets else 'bandit or trie'} for {type(model).__name__}")
        require(root_actions is None or self.root != "trie", "root_actions", root_actions, "None with root='trie'")
        if own_sets:
            at_root = proposed_actions(model, state) if root_actions is None else check_actions(model, root_actions)
            return self.begin(model, state, budget, rng).decide(at_root, budget, start, self.root == "halving")
        cell_params = model.params if hasattr(model, "cells") else box_bounds(model)
        functions = functions_of(model, NEEDED, box_cells)
        actions = action_set(model, self.n_actions)
        at_root = actions if root_actions is None else check_actions(model, root_actions)
        steps, cells = steps_left(model, state), self.cells(False)
        settings = (
            actions, at_root, self.exploration, *cells.arrays(), cells.scale_power, self.prior_visits,
            self.prior_value, self.root == "trie",
        )  # fmt: skip
        search, params, discount = runner(_search, model), model.params, float(model.discount)
        trie = new_trie(
            model.state_dim, steps, len(actions), len(at_root), cells.max_depth,
            min(budget.simulations or FIRST_NODES, FIRST_NODES),
        )  # fmt: skip

        def run(trie: Trie, before: int, n: int) -> int:
            return int(search(trie, functions, params, cell_params, state, discount, steps, before, n, rng, *settings))

        trie, simulations = extend(run, trie, grow, budget)
        return decide(at_root.copy(), trie.root_visits, trie.root_value, simulations, start)

    def begin(self, model: Model, state: Array, budget: Budget, rng: Rng) -> ActionSearch:
        """An empty search for a model with `actions`, to be gone on with piece by piece; see `ActionSearch`."""
        cells = self.cells(True)
        settings = (self.exploration, *cells.arrays(), cells.scale_power, self.new_visits, self.policy_visits)
        return ActionSearch(model, state, rng, cells.max_depth, self.tree_steps, settings, budget.simulations)
