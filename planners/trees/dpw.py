"""Double progressive widening: actions and outcomes are added as visits grow (Couetoux et al. 2011)."""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import missing, require_choice, require_positive
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.search import plan_with_tree
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.blind_values import blind_values_of, check_blind_values
from bonspiel.planners.core.tree.descent import Outcomes, follow_outcome
from bonspiel.planners.core.tree.leaf import check_leaf, playouts_of
from bonspiel.planners.core.tree.new_actions import NewActions, choose_widening, new_actions_of
from bonspiel.planners.core.tree.nodes import ENDED, SEARCH_TREE, SearchTree, has_room
from bonspiel.planners.core.tree.selection import Bonus, Selection, check_selection, columns_of, selection_of
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk
from bonspiel.planners.model import HasRollout
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import BLIND_VALUES, BONUS, EXPLORATION, LEAF, STATES, WIDENING, Choice, Parameters


class DPWSettings(NamedTuple):
    """The parameters of `DPW` as its kernel takes them."""

    selection: Selection
    new_actions: NewActions
    outcomes: Outcomes
    playouts: int


EXAMPLE_DPW = DPWSettings(selection_of(1.0), new_actions_of(1.0, 1.0), Outcomes(1.0, 1.0, False), 1)


@search_kernel(SEARCH_TREE, TREE_WALK, EXAMPLE_DPW)
def search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: DPWSettings
) -> int:
    """Simulate from the root."""
    done = 0
    while done < simulations and has_room(tree, problem.steps):
        node, depth, leaf_value, weight = 0, 0, 0.0, 1
        while node != ENDED:
            edge = choose_widening(tree, walk, problem, node, rng, settings.selection, settings.new_actions)
            node, leaf_value, weight = follow_outcome(
                tree, walk, problem, depth, node, edge, rng, settings.outcomes, settings.playouts
            )
            depth += 1
        back_up(tree, walk, depth, leaf_value, problem.discount, weight)
        walk.left[0] -= weight
        done += weight
    return done


@dataclass(frozen=True)
class DPW:
    """UCT with double progressive widening.

    Args:
        exploration: C, at least 0: the range of returns that the bonus of a few visits is for.
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
        outcome: which old outcome to revisit, "proportional" to its count or the "least_visited".
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
        first_play: value of an action not yet tried, which it must be worth to be tried (first-play urgency, Gelly and
            Wang 2006); none: every action is tried as soon as it is due.
        scale_exploration: whether C is multiplied by the range of the returns met so far in the search.
        blind_values: number of candidates of which a new action is the best by blind value (Couetoux, Doghmen, Teytaud
            2012), above 1; 0 takes the first one drawn.
        playouts: rollouts that value a new leaf. Their mean counts as this number of visits, each as a simulation of
            the budget; a bonus that looks at the variance takes them for equal.
    """

    exploration: float = 1.0
    alpha_action: float = 0.3
    k_action: float = 1.0
    alpha_state: float = 0.25
    k_state: float = 1.0
    outcome: Literal["proportional", "least_visited"] = "proportional"
    leaf: Literal["tree", "rollout"] = "tree"
    bonus: Bonus = "ucb1"
    first_play: float | None = None
    scale_exploration: bool = False
    blind_values: int = 0
    playouts: int = 1

    tuning: ClassVar[Parameters] = {
        **EXPLORATION,
        **BONUS,
        **WIDENING,
        **BLIND_VALUES,
        **STATES,
        "outcome": Choice(("proportional", "least_visited")),
        **LEAF,
    }

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        check_selection(self.exploration, self.bonus, self.first_play, self.scale_exploration)
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        require_choice("outcome", self.outcome, ("proportional", "least_visited"))
        check_leaf(self.leaf, self.playouts)
        check_blind_values(self.blind_values)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasRollout) if self.leaf == "rollout" else None

    def settings(self, model: Model) -> DPWSettings:
        """The parameters as a kernel takes them."""
        return DPWSettings(
            selection_of(self.exploration, self.bonus, self.first_play, self.scale_exploration),
            new_actions_of(self.k_action, self.alpha_action, blind_values_of(model, self.blind_values)),
            Outcomes(self.k_state, self.alpha_state, self.outcome == "least_visited"),
            playouts_of(self.leaf, self.playouts),
        )

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        settings = self.settings(model)
        return plan_with_tree(
            search,
            settings,
            model,
            state,
            budget,
            rng,
            root_actions,
            columns=columns_of(self.bonus),
            by_state=False,
            first_play=settings.selection.first_play,
            candidates=self.blind_values,
        )
