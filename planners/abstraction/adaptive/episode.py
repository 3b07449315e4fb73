"""The decisions of an episode by the abstraction tree with one set of parameters."""

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.adaptive.first_cells import (
    Whole,
    first_cells,
    first_cells_of_kinds,
    no_whole,
    spread_out,
)
from bonspiel.planners.abstraction.adaptive.proposals import MANY, Proposals, takes_proposals
from bonspiel.planners.abstraction.adaptive.root import CELLS, new_root, own_cell, place_of
from bonspiel.planners.abstraction.adaptive.search import grow, has_sequence, new_tree, new_walk, search
from bonspiel.planners.abstraction.adaptive.sequence import (
    MEAN,
    REPEATS,
    ROUNDING,
    TAKEN,
    Sequence,
    hand_on,
    new_sequence,
    noise_of,
    rest_of,
)
from bonspiel.planners.abstraction.adaptive.sight import AT_FIRST, COUNT, LEAST, best_sight, misleads, new_sights
from bonspiel.planners.abstraction.adaptive.sight import hand_on as hand_on_sights
from bonspiel.planners.abstraction.adaptive.smoothing import CHOSEN, RETURN, SEEN, SMOOTHED, VISITS
from bonspiel.planners.checks import check_actions, offers
from bonspiel.planners.core.actions import inverse_widths, nearest
from bonspiel.planners.core.argmax import argmax_by
from bonspiel.planners.core.jit import seconds_loading
from bonspiel.planners.core.jit.validity import INVALID
from bonspiel.planners.core.passed import StepsPassed
from bonspiel.planners.core.search import decide, extend, keep_tree
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.kinds import different, kind_codes
from bonspiel.planners.model import Array, HasPlayer, Model, Rng
from bonspiel.planners.planner import Budget, Decision, check_plan

Visits = NDArray[np.int64]

FIRST_NODES = 1_024
NEAR = 0.25  # of the range of an action: so near the first action of the sequence its other actions are still meant
OFTEN = 0.5  # of how often the most chosen action was: so often an action was chosen that may be played
HOLD_PER_STEP = 4.0  # most `hold_visits` for each step of a plan: with few steps left each action matters
SURE = 4.0  # standard deviations by which the sequence must be ahead to be played; 0 in MANY coordinates with proposals


class AdaptiveEpisode:
    """Decisions each of which begins with what the one before knew: the best sequence of actions, and how far to look.

    Args:
        planner: an AdaptiveAbstraction.
        model: one without `actions`.
    """

    def __init__(self, planner: Any, model: Model) -> None:
        self.planner, self.model = planner, model
        self.last: Sequence | None = None
        self.sights = new_sights()
        self.proposals: Proposals | None = None
        self._first: tuple[Array, Array, Whole] | None = None
        self._passed = StepsPassed(model)

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.EpisodeSearch.plan`."""
        start = time.perf_counter()
        planner, model = self.planner, self.model
        state = check_plan(planner, model, state, budget, rng)
        low, high = model.action_low, model.action_high
        settings, kinds = planner.settings(tuple(low), tuple(high)), kind_codes(model)
        if len(kinds) == 0:
            whole = no_whole(len(low))
            actions, width = first_cells(low, high, planner.first_actions)
        else:
            if self._first is None:
                self._first = first_cells_of_kinds(model, state, planner.first_actions, rng)
            actions, width, whole = self._first
            settings = settings._replace(cells=settings.cells._replace(actions=actions))
        scale = inverse_widths(model)
        problem, depth = planner.problem(model, state, cells=True, budget=budget), len(settings.cells.weights) - 1
        last, passed = self.last, self._passed.to(state) if planner.memory > 0.0 else 0
        begun = (
            np.tile(null_action(model), (problem.steps, 1)) if last is None else rest_of(last, problem.steps, passed)
        )
        spent = invalid = 0
        if root_actions is None and has_sequence(settings) and takes_proposals(model):
            if self.proposals is None or planner.memory == 0.0:
                self.proposals = Proposals(planner, model)
            begun, spent, invalid = self.proposals.propose(begun, state, budget, rng)
        if offers(model, HasPlayer):
            settings = settings._replace(memory=0.0, changes=0.0)  # no sequence is the best that both would play
        if root_actions is None:
            order = spread_out(len(actions), len(low), rng) if len(kinds) == 0 else rng.permutation(len(actions))
            if len(kinds) > 0:
                whole = whole._replace(parts=whole.parts[order])
            root = new_root(actions[order], width, scale, order, whole)
            place = place_of(root, begun[0])
            if place < 0 and has_sequence(settings):
                place = own_cell(root, begun[0], actions, rng)
        else:
            given = check_actions(model, root_actions)
            order = rng.permutation(len(given))
            whole = no_whole(len(low))._replace(kinds=kinds)
            root = new_root(given[order], width, scale, nearest(model, actions, given, rng)[order], whole)
            settings = settings._replace(thresholds=settings.thresholds[:0])
            (place,) = nearest(model, given[order], begun[:1], rng)
            begun[0] = given[order[place]]
        sequence = new_sequence(begun, place)
        if last is not None:
            hand_on(last, sequence)
        sights = hand_on_sights(self.sights)
        settings = settings._replace(
            sight=best_sight(sights, planner.explained, budget.simulations or 0),
            hold_visits=min(planner.hold_visits, HOLD_PER_STEP * problem.steps),
        )
        rest = budget if budget.simulations is None else budget.rest(1.0, spent, start)
        nodes = min(rest.simulations or FIRST_NODES, FIRST_NODES)
        tree = new_tree(len(actions), root, sequence, sights, nodes, depth)
        walk = new_walk(model.state_dim, problem.steps, len(actions), depth)
        how: dict[str, Any] = {"model": model, "settings": settings, "rng": rng, "grow": grow}
        begun_at: float | None = start
        done, is_over, enough = 0, False, (rest.simulations or math.inf) >= 2 * LEAST
        if settings.sight == AT_FIRST and sights[0, COUNT] == 0.0 and enough:
            half = rest.rest(0.5, 0, start)
            tree, done = extend(search, tree, walk, problem, budget=half, keeps=False, **how)
            loading = seconds_loading(start)
            left, is_over = budget.rest(1.0, done + spent, start + loading), budget.is_out(1.0, start + loading)
            if misleads(sights) and not is_over:
                decision = self._again(sequence, sights, state, left, rng, root_actions)
                total, invalid = decision.simulations + done + spent, invalid + int(problem.validity[INVALID])
                if self.proposals is not None:
                    self.proposals.decided(total)
                taken = time.perf_counter() - start
                return replace(decision, simulations=total, seconds=taken, invalid=decision.invalid + invalid)
            rest, begun_at = left, None
        if is_over:
            keep_tree(tree)
        else:
            tree, more = extend(search, tree, walk, problem, budget=rest, start=begun_at, earlier=done, **how)
            done += more
        done += spent
        if self.proposals is not None:
            self.proposals.decided(done)
        self._passed.decided()
        if settings.memory > 0.0:
            self.last = sequence
        if planner.memory > 0.0:
            self.sights = sights
        rows = np.arange(root.counts[CELLS])
        if root_actions is not None:
            rows = np.argsort(order)  # as they were given
        stats = root.stats[:, rows]
        visits, chosen, smoothed = stats[VISITS].astype(np.int64), stats[CHOSEN], stats[SMOOTHED]

        def leading(visits: Visits, value: Array, rng: Rng) -> int:
            best = argmax_by(rng, np.where((visits > 0) & (chosen >= OFTEN * chosen.max()), smoothed, -np.inf))
            if not has_sequence(settings):
                return best
            mean = sequence.record[MEAN if sequence.record[REPEATS] > 0.0 else TAKEN]
            sure = SURE if self.proposals is None or len(low) < MANY else 0.0
            if mean - sure * noise_of(sequence) - stats[SEEN, best] <= ROUNDING * abs(mean):
                return best
            return int(np.flatnonzero(rows == sequence.cell[0])[0])

        found, values = root.action[rows], stats[RETURN][:, None]

        def plan(best: int) -> Array:
            away = np.abs(different(model, found[best], sequence.actions[0], scale)).max()
            goes_on = has_sequence(settings) and away <= NEAR
            return np.concatenate([found[best : best + 1], sequence.actions[1 if goes_on else len(sequence.actions) :]])

        decision = decide(found, visits, values, done, start, rng, leading, problem=problem, plan=plan)
        return replace(decision, invalid=decision.invalid + invalid) if invalid > 0 else decision

    def _again(
        self, sequence: Sequence, sights: Array, state: Array, budget: Budget, rng: Rng, root_actions: Array | None
    ) -> Decision:
        """The first decision with the rest of its budget, beginning with what its first look has learned."""
        kept, self.last, self.sights = self.last, sequence, sights
        self._passed.decided()
        try:
            return self.plan(state, budget, rng, root_actions)
        finally:
            if self.last is sequence:
                self.last = kept
            if self.planner.memory == 0.0:
                self.sights = new_sights()

    def start_from(self, plan: Array) -> None:
        """Begin with a plan, [any, action_dim], as if the last decision's sequence had been that."""
        self.last, self._passed = new_sequence(plan, 0), StepsPassed(self.model)
        if takes_proposals(self.model):
            self.proposals = Proposals(self.planner, self.model)
            self.proposals.start_from(plan)
