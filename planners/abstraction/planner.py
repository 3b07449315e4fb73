"""The abstraction tree: UCB1 on statistics gathered over cells of similar states (a 2017 thesis).

The search is in `fixed_actions` where one set of actions serves all states, and in `state_actions` where the model has
a set for each.
"""

import time
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from planners import Array, Budget, Decision, Model, Rng
from planners.abstraction.action_search import ActionSearch
from planners.abstraction.fixed_actions import FixedSettings, search
from planners.abstraction.state_actions import SetSettings
from planners.abstraction.trie import grow, new_trie, new_trie_walk
from planners.base import MOST_ACTIONS, HasActions, HasRollout, check_plan, missing, missing_action_bounds, offers
from planners.checks import check_actions, require, require_at_least, require_choice, require_count, require_positive
from planners.core.actions import action_set, own_actions
from planners.core.bounds import unusable_bounds
from planners.core.problem import problem_of
from planners.core.search import decide, extend
from planners.core.zobrist import LEVELS
from planners.spaces import EXPLORATION, N_ACTIONS, Parameters, Range

FIRST_NODES = 4_096


class Cells(NamedTuple):
    """Thresholds and weights of cells; see `AbstractionTree`."""

    threshold: float
    threshold_base: float
    weight_power: float
    scale_power: float
    max_depth: int

    def arrays(self) -> tuple[Array, Array]:
        """The weight and the threshold of every depth, [max_depth + 1] each."""
        depths = np.arange(self.max_depth + 1.0)
        return (depths + 1.0) ** self.weight_power, self.threshold * self.threshold_base**depths


FIXED = Cells(8.0, 1.5, 2.0, 2.0 / 3.0, 24)  # the thesis's parameters for Trap
SETS = Cells(1.0, 1.3, 4.0, 0.4, 15)  # and for curling


@dataclass(frozen=True)
class AbstractionTree:
    """UCB1 on statistics shared by similar states: the cells that hold a state, coarse to fine, each with a weight.

    A model with `actions` has its own set of actions in each state (algorithm 8), and the thesis's parameters for
    curling are the defaults there; otherwise one fixed set serves all states, and the defaults are those for Trap.

    Args:
        exploration: C of UCB1, at least 0.
        n_actions: size of the fixed set: a regular grid in one dimension, low-discrepancy points in more.
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
        root: how the decision's own state chooses, by its own "bandit" (algorithm 7) or, with a fixed set, through the
            "trie". With fewer simulations than actions the bandit tries the first ones only.
        tree_steps: with `actions`, the number of steps chosen in the trie before the model's rollout; None is all of
            them.
    """

    exploration: float = 1.0
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

    tuning: ClassVar[Parameters] = {
        **EXPLORATION,
        **N_ACTIONS,
        "threshold": Range(1.0, 64.0, log=True),
        "threshold_base": Range(1.1, 3.0),
        "weight_power": Range(0.0, 4.0),
    }

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
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

    def cells(self, own_sets: bool) -> Cells:
        """The parameters of the trie, with the defaults for a model with or without its own sets of actions."""
        default = SETS if own_sets else FIXED
        given = {name: getattr(self, name) for name in Cells._fields}
        return default._replace(**{name: value for name, value in given.items() if value is not None})

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
        if not offers(model, HasActions):
            return missing_action_bounds(model) or unusable_bounds(model)
        if self.root == "trie":
            return "needs a model without `actions` for root='trie'"
        return (missing(model, HasRollout) if self.tree_steps is not None else None) or unusable_bounds(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        require(root_actions is None or self.root != "trie", "root_actions", root_actions, "None with root='trie'")
        if offers(model, HasActions):
            own = own_actions(model, state) if root_actions is None else check_actions(model, root_actions)
            return self.begin(model, state, budget, rng).decide(own, budget, start)
        problem = problem_of(model, state, cells=True)
        actions, cells = action_set(model, self.n_actions), self.cells(False)
        at_root = actions if root_actions is None else check_actions(model, root_actions)
        prior, in_trie = (self.prior_visits, self.prior_value), self.root == "trie"
        settings = FixedSettings(self.exploration, actions, *cells.arrays(), cells.scale_power, *prior, in_trie)
        nodes = min(budget.simulations or FIRST_NODES, FIRST_NODES)
        trie = new_trie(problem.steps, len(actions), at_root, nodes)
        walk = new_trie_walk(model.state_dim, problem.steps, len(actions), cells.max_depth)
        trie, done = extend(search, model, trie, walk, problem, settings, grow, budget, rng, start)
        return decide(trie.bandit.actions, trie.bandit.visits, trie.bandit.value, done, start)

    def begin(self, model: HasActions, state: Array, budget: Budget, rng: Rng) -> ActionSearch:
        """An empty, resumable search for a model with `actions`."""
        cells = self.cells(True)
        tree_steps = -1 if self.tree_steps is None else self.tree_steps
        settings = SetSettings(
            self.exploration, *cells.arrays(), cells.scale_power, self.new_visits, self.policy_visits, tree_steps
        )
        return ActionSearch(model, state, rng, settings, budget.simulations)
