"""Continuous rapid action value estimates on double progressive widening (Couetoux et al. 2011).

From Continuous Rapid Action Value Estimates: a simulation through a node s informs an action a of s as far as
actions similar to a were played in it, from s on. The RAVE value of (s, a) is the mean of the returns from s, weighted
by exp(-ln m (|a - a'|^2 / sigma_a^2 + |s - s'|^2 / sigma_s^2)) for every action a' that was played, in s', at s or
later; m simulations went through s. Selection mixes it with the mean of the edge,
beta RAVE + (1 - beta) mean with beta = sqrt(k / (3 n + k)) (Gelly and Silver 2007), and adds a bonus.

Unlike in the paper, m is rounded down to a power of two, so that the sums of a node are renewed rarely and extended in
between; distances of actions are in widths of the box; the opponent's actions do not count in games of two players.
"""

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import missing, require_at_least, require_positive
from bonspiel.planners.core.actions import inverse_widths
from bonspiel.planners.core.bounds import distance_weights
from bonspiel.planners.core.jit import Problem, helper, model_helper, sample_action
from bonspiel.planners.core.problem import PlanLength, search_kernel
from bonspiel.planners.core.search import decide, extend, first_nodes, root_of
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.descent import Outcomes, follow_outcome
from bonspiel.planners.core.tree.leaf import check_leaf, playouts_of
from bonspiel.planners.core.tree.new_actions import add_sampled_action, make_distinct
from bonspiel.planners.core.tree.nodes import EXAMPLE_TREE, INV_SQRT, MEAN, VARIANCE, SearchTree, has_room, new_tree
from bonspiel.planners.core.tree.selection import (
    UCB1,
    Bonus,
    Terms,
    best_by,
    check_bonus,
    selection_of,
    terms_of,
    upper_bound,
)
from bonspiel.planners.core.tree.simulation import descend
from bonspiel.planners.core.tree.variation import variation
from bonspiel.planners.core.tree.widening import is_due
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, new_walk
from bonspiel.planners.kinds import distinct_count
from bonspiel.planners.model import HasRollout
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import EXPLORATION, LEAF, LOOKAHEAD, WIDENING, Parameters, Range
from bonspiel.planners.trees.crave.rave import (
    PLAYED,
    RAVE,
    WEIGHT,
    CRAVESettings,
    CRAVETree,
    grow,
    new_rave_tree,
    remember,
    renew,
    update_rave,
)


@helper
def _score(known: tuple[tuple[SearchTree, float], Terms], edge: int) -> float:
    """The score of beta RAVE + (1 - beta) mean; untried first."""
    (tree, equivalence), terms = known
    visits, mean = tree.edges[edge]["visits"], tree.value[edge, MEAN]
    if visits > 0 and tree.value[edge, WEIGHT] > 0.0:
        beta = math.sqrt(equivalence / (3.0 * visits + equivalence))
        mean += beta * (tree.value[edge, RAVE] / tree.value[edge, WEIGHT] - mean)
    variance = 0.0 if terms.bonus == UCB1 else tree.value[edge, VARIANCE]
    return upper_bound(mean, tree.value[edge, INV_SQRT], variance, terms)


@model_helper
def _draw(
    tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, edge: int, rng: Rng, settings: CRAVESettings
) -> None:
    sample_action(problem, tree.state[node], tree.action[edge], rng)


@model_helper
def _choose(known: CRAVETree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, settings: CRAVESettings) -> int:
    tree = known.tree
    if is_due(tree, node):
        k, alpha = settings.k_action, settings.alpha_action
        edge = add_sampled_action(tree, problem, node, tree.state[node], rng, k, alpha)
        if settings.distinct == 0 or make_distinct(tree, walk, problem, node, edge, rng, settings, _draw):
            renew(known, node, edge, settings)
            return edge
    terms, first, count = (
        terms_of(tree, node, settings.selection),
        tree.nodes[node]["first_edge"],
        tree.nodes[node]["actions"],
    )
    return best_by(_score, (tree, settings.equivalence), terms, first, count, rng)


@model_helper
def _follow(
    known: CRAVETree,
    walk: TreeWalk,
    problem: Problem,
    depth: int,
    node: int,
    edge: int,
    rng: Rng,
    settings: CRAVESettings,
) -> tuple[int, float, int]:
    return follow_outcome(known.tree, walk, problem, depth=depth, node=node, edge=edge, rng=rng, settings=settings)


_NUMBERS = np.zeros(1, np.int64)
_EXAMPLE = CRAVETree(EXAMPLE_TREE, np.empty(1, PLAYED), np.empty((1, 1)), _NUMBERS, _NUMBERS)
_SETTINGS = CRAVESettings(selection_of(1.0), 1.0, 1.0, Outcomes(1.0, 1.0, False), 1.0, np.empty(1), np.empty(1), 1, 0)


@search_kernel(_EXAMPLE, TREE_WALK, _SETTINGS)
def search(
    known: CRAVETree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: CRAVESettings
) -> int:
    """Simulate from the root: DPW, but that an edge is chosen by its RAVE value as well."""
    tree = known.tree
    for simulation in range(simulations):
        if not has_room(tree, problem.steps) or known.used[0] + problem.steps > len(known.steps):
            return simulation
        depth, leaf_value, _ = descend(known, walk, problem, rng, settings, _choose, _follow)
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity)
        remember(known, walk, depth, leaf_value, problem.discount, problem.validity)
        for i in range(depth):
            update_rave(known, walk.path[i]["node"], settings)
    return simulations


@dataclass(frozen=True)
class CRAVE(PlanLength):
    """DPW whose actions also learn from like actions that were played later.

    Args:
        exploration: C, at least 0.
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
        equivalence: k, visits at which the mean of an edge counts as much as its RAVE value, at least 0.
        bandwidth: sigma_a of the kernel between actions, in widths of the box, above 0.
        state_bandwidth: sigma_s of the kernel between states, in the units of the model's `distance_weights`, above 0;
            none: actions inform whatever the states are.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
    """

    exploration: float = 1.0
    alpha_action: float = 0.3
    k_action: float = 1.0
    alpha_state: float = 0.25
    k_state: float = 1.0
    equivalence: float = 5.0
    bandwidth: float = 0.3
    state_bandwidth: float | None = None
    leaf: Literal["tree", "rollout"] = "tree"
    bonus: Bonus = "ucb1"

    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        **EXPLORATION,
        **WIDENING,
        **LEAF,
        "equivalence": Range(1.0, 300.0, log=True),
        "bandwidth": Range(0.03, 1.0, log=True),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bonus(self.exploration, self.bonus)
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        require_at_least("equivalence", self.equivalence, 0.0)
        require_positive("bandwidth", self.bandwidth)
        if self.state_bandwidth is not None:
            require_positive("state_bandwidth", self.state_bandwidth)
        check_leaf(self.leaf)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasRollout) if self.leaf == "rollout" else None

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        problem, nodes = self.problem(model, state), first_nodes(budget)
        known = new_rave_tree(new_tree(model, problem, nodes, root_actions, False, RAVE + 1))
        settings = CRAVESettings(
            selection_of(self.exploration, self.bonus),
            self.k_action,
            self.alpha_action,
            Outcomes(self.k_state, self.alpha_state, False),
            self.equivalence,
            inverse_widths(model) / self.bandwidth,
            self._state_scale(model),
            playouts_of(self.leaf),
            distinct_count(model),
        )
        walk = new_walk(model, problem.steps)
        known, done = extend(
            search, known, walk, problem, model=model, settings=settings, budget=budget, rng=rng, grow=grow, start=start
        )
        return decide(
            *root_of(known.tree),
            done,
            start,
            rng,
            problem=problem,
            plan=partial(variation, model, known.tree, problem.steps),
        )

    def _state_scale(self, model: Model) -> Array:
        if self.state_bandwidth is None:
            return np.zeros(model.state_dim)
        scale: Array = np.sqrt(distance_weights(model)) / self.state_bandwidth
        return scale
