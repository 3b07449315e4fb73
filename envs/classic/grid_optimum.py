"""The policy that follows from values on a grid, as the optimum of a problem.

A value is what this policy attains in the model itself: a lower bound of V* that rises as the grid gets finer.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bonspiel.envs.classic import dynamic_programming
from bonspiel.envs.classic.dynamic_programming import (
    PLANE,
    Floats,
    Plane,
    interpolate,
    kept_levels,
    place_on_axis,
    values_on,
)
from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import check_state
from bonspiel.planners.core.values import cached
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import PROBLEM, RNG, VECTOR, Problem, helper, kernel, problem_of, run, step
from bonspiel.planners.model import Array, Rng

STEPS = 500_000  # of all episodes together that a mean is over


class GridSolution(NamedTuple):
    """Values on a grid.

    Attributes:
        plane: the grid.
        actions: for the policy to choose from, [A, action_dim].
        levels: numbers of steps left, ascending from 0, [levels].
        values: with each of these numbers of steps left, [levels, nodes and zeros after them].
    """

    plane: Plane
    actions: Array
    levels: NDArray[np.int64]
    values: Floats


SOLUTION = GridSolution(PLANE, np.zeros((1, 1)), np.zeros(1, np.int64), np.zeros((1, 1), np.float32))


@helper
def _greedy(problem: Problem, solution: GridSolution, left: int, state: Array, next_state: Array, rng: Rng) -> int:
    """The row of the action with the best reward and value after it."""
    plane, levels = solution.plane, solution.levels
    rows, columns = plane.nodes[0], plane.nodes[1]
    level = 1
    while level < len(levels) - 1 and levels[level] < left - 1:
        level += 1
    weight = min((left - 1 - levels[level - 1]) / (levels[level] - levels[level - 1]), 1.0)
    fewer, more = solution.values[level - 1], solution.values[level]
    best, best_score = 0, -np.inf
    for row in range(len(solution.actions)):
        score, terminated = step(problem, state, solution.actions[row], next_state, rng)
        if not terminated:
            first, second = place_on_axis(plane, next_state, 0), place_on_axis(plane, next_state, 1)
            row_before, column_before = min(int(first), rows - 2), min(int(second), columns - 2)
            corner, x, y = row_before * columns + column_before, first - row_before, second - column_before
            low, high = interpolate(fewer, corner, columns, x, y), interpolate(more, corner, columns, x, y)
            score += problem.discount * (low + weight * (high - low))
        if score > best_score:
            best, best_score = row, score
    return best


@kernel(PROBLEM, SOLUTION, VECTOR, RNG)
def _choose(problem: Problem, solution: GridSolution, scratch: Array, rng: Rng) -> int:
    """The row of the policy's action in the problem's state."""
    return _greedy(problem, solution, problem.steps, problem.state, scratch, rng)


@kernel(PROBLEM, SOLUTION, VECTOR, VECTOR, RNG)
def _follow(problem: Problem, solution: GridSolution, state: Array, next_state: Array, rng: Rng) -> float:
    """Return of the policy from the problem's state to the end."""
    total, weight = 0.0, 1.0
    copy(problem.state, state)
    for left in range(problem.steps, 0, -1):
        best = _greedy(problem, solution, left, state, next_state, rng)
        reward, terminated = step(problem, state, solution.actions[best], next_state, rng)
        total += weight * reward
        if terminated:
            break
        weight *= problem.discount
        copy(next_state, state)
    return total


@dataclass(frozen=True, eq=False)
class GridOptimum(Reference):
    """An optimal policy of a problem in a plane; see `envs.optimal.Reference`.

    Args:
        model: to solve; without noise, its first two coordinates are the plane, its third is the time.
        plane: the grid.
        coarse: actions of dynamic programming, [A, action_dim].
        fine: actions of the policy, [B, action_dim].
        ended: whether the episode is over in a state before the horizon.
        timed: whether a step depends on the time.
    """

    model: Any
    plane: Plane
    coarse: Array
    fine: Array
    ended: Callable[[Array], bool] = lambda state: False
    timed: bool = False

    @cached_property
    def rng(self) -> Rng:
        """For the model's functions, which draw nothing."""
        return np.random.default_rng(0)

    @cached_property
    def name(self) -> str:
        """Everything that the values depend on but the sources."""
        plane = [part.tolist() for part in self.plane]
        return f"{self.model} {plane} {self.coarse.tolist()} {self.fine.tolist()}"

    def kept(self, what: str, compute: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """An array from disk if it was computed before."""
        sources = sys.modules[__name__], dynamic_programming, sys.modules[type(self.model).__module__]
        return cached(f"{what} {self.name}", sources, lambda: {"array": compute()})["array"]

    @cached_property
    def solution(self) -> GridSolution:
        """The values; takes seconds the first time."""
        values = self.kept("values", lambda: values_on(self.model, self.plane, self.coarse, self.timed))
        return GridSolution(self.plane, self.fine, np.array(kept_levels(self.model.horizon)[: len(values)]), values)

    def is_over(self, state: Array) -> bool:
        """Return whether the episode is over."""
        return bool(state[self.model.time_index] >= self.model.horizon or self.ended(state))

    def attained(self, state: Array) -> float:
        """Return of the policy from a state."""
        if self.is_over(state):
            return 0.0
        problem, scratch = problem_of(self.model, state, strict=True), (np.empty_like(state), np.empty_like(state))
        return float(run(_follow, self.model, problem, self.solution, *scratch, self.rng))

    def candidates(self, state: Array) -> Array:
        """The actions of the policy, [B, action_dim]."""
        return self.fine

    def q_values(self, state: Array, actions: Array) -> Array:
        """The reward of each action plus the return of the policy after it, [A]."""
        if self.is_over(state):
            return np.zeros(len(actions))
        found, after = [], np.empty_like(state)
        for action in actions:
            reward, terminated = self.model.step(state, action, after, self.model.params, self.rng)
            found.append(reward + (0.0 if terminated else self.model.discount * self.attained(after)))
        return np.array(found)

    def value(self, state: ArrayLike) -> float:
        """Return of the policy from a state, a lower bound of V*."""
        return self.attained(check_state(self.model, state))

    def policy(self, state: ArrayLike) -> Array:
        """The policy's action, [action_dim]."""
        checked = check_state(self.model, state)
        problem, after = problem_of(self.model, checked, strict=True), np.empty_like(checked)
        return self.fine[run(_choose, self.model, problem, self.solution, after, self.rng)]

    def mean_value(self) -> float:
        """Mean value of the initial states, over evenly spread ones of the box that they are uniform in."""
        return float(self.kept("mean", lambda: np.array(self._mean_value())))

    def _mean_value(self) -> float:
        from scipy.stats import qmc

        if (self.model.start_low == self.model.start_high).all():
            return self.attained(self.model.start_low)
        power = (STEPS // self.model.horizon).bit_length() - 1  # of 2: a Sobol sequence of this length is evenly spread
        spread = qmc.Sobol(self.model.state_dim, rng=self.rng).random_base2(power)
        starts = self.model.start_low + (self.model.start_high - self.model.start_low) * spread
        return float(np.mean([self.attained(start) for start in starts]))
