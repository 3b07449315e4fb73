"""UCT with rapid action value estimates and priors (Gelly and Silver 2007), and with a statistic of territory."""

import math
import time
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import (
    check_actions,
    is_real,
    missing,
    offers,
    require,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
)
from bonspiel.planners.core.search import decide, extend, first_nodes, root_of
from bonspiel.planners.core.tree.descent import Outcomes
from bonspiel.planners.core.tree.nodes import UNTRIED
from bonspiel.planners.core.tree.selection import BONUSES, Bonus, check_bonus
from bonspiel.planners.core.tree.subtree import TreeMemory
from bonspiel.planners.model import HasActions, HasRegion, HasRollout, HasTracedRollout
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import Choice, Parameters, Range
from bonspiel.planners.trees.episode import KeepsTree
from bonspiel.planners.trees.rave_uct.search import RaveSettings, search
from bonspiel.planners.trees.rave_uct.selection import RaveSelection
from bonspiel.planners.trees.rave_uct.territory import CRITICALITY, PTS
from bonspiel.planners.trees.rave_uct.tree import RaveTree, grow, kept_part, new_rave_tree, new_rave_walk

GRANDPARENT = "grandparent"
RANGE = 2.0  # of returns, from -1 to 1, for one of win rates


def _return_of(win_rate: float) -> float:
    """The return, from -1 to 1, of a win rate."""
    return RANGE * win_rate - 1.0


@dataclass(frozen=True)
class RaveUCT(KeepsTree):
    """UCT whose actions also learn from simulations in which they were played later on (RAVE), with priors.

    A node gets all actions of the model's list at once. The value of an action mixes the mean of its visits with that
    of its RAVE visits: simulations in which its player was the first to play it later, within the tree or in the
    playout, as far as the model's `traced_rollout` reports it (Gelly and Silver 2007). The model's `priors`
    count as visits of both kinds. Parameters are on the scale of win rates, from 0 to 1, for returns from -1 to 1.

    Args:
        exploration: C of the bonus, at least 0.
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
        rave_k: RAVE visits count as much as visits where these are a third of it; 0: no RAVE.
        beta: weight of RAVE: "mogo" is sqrt(k / (3 n + k)), "fuego" r / (r + n (1/0.9 + r/20000)) for r RAVE visits.
        first_play: value of an action of which nothing is known; none: it is tried first; "grandparent": the mean of
            the same key two plies up, if there is one, else it is tried first.
        priors: whether the model's `priors` are used.
        expand: visit of an action at which its node is made, at least 1.
        prune_low: with `prune_high`: after 64 playouts through each child of a node, a child is dropped whose share of
            the variance of the owners is outside these bounds, in equal shares, if others are within.
        prune_high: see `prune_low`; none: no bound.
        k_state: factor of state widening, for models with chance, above 0.
        alpha_state: exponent of state widening, in (0, 1].
    """

    exploration: float = 0.0
    bonus: Bonus = "ucb1"
    rave_k: float = 1000.0
    beta: Literal["mogo", "fuego"] = "mogo"
    first_play: float | Literal["grandparent"] | None = 1.1
    priors: bool = True
    expand: int = 2
    prune_low: float = 0.0
    prune_high: float | None = None
    k_state: float = 1.0
    alpha_state: float = 0.25

    tuning: ClassVar[Parameters] = {
        "exploration": Range(0.01, 2.0, log=True),
        "bonus": Choice(("ucb1", "ucb1_tuned")),
        "rave_k": Range(10.0, 10_000.0, log=True),
        "first_play": Range(0.5, 1.5),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bonus(self.exploration, self.bonus)
        require_at_least("rave_k", self.rave_k, 0.0)
        require_choice("beta", self.beta, ("mogo", "fuego"))
        value = self.first_play
        known = value in (None, GRANDPARENT) or (is_real(value) and 0.0 <= float(value) < UNTRIED)
        require(known, "first_play", value, f"at least 0, none or {GRANDPARENT!r}")
        require(isinstance(self.priors, bool), "priors", self.priors, "true or false")
        require_count("expand", self.expand)
        require_at_least("prune_low", self.prune_low, 0.0)
        above = self.prune_high is None or (is_real(self.prune_high) and self.prune_low < self.prune_high < math.inf)
        require(above, "prune_high", self.prune_high, f"none or above prune_low={self.prune_low:g}")
        require_positive("k_state", self.k_state)
        require_positive("alpha_state", self.alpha_state, 1.0)

    @property
    def prunes(self) -> bool:
        """True if children are pruned."""
        return self.prune_low > 0.0 or self.prune_high is not None

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasActions, HasRollout, *((HasTracedRollout,) if self.prunes else ()))

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return True

    def _territory(self) -> tuple[float, int]:
        """Weight and kind of the statistic of territory."""
        return 0.0, PTS

    def settings(self, model: Model) -> RaveSettings:
        """The parameters as the kernel takes them."""
        weight, kind = self._territory()
        selection = RaveSelection(
            RANGE * self.exploration,
            BONUSES.index(self.bonus),
            float(self.rave_k),
            self.beta == "fuego",
            RANGE * weight,
        )
        return RaveSettings(
            selection,
            _return_of(float(self.first_play)) if is_real(self.first_play) else UNTRIED,  # type: ignore[arg-type]
            self.first_play == GRANDPARENT,
            self.expand,
            self.rave_k > 0.0,
            offers(model, HasTracedRollout),
            kind,
            float(self.prune_low),
            math.inf if self.prune_high is None else float(self.prune_high),
            Outcomes(self.k_state, self.alpha_state, False),
        )

    def plan_with(
        self,
        memory: TreeMemory | None,
        model: Model,
        state: Array,
        budget: Budget,
        rng: Rng,
        root_actions: Array | None = None,
    ) -> Decision:
        """Choose an action; see `KeepsTree.plan_with`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        problem, settings = self.problem(model, state), self.settings(model)
        nodes, rows, kept = first_nodes(budget), None, None
        if memory is not None and root_actions is None:
            kept = memory.recall(problem, nodes, budget)
        if root_actions is not None:  # of equals the first edge is followed
            order = rng.permutation(len(root_actions))
            root_actions, rows = check_actions(model, root_actions)[order], np.argsort(order)
        if kept is None or memory is None:
            known = new_rave_tree(model, problem, nodes, root_actions, settings.first_play, self.prunes)
        else:
            known = kept_part(memory.known, *kept)
        walk = new_rave_walk(model, problem.steps, self.priors)

        def decided(known: RaveTree, simulations: int, rng: Rng) -> Decision:
            actions, visits, values = root_of(known.tree)
            if rows is not None:
                actions, visits, values = actions[rows], visits[rows], values[rows]
            return decide(actions, visits, values, simulations, start, rng, problem=problem)

        known, done = extend(
            search,
            known,
            walk,
            problem,
            model=model,
            settings=settings,
            budget=budget,
            rng=rng,
            grow=grow,
            start=start,
            earlier=0 if kept is None else int(known.tree.nodes[0]["visits"]),
            decide=decided,
        )
        decision = decided(known, done, rng)
        if memory is not None and root_actions is None:
            memory.keep(known.tree, decision.action, problem.validity)
            memory.known = known
        elif memory is not None:
            memory.forget()
        return decision


@dataclass(frozen=True)
class TerritoryUCT(RaveUCT):
    """`RaveUCT` that prefers actions whose region decides the game, by a statistic of the owners after all playouts.

    Args:
        weight: of the statistic in the score of an action, on the scale of win rates, at least 0.
        statistic: "pts" is (1 - |m|) |w - l| for the mean owner m of a region, and w and l its means in the playouts
            that player +1 won and lost; "criticality" is the covariance of owning the region and winning (Coulom 2009).
    """

    weight: float = 0.04
    statistic: Literal["pts", "criticality"] = "pts"

    tuning: ClassVar[Parameters] = {**RaveUCT.tuning, "weight": Range(0.005, 0.5, log=True)}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("weight", self.weight, 0.0)
        require_choice("statistic", self.statistic, ("pts", "criticality"))

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasActions, HasRollout, HasTracedRollout, HasRegion)

    def _territory(self) -> tuple[float, int]:
        return self.weight, PTS if self.statistic == "pts" else CRITICALITY
