"""Root pre-search: values of a grid of aims without noise, smoothed by the noise, restrict the search (a 2017 thesis).

Algorithm 9 of the thesis with the aim noise of Kato, Iizuka, Yamamoto 2015: the value of aiming somewhere is the mean
of the values around it, weighted by the chance to hit there. The largest of the smoothed values is not played, since it
owes much to luck; the inner planner chooses among the best few, with noise.
"""

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Budget, Decision, Model, Planner, Rng, unsupported
from bonspiel.planners.abstraction.planner import AbstractionTree
from bonspiel.planners.checks import missing, offers, require, require_count, require_positive
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.core.aims import aims_of, outcomes
from bonspiel.planners.core.jit import Problem, gain_of, int64, player, rollout, seconds_loading
from bonspiel.planners.core.problem import problem_of, search_kernel
from bonspiel.planners.core.returns import invalid_in
from bonspiel.planners.core.rounds import ROUNDS, Rounds, new_rounds, next_index
from bonspiel.planners.core.search import extend
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, new_walk
from bonspiel.planners.kinds import ONLY_REAL
from bonspiel.planners.model import HasActions, HasAimGrid, HasPlayer, HasRollout, HasStepExact
from bonspiel.planners.planner import ResumableSearch, Traits, check_plan, traits_of
from bonspiel.planners.registry import NESTED
from bonspiel.planners.wrappers.presearch.sweep import Sweep, grid_size, peaks, sweep_of
from bonspiel.planners.wrappers.presearch.ties import by_second_reward

CALIBRATION = 0.02  # part of a time budget, to estimate the number of evaluations in the rest


@search_kernel(ROUNDS, TREE_WALK, int64)
def _evaluate(rounds: Rounds, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, depth: int) -> int:
    """Add the value of a rollout from one state after another, round and round; all are `depth` steps ahead."""
    state, scratch, mover = walk.state[0], walk.state[1], player(problem, problem.state)
    for _ in range(simulations):
        index = next_index(rounds)
        copy(rounds.states[index], state)
        total = rollout(problem, state, scratch, problem.steps - depth, rng)
        rounds.sums[index] += mover * gain_of(problem.validity, 0, mover, total)
    return simulations


class _Evaluator:
    """Values of states by the inner planner's own simulations where it can, otherwise by the model's rollouts."""

    def __init__(
        self, model: Model, state: Array, rng: Rng, search: ResumableSearch | None, lookahead: int | None
    ) -> None:
        self.model, self.rng, self.search = model, rng, search
        self.problem = problem_of(model, state, lookahead)

    def outcomes(self, aims: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """The outcomes of aims without noise, see `core.aims.outcomes`; in the last step of a plan all have ended."""
        states, rewards, ended = outcomes(self.model, self.problem, aims, self.rng)
        return states, rewards, ended | (self.problem.steps == 1)

    def __call__(self, states: Array, order: NDArray[np.int64], sums: Array, budget: Budget) -> int:
        """Add values, player +1's, to `sums`, from one state after another; how many."""
        if self.search is not None:
            return self.search.evaluate(states, order, sums, budget)
        rounds, walk = new_rounds(states, order, sums), new_walk(self.model, self.problem.steps)
        _, done = extend(
            _evaluate, rounds, walk, self.problem, model=self.model, settings=1, budget=budget, rng=self.rng
        )
        return done


def _lookahead(planner: Any) -> int | None:
    """That of a planner, or of the one within it."""
    while not hasattr(planner, "lookahead") and hasattr(planner, "inner"):
        planner = planner.inner
    found: int | None = getattr(planner, "lookahead", None)
    return found


@dataclass(frozen=True)
class Presearch:
    """Root pre-search for another planner.

    At least one simulation goes to the sweep; where the budget is but one, the sweep decides. Where all returns
    are as good as equal, the model's second reward chooses, if it has one (`HasTieBreaker`): `Decision.value` and
    `values` are still returns, those of the actions whose return was not estimated within the model's `indifference`.

    Args:
        inner: the planner that chooses among the best aims, whose `memory` is not used; in writing,
            `presearch:inner=dpw` or `presearch:inner=(abstraction:exploration=0.5)`.
        share: part of the budget that the sweep may take, above 0 and below 1.
        size: most aims in the grid.
        candidates: most local maxima that the inner planner considers, at least 1.
    """

    inner: Planner = field(default=AbstractionTree(exploration=0.3, tree_steps=1), metadata={NESTED: True})
    share: float = 0.5
    size: int = 4_284
    candidates: int = 16

    def __post_init__(self) -> None:
        require(callable(getattr(self.inner, "plan", None)), "inner", self.inner, "a planner")
        require_positive("share", self.share, 1.0)
        require(self.share < 1.0, "share", self.share, "below 1")
        require_count("size", self.size)
        require_count("candidates", self.candidates)

    @property
    def traits(self) -> Traits:
        """The traits of the inner planner; the sweep rolls out unless that planner's simulations are the sweep's."""
        inner = traits_of(self.inner)
        rolls_out = inner.rolls_out or not callable(getattr(self.inner, "begin", None))
        return replace(inner, action_kinds=ONLY_REAL, divides_budget=True, rolls_out=rolls_out)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        if not traits_of(self.inner).takes_root_actions:
            return f"needs an inner planner that takes `root_actions`, which {type(self.inner).__name__} does not"
        rollout = () if self._resumes(model) else (HasRollout,)
        return missing(model, HasAimGrid, HasStepExact, *rollout) or unsupported(self.inner, model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`. With `root_actions` there is no sweep."""
        if root_actions is not None:
            check_plan(self, model, state, budget, rng)
            return self.inner.plan(model, state, budget, rng, root_actions)
        return self.plan_with_sweep(model, state, budget, rng)[0]

    def plan_with_sweep(self, model: Model, state: Array, budget: Budget, rng: Rng) -> tuple[Decision, Sweep]:
        """`plan`, and the values of the grid to look at; raises what `plan` raises."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        sweeps: list[Sweep] = []

        def search(of: Model, part: Budget, begun: float, actions: Array | None) -> Decision:
            if actions is not None:
                return self.inner.plan(of, state, part, rng, actions)
            decision, sweep = self._search(of, state, part, rng, begun)
            if of is model:
                sweeps.append(sweep)
            return decision

        return by_second_reward(model, state, budget, rng, start, search), sweeps[-1]

    def _search(self, model: Model, state: Array, budget: Budget, rng: Rng, start: float) -> tuple[Decision, Sweep]:
        """Sweep, then choose among the peaks; `start` is the clock when the budget began."""
        search = self._begin(model, state, budget, rng)
        sweep = self._sweep(model, state, budget, rng, search)
        chosen, left = peaks(sweep, self.candidates, rng), budget.rest(1.0, sweep.simulations, start)
        if budget.simulations == sweep.simulations:
            visits, values = np.zeros(len(chosen), np.int64), np.full(len(chosen), np.nan)
            visits[0], spent = sweep.simulations, (sweep.simulations, time.perf_counter() - start)
            return Decision(chosen[0], math.nan, *spent, chosen, visits, values, sweep.invalid), sweep
        if offers(model, HasActions):
            chosen = np.concatenate([chosen, own_actions(model, state)])
        if search is None:
            decision = self.inner.plan(model, state, left, rng, chosen)
        else:
            decision = search.decide(chosen, left, time.perf_counter())
        seconds = time.perf_counter() - start
        simulations, invalid = decision.simulations + sweep.simulations, decision.invalid + sweep.invalid
        return replace(decision, simulations=simulations, seconds=seconds, invalid=invalid), sweep

    def sweep(self, model: Model, state: Array, budget: Budget, rng: Rng) -> Sweep:
        """The sweep alone, with its share of the budget."""
        return self._sweep(model, state, budget, rng, self._begin(model, state, budget, rng))

    def _begin(self, model: Model, state: Array, budget: Budget, rng: Rng) -> ResumableSearch | None:
        """The inner planner's search where it can evaluate the grid too, so that nothing is lost."""
        return self.inner.begin(model, state, budget, rng) if self._resumes(model) else None  # type: ignore[attr-defined]

    def _resumes(self, model: Model) -> bool:
        return offers(model, HasActions) and callable(getattr(self.inner, "begin", None))

    def _sweep(self, model: Any, state: Array, budget: Budget, rng: Rng, search: ResumableSearch | None) -> Sweep:
        """Evaluate with the sweep's share of the budget the finest grid of aims that allows each an evaluation."""
        start = time.perf_counter()
        evaluate = _Evaluator(model, state, rng, search, _lookahead(self.inner))
        affordable, spent = self._affordable(model, state, budget, evaluate)
        start += seconds_loading(start)
        blocks = model.aim_grid(state, grid_size(affordable, self.size))
        if affordable == 0 and budget.seconds is not None:
            nothing, invalid = np.zeros(len(aims_of(blocks))), invalid_in(evaluate.problem.validity)
            return sweep_of(blocks, nothing, nothing, spent)._replace(invalid=invalid)
        states, rewards, ended = evaluate.outcomes(aims_of(blocks))
        sums, counts = np.zeros(len(states)), np.ones(len(states))
        open_ends = rng.permutation(np.flatnonzero(~ended))
        if len(open_ends):
            part = None if budget.is_out(self.share, start) else budget.rest(self.share, spent, start)
            done = 0 if part is None else evaluate(states, open_ends, sums, part)
            rounds, rest = divmod(done, len(open_ends))
            counts[ended] = max(rounds, 1)
            counts[open_ends] = rounds + (np.arange(len(open_ends)) < rest)
            spent += done
        mover = model.player(state, model.params) if offers(model, HasPlayer) else 1.0
        values = mover * (rewards + model.discount * sums / np.maximum(counts, 1.0))
        valid = np.isfinite(values)
        values[~valid] = values[valid].min() if valid.any() else 0.0
        if budget.simulations == 1 and valid.any():
            spent = 1  # also where every aim ends the episode, so that there was nothing to roll out
        return sweep_of(blocks, values, counts, spent)._replace(invalid=invalid_in(evaluate.problem.validity))

    def _affordable(self, model: Any, state: Array, budget: Budget, evaluate: _Evaluator) -> tuple[int, int]:
        """The evaluations that the sweep's share pays for, and those spent to find out.

        None of a time budget, if sweep and search may not have the time of a rollout each.
        """
        if budget.simulations is not None:
            return int(self.share * budget.simulations), 0
        seconds, share = budget.seconds or 0.0, min(self.share, 1.0 - self.share)
        aims = aims_of(model.aim_grid(state, 1))
        begin = time.perf_counter()
        states, _, ended = evaluate.outcomes(aims)
        each, done = _seconds_since(begin) / len(aims), 0
        if evaluate.problem.steps * each > share * seconds:
            return 0, 0
        if not ended.all():
            begin = time.perf_counter()
            part = Budget(seconds=CALIBRATION * seconds)
            done = evaluate(states, np.flatnonzero(~ended), np.zeros(len(states)), part)
            each += _seconds_since(begin) / done
        return (int(self.share * seconds / max(each, 1e-9)) if each <= share * seconds else 0), done


def _seconds_since(begin: float) -> float:
    """Without those of loading compiled code."""
    return time.perf_counter() - begin - seconds_loading(begin)
