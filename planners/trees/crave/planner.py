"""The planner CRAVE: its parameters, and the plan."""

import time
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import missing, offers, require_at_least, require_positive
from bonspiel.planners.core.actions import inverse_widths
from bonspiel.planners.core.problem import PlanLength
from bonspiel.planners.core.search import decide, extend, first_nodes, root_of
from bonspiel.planners.core.tree.descent import Outcomes
from bonspiel.planners.core.tree.leaf import check_leaf, playouts_of
from bonspiel.planners.core.tree.nodes import new_tree
from bonspiel.planners.core.tree.selection import Bonus, check_bonus, selection_of
from bonspiel.planners.core.walk import new_walk
from bonspiel.planners.model import HasDistanceWeights, HasRollout
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import EXPLORATION, LEAF, LOOKAHEAD, WIDENING, Parameters, Range
from bonspiel.planners.trees.crave.rave import RAVE, CRAVESettings, grow, new_rave_tree
from bonspiel.planners.trees.crave.search import search


@dataclass(frozen=True)
class CRAVE(PlanLength):
    """DPW whose actions also learn from like actions that were played later.

    Args:
        exploration: C, at least 0.
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
        equivalence: k, visits at which the mean of an edge counts as much as its RAVE value, at least 0.
        bandwidth: sigma_a of the kernel between actions, in widths of the box, above 0.
        state_bandwidth: sigma_s of the kernel between states, in the units of the model's `distance_weights`, above 0;
            none: actions inform whatever the states are.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
    """

    exploration: float = 1.0
    alpha_action: float = 0.3
    k_action: float = 1.0
    alpha_state: float = 0.25
    k_state: float = 1.0
    equivalence: float = 5.0
    bandwidth: float = 0.3
    state_bandwidth: float | None = None
    leaf: Literal["tree", "rollout"] = "tree"
    bonus: Bonus = "ucb1"

    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        **EXPLORATION,
        **WIDENING,
        **LEAF,
        "equivalence": Range(1.0, 300.0, log=True),
        "bandwidth": Range(0.03, 1.0, log=True),
    }

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        check_bonus(self.exploration, self.bonus)
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        require_at_least("equivalence", self.equivalence, 0.0)
        require_positive("bandwidth", self.bandwidth)
        if self.state_bandwidth is not None:
            require_positive("state_bandwidth", self.state_bandwidth)
        check_leaf(self.leaf)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasRollout) if self.leaf == "rollout" else None

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        problem, nodes = self.problem(model, state), first_nodes(budget)
        known = new_rave_tree(new_tree(model, problem, nodes, root_actions, False, RAVE + 1))
        settings = CRAVESettings(
            selection_of(self.exploration, self.bonus),
            self.k_action,
            self.alpha_action,
            Outcomes(self.k_state, self.alpha_state, False),
            self.equivalence,
            inverse_widths(model) / self.bandwidth,
            self._state_scale(model),
            playouts_of(self.leaf),
        )
        walk = new_walk(model, problem.steps)
        known, done = extend(
            search, known, walk, problem, model=model, settings=settings, budget=budget, rng=rng, grow=grow, start=start
        )
        return decide(*root_of(known.tree), done, start, rng, problem=problem)

    def _state_scale(self, model: Model) -> Array:
        if self.state_bandwidth is None:
            return np.zeros(model.state_dim)
        weights = model.distance_weights if offers(model, HasDistanceWeights) else np.ones(model.state_dim)
        scale: Array = np.sqrt(weights) / self.state_bandwidth
        return scale
