"""HOOT (Mansley, Weinstein, Littman 2011) and POLY-HOOT (Mao, Zhang, Xie, Basar 2020)."""

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.cells.hoot.forest import (
    FOREST,
    NODES,
    Forest,
    ForestWalk,
    HOOTSettings,
    grow,
    has_room,
    new_forest,
    new_forest_walk,
    plant,
)
from bonspiel.planners.cells.hoot.hoo import middle, read_root, select, update
from bonspiel.planners.checks import (
    check_actions,
    discrete_actions,
    missing_action_bounds,
    require,
    require_at_least,
    require_count,
    require_positive,
)
from bonspiel.planners.core.bounds import unusable_bounds
from bonspiel.planners.core.hash_table import find_or_add
from bonspiel.planners.core.jit import Problem, cells, gain_of, model_helper, player, step
from bonspiel.planners.core.problem import PlanLength, search_kernel
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.core.tree.bandit import choose_arm, update_arm
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.zobrist import LEVELS, combine
from bonspiel.planners.planner import Traits, check_plan
from bonspiel.planners.spaces import EXPLORATION, LOOKAHEAD, Choice, Parameters, Range


@model_helper
def _node_of(forest: Forest, walk: ForestWalk, problem: Problem, depth: int, cell_depth: int) -> int:
    """The node of the current abstract state and player, a new one if there is none; the root's at depth 0."""
    if depth == 0:
        return 0
    state = walk.state[depth % 2]
    cells(problem, state, cell_depth, cell_depth + 1, walk.hash)
    key = np.uint64(combine(walk.hash[0], np.uint64(player(problem, state) < 0.0)))
    node, new = find_or_add(forest.slots, forest.keys, forest.size[NODES:], key, True)
    if new:
        plant(forest, node)
    return node


_EXAMPLE = HOOTSettings(1.0, 1.0, 1.0, np.empty(1), 1, np.empty(1), np.empty(1), np.zeros(1, np.int64))


@search_kernel(FOREST, new_forest_walk(1, 1, 1, 1), _EXAMPLE)
def search(
    forest: Forest, walk: ForestWalk, problem: Problem, simulations: int, rng: Rng, settings: HOOTSettings
) -> int:
    """Simulate from the root; actions that are given for it are a bandit instead of a tree."""
    given = len(forest.bandit.actions) > 0
    for simulation in range(simulations):
        if not has_room(forest, problem.steps):
            return simulation
        copy(problem.state, walk.state[0])
        depth, arm, terminated = 0, 0, False
        while depth < problem.steps and not terminated:
            state, next_state = walk.state[depth % 2], walk.state[1 - depth % 2]
            if depth == 0 and given:
                arm = choose_arm(forest.bandit, settings.exploration, rng)
                copy(forest.bandit.actions[arm], walk.action)
            else:
                node = _node_of(forest, walk, problem, depth, settings.cell_depth)
                cell = select(forest, walk, depth, node, len(settings.diameter), rng)
                middle(forest, cell, settings.low, settings.high, settings.axes, walk.action)
            walk.reward[depth, 1] = player(problem, state)
            walk.reward[depth, 0], terminated = step(problem, state, walk.action, next_state, rng)
            depth += 1
        total = 0.0
        for i in range(depth - 1, -1, -1):
            total = walk.reward[i, 0] + problem.discount * total
            gain = gain_of(problem.validity, i, walk.reward[i, 1], total)
            if i == 0 and given:
                update_arm(forest.bandit, arm, gain)
            else:
                update(forest, walk, i, gain, settings)
    return simulations


FIRST_NODES = 4_096
MOST_HALVINGS = 40  # of a coordinate: far above the precision that a search can reach


@dataclass(frozen=True)
class HOOT(PlanLength):
    """UCT with hierarchical optimistic optimization (HOO) of the action in every node.

    HOO halves the box of actions again and again where the returns are good. A cell of depth h with n of its tree's N
    visits has the bound U = mean + C sqrt(2 ln N / n) + nu rho^h, and each step plays the middle of the cell that the
    larger min(U, children's bounds) leads to (Mansley, Weinstein, Littman 2011, "Sample-based planning for continuous
    action Markov decision processes"; Bubeck, Munos, Stoltz, Szepesvari 2011, "X-armed bandits").

    As in the paper, states are discretised and their nodes shared: by the model's `cells`, or those of its bounds. The
    decision's own state has a node of its own. N counts as the next power of two, so that a visit changes the bounds of
    one path only, and cells are not halved for ever; both are variants of Bubeck et al. (section 4).

    Args:
        exploration: C, at least 0.
        nu: nu1, the spread of mean returns within the box, above 0, in units of the return.
        rho: factor of that spread from a cell to its half, in (0, 1); None is 4^(-1 / action_dim), for returns that are
            smooth at their maximum.
        halvings: of each coordinate of the action, until cells are as small as they get.
        cell_depth: depth of the abstract states, at most 32; each coordinate of a box of states has 2^depth parts.
    """

    exploration: float = 1.0
    nu: float = 1.0
    rho: float | None = None
    halvings: int = 8
    cell_depth: int = 4

    traits: ClassVar[Traits] = Traits(rolls_out=False)
    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        **EXPLORATION,
        "nu": Range(0.1, 4.0, log=True, of_returns=True),
        "rho": Range(0.2, 0.9),
        "cell_depth": Choice((2, 3, 4, 5)),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        _check(self)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return discrete_actions(model) or missing_action_bounds(model) or unusable_bounds(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        return _plan(self, 0.0, 0.5, model, state, budget, rng, root_actions)


@dataclass(frozen=True)
class PolyHOOT(PlanLength):
    """HOOT with a polynomial bonus, C N^growth / n^decay, and cells of limited depth.

    The bonus lets averages of returns that are not stationary, since the search below still learns, concentrate (Mao,
    Zhang, Xie, Basar 2020, "POLY-HOOT: Monte-Carlo planning in continuous space MDPs with non-asymptotic analysis").
    Its alpha / xi is `growth` here and its 1 - eta is `decay`; all depths of the search have the same ones. Everything
    else is as in `HOOT`.

    Args:
        exploration: C, at least 0; 1 in the paper.
        growth: exponent of the visits of the tree, above 0 and below `decay`.
        decay: exponent of the visits of the cell, at most 1/2.
        nu: nu1, the spread of mean returns within the box, above 0, in units of the return.
        rho: factor of that spread from a cell to its half, in (0, 1); None is 4^(-1 / action_dim).
        halvings: of each coordinate of the action, until cells are as small as they get.
        cell_depth: depth of the abstract states, at most 32; each coordinate of a box of states has 2^depth parts.
    """

    exploration: float = 1.0
    growth: float = 0.25
    decay: float = 0.5
    nu: float = 1.0
    rho: float | None = None
    halvings: int = 8
    cell_depth: int = 4

    traits: ClassVar[Traits] = Traits(rolls_out=False)
    tuning: ClassVar[Parameters] = {**HOOT.tuning, "growth": Range(0.1, 0.45)}

    def __post_init__(self) -> None:
        super().__post_init__()
        _check(self)
        require_positive("decay", self.decay, 0.5)
        require_positive("growth", self.growth, 0.5)
        require(self.growth < self.decay, "growth", self.growth, f"below decay={self.decay:g}")

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return discrete_actions(model) or missing_action_bounds(model) or unusable_bounds(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        return _plan(self, self.growth, self.decay, model, state, budget, rng, root_actions)


def _check(planner: HOOT | PolyHOOT) -> None:
    require_at_least("exploration", planner.exploration, 0.0)
    require_positive("nu", planner.nu)
    if planner.rho is not None:
        require_positive("rho", planner.rho, 1.0)
    require_count("halvings", planner.halvings, 1, MOST_HALVINGS)
    require_count("cell_depth", planner.cell_depth, 0, LEVELS)


def _plan(
    planner: HOOT | PolyHOOT,
    growth: float,
    decay: float,
    model: Model,
    state: Array,
    budget: Budget,
    rng: Rng,
    root_actions: Array | None,
) -> Decision:
    """The search of both; a `growth` of 0 is the logarithmic bonus."""
    start = time.perf_counter()
    state = check_plan(planner, model, state, budget, rng)
    problem = planner.problem(model, state, cells=True, budget=budget)
    low, high = (np.ascontiguousarray(bound, np.float64) for bound in (model.action_low, model.action_high))
    dim, axes = len(low), np.flatnonzero(high > low)
    rho = 4.0 ** (-1.0 / max(len(axes), 1)) if planner.rho is None else planner.rho
    diameter = np.array([planner.nu * rho**depth for depth in range(planner.halvings * len(axes) + 1)])
    settings = HOOTSettings(planner.exploration, growth, decay, diameter, planner.cell_depth, low, high, axes)
    given = np.empty((0, dim)) if root_actions is None else check_actions(model, root_actions)
    forest = new_forest(problem.steps, given, min(budget.simulations or FIRST_NODES, FIRST_NODES))
    walk = new_forest_walk(model.state_dim, dim, problem.steps, len(diameter))
    forest, done = extend(
        search, forest, walk, problem, model=model, settings=settings, budget=budget, rng=rng, grow=grow, start=start
    )
    if root_actions is not None:
        return decide(given, forest.bandit.visits, forest.bandit.value, done, start, rng, problem=problem)
    actions, visits, value = np.empty((done, dim)), np.empty(done, np.int64), np.empty((done, 1))
    count, chosen = read_root(forest, low, high, axes, actions, visits, value, rng)
    rows = actions[:count].copy(), visits[:count].copy(), value[:count]
    return decide(*rows, done, start, rng, lambda *_: chosen, problem=problem)
