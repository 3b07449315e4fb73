"""Root parallelisation: independent searches of one state, whose decisions are combined at the end."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Planner, Rng, unsupported
from bonspiel.planners.checks import (
    missing,
    missing_action_bounds,
    offers,
    require,
    require_choice,
    require_count,
    require_positive,
)
from bonspiel.planners.core.returns import InvalidRollouts
from bonspiel.planners.kinds import ONLY_REAL
from bonspiel.planners.model import HasActions, HasActionSd
from bonspiel.planners.planner import MergeableSearch, Traits, check_plan, has_same_actions, traits_of
from bonspiel.planners.registry import NESTED
from bonspiel.planners.trees.uct import UCT
from bonspiel.planners.wrappers.root import rules
from bonspiel.planners.wrappers.root.pool import Pool, pool_of
from bonspiel.planners.wrappers.root.similarity import kernel_of
from bonspiel.planners.wrappers.root.workers import Run, run_all, share_interpreter


def plan_in_rounds(
    common: MergeableSearch,
    budgets: Sequence[Budget],
    seeds: Sequence[int],
    rounds: int,
    run: Run,
    start: float,
    rng: Rng,
    in_turn: bool = False,
) -> Decision:
    """Plan in rounds, with a budget and a seed for each worker.

    Args:
        common: the search to extend.
        budgets: of the workers.
        seeds: of the workers.
        rounds: number of rounds; those for which no time is left are left out.
        run: see `run_all`.
        start: clock when the plan began.
        rng: draws between actions that are equal in the end.
        in_turn: whether the workers take turns, with parts of a budget of seconds.
    """
    least = min((budget.simulations for budget in budgets if budget.simulations is not None), default=rounds)
    require(rounds <= least, "rounds", rounds, f"at most the simulations of a worker, {least}")
    rngs, timed = [np.random.default_rng(seed) for seed in seeds], budgets[0].seconds is not None
    for number in range(rounds):
        if timed and in_turn:
            ends: list[tuple[MergeableSearch, Rng]] = []
            for worker, own in enumerate(rngs, 1):
                share = (number + worker / len(rngs)) / rounds
                if number == 0 == len(ends) or not budgets[0].is_out(share, start):
                    ends.append(_extended(common, budgets[0].rest(share, 0, start), own))
        elif number > 0 and budgets[0].is_out((number + 1) / rounds, start):
            continue
        else:
            parts = [_part(budget, number, rounds, start) for budget in budgets]
            tasks = [(common, part, own) for part, own in zip(parts, rngs, strict=True)]
            ends = run_all("one" if in_turn else run, _extended, tasks, together=timed)
            rngs = [own for _, own in ends]
        if ends:
            common = common.merged([search for search, _ in ends])
    return common.decide(start, rng)


def _part(budget: Budget, number: int, rounds: int, start: float) -> Budget:
    """A worker's budget in the round of this number, from 0."""
    if budget.simulations is None:
        return budget.rest((number + 1) / rounds, 0, start)
    first, last = (budget.simulations * index // rounds for index in (number, number + 1))
    return Budget(simulations=last - first)


def _extended(common: MergeableSearch, budget: Budget, rng: Rng) -> tuple[MergeableSearch, Rng]:
    """A worker's round: its search, and its generator, of which another process has a copy."""
    return common.extended(budget, rng), rng


Combine = Literal["sum", "mean", "max", "majority", "similarity_vote", "similarity_merge", "tries"]
SIMILAR = ("similarity_vote", "similarity_merge")


def _plan(
    planner: Any, model: Model, state: Array, budget: Budget, seed: int, given: tuple[Array, ...]
) -> Decision | InvalidRollouts:
    """A worker's decision, or the error of one whose rollouts are all invalid, which others' need not be."""
    try:
        decision: Decision = planner.plan(model, state, budget, np.random.default_rng(seed), *given)
    except InvalidRollouts as error:
        return error
    return decision


@dataclass(frozen=True)
class Root:
    """Several workers search the same state, each with random numbers of its own, and their decisions are combined.

    A decision lists all actions that a worker lists, each with its visits N and its mean Q over all workers. It is the
    same on threads, in processes and one after the other. A worker that fails ends the plan with its error; one whose
    rollouts are all invalid is left out, unless no other is left. Every decision starts anew, whatever the inner
    planner's `memory`.

    Ties go to more visits, then to the higher mean; equals are drawn.

    Args:
        inner: the planner of every worker; in writing, `root:inner=(dpw:exploration=0.5),combine=similarity_vote`.
        workers: number of workers.
        combine: which action is played. For planners whose workers all have the same actions: "sum", the one of most
            visits; "mean", of the highest mean among those with a tenth of the most visits; "majority", which most
            workers chose. For all planners: "max", of the worker that found the highest mean; "majority" with `cells`;
            "similarity_vote", the one of largest sum_j K(b_i, b_j) over the workers' choices b; "similarity_merge", of
            the highest mean of visits shared by K. "tries" is for `abstraction` with one set of actions: its workers
            share their cells after each of several `rounds`, and "sum" chooses.
        share: "each" gives every worker the whole budget, "split" a part of the simulations, the first ones the rest.
        bandwidth: h of K(a, b) = exp(-1/2 sum_d (a_d - b_d)^2 / h_d^2) as a part of the range of every coordinate, or
            "noise" for the model's `action_sd`. Differences are taken the short way round (`action_period`).
        run: on "threads", which is for compiled models, while workers of others take turns, each with a part of a time
            budget; in "processes" (within a job of
            `bonspiel run` on threads as well, since its cores are taken); or "one" after the other.
        cells: with "majority", votes are counted in this number of equal parts of every dimension, and of the part with
            most votes the most visited choice is played.
        rounds: of "tries".
    """

    inner: Planner = field(default=UCT(), metadata={NESTED: True})
    workers: int = 8
    combine: Combine = "sum"
    share: Literal["each", "split"] = "each"
    bandwidth: float | Literal["noise"] = 0.05
    run: Run = "threads"
    cells: int | None = None
    rounds: int = 1

    def __post_init__(self) -> None:
        require(callable(getattr(self.inner, "plan", None)), "inner", self.inner, "a planner")
        require(not isinstance(self.inner, Root), "inner", self.inner, "another planner than root; more workers fit")
        forgets = not getattr(self.inner, "needs_last_action", False)
        require(forgets, "inner", self.inner, "one without rate_limit and rate_cost, as every decision starts anew")
        require_count("workers", self.workers)
        require_choice("combine", self.combine, Combine.__args__)  # type: ignore[attr-defined]
        require_choice("share", self.share, ("each", "split"))
        if self.bandwidth != "noise":
            require_positive("bandwidth", self.bandwidth)
        require_choice("run", self.run, Run.__args__)  # type: ignore[attr-defined]
        if self.cells is not None:
            require_count("cells", self.cells)
            require(self.combine == "majority", "cells", self.cells, "none without combine='majority'")
        require_count("rounds", self.rounds)
        require(self.rounds == 1 or self.combine == "tries", "rounds", self.rounds, "1 without combine='tries'")

    @property
    def traits(self) -> Traits:
        """The traits of the inner planner, except the budget and the kinds of actions."""
        multiple = self.workers if self.share == "each" else 1
        return replace(traits_of(self.inner), action_kinds=ONLY_REAL, divides_budget=True, budget_multiple=multiple)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        if reason := unsupported(self.inner, model):
            return reason
        name, combine = type(self.inner).__name__, f"combine='{self.combine}'"
        if self.combine == "tries":
            fits = callable(getattr(self.inner, "begin_mergeable", None)) and not offers(model, HasActions)
            needs = "mergeable searches of the inner planner, as inner=abstraction has, and a model without `actions`"
            return None if fits else f"needs {needs} for {combine}"
        if self.combine in SIMILAR:
            return missing(model, HasActionSd) if self.bandwidth == "noise" else missing_action_bounds(model)
        if self.cells is not None:
            return missing_action_bounds(model)
        if self.combine != "max" and not has_same_actions(self.inner, model):
            return f"needs the same actions in all searches for {combine}; those of {name} differ, similarity_vote fits"
        return None

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        budgets = self._budgets(budget)
        seeds = rng.integers(2**63, size=self.workers).tolist()
        inner: Any = self.inner
        if self.combine == "tries":
            common = inner.begin_mergeable(model, state, budgets[0], rng, root_actions)
            in_turn = share_interpreter(self.run, model)
            return plan_in_rounds(common, budgets, seeds, self.rounds, self.run, start, rng, in_turn)
        given = () if root_actions is None else (root_actions,)
        found: list[Decision | InvalidRollouts] = []
        in_turn = share_interpreter(self.run, model)  # a model of an environment takes one step at a time
        if budget.seconds is not None and in_turn:
            for number, seed in enumerate(seeds, 1):
                share = number / self.workers
                if not found or not budget.is_out(share, start):
                    found.append(_plan(inner, model, state, budget.rest(share, 0, start), seed, given))
        else:
            tasks = [(inner, model, state, part, seed, given) for part, seed in zip(budgets, seeds, strict=True)]
            found = run_all("one" if in_turn else self.run, _plan, tasks, together=budget.seconds is not None)
        decisions = [one for one in found if isinstance(one, Decision)]
        failed = [one for one in found if isinstance(one, InvalidRollouts)]
        if not decisions:
            raise failed[0]
        pool, lost = pool_of(decisions), sum(error.rollouts for error in failed)
        best, simulations = self.choose(pool, model, rng), lost + sum(decision.simulations for decision in decisions)
        invalid = lost + sum(decision.invalid for decision in decisions)
        seconds = time.perf_counter() - start
        action, value = pool.actions[best].copy(), float(pool.values[best])
        plan = next((one.plan for one in decisions if np.array_equal(one.action, action)), action[None])
        return Decision(action, value, simulations, seconds, pool.actions, pool.visits, pool.values, invalid, plan)

    def _budgets(self, budget: Budget) -> Sequence[Budget]:
        """Each worker's own."""
        if budget.simulations is None:
            require(self.run != "one", "run", self.run, "threads or processes with a budget in seconds")
            require(self.share == "each", "share", self.share, "each with a budget in seconds")
        if budget.simulations is None or self.share == "each":
            return [budget] * self.workers
        enough = f"at least workers={self.workers} with share='split'"
        require(budget.simulations >= self.workers, "simulations", budget.simulations, enough)
        return budget.split(self.workers)

    def choose(self, pool: Pool, model: Model, rng: Rng) -> int:
        """The row of the action that `combine` plays of what the workers found; not for "tries", which shares more."""
        match self.combine:
            case "sum":
                return rules.most_visits(pool, rng)
            case "mean":
                return rules.highest_mean(pool, rng)
            case "max":
                return rules.highest_claim(pool, rng)
            case "similarity_vote":
                return rules.most_similar_votes(pool, kernel_of(model, self.bandwidth), rng)
            case "similarity_merge":
                return rules.highest_merged_mean(pool, kernel_of(model, self.bandwidth), rng)
        if self.cells is None:
            return rules.most_votes(pool, rng)
        return rules.most_votes_of_a_part(pool, model, self.cells, rng)
