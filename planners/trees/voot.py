"""VOOT: UCT with progressive widening by Voronoi optimistic optimization (Kim et al. 2020)."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from bonspiel.planners import Model, Rng
from bonspiel.planners.checks import (
    discrete_actions,
    missing_action_bounds,
    require_choice,
    require_positive,
    require_share,
    two_players,
)
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.descent import Outcomes, follow_outcome
from bonspiel.planners.core.tree.leaf import playouts_of
from bonspiel.planners.core.tree.new_actions import choose_by_voronoi
from bonspiel.planners.core.tree.nodes import SEARCH_TREE, SearchTree
from bonspiel.planners.core.tree.selection import Selection, selection_of
from bonspiel.planners.core.tree.simulation import simulate
from bonspiel.planners.core.tree.voronoi import Voronoi, voronoi_of
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk
from bonspiel.planners.kinds import distinct_count
from bonspiel.planners.spaces import EXPLORATION, LEAF, LOOKAHEAD, STATES, WIDENING, Choice, Parameters, Range
from bonspiel.planners.trees.tree_search import TreeSearch


class VOOTSettings(NamedTuple):
    """The parameters of `VOOT` as its kernel takes them."""

    selection: Selection
    k_action: float
    alpha_action: float
    voronoi: Voronoi
    outcomes: Outcomes
    playouts: int
    distinct: int


_EXAMPLE = VOOTSettings(selection_of(1.0), 1.0, 1.0, Voronoi(1.0, 0, np.empty((3, 1))), Outcomes(1.0, 1.0, False), 1, 0)


@search_kernel(SEARCH_TREE, TREE_WALK, _EXAMPLE)
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: VOOTSettings
) -> int:
    return simulate(tree, walk, problem, simulations, rng, settings, choose_by_voronoi, follow_outcome)


@dataclass(frozen=True)
class VOOT(TreeSearch):
    """DPW whose new actions are made by Voronoi optimistic optimization (VOO).

    A new action is drawn anywhere with probability omega, by the model's `sample_action`, else from the Voronoi cell of
    the best action so far: the actions that are nearer to it than to any other tried in the node. Distances are
    Euclidean, with each coordinate as a part of its range, 0 or 1 in a categorical one (Kim, Lee, Lim, Kaelbling,
    Lozano-Perez 2020, "Monte Carlo tree search in continuous spaces using Voronoi optimistic optimization with regret
    bounds").

    The cell is sampled as in the authors' code (github.com/beomjoonkim/voot, generators/voo.py): by rejecting uniform
    draws, or by Gaussians around the best action, the first with the range as its standard deviation, that get narrower
    by 1/e with each proposal. Where 100 uniform draws miss a small cell, Gaussians follow, here at most 16 of them.
    The paper's transitions are deterministic; where they are not, outcomes widen as in DPW. It is for one player, as in
    the paper: in games of two, new actions would gather around those to which the opponent has not found the answer.

    The other parameters are those of `TreeSearch`.

    Args:
        omega: probability of a new action from anywhere, from 0 to 1.
        sampling: of the cell, "uniform" or "gaussian".
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
    """

    omega: float = 0.5
    sampling: Literal["uniform", "gaussian"] = "uniform"
    alpha_action: float = 0.3
    k_action: float = 3.0
    alpha_state: float = 0.25
    k_state: float = 1.0

    kernel: ClassVar[Any] = _search
    by_state: ClassVar[bool] = False
    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        **EXPLORATION,
        **WIDENING,
        **STATES,
        **LEAF,
        "omega": Range(0.1, 0.9),
        "sampling": Choice(("uniform", "gaussian")),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        require_share("omega", self.omega)
        require_choice("sampling", self.sampling, ("uniform", "gaussian"))
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return (
            super().unsupported(model) or two_players(model) or discrete_actions(model) or missing_action_bounds(model)
        )

    def settings(self, model: Model) -> VOOTSettings:
        """The parameters as a kernel takes them."""
        return VOOTSettings(
            self.selection,
            self.k_action,
            self.alpha_action,
            voronoi_of(model, self.omega, self.sampling == "uniform"),
            Outcomes(self.k_state, self.alpha_state, False),
            playouts_of(self.leaf, self.playouts, model),
            distinct_count(model),
        )
