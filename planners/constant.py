"""The best constant action: one action for a whole episode, a baseline of every planner."""

import dataclasses
import time
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import check_actions, discrete_actions, require_share, two_players
from bonspiel.planners.core.jit import Problem, gain_of, int64, step
from bonspiel.planners.core.problem import PlanLength, search_kernel
from bonspiel.planners.core.returns import invalid_in
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, new_walk
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.kinds import KINDS
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, EpisodeSearch, FreshSearches, Traits, check_plan

TIMED = 64  # candidates of a budget in time
MOST = 1 << 14  # candidates of any budget


class Candidates(NamedTuple):
    """Actions and the returns of episodes that hold them.

    Attributes:
        actions: [n, action_dim].
        visits: simulations of each, int64 [n].
        invalid: how many of these were invalid, int64 [n].
        returns: mean return of the others, [n]; 0 without any.
        next: the place in `left` of the action to simulate next, int64 [1].
    """

    actions: Array
    visits: NDArray[np.int64]
    invalid: NDArray[np.int64]
    returns: Array
    next: NDArray[np.int64]


def _candidates(actions: Array) -> Candidates:
    n = len(actions)
    return Candidates(actions, np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n), np.zeros(1, np.int64))


@search_kernel(_candidates(np.zeros((1, 1))), TREE_WALK, int64[::1])
def _simulate(
    candidates: Candidates, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, left: NDArray[np.int64]
) -> int:
    """Hold the actions `left` in turn, each for a whole plan."""
    state, next_state = walk.state[0], walk.state[1]
    for _ in range(simulations):
        index = left[candidates.next[0] % len(left)]
        candidates.next[0] += 1
        copy(problem.state, state)
        total, weight = 0.0, 1.0
        for _ in range(problem.steps):
            reward, terminated = step(problem, state, candidates.actions[index], next_state, rng)
            total += weight * reward
            if terminated:
                break
            weight *= problem.discount
            copy(next_state, state)
        candidates.visits[index] += 1
        gain = gain_of(problem.validity, 0, 1.0, total)
        if total - total != 0.0:
            candidates.invalid[index] += 1
        else:
            valid = candidates.visits[index] - candidates.invalid[index]
            candidates.returns[index] += (gain - candidates.returns[index]) / valid
    return simulations


def _means(candidates: Candidates, problem: Problem) -> Array:
    """Mean return of each action, [n]; invalid simulations count as the worst valid one, untried actions as -inf."""
    means = candidates.returns.copy()
    if invalid_in(problem.validity) > 0:
        worst = gain_of(problem.validity, 0, 1.0, np.nan)
        means += candidates.invalid / np.maximum(candidates.visits, 1) * (worst - means)
    means[candidates.visits == 0] = -np.inf
    return means


def _size(budget: Budget) -> int:
    """The number of candidates: the largest power of two whose halving rounds simulate each of them at least once."""
    if budget.simulations is None:
        return TIMED
    size = 1
    while size < MOST and 2 * size * size.bit_length() <= budget.simulations:
        size *= 2
    return size


@dataclass(frozen=True)
class Constant(PlanLength):
    """Plays one action for a whole episode: that with the best mean return of those tried.

    Candidates are the action that does nothing (`planners.do_nothing`) and draws of the model's `sample_action`. A
    simulation holds one of them to the end of the plan. Sequential halving (Karnin, Koren, Somekh 2013) spends the
    budget in equal rounds; after each the better half of the candidates stays. The first decision of an episode makes
    the choice. Later decisions of the episode repeat its action without a simulation.

    Args:
        memory: 0 chooses anew at every step; above 0 the choice holds for the whole episode.
    """

    memory: float = 1.0

    traits: ClassVar[Traits] = Traits(divides_budget=True, converges=False, action_kinds=KINDS, rolls_out=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_share("memory", self.memory)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return two_players(model) or discrete_actions(model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose the action to hold from `state` on; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        problem = self.problem(model, state)
        if root_actions is None:
            root_actions = np.empty((_size(budget), len(model.action_low)))
            root_actions[0] = null_action(model)
            for action in root_actions[1:]:
                model.sample_action(state, action, model.params, rng)
        candidates, walk = _candidates(check_actions(model, root_actions)), new_walk(model, 1)
        left, done = rng.permutation(len(root_actions)), 0  # of equals none is preferred
        rounds = max(1, (len(left) - 1).bit_length())
        for number in range(1, rounds + 1):
            part = _part(budget, number / rounds, done, start)
            if part is not None:
                candidates.next[0] = 0
                candidates, more = extend(
                    _simulate, candidates, walk, problem, model=model, settings=left, budget=part, rng=rng, earlier=done
                )
                done += more
            means = _means(candidates, problem)
            left = left[np.argsort(-means[left], kind="stable")[: (len(left) + 1) // 2]]
        best = int(left[0])
        rows = candidates.actions, candidates.visits, means[:, None]
        held = np.repeat(candidates.actions[best : best + 1], problem.steps, axis=0)
        return decide(*rows, done, start, rng, lambda *_: best, problem=problem, plan=lambda _: held)

    def begin_episode(self, model: Model) -> EpisodeSearch:
        """The decisions of an episode, all with the action of the first one if there is memory."""
        return HeldAction(self, model) if self.memory > 0.0 else FreshSearches(self, model)


class HeldAction:
    """The decisions of one episode: the first one's action at every step; see `planners.EpisodeSearch`."""

    def __init__(self, planner: Constant, model: Model) -> None:
        self.planner, self.model = planner, model
        self.first: Decision | None = None

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Repeat the first decision, with its rows; choose for this step alone where `root_actions` lack the action."""
        start = time.perf_counter()
        given = None if root_actions is None else check_actions(self.model, root_actions)
        if self.first is None or not (given is None or (given == self.first.action).all(1).any()):
            decision = self.planner.plan(self.model, state, budget, rng, root_actions)
            self.first = self.first or decision
            return deepcopy(decision)  # whose arrays a caller may change
        state = check_plan(self.planner, self.model, state, budget, rng)
        again = deepcopy(self.first)
        held = np.repeat(again.action[None], self.planner.problem(self.model, state).steps, axis=0)
        return dataclasses.replace(again, simulations=0, seconds=time.perf_counter() - start, invalid=0, plan=held)


def _part(budget: Budget, share: float, done: int, start: float) -> Budget | None:
    """The budget of a round that ends when this share of the whole is spent; None if nothing is left."""
    if budget.simulations is not None:
        count = round(budget.simulations * share) - done
        return Budget(simulations=count) if count > 0 else None
    seconds = (budget.seconds or 0.0) * share - (time.perf_counter() - start)
    return None if seconds <= 0.0 and done > 0 else Budget(seconds=max(seconds, 1e-9))
