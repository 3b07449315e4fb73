"""Optimal values of problems without noise whose state is a place in a plane and the time, backwards on a grid.

V(h, s) = max over a of r(s, a) + V(h - 1, f(s, a)) with h steps left, bilinear between the nodes. Interpolation blurs V
where it is steep, in either direction, so a value is what the policy that follows from V attains in the model itself: a
lower bound of V* that rises as the grid gets finer.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import check_state
from bonspiel.planners.core.tree.nodes import copy
from bonspiel.planners.core.values import cached
from bonspiel.planners.jit import (
    MATRIX,
    PROBLEM,
    RNG,
    VECTOR,
    Problem,
    float64,
    helper,
    int64,
    kernel,
    problem_of,
    run,
    step,
)
from bonspiel.planners.model import Array, Rng

Floats = NDArray[Any]  # float32, for speed and room

CONVERGED = 1e-4  # a change by one more step that is none
GROWTH = 1.1  # from one number of steps left whose values are kept to the next
STEPS = 500_000  # of the episodes together that a mean is over


class Plane(NamedTuple):
    """A grid over the first two coordinates of the state; the outermost nodes lie on the bounds.

    Attributes:
        low: lower bounds, [2].
        spacing: between nodes, [2].
        period: of each coordinate, [2]; 0 where it has none.
        nodes: along each axis, [2].
    """

    low: Array
    spacing: Array
    period: Array
    nodes: NDArray[np.int64]

    @classmethod
    def over(cls, low: list[float], high: list[float], nodes: list[int], periodic: list[bool]) -> "Plane":
        """The grid of `nodes` between bounds, where a periodic axis ends with the node that it begins with."""
        count, side = np.array(nodes), np.subtract(high, low)
        return cls(np.array(low), side / (count - 1), np.where(periodic, side, 0.0), count)


class Transitions(NamedTuple):
    """Where each action leads from each node, all [nodes * actions].

    Attributes:
        corner: the node before it on both axes; the zeros after the last node where the episode is over.
        first: the way from there to the next node of the first axis, in [0, 1].
        second: likewise of the second axis.
        reward: of the step.
    """

    corner: NDArray[np.int32]
    first: Floats
    second: Floats
    reward: Floats


class Solution(NamedTuple):
    """Values on a grid.

    Attributes:
        plane: the grid.
        actions: for the policy to choose from, [A, action_dim].
        levels: numbers of steps left, ascending from 0, [levels].
        values: with so many steps left, [levels, nodes and zeros after them].
    """

    plane: Plane
    actions: Array
    levels: NDArray[np.int64]
    values: Floats


PLANE = Plane(np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2, np.int64))
_FLOATS = np.zeros(1, np.float32)
TRANSITIONS = Transitions(np.zeros(1, np.int32), _FLOATS, _FLOATS, _FLOATS)
SOLUTION = Solution(PLANE, np.zeros((1, 1)), np.zeros(1, np.int64), np.zeros((1, 1), np.float32))


@helper
def _position(plane: Plane, state: Array, axis: int) -> float:
    """Where a state lies on an axis, in nodes."""
    x = state[axis] - plane.low[axis]
    if plane.period[axis] > 0.0:
        x = x % plane.period[axis]
    return min(max(x / plane.spacing[axis], 0.0), plane.nodes[axis] - 1.0)


@kernel(PROBLEM, PLANE, MATRIX, VECTOR, VECTOR, TRANSITIONS, RNG)
def _find_transitions(
    problem: Problem, plane: Plane, actions: Array, state: Array, next_state: Array, transitions: Transitions, rng: Rng
) -> None:
    """Take every action from every node; `state` holds the coordinates besides the plane's."""
    rows, columns = plane.nodes[0], plane.nodes[1]
    place = 0
    for row in range(rows):
        state[0] = plane.low[0] + row * plane.spacing[0]
        for column in range(columns):
            state[1] = plane.low[1] + column * plane.spacing[1]
            for action in range(len(actions)):
                reward, terminated = step(problem, state, actions[action], next_state, rng)
                first, second = _position(plane, next_state, 0), _position(plane, next_state, 1)
                row_before, column_before = min(int(first), rows - 2), min(int(second), columns - 2)
                transitions.corner[place] = rows * columns if terminated else row_before * columns + column_before
                transitions.first[place] = first - row_before
                transitions.second[place] = second - column_before
                transitions.reward[place] = reward
                place += 1


@helper
def _between(values: Floats, corner: int, columns: int, first: float, second: float) -> float:
    """Bilinear interpolation."""
    near = values[corner] + second * (values[corner + 1] - values[corner])
    far = values[corner + columns] + second * (values[corner + columns + 1] - values[corner + columns])
    return near + first * (far - near)


@kernel(TRANSITIONS, int64, int64, float64, _FLOATS, _FLOATS)
def _back_up(
    transitions: Transitions, actions: int, columns: int, discount: float, values: Floats, improved: Floats
) -> None:
    """The values of the nodes with one more step left."""
    for node in range(len(transitions.corner) // actions):
        best = -np.inf
        for place in range(node * actions, (node + 1) * actions):
            after = _between(
                values, transitions.corner[place], columns, transitions.first[place], transitions.second[place]
            )
            best = max(best, transitions.reward[place] + discount * after)
        improved[node] = best


@helper
def _greedy(problem: Problem, solution: Solution, left: int, state: Array, next_state: Array, rng: Rng) -> int:
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
            first, second = _position(plane, next_state, 0), _position(plane, next_state, 1)
            row_before, column_before = min(int(first), rows - 2), min(int(second), columns - 2)
            corner, x, y = row_before * columns + column_before, first - row_before, second - column_before
            low, high = _between(fewer, corner, columns, x, y), _between(more, corner, columns, x, y)
            score += problem.discount * (low + weight * (high - low))
        if score > best_score:
            best, best_score = row, score
    return best


@kernel(PROBLEM, SOLUTION, VECTOR, RNG)
def _choose(problem: Problem, solution: Solution, scratch: Array, rng: Rng) -> int:
    """The row of the policy's action in the problem's state."""
    return _greedy(problem, solution, problem.steps, problem.state, scratch, rng)


@kernel(PROBLEM, SOLUTION, VECTOR, VECTOR, RNG)
def _follow(problem: Problem, solution: Solution, state: Array, next_state: Array, rng: Rng) -> float:
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


def _levels(horizon: int) -> list[int]:
    """The numbers of steps left whose values are kept: all at first, then ever fewer."""
    found = [0]
    while found[-1] < horizon:
        found.append(min(max(found[-1] + 1, int(GROWTH * found[-1])), horizon))
    return found


def _solve(model: Any, plane: Plane, actions: Array, rng: Rng) -> Floats:
    """The values at the `_levels` of the horizon, as far as they differ, [levels, nodes and zeros after them]."""
    rows, columns = plane.nodes.tolist()
    count = rows * columns * len(actions)
    transitions = Transitions(np.empty(count, np.int32), *(np.empty(count, np.float32) for _ in range(3)))
    start = np.zeros(model.state_dim)
    run(_find_transitions, model, problem_of(model, start), plane, actions, start, start.copy(), transitions, rng)
    values = np.zeros(rows * columns + columns + 2, np.float32)
    kept, levels, improved = [values.copy()], _levels(model.horizon), values.copy()
    for left in range(1, model.horizon + 1):
        _back_up(transitions, len(actions), columns, model.discount, values, improved)
        converged = np.abs(improved - values).max() < CONVERGED
        values, improved = improved, values
        if left == levels[len(kept)] or converged:
            kept.append(values.copy())
        if converged:
            break
    return np.array(kept)


@dataclass(frozen=True, eq=False)
class GridOptimum(Reference):
    """An optimal policy of a problem in a plane; see `envs.optimal.Reference`.

    Args:
        model: to solve; without noise, its first two coordinates are the plane, its third is the time.
        plane: the grid.
        coarse: actions of dynamic programming, [A, action_dim].
        fine: actions of the policy, [B, action_dim].
        ended: whether the episode is over in a state before the horizon.
    """

    model: Any
    plane: Plane
    coarse: Array
    fine: Array
    ended: Callable[[Array], bool] = lambda state: False

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
        sources = sys.modules[__name__], sys.modules[type(self.model).__module__]
        return cached(f"{what} {self.name}", sources, lambda: {"array": compute()})["array"]

    @cached_property
    def solution(self) -> Solution:
        """The values; takes seconds the first time."""
        values = self.kept("values", lambda: _solve(self.model, self.plane, self.coarse, self.rng))
        return Solution(self.plane, self.fine, np.array(_levels(self.model.horizon)[: len(values)]), values)

    def is_over(self, state: Array) -> bool:
        """Whether nothing more can be earned."""
        return bool(state[self.model.time_index] >= self.model.horizon or self.ended(state))

    def attained(self, state: Array) -> float:
        """Return of the policy from a state."""
        if self.is_over(state):
            return 0.0
        problem, scratch = problem_of(self.model, state), (np.empty_like(state), np.empty_like(state))
        return float(run(_follow, self.model, problem, self.solution, *scratch, self.rng))

    def candidates(self, state: Array) -> Array:
        """The actions of the policy, [B, action_dim]."""
        return self.fine

    def q_values(self, state: Array, actions: Array) -> Array:
        """The reward of each action and what the policy attains after it, [A]."""
        if self.is_over(state):
            return np.zeros(len(actions))
        found, after = [], np.empty_like(state)
        for action in actions:
            reward, terminated = self.model.step(state, action, after, self.model.params, self.rng)
            found.append(reward + (0.0 if terminated else self.model.discount * self.attained(after)))
        return np.array(found)

    def value(self, state: ArrayLike) -> float:
        """What the policy attains from a state, a lower bound of V*."""
        return self.attained(check_state(self.model, state))

    def policy(self, state: ArrayLike) -> Array:
        """The policy's action, [action_dim]."""
        checked = check_state(self.model, state)
        problem, after = problem_of(self.model, checked), np.empty_like(checked)
        return self.fine[run(_choose, self.model, problem, self.solution, after, self.rng)]

    def mean_value(self) -> float:
        """Mean value of the initial states, over evenly spread ones of the box that they are uniform in."""
        return float(self.kept("mean", lambda: np.array(self._mean_value())))

    def _mean_value(self) -> float:
        from scipy.stats import qmc

        power = (STEPS // self.model.horizon).bit_length() - 1  # of 2: as many are spread evenly
        spread = qmc.Sobol(self.model.state_dim, rng=self.rng).random_base2(power)
        starts = self.model.start_low + (self.model.start_high - self.model.start_low) * spread
        return float(np.mean([self.attained(start) for start in starts]))
