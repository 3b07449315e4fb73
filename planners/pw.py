"""Progressive widening of actions: a node may try more of them as its visits grow (Couetoux et al. 2011, section 2)."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from planners import Array, Budget, Decision, Model, Rng
from planners.base import HasRollout, check_plan, missing
from planners.checks import require_at_least, require_choice, require_positive
from planners.core.backup import back_up
from planners.core.descent import follow
from planners.core.jit import Problem, sample_action
from planners.core.problem import search_kernel
from planners.core.search import plan_with_tree
from planners.core.selection import best_edge
from planners.core.tree import ENDED, SEARCH_TREE, SearchTree, add_edge, has_room
from planners.core.walk import TREE_WALK, TreeWalk
from planners.core.widening import due


class PWSettings(NamedTuple):
    """The parameters of `PW` as its kernel takes them."""

    exploration: float
    k_action: float
    alpha_action: float
    use_rollout: bool


@search_kernel(SEARCH_TREE, TREE_WALK, PWSettings(1.0, 1.0, 1.0, False))
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: PWSettings
) -> int:
    for simulation in range(simulations):
        if not has_room(tree, problem.steps):
            return simulation
        node, depth, leaf_value = 0, 0, 0.0
        while node != ENDED:
            if tree.nodes[node]["visits"] >= tree.nodes[node]["due"]:
                edge = add_edge(tree, node)
                sample_action(problem, tree.state[node], tree.action[edge], rng)
                tree.nodes[node]["due"] = due(tree.nodes[node]["actions"], settings.k_action, settings.alpha_action)
            else:
                edge = best_edge(tree, node, settings.exploration)
            node, leaf_value = follow(tree, walk, problem, depth, node, edge, rng, settings.use_rollout)
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount)
    return simulations


@dataclass(frozen=True)
class PW:
    """UCT with progressive widening of actions; a sampled next state is a new node, unless it equals one met before.

    Args:
        exploration: C of UCB1, at least 0.
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
    """

    exploration: float = 1.0
    alpha_action: float = 0.3
    k_action: float = 1.0
    leaf: Literal["tree", "rollout"] = "tree"

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_choice("leaf", self.leaf, ("tree", "rollout"))

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasRollout) if self.leaf == "rollout" else None

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        settings = PWSettings(self.exploration, self.k_action, self.alpha_action, self.leaf == "rollout")
        return plan_with_tree(_search, settings, model, state, budget, rng, root_actions)
