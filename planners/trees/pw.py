"""Progressive widening of actions: a node may try more of them as its visits grow (Couetoux et al. 2011, section 2)."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from bonspiel.planners import Model, Rng
from bonspiel.planners.checks import require_positive
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.blind_values import NO_BLIND_VALUES, BlindValues, blind_values_of, check_blind_values
from bonspiel.planners.core.tree.descent import follow
from bonspiel.planners.core.tree.leaf import playouts_of
from bonspiel.planners.core.tree.new_actions import choose_new_action
from bonspiel.planners.core.tree.nodes import SEARCH_TREE, SearchTree
from bonspiel.planners.core.tree.selection import BONUS, Selection, selection_of
from bonspiel.planners.core.tree.simulation import simulate
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk
from bonspiel.planners.kinds import distinct_count
from bonspiel.planners.spaces import BLIND_VALUES, EXPLORATION, LEAF, LOOKAHEAD, WIDENING, Parameters
from bonspiel.planners.trees.tree_search import TreeSearch


class PWSettings(NamedTuple):
    """The parameters of `PW` as its kernel takes them."""

    selection: Selection
    k_action: float
    alpha_action: float
    blind_values: BlindValues
    playouts: int
    distinct: int


EXAMPLE_PW = PWSettings(selection_of(1.0), 1.0, 1.0, NO_BLIND_VALUES, 1, 0)


@search_kernel(SEARCH_TREE, TREE_WALK, EXAMPLE_PW)
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: PWSettings
) -> int:
    return simulate(tree, walk, problem, simulations, rng, settings, choose_new_action, follow)


@dataclass(frozen=True)
class PW(TreeSearch):
    """UCT with progressive widening of actions; a sampled next state is a new node, unless it equals one met before.

    The other parameters are those of `TreeSearch`.

    Args:
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        blind_values: number of candidates of which a new action is the best by blind value (Couetoux, Doghmen, Teytaud
            2012), above 1; 0 takes the first one drawn.
    """

    alpha_action: float = 0.3
    k_action: float = 3.0
    blind_values: int = 0

    kernel: ClassVar[Any] = _search
    tuning: ClassVar[Parameters] = {**LOOKAHEAD, **EXPLORATION, **BONUS, **WIDENING, **BLIND_VALUES, **LEAF}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        check_blind_values(self.blind_values)

    @property
    def candidates(self) -> int:
        """As many as blind values choose among."""
        return self.blind_values

    def settings(self, model: Model) -> PWSettings:
        """The parameters as a kernel takes them."""
        return PWSettings(
            self.selection,
            self.k_action,
            self.alpha_action,
            blind_values_of(model, self.blind_values),
            playouts_of(self.leaf, self.playouts, model),
            distinct_count(model),
        )
