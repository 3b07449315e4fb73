"""UCT on finite sets of actions: UCB1 in every node of a tree (Kocsis and Szepesvari 2006)."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bonspiel.planners import Array, Model, Rng
from bonspiel.planners.checks import MOST_ACTIONS, missing_action_bounds, offers, require_count
from bonspiel.planners.core.actions import action_set, fixed_set, has_fixed_set
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.descent import choose_of_set, follow
from bonspiel.planners.core.tree.leaf import playouts_of
from bonspiel.planners.core.tree.nodes import SEARCH_TREE, SearchTree
from bonspiel.planners.core.tree.selection import BONUS, Selection, selection_of
from bonspiel.planners.core.tree.simulation import simulate
from bonspiel.planners.core.tree.subtree import TreeMemory
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk
from bonspiel.planners.kinds import kind_codes
from bonspiel.planners.model import HasActions
from bonspiel.planners.spaces import EXPLORATION, LEAF, LOOKAHEAD, N_ACTIONS, Parameters
from bonspiel.planners.trees.tree_search import TreeSearch


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
    return simulate(tree, walk, problem, simulations, rng, settings, choose_of_set, follow)


@dataclass(frozen=True)
class UCT(TreeSearch):
    """UCT. A sampled next state is a new node, unless it equals one met before exactly.

    The other parameters are those of `TreeSearch`.

    Args:
        n_actions: size of the action set: a regular grid in one dimension, points that fill the box in more; one with
            `actions` has a set of its own for each state instead. Actions that are not all real have a set of another
            size where all choices of whole numbers are few.
    """

    n_actions: int = 8

    kernel: ClassVar[Any] = _search
    tuning: ClassVar[Parameters] = {**LOOKAHEAD, **EXPLORATION, **BONUS, **N_ACTIONS, **LEAF}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("n_actions", self.n_actions, 1, MOST_ACTIONS)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return super().unsupported(model) or (None if offers(model, HasActions) else missing_action_bounds(model))

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return offers(model, HasActions) or has_fixed_set(model, self.n_actions)

    def settings(self, model: Model) -> UCTSettings:
        """The parameters as a kernel takes them."""
        n_actions = 0 if offers(model, HasActions) else self.n_actions
        return UCTSettings(self.selection, action_set(model, n_actions), playouts_of(self.leaf, self.playouts, model))

    def settings_in(self, model: Model, state: Array, memory: TreeMemory | None, rng: Rng) -> UCTSettings:
        """With actions that are drawn for the decision, or once an episode with a memory, as kept nodes go by them."""
        if len(kind_codes(model)) == 0 or offers(model, HasActions):
            return self.settings(model)
        below = None if memory is None else memory.known
        if below is None:
            below = fixed_set(model, state, self.n_actions, rng)
        if memory is not None:
            memory.known = below
        return UCTSettings(self.selection, below, playouts_of(self.leaf, self.playouts, model))
