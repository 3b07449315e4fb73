"""VOOT: UCT with progressive widening by Voronoi optimistic optimization (Kim et al. 2020)."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import (
    discrete_actions,
    missing,
    missing_action_bounds,
    require_choice,
    require_positive,
    require_share,
    two_players,
)
from bonspiel.planners.core.search import plan_with_tree
from bonspiel.planners.core.tree.descent import Outcomes
from bonspiel.planners.core.tree.leaf import check_leaf, playouts_of
from bonspiel.planners.core.tree.new_actions import new_actions_of
from bonspiel.planners.core.tree.selection import Bonus, check_selection, columns_of, selection_of
from bonspiel.planners.core.tree.voronoi import voronoi_of
from bonspiel.planners.model import HasRollout
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import EXPLORATION, LEAF, STATES, WIDENING, Choice, Parameters, Range
from bonspiel.planners.trees.dpw import DPWSettings, search


@dataclass(frozen=True)
class VOOT:
    """DPW whose new actions are made by Voronoi optimistic optimization (VOO).

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
        exploration: C, at least 0: the range of returns that the bonus of a few visits is for.
        omega: probability of a new action from anywhere, from 0 to 1.
        sampling: of the cell, "uniform" or "gaussian".
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
        first_play: value of an action not yet tried, which it must be worth to be tried; none: as soon as it is due.
        scale_exploration: whether C is multiplied by the range of the returns met so far in the search.
        playouts: rollouts that value a new leaf, as in DPW.
    """

    exploration: float = 1.0
    omega: float = 0.5
    sampling: Literal["uniform", "gaussian"] = "uniform"
    alpha_action: float = 0.3
    k_action: float = 3.0
    alpha_state: float = 0.25
    k_state: float = 1.0
    leaf: Literal["tree", "rollout"] = "tree"
    bonus: Bonus = "ucb1"
    first_play: float | None = None
    scale_exploration: bool = False
    playouts: int = 1

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
        check_selection(self.exploration, self.bonus, self.first_play, self.scale_exploration)
        require_share("omega", self.omega)
        require_choice("sampling", self.sampling, ("uniform", "gaussian"))
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        check_leaf(self.leaf, self.playouts)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        reason = missing(model, HasRollout) if self.leaf == "rollout" else None
        return reason or two_players(model) or discrete_actions(model) or missing_action_bounds(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        selection = selection_of(self.exploration, self.bonus, self.first_play, self.scale_exploration)
        voronoi = voronoi_of(model, self.omega, self.sampling == "uniform")
        settings = DPWSettings(
            selection,
            new_actions_of(self.k_action, self.alpha_action, voronoi=voronoi),
            Outcomes(self.k_state, self.alpha_state, False),
            playouts_of(self.leaf, self.playouts),
        )
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
            first_play=selection.first_play,
        )
