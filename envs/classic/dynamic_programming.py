"""Optimal values of problems without noise whose state is a point in a plane and the time, backwards on a grid.

V(h, s) = max over a of r(s, a) + V(h - 1, f(s, a)) with h steps left, bilinear between the nodes. Interpolation blurs V
where it is steep, in either direction; `envs.classic.grid_optimum` has the policy that follows from V.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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

CONVERGED = 1e-4  # largest change by one more step that counts as none
GROWTH = 1.1  # from one number of steps left whose values are kept to the next


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
    """Successor of each node under each action, all [nodes * actions].

    Attributes:
        corner: the node before the successor on both axes; the zeros after the last node if the episode is over.
        first: distance from the corner along the first axis, in nodes, in [0, 1].
        second: the same along the second axis.
        reward: of the step.
    """

    corner: NDArray[np.int32]
    first: Floats
    second: Floats
    reward: Floats


PLANE = Plane(np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2, np.int64))
FLOATS = np.zeros(1, np.float32)
TRANSITIONS = Transitions(np.zeros(1, np.int32), FLOATS, FLOATS, FLOATS)


@helper
def place_on_axis(plane: Plane, state: Array, axis: int) -> float:
    """Coordinate of a state on an axis, in nodes, clipped to the grid."""
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
                first, second = place_on_axis(plane, next_state, 0), place_on_axis(plane, next_state, 1)
                row_before, column_before = min(int(first), rows - 2), min(int(second), columns - 2)
                transitions.corner[place] = rows * columns if terminated else row_before * columns + column_before
                transitions.first[place] = first - row_before
                transitions.second[place] = second - column_before
                transitions.reward[place] = reward
                place += 1


@helper
def interpolate(values: Floats, corner: int, columns: int, first: float, second: float) -> float:
    """Bilinear interpolation."""
    near = values[corner] + second * (values[corner + 1] - values[corner])
    far = values[corner + columns] + second * (values[corner + columns + 1] - values[corner + columns])
    return near + first * (far - near)


@kernel(TRANSITIONS, int64, int64, float64, FLOATS, FLOATS)
def _back_up(
    transitions: Transitions, actions: int, columns: int, discount: float, values: Floats, improved: Floats
) -> None:
    """The values of the nodes with one more step left."""
    for node in range(len(transitions.corner) // actions):
        best = -np.inf
        for place in range(node * actions, (node + 1) * actions):
            after = interpolate(
                values, transitions.corner[place], columns, transitions.first[place], transitions.second[place]
            )
            best = max(best, transitions.reward[place] + discount * after)
        improved[node] = best


def kept_levels(horizon: int) -> list[int]:
    """The numbers of steps left whose values are kept: all at first, then ever fewer."""
    found = [0]
    while found[-1] < horizon:
        found.append(min(max(found[-1] + 1, int(GROWTH * found[-1])), horizon))
    return found


def find_transitions(model: Any, plane: Plane, actions: Array, time: float = 0.0) -> Transitions:
    """The successors of all nodes under all actions, at a time."""
    count = int(np.prod(plane.nodes)) * len(actions)
    transitions = Transitions(np.empty(count, np.int32), *(np.empty(count, np.float32) for _ in range(3)))
    start, rng = np.zeros(model.state_dim), np.random.default_rng(0)  # which draws nothing
    start[model.time_index] = time
    run(
        _find_transitions,
        model,
        problem_of(model, start, strict=True),
        plane,
        actions,
        start,
        start.copy(),
        transitions,
        rng,
    )
    return transitions


def values_on(model: Any, plane: Plane, actions: Array, timed: bool = False) -> Floats:
    """The values at the `kept_levels` of the horizon, as far as they differ, [levels, nodes and zeros after them].

    Args:
        model: without noise.
        plane: the grid.
        actions: to choose from, [A, action_dim].
        timed: whether a step depends on the time.
    """
    rows, columns = plane.nodes.tolist()
    transitions = find_transitions(model, plane, actions)
    values = np.zeros(rows * columns + columns + 2, np.float32)
    kept, levels, improved = [values.copy()], kept_levels(model.horizon), values.copy()
    for left in range(1, model.horizon + 1):
        if timed:
            transitions = find_transitions(model, plane, actions, model.horizon - left)
        _back_up(transitions, len(actions), columns, model.discount, values, improved)
        converged = not timed and np.abs(improved - values).max() < CONVERGED
        values, improved = improved, values
        if left == levels[len(kept)] or converged:
            kept.append(values.copy())
        if converged:
            break
    return np.array(kept)
