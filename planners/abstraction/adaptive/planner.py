"""The abstraction tree with one set of parameters: its parameters and its plans."""

import functools
import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.abstraction.adaptive.episode import AdaptiveEpisode
from bonspiel.planners.abstraction.adaptive.first_cells import first_cells
from bonspiel.planners.abstraction.adaptive.root import DIVISIONS
from bonspiel.planners.abstraction.adaptive.search import AdaptiveSettings
from bonspiel.planners.abstraction.adaptive.smoothing import MOST_CELLS
from bonspiel.planners.abstraction.fixed.search import FixedSettings
from bonspiel.planners.abstraction.scaled import ScaledAbstraction
from bonspiel.planners.checks import offers, require_at_least, require_count, require_positive, require_share
from bonspiel.planners.core.problem import PlanLength
from bonspiel.planners.kinds import KINDS
from bonspiel.planners.model import HasActions
from bonspiel.planners.planner import EpisodeSearch, FreshSearches, Traits, check_plan
from bonspiel.planners.spaces import LOOKAHEAD, Parameters, Range

SCALED = ScaledAbstraction()
STATES = SCALED.cells(False)
LISTED = ScaledAbstraction(exploration=0.5, threshold=None, threshold_base=None, weight_power=None)  # with `actions`
PRIOR_VISITS = 1e-3  # of the mean return, that every action has in every state


@dataclass(frozen=True)
class AdaptiveAbstraction(PlanLength):
    """An abstraction tree with one set of parameters for rewards of any size and plans of any length.

    Its cells of states are those of `scaled_abstraction`. At the root cells of actions are divided where they are
    visited, and their means are smoothed as far as the noise demands. A part of the simulations changes, repeats or
    follows the best sequence of actions known, also from decision to decision. If all coordinates are real, and are
    three or more or the model's `horizon` is ten or more, iCEM proposes sequences, in as many simulations as that is
    worth (`proposals`); not if `memory` and `changes` are 0. A model with `actions` is searched as by
    `scaled_abstraction` with C = 0.5 at the root and the cells that `abstraction` has for such a model; only `spread`
    and `lookahead` count there (docs/guides/abstraction-tree.md).

    Args:
        exploration: C at the root in units of the range of the returns, at least 0.
        spread: C in any other state in standard deviations of the returns in its cells, above 0.
        trace: weight of what follows in a simulation; the rest is what is known of the state reached, so that steps
            far away tell little. 1 for returns alone, in [0, 1].
        explained: in the search a reward k steps ahead counts (1 - 1/N)^k, so that few simulations tell actions apart:
            N is the shortest sight of 16, 24, ..., 273 steps whose returns explain this part of the variance of whole
            returns, in the simulations of the decisions before; without end if none does. The first decision has 36,
            and begins anew after half of its simulations if whole returns fall where these rise. Beyond 5,000
            simulations the unexplained part falls as 1 / n. 1 for rewards as they are, in [0, 1].
        hold_visits: a state whose finest cell has as many visits goes on with the action before in half of the
            simulations, in more of them the fewer visits it has; at least 0. At most four for each step of the plan
            count, since with few steps left each action matters.
        first_actions: most actions of a state, at most 64: all in one dimension; in more a grid of the same odd number
            along every coordinate, 9 of 16 in two; where three along each are too many, as many points as this that
            fill the box evenly. At the root their cells are divided, into 64 in all. Of actions that are not all real,
            all choices of the whole numbers where these are few, with places of the real coordinates for each.
        root_threshold: visits t that one of the first cells needs at the root before it is divided, t 2^e after e
            divisions.
        memory: part of the simulations after the root's first actions that follow the best sequence of actions known
            for a while, in [0, 1]. A decision begins with the last one's sequence without its first step; with 0, as
            at the start of an episode, with the action that does nothing; a proposal may replace it. 0 in games of two
            players.
        changes: part of the simulations that change the best sequence at first, in [0, 1]: more where that succeeds
            more often than the tree does. 0 in games of two players.
    """

    exploration: float = 0.15
    spread: float = 0.5
    trace: float = 0.9
    explained: float = 0.75
    hold_visits: float = 40.0
    first_actions: int = 16
    root_threshold: float = 5.0
    memory: float = 0.1
    changes: float = 0.1

    traits: ClassVar[Traits] = Traits(action_kinds=KINDS, rolls_out=False)
    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        "exploration": Range(0.03, 1.0, log=True),
        "spread": Range(0.05, 4.0, log=True),
        "trace": Range(0.5, 1.0),
        "explained": Range(0.5, 1.0),
        "hold_visits": Range(1.0, 100.0, log=True),
        "root_threshold": Range(2.0, 32.0, log=True),
        "memory": Range(0.0, 0.5),
        "changes": Range(0.02, 0.5, log=True),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("exploration", self.exploration, 0.0)
        require_positive("spread", self.spread)
        require_share("trace", self.trace)
        require_share("explained", self.explained)
        require_at_least("hold_visits", self.hold_visits, 0.0)
        require_count("first_actions", self.first_actions, 1, MOST_CELLS)
        require_positive("root_threshold", self.root_threshold)
        require_share("memory", self.memory)
        require_share("changes", self.changes)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return SCALED.unsupported(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        if offers(model, HasActions):
            state = check_plan(self, model, state, budget, rng)
            listed = replace(LISTED, lookahead=self.lookahead, spread=self.spread)
            return listed.plan(model, state, budget, rng, root_actions)
        return AdaptiveEpisode(self, model).plan(state, budget, rng, root_actions)

    def begin_episode(self, model: Model) -> EpisodeSearch:
        """The decisions of an episode; see `planners.begin_episode`."""
        return FreshSearches(self, model) if offers(model, HasActions) else AdaptiveEpisode(self, model)

    @functools.lru_cache(maxsize=64)  # noqa: B019  (asked for every decision; a planner is its parameters)
    def settings(self, low: tuple[float, ...], high: tuple[float, ...]) -> AdaptiveSettings:
        """The parameters of the search with actions between these bounds."""
        actions, _ = first_cells(np.array(low), np.array(high), self.first_actions)
        weights, thresholds = STATES.arrays()
        cells = FixedSettings(
            self.exploration,
            self.spread,
            0.0,
            actions,
            np.empty(0, np.int64),
            weights,
            thresholds,
            STATES.scale_power,
            PRIOR_VISITS,
            0.0,
            False,
        )
        thresholds = self.root_threshold * 2.0 ** np.minimum(np.arange(float(DIVISIONS * len(low))), 1e3)
        bounds = np.array(low, float), np.array(high, float)
        return AdaptiveSettings(
            cells, self.trace, math.inf, self.hold_visits, self.memory, self.changes, thresholds, *bounds
        )
