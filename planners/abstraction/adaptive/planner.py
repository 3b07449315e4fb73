"""The abstraction tree with one set of parameters: its parameters and its plans."""

import functools
import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.abstraction.adaptive.root import (
    CELLS,
    DIVISIONS,
    MOST_CELLS,
    RETURN,
    VISITS,
    new_root,
    smoothed_means,
)
from bonspiel.planners.abstraction.adaptive.search import AdaptiveSettings, grow, new_tree, new_walk, search
from bonspiel.planners.abstraction.fixed.search import FixedSettings
from bonspiel.planners.abstraction.refined.trie import first_cells
from bonspiel.planners.abstraction.scaled import ScaledAbstraction
from bonspiel.planners.checks import (
    check_actions,
    offers,
    require_at_least,
    require_count,
    require_positive,
    require_share,
)
from bonspiel.planners.core.actions import inverse_widths
from bonspiel.planners.core.problem import PlanLength
from bonspiel.planners.core.search import decide, extend, require_finite
from bonspiel.planners.model import HasActions
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import LOOKAHEAD, Parameters, Range

FIRST_NODES = 1_024
STATES = ScaledAbstraction().cells(False)
PRIOR_VISITS = 1e-3  # of the mean return, that every action has in every state


def _spread_out(count: int) -> NDArray[np.int64]:
    """An order of cells of which the first few lie far apart: by the golden ratio's multiples."""
    return np.argsort(np.arange(count) * (math.sqrt(5.0) - 1.0) / 2.0 % 1.0, kind="stable")


@dataclass(frozen=True)
class AdaptiveAbstraction(PlanLength):
    """An abstraction tree with one set of parameters for rewards of any size and plans of any length.

    Its cells of states are those of `scaled_abstraction`. At the root cells of actions are divided where they are
    visited, and their means are smoothed as far as the noise demands. A model with `actions` is searched as by
    `scaled_abstraction` (docs/abstraction-tree.md).

    Args:
        exploration: C at the root in units of the range of the returns, at least 0.
        spread: C in any other state in standard deviations of the returns in its cells, above 0.
        trace: weight of what follows in a simulation; the rest is what is known of the state reached, so that steps
            far away tell little. 1 for returns alone, in [0, 1].
        hold_visits: a state whose finest cell has as many visits goes on with the action before in half of the
            simulations, in more of them the fewer visits it has; at least 0.
        first_actions: see `RefinedAbstraction`, at most 64; at the root these are divided, into 64 in all.
        root_threshold: see `RefinedAbstraction`.
    """

    exploration: float = 0.15
    spread: float = 0.5
    trace: float = 0.9
    hold_visits: float = 40.0
    first_actions: int = 16
    root_threshold: float = 5.0

    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        "exploration": Range(0.03, 1.0, log=True),
        "spread": Range(0.05, 4.0, log=True),
        "trace": Range(0.5, 1.0),
        "hold_visits": Range(1.0, 100.0, log=True),
        "root_threshold": Range(2.0, 32.0, log=True),
    }

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        require_at_least("exploration", self.exploration, 0.0)
        require_positive("spread", self.spread)
        require_share("trace", self.trace)
        require_at_least("hold_visits", self.hold_visits, 0.0)
        require_count("first_actions", self.first_actions, 1, MOST_CELLS)
        require_positive("root_threshold", self.root_threshold)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return ScaledAbstraction().unsupported(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        if offers(model, HasActions):
            return ScaledAbstraction(lookahead=self.lookahead).plan(model, state, budget, rng, root_actions)
        low, high = model.action_low, model.action_high
        actions, width = first_cells(low, high, self.first_actions)
        settings = self._settings(tuple(low), tuple(high))
        if root_actions is None:
            root = new_root(actions[_spread_out(len(actions))], width, inverse_widths(model))
        else:
            root = new_root(check_actions(model, root_actions), width, inverse_widths(model))
            settings = settings._replace(thresholds=settings.thresholds[:0])
        problem, depth = self.problem(model, state, cells=True), STATES.max_depth
        nodes = min(budget.simulations or FIRST_NODES, FIRST_NODES)
        tree = new_tree(len(actions), root, problem.steps, nodes, depth)
        walk = new_walk(model.state_dim, problem.steps, len(actions), depth)
        tree, done = extend(search, model, tree, walk, problem, settings, grow, budget, rng, start)
        require_finite(tree.baseline[0, 1])  # the mean of all returns, and so part of every gain
        used = slice(0, int(root.counts[CELLS]))
        stats, smoothed = root.stats[used], smoothed_means(root)

        def most_visited(visits: NDArray[np.int64], value: Array) -> int:
            return int(np.argmax(np.where(visits == visits.max(), smoothed, -np.inf)))

        visits = stats[:, VISITS].astype(np.int64)
        return decide(root.action[used], visits, stats[:, RETURN:], done, start, most_visited)

    @functools.lru_cache(maxsize=64)  # noqa: B019  (asked for every decision; a planner is its parameters)
    def _settings(self, low: tuple[float, ...], high: tuple[float, ...]) -> AdaptiveSettings:
        """The parameters of the search with actions between these bounds."""
        actions, _ = first_cells(np.array(low), np.array(high), self.first_actions)
        weights, thresholds = STATES.arrays()
        cells = FixedSettings(
            self.exploration,
            self.spread,
            0.0,
            actions,
            weights,
            thresholds,
            STATES.scale_power,
            PRIOR_VISITS,
            0.0,
            False,
        )
        growth = 2.0 ** np.arange(float(DIVISIONS * len(low)))
        return AdaptiveSettings(cells, self.trace, self.hold_visits, self.root_threshold * growth)
