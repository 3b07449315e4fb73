"""Double progressive widening: actions and outcomes are added as visits grow (Couetoux et al. 2011)."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from bonspiel.planners import Model, Rng
from bonspiel.planners.checks import require_choice, require_positive
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.blind_values import NO_BLIND_VALUES, BlindValues, blind_values_of, check_blind_values
from bonspiel.planners.core.tree.descent import Outcomes, follow_outcome
from bonspiel.planners.core.tree.leaf import playouts_of
from bonspiel.planners.core.tree.new_actions import choose_new_action
from bonspiel.planners.core.tree.nodes import SEARCH_TREE, SearchTree
from bonspiel.planners.core.tree.selection import BONUS, Selection, selection_of
from bonspiel.planners.core.tree.simulation import simulate
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk
from bonspiel.planners.kinds import distinct_count
from bonspiel.planners.spaces import BLIND_VALUES, EXPLORATION, LEAF, LOOKAHEAD, STATES, WIDENING, Choice, Parameters
from bonspiel.planners.trees.tree_search import TreeSearch


class DPWSettings(NamedTuple):
    """The parameters of `DPW` as its kernel takes them."""

    selection: Selection
    k_action: float
    alpha_action: float
    blind_values: BlindValues
    outcomes: Outcomes
    playouts: int
    distinct: int


EXAMPLE_DPW = DPWSettings(selection_of(1.0), 1.0, 1.0, NO_BLIND_VALUES, Outcomes(1.0, 1.0, False), 1, 0)


@search_kernel(SEARCH_TREE, TREE_WALK, EXAMPLE_DPW)
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: DPWSettings
) -> int:
    return simulate(tree, walk, problem, simulations, rng, settings, choose_new_action, follow_outcome)


@dataclass(frozen=True)
class DPW(TreeSearch):
    """UCT with double progressive widening.

    The other parameters are those of `TreeSearch`.

    Args:
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
        outcome: which old outcome to revisit, "proportional" to its count or the "least_visited".
        blind_values: number of candidates of which a new action is the best by blind value (Couetoux, Doghmen, Teytaud
            2012), above 1; 0 takes the first one drawn.
    """

    alpha_action: float = 0.3
    k_action: float = 3.0
    alpha_state: float = 0.25
    k_state: float = 1.0
    outcome: Literal["proportional", "least_visited"] = "proportional"
    blind_values: int = 0

    kernel: ClassVar[Any] = _search
    by_state: ClassVar[bool] = False
    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        **EXPLORATION,
        **BONUS,
        **WIDENING,
        **BLIND_VALUES,
        **STATES,
        "outcome": Choice(("proportional", "least_visited")),
        **LEAF,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        require_choice("outcome", self.outcome, ("proportional", "least_visited"))
        check_blind_values(self.blind_values)

    @property
    def candidates(self) -> int:
        """As many as blind values choose among."""
        return self.blind_values

    def settings(self, model: Model) -> DPWSettings:
        """The parameters as a kernel takes them."""
        return DPWSettings(
            self.selection,
            self.k_action,
            self.alpha_action,
            blind_values_of(model, self.blind_values),
            Outcomes(self.k_state, self.alpha_state, self.outcome == "least_visited"),
            playouts_of(self.leaf, self.playouts, model),
            distinct_count(model),
        )
