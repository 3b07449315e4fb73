"""The decisions of an episode by the abstraction tree with one set of parameters."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.adaptive.root import (
    CELLS,
    Whole,
    first_cells,
    first_cells_of_kinds,
    warped_cells,
    new_root,
    no_whole,
    spread_out,
)
from bonspiel.planners.abstraction.adaptive.search import grow, new_tree, new_walk, search
from bonspiel.planners.abstraction.adaptive.sequence import FIRST_RETURN, PLAYS, RETURNED, Sequence, shifted
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.abstraction.adaptive.smoothing import CHOSEN, RETURN, SMOOTHED, SQUARES, VISITS
from bonspiel.planners.checks import check_actions, offers
from bonspiel.planners.core.actions import inverse_widths, nearest
from bonspiel.planners.core.argmax import argmax_by
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.kinds import kind_codes
from bonspiel.planners.model import Array, HasPlayer, Model, Rng
from bonspiel.planners.planner import Budget, Decision, check_plan

FIRST_NODES = 1_024
OFTEN = 0.5  # of how often the most chosen action was: so often an action was chosen that may be played


class AdaptiveEpisode:
    """Decisions each of which may begin with the best sequence of actions that the one before knew.

    Args:
        planner: an AdaptiveAbstraction.
        model: one without `actions`.
    """

    def __init__(self, planner: Any, model: Model) -> None:
        self.planner, self.model = planner, model
        self.last: Sequence | None = None
        self._first: tuple[Array, Array, Whole] | None = None

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
            if self.last is not None and settings.x[14] < 1.0:
                seq = self.last.actions[1:] if len(self.last.actions) > 1 else self.last.actions
                least, greatest = seq.min(0), seq.max(0)
                self.width = np.minimum(np.maximum(settings.x[15] * (greatest - least), settings.x[16] * self.width), high - low)
                bottom = np.clip(0.5 * (least + greatest - self.width), low, high - self.width)
                actions, width = warped_cells(low, high, bottom, bottom + self.width, settings.x[14], planner.first_actions)
                settings = settings._replace(cells=settings.cells._replace(actions=actions))
            else:
                self.width = high - low
        else:
            if self._first is None:
                self._first = first_cells_of_kinds(model, state, planner.first_actions, rng)
            actions, width, whole = self._first
            settings = settings._replace(cells=settings.cells._replace(actions=actions))
        scale = inverse_widths(model)
        problem, depth = planner.problem(model, state, cells=True, budget=budget), len(settings.cells.weights) - 1
        steps = problem.steps
        if self.last is not None:
            begun = shifted(self.last, steps)
        else:
            begun = np.tile(null_action(model), (steps, 1))
        if root_actions is None:
            order = spread_out(len(actions), len(low), rng) if len(kinds) == 0 else rng.permutation(len(actions))
            (own,) = nearest(model, actions, begun[:1], rng)
            n = len(whole.parts)
            parts = np.concatenate([whole.parts[[own] * min(n, 1)], whole.parts[order[:n]]])
            root = new_root(
                np.concatenate([begun[:1], actions[order]]), width if width.ndim == 1 else width[np.append(own, order)], scale, np.append(own, order), whole._replace(parts=parts)
            )
            root.divisions[0] = 1_000_000
            first = 0
        else:
            given = check_actions(model, root_actions)
            order = rng.permutation(len(given))
            whole = no_whole(len(low))._replace(kinds=kinds)
            root = new_root(given[order], 0.0 * scale, scale, nearest(model, actions, given, rng)[order], whole)
            settings = settings._replace(thresholds=settings.thresholds[:0])
            (first,) = nearest(model, root.action[: root.counts[CELLS]], begun[:1], rng)
            begun[0] = root.action[first]
        if offers(model, HasPlayer):
            settings = settings._replace(memory=0.0)  # the best sequence for one of two is none that both would play
        nodes = min(budget.simulations or FIRST_NODES, FIRST_NODES)
        tree = new_tree(len(actions), root, problem.steps, nodes, depth, begun)
        tree.sequence.cell[0] = first
        if self.last is not None:
            tree.sequence.record[9:13] = settings.x[6] * self.last.record[9:13]
            tree.sequence.record[3:5] = settings.x[6] * self.last.record[3:5]
        walk = new_walk(model.state_dim, problem.steps, len(actions), depth)
        tree, done = extend(
            search, tree, walk, problem, model=model, settings=settings, budget=budget, rng=rng, grow=grow, start=start
        )
        if settings.memory > 0.0:
            self.last = tree.sequence
        rows = np.arange(root.counts[CELLS])
        if root_actions is not None:
            rows = np.argsort(order)  # as they were given
        stats = root.stats[:, rows]
        visits, chosen, smoothed = stats[VISITS].astype(np.int64), stats[CHOSEN], stats[SMOOTHED]

        record, seq = tree.sequence.record, int(tree.sequence.cell[0])
        if root_actions is not None:
            seq = int(order[seq])
        x = settings.x

        hasty = stats[RETURN]

        def best_of_often_chosen(visits: NDArray[np.int64], value: Array, rng: Rng) -> int:
            best = argmax_by(rng, np.where((chosen >= OFTEN * chosen.max()) & (visits > 0), smoothed, -np.inf))
            if settings.memory > 0.0:
                mean, n = record[RETURNED], record[PLAYS]
                if n > 1 and record[3] > 0.0:
                    mean = (record[RETURNED] * n - record[FIRST_RETURN]) / (n - 1)
                sd = np.sqrt(record[3] / max(record[4], 1.0))
                # print(best, seq, mean, value[best], n, sd)
                if mean - x[8] * sd > hasty[best]:
                    return seq
            return best

        visits = np.maximum(visits, np.arange(len(visits)) == seq)
        found, values = root.action[rows], stats[RETURN][:, None]
        return decide(found, visits, values, done, start, rng, best_of_often_chosen, problem=problem)
