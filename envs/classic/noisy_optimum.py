"""Optimal values of problems whose action has Gaussian noise: backwards on a grid of a plane, with a grid of forces.

With U(h, s, u) = r(s, u) + discount V(h - 1, f(s, u)) for the force u that acts, Q(h, s, a) is the mean of U over
u = a + noise, and V(h, s) its maximum over a. Forces beyond those of the grid count as its outermost.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.classic import dynamic_programming
from bonspiel.envs.classic.dynamic_programming import (
    FLOATS,
    PLANE,
    TRANSITIONS,
    Floats,
    Plane,
    Transitions,
    find_transitions,
    interpolate,
    place_on_axis,
)
from bonspiel.envs.optimal import Reference
from bonspiel.planners.core.values import cached
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import PROBLEM, RNG, VECTOR, Problem, float64, helper, int64, kernel, problem_of, run, step
from bonspiel.planners.model import Array, Rng

EPISODES = 20_000  # that a mean is over
LEVELS = np.zeros((1, 1), np.float32)
TAIL = 4.0  # standard deviations that the noise is cut at


class Forces(NamedTuple):
    """The forces that act after each action of a policy.

    Attributes:
        acting: the forces that can act, evenly spaced, [U, 1].
        first: of them that is an action, also their number beyond the last one.
        probability: of each force after each action, [A, U].
        reach: most forces between an action and what acts.
    """

    acting: Array
    first: int
    probability: Array
    reach: int


FORCES = Forces(np.zeros((1, 1)), 0, np.zeros((1, 1)), 0)


@helper
def best_action(forces: Forces, after: Array) -> tuple[int, float]:
    """The row of the action with the highest mean over the noise of `after`, [U], and this mean."""
    best, highest = 0, -np.inf
    for action in range(len(forces.probability)):
        middle, mean = action + forces.first, 0.0
        for force in range(max(middle - forces.reach, 0), min(middle + forces.reach + 1, len(after))):
            mean += forces.probability[action, force] * after[force]
        if mean > highest:
            best, highest = action, mean
    return best, highest


@kernel(TRANSITIONS, FORCES, int64, float64, FLOATS, VECTOR, FLOATS)
def _back_up(
    transitions: Transitions,
    forces: Forces,
    columns: int,
    discount: float,
    values: Floats,
    after: Array,
    improved: Floats,
) -> None:
    """The values of the nodes with one more step left; `after` receives those of each force."""
    count = len(after)
    for node in range(len(transitions.corner) // count):
        for force in range(count):
            place = node * count + force
            value = interpolate(
                values, transitions.corner[place], columns, transitions.first[place], transitions.second[place]
            )
            after[force] = transitions.reward[place] + discount * value
        improved[node] = best_action(forces, after)[1]


@helper
def value_forces(
    problem: Problem, plane: Plane, forces: Forces, values: Floats, state: Array, scratch: Array, after: Array, rng: Rng
) -> None:
    """Write the value of each force in a state, of a problem without noise; `values` are those with a step less."""
    rows, columns = plane.nodes[0], plane.nodes[1]
    for force in range(len(after)):
        after[force], terminated = step(problem, state, forces.acting[force], scratch, rng)
        if not terminated:
            first, second = place_on_axis(plane, scratch, 0), place_on_axis(plane, scratch, 1)
            row, column = min(int(first), rows - 2), min(int(second), columns - 2)
            corner = row * columns + column
            after[force] += problem.discount * interpolate(values, corner, columns, first - row, second - column)


@kernel(PROBLEM, PLANE, FORCES, LEVELS, VECTOR, VECTOR, VECTOR, VECTOR, RNG)
def _play(
    problem: Problem,
    plane: Plane,
    forces: Forces,
    values: Floats,
    noise: Array,
    action: Array,
    scratch: Array,
    after: Array,
    rng: Rng,
) -> float:
    """The return of the policy from the problem's state, which it moves on, with the noise of each step, [steps]."""
    total, weight, state = 0.0, 1.0, problem.state
    for played in range(problem.steps):
        value_forces(problem, plane, forces, values[problem.steps - played - 1], state, scratch, after, rng)
        action[0] = forces.acting[forces.first + best_action(forces, after)[0], 0] + noise[played]
        reward, terminated = step(problem, state, action, scratch, rng)
        total += weight * reward
        if terminated:
            break
        weight *= problem.discount
        copy(scratch, state)
    return total


@kernel(PROBLEM, PLANE, FORCES, FLOATS, VECTOR, VECTOR, RNG)
def _value_all(
    problem: Problem, plane: Plane, forces: Forces, values: Floats, scratch: Array, after: Array, rng: Rng
) -> None:
    """`value_forces` of the problem's state."""
    value_forces(problem, plane, forces, values, problem.state, scratch, after, rng)


@dataclass(frozen=True, eq=False)
class NoisyOptimum(Reference):
    """The policy that is greedy with respect to the values on a grid; see `envs.optimal.Reference`.

    Interpolation blurs the values of single states where they are steep. The mean is what the policy attains, a lower
    bound but for its standard error.

    Args:
        model: with a parameter `noise`, the standard deviation of what is added to its action of one coordinate, and a
            state (first, second, time).
        plane: the grid of states; beyond it the episode is over.
        acting: the forces that can act, evenly spaced, [U]; those within the bounds of the action are the policy's.
    """

    model: Any
    plane: Plane
    acting: Array

    @cached_property
    def exact(self) -> Any:
        """The model without noise."""
        return replace(self.model, noise=0.0)

    @cached_property
    def forces(self) -> Forces:
        """Those that act, and those of the policy."""
        inside = np.flatnonzero(np.abs(self.acting) < self.model.action_high[0] + 1e-9)
        actions, spacing = self.acting[inside], self.acting[1] - self.acting[0]
        reach = int(TAIL * self.model.noise / spacing) + 1
        return Forces(self.acting[:, None], int(inside[0]), self.probabilities(actions), reach)

    def probabilities(self, actions: Array) -> Array:
        """Of each force after each action, [A, U]."""
        from scipy.special import ndtr

        if self.model.noise == 0.0:
            return np.eye(len(self.acting))[np.abs(self.acting - actions[:, None]).argmin(axis=1)]
        between = 0.5 * (self.acting[1:] + self.acting[:-1])
        deviations = np.clip((between - actions[:, None]) / self.model.noise, -TAIL, TAIL)
        below = (ndtr(deviations) - ndtr(-TAIL)) / (1.0 - 2.0 * ndtr(-TAIL))
        return np.asarray(np.diff(below, axis=1, prepend=0.0, append=1.0))

    def kept(self, what: str, compute: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """An array from disk if it was computed before."""
        name = f"noisy {what} {self.model} {[part.tolist() for part in self.plane]} {self.acting.tolist()}"
        sources = sys.modules[__name__], dynamic_programming, sys.modules[type(self.model).__module__]
        return cached(name, sources, lambda: {"array": compute()})["array"]

    @cached_property
    def values(self) -> Floats:
        """With each number of steps left, [horizon + 1, nodes and zeros after them]; takes seconds the first time."""
        return self.kept("values", self._values)

    def _values(self) -> Floats:
        rows, columns = self.plane.nodes.tolist()
        transitions, after = find_transitions(self.exact, self.plane, self.forces.acting), np.empty(len(self.acting))
        found = np.zeros((self.model.horizon + 1, rows * columns + columns + 2), np.float32)
        for left in range(self.model.horizon):
            _back_up(transitions, self.forces, columns, self.model.discount, found[left], after, found[left + 1])
        return found

    def candidates(self, state: Array) -> Array:
        """The actions of the policy, [A, 1]."""
        return self.forces.acting[np.abs(self.acting) < self.model.action_high[0] + 1e-9]

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q of each action, [A]."""
        left = self.model.horizon - int(state[self.model.time_index])
        place = (state[:2] - self.plane.low) / self.plane.spacing
        if left <= 0 or (place < 0.0).any() or (place > self.plane.nodes - 1.0).any():
            return np.zeros(len(actions))
        after, problem, values = (
            np.empty(len(self.acting)),
            problem_of(self.exact, state, strict=True),
            self.values[left - 1],
        )
        rng, scratch = np.random.default_rng(0), np.empty(len(state))
        run(_value_all, self.exact, problem, self.plane, self.forces, values, scratch, after, rng)
        return np.asarray(self.probabilities(actions[:, 0]) @ after)

    def mean_value(self) -> float:
        """Mean return of the policy, over episodes from drawn initial states."""
        return float(self.kept("mean", lambda: np.array(np.mean(self.returns(EPISODES)))))

    def returns(self, episodes: int) -> list[float]:
        """Of the policy from drawn initial states."""
        rng, found = np.random.default_rng(0), []
        work = np.empty(1), np.empty(self.model.state_dim), np.empty(len(self.acting))
        for _ in range(episodes):
            problem = problem_of(self.exact, self.model.initial_state(rng), strict=True)
            noise = self.model.noise * rng.standard_normal(self.model.horizon)
            found.append(run(_play, self.exact, problem, self.plane, self.forces, self.values, noise, *work, rng))
        return found
