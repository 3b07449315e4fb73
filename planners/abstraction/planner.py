"""The abstraction tree: UCB1 on statistics gathered over cells of similar states (a 2017 thesis).

The search is in `fixed/` where one set of actions serves all states, and in `per_state/` where the model has a set for
each.
"""

import time
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.abstraction.cells import FIXED, PER_STATE, Cells
from bonspiel.planners.abstraction.fixed.episode import FixedEpisode, empty_trie, task_of
from bonspiel.planners.abstraction.fixed.mergeable import FixedMergeable
from bonspiel.planners.abstraction.fixed.search import FixedSettings
from bonspiel.planners.abstraction.per_state.resumable import PerStateSearch
from bonspiel.planners.abstraction.per_state.search import PerStateSettings
from bonspiel.planners.checks import (
    MOST_ACTIONS,
    check_actions,
    missing,
    missing_action_bounds,
    offers,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
    require_share,
)
from bonspiel.planners.core.actions import has_fixed_set, own_actions
from bonspiel.planners.core.bounds import unusable_bounds
from bonspiel.planners.core.problem import PlanLength
from bonspiel.planners.core.zobrist import LEVELS
from bonspiel.planners.kinds import KINDS
from bonspiel.planners.model import HasActions, HasRollout
from bonspiel.planners.planner import EpisodeSearch, FreshSearches, Traits, check_plan
from bonspiel.planners.spaces import EXPLORATION, LOOKAHEAD, N_ACTIONS, Parameters, Range


@dataclass(frozen=True)
class AbstractionTree(PlanLength):
    """UCB1 on statistics shared by similar states: the cells that hold a state, coarse to fine, each with a weight.

    A model with `actions` has its own set of actions in each state (algorithm 8), and the thesis's parameters for
    such a model are the defaults there; otherwise one fixed set serves all states, and the defaults are those for Trap.

    Args:
        exploration: C of UCB1, at least 0.
        spread: if above 0, C in a state is this number of standard deviations of the returns in its cells, and at the
            root `exploration` times the range of the returns.
        inherited_visits: if above 0, an action's statistics in coarser cells count for at most this number of visits in
            the next finer cell, and `weight_power` is not used; for a fixed set alone. With a `spread`, `n_actions`
            times this should be well above 2, the visits that a deviation needs.
        n_actions: size of the fixed set: a regular grid in one dimension, points that fill the box in more; actions
            that are not all real have a set of another size where all choices of whole numbers are few.
        threshold: visits t0 that a cell of depth 0 needs before it is split, t0 b^d at depth d; None is 8, or 1 with
            `actions`.
        threshold_base: b, at least 1; None is 1.5, or 1.3.
        weight_power: p of a cell's weight (d + 1)^p at depth d; None is 2, or 4.
        scale_power: q of f(z) = z^q, the number of visits that the weighted ones count for, in (0, 1]; None is 2/3, or
            0.4.
        prior_visits: visits that every action of the fixed set has from the start, above 0.
        prior_value: mean return of those visits.
        new_visits: visits of the cell's mean return that each of `actions` has from the start in every cell, above 0.
        policy_visits: visits that each of `actions` adds under the logarithm, at least 0.
        max_depth: depth of the finest cells, at most 32; None is 24, or 15.
        root: the choice in the decision's own state: by a "bandit" of its own (algorithm 7) or, with a fixed set,
            through the "trie". With fewer simulations than actions the bandit tries the first ones only.
        tree_steps: with `actions`, the number of steps chosen in the trie before the model's rollout; None is all of
            them.
        memory: weight of the last decision's cells in the next one of an episode, in [0, 1]; for a fixed set
            alone.
    """

    exploration: float = 1.0
    spread: float = 0.0
    inherited_visits: float = 0.0
    n_actions: int = 8
    threshold: float | None = None
    threshold_base: float | None = None
    weight_power: float | None = None
    scale_power: float | None = None
    prior_visits: float = 1e-3
    prior_value: float = 0.0
    new_visits: float = 1.0
    policy_visits: float = 0.0
    max_depth: int | None = None
    root: Literal["bandit", "trie"] = "bandit"
    tree_steps: int | None = None
    memory: float = 0.0

    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        **EXPLORATION,
        **N_ACTIONS,
        "threshold": Range(1.0, 64.0, log=True),
        "threshold_base": Range(1.1, 3.0),
        "weight_power": Range(0.0, 4.0),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("exploration", self.exploration, 0.0)
        require_at_least("spread", self.spread, 0.0)
        require_at_least("inherited_visits", self.inherited_visits, 0.0)
        require_count("n_actions", self.n_actions, 1, MOST_ACTIONS)
        cells = self.cells(False)
        require_positive("threshold", cells.threshold)
        require_at_least("threshold_base", cells.threshold_base, 1.0)
        require_at_least("weight_power", cells.weight_power, 0.0)
        require_positive("scale_power", cells.scale_power, 1.0)
        require_positive("prior_visits", self.prior_visits)
        require_at_least("prior_value", self.prior_value, -1e300)
        require_positive("new_visits", self.new_visits)
        require_at_least("policy_visits", self.policy_visits, 0.0)
        require_count("max_depth", cells.max_depth, 0, LEVELS)
        require_choice("root", self.root, ("bandit", "trie"))
        if self.tree_steps is not None:
            require_count("tree_steps", self.tree_steps, 0)
        require_share("memory", self.memory)

    @property
    def traits(self) -> Traits:
        """Any kinds of actions, and rollouts after `tree_steps`."""
        return Traits(action_kinds=KINDS, rolls_out=self.tree_steps is not None)

    def cells(self, per_state: bool) -> Cells:
        """The parameters of the trie, with the defaults for a model with or without its own sets of actions."""
        default = PER_STATE if per_state else FIXED
        given = {name: getattr(self, name) for name in Cells._fields}
        return default._replace(**{name: value for name, value in given.items() if value is not None})

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        if not offers(model, HasActions):
            return missing_action_bounds(model) or unusable_bounds(model)
        fixed = {
            "root='trie'": self.root == "trie",
            "`inherited_visits`": self.inherited_visits > 0.0,
            "a `memory`": self.memory > 0.0,
        }
        for what, given in fixed.items():
            if given:
                return f"needs a model without `actions` for {what}"
        return (missing(model, HasRollout) if self.tree_steps is not None else None) or unusable_bounds(model)

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return offers(model, HasActions) or has_fixed_set(model, self.n_actions)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        if not offers(model, HasActions):
            return FixedEpisode(self, model).plan(state, budget, rng, root_actions)
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        own = own_actions(model, state) if root_actions is None else check_actions(model, root_actions)
        return self.begin(model, state, budget, rng).decide(own, budget, start)

    def begin_episode(self, model: Model) -> EpisodeSearch:
        """The decisions of an episode; see `planners.begin_episode`."""
        return FreshSearches(self, model) if offers(model, HasActions) else FixedEpisode(self, model)

    def settings(self, actions: Array, like_root: NDArray[np.int64]) -> FixedSettings:
        """The parameters of the search with one set of actions, [A, action_dim]; see `FixedSettings`."""
        cells, prior = self.cells(False), (self.prior_visits, self.prior_value)
        return FixedSettings(
            self.exploration,
            self.spread,
            self.inherited_visits,
            actions,
            like_root,
            *cells.arrays(),
            cells.scale_power,
            *prior,
            self.root == "trie",
        )

    def begin_mergeable(
        self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None
    ) -> FixedMergeable:
        """An empty search for a model without `actions`; see `planners.planner.MergeableSearch`."""
        problem, settings, at_root = task_of(self, model, state, root_actions, budget, rng)
        trie = empty_trie(problem, settings, at_root, budget)
        return FixedMergeable(self, model, state, settings, problem.cell_params, trie, problem.validity)

    def begin(self, model: HasActions, state: Array, budget: Budget, rng: Rng) -> PerStateSearch:
        """An empty search for a model with `actions`; see `planners.planner.ResumableSearch`."""
        cells = self.cells(True)
        tree_steps = -1 if self.tree_steps is None else self.tree_steps
        settings = PerStateSettings(
            self.exploration,
            self.spread,
            *cells.arrays(),
            cells.scale_power,
            self.new_visits,
            self.policy_visits,
            tree_steps,
        )
        problem = self.problem(model, state, cells=True, budget=budget)
        return PerStateSearch(model, problem, rng, settings, budget.simulations)
