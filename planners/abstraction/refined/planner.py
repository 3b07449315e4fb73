"""The abstraction tree whose cells of actions are divided where they are visited, as its cells of states are."""

import functools
import time
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.abstraction.refined.search import RefinedSettings, search
from bonspiel.planners.abstraction.refined.trie import (
    DIVISIONS,
    RETURNS,
    VISITS,
    first_cells,
    grow,
    new_trie,
    new_walk,
    root_cells,
)
from bonspiel.planners.abstraction.scaled import ScaledAbstraction
from bonspiel.planners.checks import (
    MOST_ACTIONS,
    check_actions,
    offers,
    require_at_least,
    require_count,
    require_positive,
)
from bonspiel.planners.core.problem import PlanLength
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.model import HasActions
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import LOOKAHEAD, Choice, Parameters, Range

FIRST_NODES = 1_024


@dataclass(frozen=True)
class RefinedAbstraction(PlanLength):
    """`scaled_abstraction` with actions that the search chooses: cells of actions, divided where they are visited.

    A state begins with a few cells of actions and plays the action in the middle of one. A cell that is visited often
    becomes three, and the middle one keeps the action and what is known of it. The decision is the action of the root's
    most visited cell. `root_actions` are taken as they are, and so are those of a model with `actions`: it is searched
    as by `scaled_abstraction`.

    Args:
        exploration: C at the root in units of the range of the returns, at least 0.
        spread: C in any other state in standard deviations of the returns in its cells; 0 for the root's.
        inherited_visits: see `AbstractionTree`.
        first_actions: most action cells that a state begins with: all in one dimension; in more the same odd number
            along every coordinate, 9 of 16 in two; where three along each are too many, along the first ones alone.
        root_threshold: visits ta that one of the first cells needs at the root before it is divided, ta ba^e after e
            divisions.
        action_threshold: the same in the finest cell of any other state.
        action_threshold_base: ba, at least 1.
        part_visits: visits with the mean return of the whole that a new part begins with, above 0.
        threshold: see `AbstractionTree`, as for the other parameters.
    """

    exploration: float = 0.3
    spread: float = 0.16
    inherited_visits: float = 0.0
    first_actions: int = 16
    root_threshold: float = 5.0
    action_threshold: float = 100.0
    action_threshold_base: float = 2.0
    part_visits: float = 1.0
    threshold: float | None = 1.8
    threshold_base: float | None = 2.9
    weight_power: float | None = 2.0
    scale_power: float | None = None
    max_depth: int | None = None

    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        "exploration": Range(0.05, 1.0, log=True),
        "spread": Range(0.03, 4.0, log=True),
        "inherited_visits": Choice((0.0, 1.0, 2.0, 4.0)),
        "root_threshold": Range(2.0, 32.0, log=True),
        "action_threshold": Range(4.0, 256.0, log=True),
        "threshold": Range(1.0, 64.0, log=True),
        "threshold_base": Range(1.1, 3.0),
        "weight_power": Range(0.0, 4.0),
    }

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        _ = self._undivided  # which checks what both have
        require_count("first_actions", self.first_actions, 1, MOST_ACTIONS)
        require_positive("root_threshold", self.root_threshold)
        require_positive("action_threshold", self.action_threshold)
        require_at_least("action_threshold_base", self.action_threshold_base, 1.0)
        require_positive("part_visits", self.part_visits)

    @functools.cached_property
    def _undivided(self) -> ScaledAbstraction:
        """The planner with the same parameters that takes actions as they are."""
        shared = {of.name for of in fields(self)} & {of.name for of in fields(ScaledAbstraction)}
        return ScaledAbstraction(**{name: getattr(self, name) for name in shared})

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return self._undivided.unsupported(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        if offers(model, HasActions):
            return self._undivided.plan(model, state, budget, rng, root_actions)
        low, high = model.action_low, model.action_high
        given = np.empty((0, len(low))) if root_actions is None else check_actions(model, root_actions)
        problem, settings = self.problem(model, state, cells=True), self.settings(len(low))
        nodes = min(budget.simulations or FIRST_NODES, FIRST_NODES)
        trie = new_trie(*first_cells(low, high, self.first_actions), given, problem.steps, nodes)
        walk = new_walk(model.state_dim, problem.steps, len(settings.weights) - 1, len(settings.divisions))
        trie, done = extend(search, model, trie, walk, problem, settings, grow, budget, rng, start)
        if root_actions is not None:
            return decide(trie.bandit.actions, trie.bandit.visits, trie.bandit.value, done, start)
        cells = root_cells(trie)
        visits = trie.stats[cells, VISITS]
        value = trie.stats[cells, RETURNS:] / np.maximum(visits, 1.0)[:, None]
        return decide(trie.action[cells], visits.astype(np.int64), value, done, start)

    @functools.lru_cache(maxsize=64)  # noqa: B019  (asked for every decision; a planner is its parameters)
    def settings(self, action_dim: int) -> RefinedSettings:
        """The parameters of the search with actions of this dimension."""
        cells = self._undivided.cells(False)
        growth = self.action_threshold_base ** np.arange(float(DIVISIONS * action_dim))
        return RefinedSettings(
            self.exploration,
            self.spread,
            self.inherited_visits,
            *cells.arrays(),
            cells.scale_power,
            self.part_visits,
            self.action_threshold * growth,
            self.root_threshold * growth,
        )
