"""Weighted UCT: UCB1 on kernel-weighted experiences instead of a tree (Weinstein 2014; the thesis's algorithm 4)."""

import time
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.cells.weighted_uct.experience import grow, new_experience_walk, new_experiences
from bonspiel.planners.cells.weighted_uct.search import WeightedUCTSettings, search
from bonspiel.planners.checks import (
    MOST_ACTIONS,
    check_actions,
    discrete_actions,
    missing_action_bounds,
    offers,
    require,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
)
from bonspiel.planners.core.actions import action_kernel, action_set
from bonspiel.planners.core.problem import PlanLength
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.model import HasDistanceWeights
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import EXPLORATION, LOOKAHEAD, N_ACTIONS, Parameters, Range

FIRST_EXPERIENCES = 4_096
LARGEST_CUTOFF = 5.0
MOST_GRID_DIMENSIONS = 4  # a state has 3^k neighbouring cells


@dataclass(frozen=True)
class WeightedUCT(PlanLength):
    """UCB1 on the experiences of all simulations, each weighted by a Gaussian kernel of its distance.

    The decision's own state chooses by plain UCB1 and leaves no experience. The model's `distance_weights` say which
    coordinates are compared, and how.

    Args:
        exploration: C of UCB1, at least 0.
        n_actions: size of the action set: a regular grid in one dimension, points that fill the box in more.
        bandwidth: sigma0, width of the first kernels; later ones have sigma0 (1 + kernels already there)^(-1/2).
        action_bandwidth: width of the Gaussian kernel between actions; 0: only equal actions are alike.
        neighbours: search for experiences: "grid" ignores those beyond the cut-off, "all" looks at every one, as the
            grid does too where more than 4 coordinates are compared.
        cutoff: distance in kernel widths beyond which an experience does not count, at most 5.
    """

    exploration: float = 1.0
    n_actions: int = 8
    bandwidth: float = 0.5
    action_bandwidth: float = 0.0
    neighbours: Literal["grid", "all"] = "grid"
    cutoff: float = 4.0

    tuning: ClassVar[Parameters] = {**LOOKAHEAD, **EXPLORATION, **N_ACTIONS, "bandwidth": Range(0.05, 1.5, log=True)}

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        require_at_least("exploration", self.exploration, 0.0)
        require_count("n_actions", self.n_actions, 1, MOST_ACTIONS)
        require_positive("bandwidth", self.bandwidth)
        require_at_least("action_bandwidth", self.action_bandwidth, 0.0)
        require_choice("neighbours", self.neighbours, ("grid", "all"))
        require_positive("cutoff", self.cutoff, LARGEST_CUTOFF)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return discrete_actions(model) or missing_action_bounds(model)

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return True

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        problem = self.problem(model, state)
        actions = action_set(model, self.n_actions)
        at_root = actions if root_actions is None else check_actions(model, root_actions)
        weights = model.distance_weights if offers(model, HasDistanceWeights) else np.ones(model.state_dim)
        weights = np.array(weights, np.float64)
        fits = weights.shape == (model.state_dim,) and bool((weights >= 0.0).all())
        require(fits, "distance_weights", weights, f"{model.state_dim} numbers of at least 0")
        k = int(((weights > 0.0) & (weights < np.inf)).sum())
        cutoff = self.cutoff if self.neighbours == "grid" and k <= MOST_GRID_DIMENSIONS else np.inf
        room = min(budget.simulations or FIRST_EXPERIENCES, FIRST_EXPERIENCES) + problem.steps
        known = new_experiences(k, len(actions), self.bandwidth, cutoff, room, at_root)
        walk = new_experience_walk(model.state_dim, k, problem.steps, len(actions))
        blend = action_kernel(actions, self.action_bandwidth)
        settings = WeightedUCTSettings(self.exploration, actions, self.bandwidth, blend, weights)
        known, done = extend(
            search, known, walk, problem, model=model, settings=settings, budget=budget, rng=rng, grow=grow, start=start
        )
        return decide(known.bandit.actions, known.bandit.visits, known.bandit.value, done, start, rng, problem=problem)
