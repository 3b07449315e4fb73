"""UCT on finite sets of actions: UCB1 in every node of a tree (Kocsis and Szepesvari 2006)."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from planners import Array, Budget, Decision, Model, Rng
from planners.base import MOST_ACTIONS, HasActions, HasRollout, check_plan, missing, missing_action_bounds, offers
from planners.checks import require_at_least, require_choice, require_count
from planners.core.actions import action_set
from planners.core.backup import back_up
from planners.core.descent import follow
from planners.core.jit import Problem, actions, helper
from planners.core.problem import search_kernel
from planners.core.search import plan_with_tree
from planners.core.selection import best_edge
from planners.core.tree import ENDED, NEVER, SEARCH_TREE, SearchTree, add_edge, copy, has_room
from planners.core.walk import TREE_WALK, TreeWalk


@helper
def _try_action(tree: SearchTree, node: int, actions: Array, rng: Rng) -> int:
    """A new edge with an action of the set that has none yet, each with equal probability."""
    tried = tree.nodes[node]["actions"]
    skip = int(rng.random() * (len(actions) - tried))
    first = tree.nodes[node]["first_edge"]
    for candidate in range(len(actions)):
        untried = True
        for edge in range(first, first + tried):
            same = True
            for i in range(actions.shape[1]):
                same = same and tree.action[edge, i] == actions[candidate, i]
            untried = untried and not same
        if untried and skip == 0:
            break
        skip -= untried
    new = add_edge(tree, node)
    copy(actions[candidate], tree.action[new])
    if tried + 1 == len(actions):
        tree.nodes[node]["due"] = NEVER
    return new


class UCTSettings(NamedTuple):
    """The parameters of `UCT` as its kernel takes them; `actions`, [A, action_dim], for a model without its own."""

    exploration: float
    actions: Array
    use_rollout: bool


@search_kernel(SEARCH_TREE, TREE_WALK, UCTSettings(1.0, np.empty((1, 1)), False))
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: UCTSettings
) -> int:
    for simulation in range(simulations):
        if not has_room(tree, problem.steps):
            return simulation
        node, depth, leaf_value = 0, 0, 0.0
        while node != ENDED:
            if tree.nodes[node]["visits"] >= tree.nodes[node]["due"]:
                candidates = settings.actions
                if len(walk.keys) > 0:
                    count = actions(problem, tree.state[node], walk.actions, walk.keys)
                    candidates = walk.actions[:count]
                edge = _try_action(tree, node, candidates, rng)
            else:
                edge = best_edge(tree, node, settings.exploration)
            node, leaf_value = follow(tree, walk, problem, depth, node, edge, rng, settings.use_rollout)
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount)
    return simulations


@dataclass(frozen=True)
class UCT:
    """UCT. A sampled next state is a new node, unless it equals one met before exactly.

    Args:
        exploration: C of UCB1, at least 0.
        n_actions: size of the action set: a regular grid in one dimension, low-discrepancy points in more; a model with
            `actions` has a set of its own for each state instead.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
    """

    exploration: float = 1.0
    n_actions: int = 8
    leaf: Literal["tree", "rollout"] = "tree"

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_count("n_actions", self.n_actions, 1, MOST_ACTIONS)
        require_choice("leaf", self.leaf, ("tree", "rollout"))

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
        reason = missing(model, HasRollout) if self.leaf == "rollout" else None
        return reason or (None if offers(model, HasActions) else missing_action_bounds(model))

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        n_actions = 0 if offers(model, HasActions) else self.n_actions
        settings = UCTSettings(self.exploration, action_set(model, n_actions), self.leaf == "rollout")
        return plan_with_tree(_search, settings, model, state, budget, rng, root_actions)
