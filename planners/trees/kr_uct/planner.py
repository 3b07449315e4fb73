"""KR-UCT: kernel regression over actions with execution noise (Yee, Lisy, Bowling, IJCAI 2016)."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import (
    discrete_actions,
    missing,
    missing_action_bounds,
    offers,
    require,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
)
from bonspiel.planners.core.actions import action_sd
from bonspiel.planners.core.argmax import argmax_by
from bonspiel.planners.core.jit import Problem, actions, meet_again, model_helper, player, step, step_exact
from bonspiel.planners.core.problem import PlanLength, search_kernel
from bonspiel.planners.core.search import Choose, plan_with_tree
from bonspiel.planners.core.tree.descent import Outcomes, follow_outcome
from bonspiel.planners.core.tree.leaf import LEAVES, check_leaf, playouts_of, value_leaf
from bonspiel.planners.core.tree.new_actions import add_sampled_action
from bonspiel.planners.core.tree.nodes import (
    BLOCK,
    ENDED,
    INV_SQRT,
    MEAN,
    NEVER,
    SEARCH_TREE,
    SearchTree,
    add_edge,
    add_node,
    has_room,
)
from bonspiel.planners.core.tree.simulation import descend
from bonspiel.planners.core.tree.widening import is_due, schedule_action
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, record
from bonspiel.planners.model import HasActions, HasActionSd, HasRollout, HasStepExact
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import EXPLORATION, LOOKAHEAD, STATES, WIDENING, Parameters, Range
from bonspiel.planners.trees.kr_uct.regression import (
    CUTOFF,
    OWN,
    PROPOSALS,
    WEIGHT,
    KRUCTSettings,
    back_up,
    best_edge,
    edges_of,
    init_edge,
    regress,
    widen,
)


@model_helper
def _add_candidates(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int) -> None:
    """The model's own choice of actions for this state."""
    count = actions(problem, tree.state[node], walk.actions, walk.keys)
    for i in range(count):
        edge = add_edge(tree, node)
        copy(walk.actions[i], tree.action[edge])
        init_edge(tree, edge)


@model_helper
def _choose(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, settings: KRUCTSettings) -> int:
    """The edge to follow: one of the first actions, a new action near the best one where that is due, or the best."""
    k_action, alpha_action, n_initial = settings.k_action, settings.alpha_action, settings.n_initial
    count = tree.nodes[node]["actions"]
    if count == 0 and len(walk.keys) > 0:
        _add_candidates(tree, walk, problem, node)
        schedule_action(tree, node, k_action, alpha_action)
    if count < n_initial and is_due(tree, node):
        edge = add_sampled_action(tree, problem, node, tree.state[node], rng, k_action, alpha_action)
        regress(tree, node, edge, settings.sd)
        if count + 1 < n_initial:
            tree.nodes[node]["due"] = count + 1
        return edge
    edge = best_edge(tree, node, settings.exploration, rng)
    # an exact end seen again would teach nothing, so the search tries another action: a neighbouring one, or a random
    # one where that end was invalid
    end = tree.nodes[tree.edges[edge]["first_outcome"]]
    ended = settings.exact and end["actions"] == ENDED and tree.nodes[node]["due"] != NEVER
    widens = is_due(tree, node)
    if ended and math.isnan(end["reward"]):
        edge = add_sampled_action(tree, problem, node, tree.state[node], rng, k_action, alpha_action)
        regress(tree, node, edge, settings.sd)
    elif widens or ended:
        edge = widen(tree, node, edge, PROPOSALS if widens else 1, walk.actions[0], rng, settings)
        schedule_action(tree, node, k_action, alpha_action)
    return edge


@model_helper
def _follow(
    tree: SearchTree,
    walk: TreeWalk,
    problem: Problem,
    depth: int,
    node: int,
    edge: int,
    rng: Rng,
    settings: KRUCTSettings,
) -> tuple[int, float, int]:
    """Take the edge's exact outcome or a sampled one, which widens as in DPW, and record it.

    Returns:
        The child, or ENDED at the end of the episode or of the horizon, and after the rollout that values a new child.
        The value of that rollout, else 0.
        1, the visits that it counts for.
    """
    next_state = walk.state[0]
    if not settings.exact:
        if depth + 1 == problem.steps:  # nothing follows that an outcome would be kept for
            reward, _ = step(problem, tree.state[node], tree.action[edge], next_state, rng)
            record(walk, depth, node, edge, reward)
            return ENDED, 0.0, 1
        return follow_outcome(tree, walk, problem, depth=depth, node=node, edge=edge, rng=rng, settings=settings)
    child = tree.edges[edge]["first_outcome"]
    is_new = child == 0
    if is_new:
        reward, terminated = step_exact(problem, tree.state[node], tree.action[edge], next_state, rng)
        child = add_node(tree, next_state, reward, 1.0 if terminated else player(problem, next_state))
        tree.edges[edge]["first_outcome"] = child
        if terminated or depth + 1 == problem.steps:
            tree.nodes[child]["actions"] = ENDED
    else:
        meet_again(problem, tree.nodes[child]["reward"])
    record(walk, depth, node, edge, tree.nodes[child]["reward"])
    if tree.nodes[child]["actions"] == ENDED:
        return ENDED, 0.0, 1
    if is_new and settings.playouts > 0:
        value, weight = value_leaf(tree.state[child], walk, problem, depth + 1, rng, settings.playouts)
        return ENDED, value, weight
    return child, 0.0, 1


@search_kernel(
    SEARCH_TREE,
    TREE_WALK,
    KRUCTSettings(1.0, 1.0, 1.0, 1.0, 1, Outcomes(1.0, 1.0, False), np.zeros(1), np.zeros(1), np.zeros(1), False, 1),
)
def search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: KRUCTSettings
) -> int:
    """Simulate from the root, whose actions are edges of the tree as those of any node."""
    while tree.size[BLOCK] < len(walk.keys):
        tree.size[BLOCK] *= 2
    if tree.nodes[0]["visits"] == 0:
        for edge in edges_of(tree, 0):
            init_edge(tree, edge)
    for simulation in range(simulations):
        if not has_room(tree, problem.steps):
            return simulation
        depth, leaf_value, _ = descend(tree, walk, problem, rng, settings, _choose, _follow)
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity, settings.sd)
    return simulations


def _noise_of(model: Model, bandwidth: float) -> Array:
    """Standard deviations of the kernel, [action_dim]; a fraction of the range where the model gives no noise."""
    sd = action_sd(model) if offers(model, HasActionSd) else np.zeros(len(model.action_low))
    return sd if sd.any() else np.ascontiguousarray(bandwidth * (model.action_high - model.action_low), np.float64)


def _by_lower_bound(exploration: float) -> Choose:
    """The final choice among the actions tried: greatest E[v|a] - C sqrt(2 ln sum_b W(b) / W(a)), equals drawn."""

    def choose(visits: NDArray[np.int64], value: Array, rng: Rng) -> int:
        width = exploration * math.sqrt(2.0 * math.log(max(value[:, WEIGHT].sum(), 1.0)))
        lowest = value[:, MEAN] - width * value[:, INV_SQRT]
        return argmax_by(rng, np.where(visits > 0, lowest, -np.inf))

    return choose


@dataclass(frozen=True)
class KRUCT(PlanLength):
    """UCT whose actions share their values and visits by a kernel, the density of the execution noise.

    E[v|a] = sum_b K(a, b) n_b v_b / sum_b K(a, b) n_b and W(a) = sum_b K(a, b) n_b take the places of means and visits.
    A node begins with the model's `actions`, or with draws of `sample_action`; it widens by the least explored action
    near the best one. The kernel is Gaussian with the model's `action_sd`: the noise of the execution per coordinate,
    where 0 asks for equality.

    As in the paper an action leads to what it does without noise (`step_exact`), because the kernel already averages
    over executions, and an end of the episode that was seen before is not seen again: a new action near it is tried,
    or a random one where that end was invalid. Where every simulation so adds an action, time grows with the square of
    the simulations.

    For a model that hides its executions, having no `step_exact`, outcomes are sampled: they widen as in DPW (Couetoux
    et al. 2011), of which the paper says nothing, and a step that the horizon follows is sampled anew at every visit.

    Args:
        exploration: C of UCB1, at least 0; also of the lower confidence bound that chooses in the end.
        tau: smallest K(best, new action) of widening, between exp(-12.5) and 1.
        alpha_action: exponent of action widening, in (0, 1]; 1/2 in the paper.
        k_action: factor of action widening, above 0.
        n_initial: first actions of a node, drawn where the model has no `actions` of its own.
        alpha_state: exponent of state widening, in (0, 1], where outcomes are sampled.
        k_state: factor of state widening, above 0, where outcomes are sampled.
        bandwidth: width of the kernel, as a fraction of the range of actions, where the model has no `action_sd`.
        outcome: "exact" or "sampled", as above; "auto" is "exact" for a model that offers `step_exact`.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout"; "auto" if it has one.
    """

    exploration: float = 1.0
    tau: float = 0.05
    alpha_action: float = 0.5
    k_action: float = 1.0
    n_initial: int = 8
    alpha_state: float = 0.25
    k_state: float = 1.0
    bandwidth: float = 0.05
    outcome: Literal["auto", "exact", "sampled"] = "auto"
    leaf: Literal["auto", "tree", "rollout"] = "auto"

    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        **EXPLORATION,
        **WIDENING,
        **STATES,
        "alpha_action": Range(0.2, 0.7),
        "bandwidth": Range(0.01, 0.3, log=True),
        "tau": Range(0.01, 0.5, log=True),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("exploration", self.exploration, 0.0)
        require_positive("tau", self.tau)
        require(math.exp(-CUTOFF) < self.tau < 1.0, "tau", self.tau, f"between {math.exp(-CUTOFF):.2g} and 1")
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_count("n_initial", self.n_initial)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        require_positive("bandwidth", self.bandwidth, 1.0)
        require_choice("outcome", self.outcome, ("auto", "exact", "sampled"))
        check_leaf(self.leaf, choices=LEAVES)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        parts = [HasStepExact] * (self.outcome == "exact") + [HasRollout] * (self.leaf == "rollout")
        known = offers(model, HasActionSd) and np.any(model.action_sd)
        return discrete_actions(model) or missing(model, *parts) or (None if known else missing_action_bounds(model))

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        exact = self.outcome == "exact" or (self.outcome == "auto" and offers(model, HasStepExact))
        n_initial = 0 if offers(model, HasActions) else self.n_initial
        low, high = (np.ascontiguousarray(bound, np.float64) for bound in (model.action_low, model.action_high))
        sd, choose = _noise_of(model, self.bandwidth), _by_lower_bound(self.exploration)
        actions = self.exploration, self.k_action, self.alpha_action, self.tau, n_initial
        outcomes = Outcomes(self.k_state, self.alpha_state, False)
        settings = KRUCTSettings(*actions, outcomes, sd, low, high, exact, playouts_of(self.leaf, model=model))
        return plan_with_tree(
            search,
            settings,
            model,
            state,
            budget,
            rng,
            root_actions,
            by_state=False,
            columns=OWN + 1,
            lookahead=self.lookahead,
            choose=choose,
        )
