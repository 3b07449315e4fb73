"""UCT on finite sets of actions: UCB1 in every node of a tree (Kocsis and Szepesvari 2006)."""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import MOST_ACTIONS, missing, missing_action_bounds, offers, require_count
from bonspiel.planners.core.actions import action_set
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.search import plan_with_tree
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.descent import choose_of_set, follow
from bonspiel.planners.core.tree.leaf import check_leaf, playouts_of
from bonspiel.planners.core.tree.nodes import ENDED, SEARCH_TREE, SearchTree, has_room
from bonspiel.planners.core.tree.selection import Bonus, Selection, check_selection, columns_of, selection_of
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk
from bonspiel.planners.model import HasActions, HasRollout
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import BONUS, EXPLORATION, LEAF, N_ACTIONS, Parameters


class UCTSettings(NamedTuple):
    """The parameters of `UCT` as its kernel takes them; `actions`, [A, action_dim], for a model without its own."""

    selection: Selection
    actions: Array
    playouts: int


EXAMPLE_UCT = UCTSettings(selection_of(1.0), np.empty((1, 1)), 1)


@search_kernel(SEARCH_TREE, TREE_WALK, EXAMPLE_UCT)
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: UCTSettings
) -> int:
    done = 0
    while done < simulations and has_room(tree, problem.steps):
        node, depth, leaf_value, weight = 0, 0, 0.0, 1
        while node != ENDED:
            edge = choose_of_set(tree, walk, problem, node, rng, settings.selection, settings.actions)
            node, leaf_value, weight = follow(tree, walk, problem, depth, node, edge, rng, settings.playouts)
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount, weight)
        walk.left[0] -= weight
        done += weight
    return done


@dataclass(frozen=True)
class UCT:
    """UCT. A sampled next state is a new node, unless it equals one met before exactly.

    Args:
        exploration: C, at least 0: the range of returns that the bonus of a few visits is for.
        n_actions: size of the action set: a regular grid in one dimension, low-discrepancy points in more; a model with
            `actions` has a set of its own for each state instead.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
        first_play: value of an action not yet tried, which it must be worth to be tried (first-play urgency, Gelly and
            Wang 2006); none: every action is tried as soon as it is due.
        scale_exploration: whether C is multiplied by the range of the returns met so far in the search.
        playouts: rollouts that value a new leaf. Their mean counts as this number of visits, each as a simulation of
            the budget; a bonus that looks at the variance takes them for equal.
    """

    exploration: float = 1.0
    n_actions: int = 8
    leaf: Literal["tree", "rollout"] = "tree"
    bonus: Bonus = "ucb1"
    first_play: float | None = None
    scale_exploration: bool = False
    playouts: int = 1

    tuning: ClassVar[Parameters] = {**EXPLORATION, **BONUS, **N_ACTIONS, **LEAF}

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        check_selection(self.exploration, self.bonus, self.first_play, self.scale_exploration)
        require_count("n_actions", self.n_actions, 1, MOST_ACTIONS)
        check_leaf(self.leaf, self.playouts)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        reason = missing(model, HasRollout) if self.leaf == "rollout" else None
        return reason or (None if offers(model, HasActions) else missing_action_bounds(model))

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return True

    def settings(self, model: Model) -> UCTSettings:
        """The parameters as a kernel takes them."""
        n_actions = 0 if offers(model, HasActions) else self.n_actions
        selection = selection_of(self.exploration, self.bonus, self.first_play, self.scale_exploration)
        return UCTSettings(selection, action_set(model, n_actions), playouts_of(self.leaf, self.playouts))

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        settings = self.settings(model)
        return plan_with_tree(
            _search,
            settings,
            model,
            state,
            budget,
            rng,
            root_actions,
            columns=columns_of(self.bonus),
            first_play=settings.selection.first_play,
        )
