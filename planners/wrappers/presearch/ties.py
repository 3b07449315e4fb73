"""A second reward decides where all returns are as good as equal: a lexicographic choice at the root.

A search that compares returns alone plays any action there: ten points ahead, one that loses six of them.
"""

import copy
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bonspiel.planners.checks import offers
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.core.aims import outcomes
from bonspiel.planners.core.jit import MATRIX, RNG, Problem, float64, int64, kernel, rollout, run, seconds_loading
from bonspiel.planners.core.problem import PROBLEM, problem_of
from bonspiel.planners.core.search import progress_valued_at
from bonspiel.planners.core.vectors import copy as copy_state
from bonspiel.planners.model import Array, HasActions, HasPlayer, HasRollout, HasTieBreaker, Model, Rng
from bonspiel.planners.planner import Budget, Decision

Search = Callable[[Model, Budget, float, Array | None], Decision]  # model, budget, its start, root actions

ROLLOUTS = 128
FIRST_SHARE = 0.25  # of the budget, for the search by returns, which finds the tied actions
VISITS_SHARE = 0.5  # of the most: returns of fewer tie by chance


@kernel(PROBLEM, MATRIX, float64, float64, int64, RNG)
def _rollouts_within(problem: Problem, scratch: Array, low: float, high: float, most: int, rng: Rng) -> int:
    """The number of rollouts until one whose return is not in [low, high]."""
    for done in range(most):
        copy_state(problem.state, scratch[0])
        if not low <= rollout(problem, scratch[0], scratch[1], problem.steps, rng) <= high:
            return done
    return most


class Tie(NamedTuple):
    """A state in which all returns are as good as equal.

    Attributes:
        second: the model whose reward decides.
        near: returns that differ by no more are as good as equal.
        low: smallest return that is, for the player to move.
        high: largest.
    """

    second: Model
    near: float
    low: float
    high: float

    def holds(self, decision: Decision) -> bool:
        """True if the result of a search confirms the tie."""
        return self.low <= decision.value <= self.high


def tie_in(model: Any, state: Array, rng: Rng, until: float = math.inf) -> Tie | None:
    """The tie where the default policy always has the best return, or always the worst.

    None in other states, for models without a second reward, and where the clock shows `until` before it is found out.
    Nothing is drawn from `rng`, so that the search in
    another state is the one that it would have been.
    """
    fits = offers(model, HasTieBreaker) and offers(model, HasRollout)
    second = model.tie_breaker(state) if fits else None
    if second is None:
        return None
    (low, high), near, problem = model.return_bounds, model.indifference, problem_of(model, state)
    mover = model.player(state, model.params) if offers(model, HasPlayer) else 1.0
    own = copy.deepcopy(rng)
    for bounds in ((high - near, math.inf), (-math.inf, low + near)):
        within = sorted(mover * bound for bound in bounds)
        if _always_within(model, problem, bounds, ROLLOUTS, own, until) and (
            within[0] > -math.inf or not _has_way_out(model, problem, bounds, own, until)
        ):
            return Tie(second, near, *within)
    return None


def _always_within(
    model: Model, problem: Problem, bounds: tuple[float, float], most: int, rng: Rng, until: float
) -> bool:
    scratch, done, chunk = np.empty((2, len(problem.state))), 0, most if until == math.inf else 1
    while done < most and time.perf_counter() < until:
        if run(_rollouts_within, model, problem, scratch, *bounds, chunk, rng) < chunk:
            return False
        done += chunk
    return done >= most


def _has_way_out(model: Model, problem: Problem, bounds: tuple[float, float], rng: Rng, until: float) -> bool:
    """True if one of the model's own actions leads to a return out of bounds, which the policy does not find.

    Also if the clock shows `until` before it is found out.
    """
    if not offers(model, HasActions):
        return False
    states, rewards, ended = outcomes(model, problem, own_actions(model, problem.state), rng)
    if not ((bounds[0] <= rewards[ended]) & (rewards[ended] <= bounds[1])).all():
        return True
    most = math.ceil(ROLLOUTS / len(states))
    after = (problem._replace(state=state, steps=problem.steps - 1) for state in states[~ended])
    return not all(_always_within(model, later, bounds, most, rng, until) for later in after)


def tied_actions(decision: Decision, near: float, fewest_visits: float = math.inf) -> Array | None:
    """The actions whose returns are within `near` of that of the action chosen, [B, action_dim]; None if all are.

    Only those with at least `fewest_visits`, or with half the visits of the most visited action.
    """
    tried = decision.visits > 0
    tied = tried & (np.where(tried, decision.values, 0.0) >= decision.value - near)
    if (tied == tried).all():
        return None
    return decision.actions[tied & (decision.visits >= min(fewest_visits, VISITS_SHARE * decision.visits.max()))]


def with_returns_of(first: Decision, second: Decision) -> Decision:
    """The second decision with the returns of the first, which all actions that the first did not try are near to."""
    tried = first.visits > 0
    returns = dict(zip(map(bytes, first.actions[tried]), first.values[tried].tolist(), strict=True))
    values = np.array([returns.get(bytes(action), first.value) for action in second.actions])
    value = returns.get(bytes(second.action), first.value)
    return replace(second, value=value, values=np.where(second.visits > 0, values, np.nan))


def by_second_reward(
    model: Model, state: Array, budget: Budget, rng: Rng, start: float, search: Search, fewest_visits: float = math.inf
) -> Decision:
    """Decide by a search, with the second reward where all returns are as good as equal.

    `start` is the clock when the budget began; see `tied_actions` for the fewest visits.
    """
    until = math.inf if budget.seconds is None else start + FIRST_SHARE * budget.seconds
    tie = tie_in(model, state, rng, until)
    if tie is None or budget.simulations == 1:
        return search(model, budget, start, None)
    first = search(model, budget.rest(FIRST_SHARE, 0, start), time.perf_counter(), None)
    left, now = budget.rest(1.0, first.simulations, start), time.perf_counter()
    tied = tied_actions(first, tie.near, fewest_visits)
    if not tie.holds(first):
        decision = search(model, left, now, None)
    elif (tied is not None and len(tied) == 1) or budget.is_out(1.0, start + seconds_loading(start)):
        return first  # the only one, or the best that there was time for
    else:
        with progress_valued_at(first.value):
            decision = with_returns_of(first, search(tie.second, left, now, tied))
    simulations, seconds = first.simulations + decision.simulations, time.perf_counter() - start
    return replace(decision, simulations=simulations, seconds=seconds, invalid=first.invalid + decision.invalid)
