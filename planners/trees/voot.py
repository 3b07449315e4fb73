"""VOOT: UCT with progressive widening by Voronoi optimistic optimization (Kim et al. 2020)."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import (
    discrete_actions,
    missing,
    missing_action_bounds,
    require_at_least,
    require_choice,
    require_positive,
    require_share,
    two_players,
)
from bonspiel.planners.core.jit import Problem, helper, rollout, sample_action
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.search import plan_with_tree
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.descent import follow_outcome
from bonspiel.planners.core.tree.nodes import ENDED, MEAN, SEARCH_TREE, SearchTree, add_edge, copy, has_room
from bonspiel.planners.core.tree.selection import best_edge
from bonspiel.planners.core.tree.widening import due
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk
from bonspiel.planners.model import HasRollout
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import EXPLORATION, LEAF, STATES, WIDENING, Choice, Parameters, Range

UNIFORM_TRIES = 100  # the authors' code makes 1,000 and notes that 100 do as well
TRIES = 16  # the last Gaussian with a standard deviation of 3e-7 of the range


class VOOTSettings(NamedTuple):
    """The parameters of `VOOT` as its kernel takes them, and the bounds of the actions, [action_dim]."""

    exploration: float
    omega: float
    k_action: float
    alpha_action: float
    k_state: float
    alpha_state: float
    uniform: bool
    low: Array
    high: Array
    use_rollout: bool


@helper
def distance(a: Array, b: Array, low: Array, high: Array) -> float:
    """Squared distance of two actions, each coordinate as a part of its range."""
    total = 0.0
    for i in range(len(a)):
        if high[i] > low[i]:
            total += ((a[i] - b[i]) / (high[i] - low[i])) ** 2
    return total


@helper
def near_best(tree: SearchTree, node: int, edge: int, proposal: Array, rng: Rng, settings: VOOTSettings) -> None:
    """Write an action from the Voronoi cell of the node's best action into its last edge, which is new.

    Ties of the best are broken at random. Proposals end when one is nearer to it than to all others: uniform ones if
    the settings say so, then Gaussians around it, the first as wide as the range and each narrower than the one before,
    cut at the bounds. If none is, the one nearest to it stays.
    """
    low, high, first = settings.low, settings.high, tree.nodes[node]["first_edge"]
    highest, equals = -math.inf, 0
    for other in range(first, edge):
        mean = tree.value[other, MEAN]
        equals = 1 if mean > highest else equals + (mean == highest)
        highest = max(highest, mean)
    best, skip = first, int(rng.random() * equals)
    while skip > 0 or tree.value[best, MEAN] < highest:
        skip -= tree.value[best, MEAN] == highest
        best += 1
    nearest = math.inf
    for attempt in range(-UNIFORM_TRIES if settings.uniform else 0, TRIES):
        for i in range(len(proposal)):
            if attempt < 0:
                proposal[i] = low[i] + (high[i] - low[i]) * rng.random()
            else:
                moved = tree.action[best, i] + (high[i] - low[i]) * math.exp(-attempt) * rng.standard_normal()
                proposal[i] = min(max(moved, low[i]), high[i])
        gap = distance(proposal, tree.action[best], low, high)
        inside = True
        for other in range(first, edge):
            if distance(proposal, tree.action[other], low, high) < gap:
                inside = False
                break
        if inside or gap < nearest:
            nearest = gap
            copy(proposal, tree.action[edge])
        if inside:
            break


@search_kernel(
    SEARCH_TREE, TREE_WALK, VOOTSettings(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, False, np.empty(1), np.empty(1), False)
)
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: VOOTSettings
) -> int:
    next_state, scratch = walk.state[0], walk.state[1]
    for simulation in range(simulations):
        if not has_room(tree, problem.steps):
            return simulation
        node, depth, leaf_value = 0, 0, 0.0
        while True:
            if tree.nodes[node]["visits"] >= tree.nodes[node]["due"]:
                edge = add_edge(tree, node)
                if tree.nodes[node]["actions"] <= 2 or rng.random() < settings.omega:
                    sample_action(problem, tree.state[node], tree.action[edge], rng)
                else:
                    near_best(tree, node, edge, walk.actions[0], rng, settings)
                tree.nodes[node]["due"] = due(tree.nodes[node]["actions"], settings.k_action, settings.alpha_action)
            else:
                edge = best_edge(tree, node, settings.exploration)
            node = follow_outcome(
                tree, walk, problem, depth, node, edge, rng, settings.k_state, settings.alpha_state, False
            )
            depth += 1
            if depth == problem.steps or tree.nodes[node]["actions"] == ENDED:
                break
            if settings.use_rollout and tree.nodes[node]["visits"] == 0:
                copy(tree.state[node], next_state)
                leaf_value = rollout(problem, next_state, scratch, problem.steps - depth, rng)
                break
        tree.nodes[node]["visits"] += 1
        back_up(tree, walk, depth, leaf_value, problem.discount)
    return simulations


@dataclass(frozen=True)
class VOOT:
    """UCT whose nodes widen by Voronoi optimistic optimization (VOO).

    A new action is drawn anywhere with probability omega, by the model's `sample_action`, else from the Voronoi cell of
    the best action so far: the actions that are nearer to it than to any other tried in the node. Distances are
    Euclidean, with each coordinate as a part of its range (Kim, Lee, Lim, Kaelbling, Lozano-Perez 2020, "Monte Carlo
    tree search in continuous spaces using Voronoi optimistic optimization with regret bounds").

    The cell is sampled as in the authors' code (github.com/beomjoonkim/voot, generators/voo.py): by rejecting uniform
    draws, or by Gaussians around the best action, the first with the range as its standard deviation, that get narrower
    by 1/e with each proposal. Where 100 uniform draws miss a small cell, Gaussians follow, here at most 16 of them.
    The paper's transitions are deterministic; where they are not, outcomes widen as in DPW. It is for one player, as in
    the paper: in games of two, new actions would gather around those to which the opponent has not found the answer.

    Args:
        exploration: C of UCB1, at least 0.
        omega: probability of a new action from anywhere, from 0 to 1.
        sampling: of the cell, "uniform" or "gaussian".
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
    """

    exploration: float = 1.0
    omega: float = 0.5
    sampling: Literal["uniform", "gaussian"] = "uniform"
    alpha_action: float = 0.3
    k_action: float = 3.0
    alpha_state: float = 0.25
    k_state: float = 1.0
    leaf: Literal["tree", "rollout"] = "tree"

    tuning: ClassVar[Parameters] = {
        **EXPLORATION,
        **WIDENING,
        **STATES,
        **LEAF,
        "omega": Range(0.1, 0.9),
        "sampling": Choice(("uniform", "gaussian")),
    }

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_share("omega", self.omega)
        require_choice("sampling", self.sampling, ("uniform", "gaussian"))
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        require_choice("leaf", self.leaf, ("tree", "rollout"))

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        reason = missing(model, HasRollout) if self.leaf == "rollout" else None
        return reason or two_players(model) or discrete_actions(model) or missing_action_bounds(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        low, high = (np.ascontiguousarray(bound, np.float64) for bound in (model.action_low, model.action_high))
        widening = self.k_action, self.alpha_action, self.k_state, self.alpha_state
        cell, use_rollout = (self.sampling == "uniform", low, high), self.leaf == "rollout"
        settings = VOOTSettings(self.exploration, self.omega, *widening, *cell, use_rollout)
        return plan_with_tree(_search, settings, model, state, budget, rng, root_actions, by_state=False)
