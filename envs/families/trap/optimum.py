"""Lines with traps solved line by line: dynamic programming over the places, of which a fine grid is kept.

The value of a step depends on the place m that it aims at, before the noise, uniform on [a, b): the mean of the reward
and of the next value over [m + a, m + b), from their integrals; that of the reward, constant between edges, is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.families.trap.model import EDGES, HIGH, LOW, NOISE_HIGH, NOISE_LOW, Traps
from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import steps_left
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.model import Array

FINEST, COARSEST = 1000, 100  # nodes over the width of the noise
MOST_NUMBERS = 40_000_000  # that are kept of one line


@dataclass(frozen=True, eq=False)
class TrapLine:
    """One line of an instance.

    Args:
        model: the instance.
        index: of the line.
    """

    model: Traps
    index: int

    @cached_property
    def block(self) -> Array:
        """The line's part of the params."""
        return np.asarray(self.model.lines[1][self.index])

    @cached_property
    def nodes(self) -> Array:
        """Places from the first that can be reached to where nothing changes any more, far behind the last trap.

        Raises:
            TypeError: they would be too many.
        """
        block, horizon = self.block, self.model.horizon
        noise, start = block[NOISE_HIGH] - block[NOISE_LOW], self.model.lines[0][self.index]
        low = start + (horizon + 1) * (block[LOW] - noise)
        high = block[EDGES + 2 * self.model.jumps - 1] + (horizon + 1) * (noise - block[LOW])
        fine = min(FINEST, int(MOST_NUMBERS / horizon * noise / (high - low)))
        if fine < COARSEST:
            raise TypeError(f"no reference for {self.model!r}: too many steps, or too wide a box, for so little noise")
        return np.arange(low, high, noise / fine)

    @cached_property
    def spacing(self) -> float:
        """Of the nodes."""
        return float(self.nodes[1] - self.nodes[0])

    def mean_reward(self, aims: Array) -> Array:
        """Mean reward over the noise, of places aimed at."""
        block, jumps = self.block, self.model.jumps
        edges, earned = block[EDGES : EDGES + 2 * jumps], block[EDGES + 2 * jumps :]
        rewards = np.zeros(2 * jumps + 1)
        rewards[::2] = earned
        ends = np.concatenate([[self.nodes[0] - 1.0], edges, [self.nodes[-1] + 1.0]])
        integral = np.concatenate([[0.0], np.cumsum(rewards * np.diff(ends))])
        low, high = (
            np.interp(aims + block[NOISE_LOW], ends, integral),
            np.interp(aims + block[NOISE_HIGH], ends, integral),
        )
        return np.asarray((high - low) / (block[NOISE_HIGH] - block[NOISE_LOW]))

    def aimed(self, backup: Callable[[Array], Array]) -> list[Array]:
        """Values of the nodes as aims with 1, 2, ... steps left, if `backup` makes values of places of them."""
        block, value, found = self.block, np.zeros(len(self.nodes)), list[Array]()
        reward = self.mean_reward(self.nodes)
        for left in range(1, self.model.horizon + 1):
            paid = self.model.sparsity if (self.model.horizon - left + 1) % self.model.sparsity == 0 else 0
            steps = (value[1:] + value[:-1]) / 2.0 * self.spacing
            integral = np.concatenate([[0.0], np.cumsum(steps)])
            low, high = (self.integrated(integral, value, self.nodes + block[side]) for side in (NOISE_LOW, NOISE_HIGH))
            found.append(paid * reward + (high - low) / (block[NOISE_HIGH] - block[NOISE_LOW]))
            value = backup(found[-1])
        return found

    def integrated(self, integral: Array, value: Array, places: Array) -> Array:
        """The integral at places, beyond the nodes with their outermost values."""
        beyond = (
            np.maximum(places - self.nodes[-1], 0.0) * value[-1] + np.minimum(places - self.nodes[0], 0.0) * value[0]
        )
        return np.asarray(np.interp(places, self.nodes, integral) + beyond)

    def largest(self, aimed: Array) -> Array:
        """The largest value within reach of each node."""
        from scipy.ndimage import maximum_filter1d

        low, high = self.block[LOW], self.block[HIGH]
        first, last = int(np.ceil(low / self.spacing)), int(np.floor(high / self.spacing))
        padded = np.pad(aimed, (-first, min(last, len(aimed))), mode="edge")
        size = min(last, len(aimed)) - first + 1
        inner = maximum_filter1d(padded, size, origin=-(size // 2), mode="nearest")[: len(aimed)]
        ends = (np.interp(self.nodes + side, self.nodes, aimed) for side in (low, high))
        return np.asarray(np.maximum(inner, np.maximum(*ends)))

    def average(self, aimed: Array) -> Array:
        """The mean value of uniformly random actions in each node."""
        low, high = self.block[LOW], self.block[HIGH]
        integral = np.concatenate([[0.0], np.cumsum((aimed[1:] + aimed[:-1]) / 2.0 * self.spacing)])
        ends = (self.integrated(integral, aimed, self.nodes + side) for side in (high, low))
        return np.asarray(np.subtract(*ends) / (high - low))

    @cached_property
    def optimal(self) -> list[Array]:
        """Values of the nodes as aims with 1, 2, ... steps left under optimal play."""
        return self.aimed(self.largest)

    def start_value(self, backup: Callable[[Array], Array]) -> float:
        """Value of the start."""
        return float(np.interp(self.model.lines[0][self.index], self.nodes, backup(self.aimed(backup)[-1])))

    def best(self, x: float, left: int) -> float:
        """The best action."""
        low, high = self.block[LOW], self.block[HIGH]
        near = self.nodes[(self.nodes > x + low) & (self.nodes < x + high)] - x
        actions = np.concatenate([[low, high], near])
        return float(actions[np.argmax(np.interp(x + actions, self.nodes, self.optimal[left - 1]))])


@dataclass(frozen=True, eq=False)
class TrapsOptimum(Reference):
    """An optimal policy of an instance; see `envs.optimal.Reference`."""

    model: Traps

    @cached_property
    def lines(self) -> list[TrapLine]:
        """Its lines."""
        return [TrapLine(self.model, index) for index in range(self.model.dim)]

    def candidates(self, state: Array) -> Array:
        """The best action, [1, dim]."""
        left = self.model.horizon - int(state[-1])
        if left < 1:
            return self.model.action_high[None]
        return np.array([[line.best(float(x), left) for line, x in zip(self.lines, state, strict=False)]])

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]."""
        if state[-1] >= self.model.horizon:
            return np.zeros(len(actions))
        left = steps_left(self.model, state)
        aims = zip(self.lines, (state[:-1] + actions).T, strict=True)
        return self.returned(
            np.mean([np.interp(aim, line.nodes, line.optimal[left - 1]) for line, aim in aims], axis=0), left
        )

    def returned(self, mean: Array, left: int) -> Array:
        """The return of which the lines' mean is this, before level and scale."""
        return np.asarray(left * self.model.offset + self.model.factor * mean)


def solve(model: Traps, actions: Array | None) -> TrapsOptimum:
    """The optimal policy; see `envs.optimal.solve`.

    Raises:
        TypeError: with only some actions, or with too many steps or too wide a box for so little noise.
    """
    if actions is not None:
        raise TypeError(f"no reference for {model!r} with a fixed set of actions")
    found = TrapsOptimum(model)
    for line in found.lines:
        line.nodes  # noqa: B018 - raises
    return found


def random_value(model: Traps) -> float:
    """Expected return of uniformly random actions."""
    found = TrapsOptimum(model)
    mean = np.mean([line.start_value(line.average) for line in found.lines])
    return float(found.returned(np.asarray(mean), model.horizon))


def do_nothing_value(model: Traps) -> float:
    """Expected return of doing nothing."""
    found, action = TrapsOptimum(model), null_action(model)

    def value(line: TrapLine) -> float:
        return line.start_value(lambda aimed: np.interp(line.nodes + action[line.index], line.nodes, aimed))

    return float(found.returned(np.asarray(np.mean([value(line) for line in found.lines])), model.horizon))
