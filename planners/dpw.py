"""Double progressive widening: actions and outcomes are added as visits grow (Couetoux et al. 2011)."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from planners import Array, Budget, Decision, Model, Rng
from planners.base import HasRollout, check_plan, missing
from planners.checks import require_at_least, require_choice, require_positive
from planners.core.backup import back_up
from planners.core.descent import follow_outcome
from planners.core.jit import Problem, rollout, sample_action
from planners.core.problem import search_kernel
from planners.core.search import plan_with_tree
from planners.core.selection import best_edge
from planners.core.tree import ENDED, SEARCH_TREE, SearchTree, add_edge, copy, has_room
from planners.core.walk import TREE_WALK, TreeWalk
from planners.core.widening import due


class DPWSettings(NamedTuple):
    """The parameters of `DPW` as its kernel takes them."""

    exploration: float
    k_action: float
    alpha_action: float
    k_state: float
    alpha_state: float
    least_visited: bool
    use_rollout: bool


@search_kernel(SEARCH_TREE, TREE_WALK, DPWSettings(1.0, 1.0, 1.0, 1.0, 1.0, False, False))
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: DPWSettings
) -> int:
    next_state, scratch = walk.state[0], walk.state[1]
    for simulation in range(simulations):
        if not has_room(tree, problem.steps):
            return simulation
        node, depth, leaf_value = 0, 0, 0.0
        while True:
            if tree.nodes[node]["visits"] >= tree.nodes[node]["due"]:
                edge = add_edge(tree, node)
                sample_action(problem, tree.state[node], tree.action[edge], rng)
                tree.nodes[node]["due"] = due(tree.nodes[node]["actions"], settings.k_action, settings.alpha_action)
            else:
                edge = best_edge(tree, node, settings.exploration)
            child = follow_outcome(
                tree,
                walk,
                problem,
                depth,
                node,
                edge,
                rng,
                settings.k_state,
                settings.alpha_state,
                settings.least_visited,
            )
            depth += 1
            node = child
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
class DPW:
    """UCT with double progressive widening.

    Args:
        exploration: C of UCB1, at least 0.
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
        outcome: which old outcome to revisit, "proportional" to its count or the "least_visited".
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
    """

    exploration: float = 1.0
    alpha_action: float = 0.3
    k_action: float = 1.0
    alpha_state: float = 0.25
    k_state: float = 1.0
    outcome: Literal["proportional", "least_visited"] = "proportional"
    leaf: Literal["tree", "rollout"] = "tree"

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        require_choice("outcome", self.outcome, ("proportional", "least_visited"))
        require_choice("leaf", self.leaf, ("tree", "rollout"))

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasRollout) if self.leaf == "rollout" else None

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        fewest, playout = self.outcome == "least_visited", self.leaf == "rollout"
        settings = DPWSettings(
            self.exploration, self.k_action, self.alpha_action, self.k_state, self.alpha_state, fewest, playout
        )
        return plan_with_tree(_search, settings, model, state, budget, rng, root_actions, by_state=False)
