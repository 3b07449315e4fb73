"""Trap solved: the expected reward is piecewise linear in the place aimed at, so only its corners can be best."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.optimal import Reference
from bonspiel.envs.trap.model import NOISE_LOW, NOISE_RANGE, PRIZE, SAFE, TRAP_END, TRAP_START, Trap
from bonspiel.planners.checks import steps_left
from bonspiel.planners.model import Array

POINTS = 401  # of the integrals over noise and actions


@dataclass(frozen=True, eq=False)
class TrapOptimum(Reference):
    """An optimal policy of Trap; see `envs.optimal.Reference`.

    Args:
        model: to solve.
        allowed: the only actions to choose from, [A, 1]; all of [0, 1] if None.
    """

    model: Trap
    allowed: Array | None

    @cached_property
    def noise(self) -> Array:
        """Lower and upper end of the noise."""
        return np.array([self.model.params[NOISE_LOW], self.model.params[NOISE_RANGE]])

    @cached_property
    def corners(self) -> Array:
        """The places to aim at between which the expected reward is linear, [4]."""
        return np.sort(np.subtract.outer([TRAP_START, TRAP_END], self.noise).ravel())

    def reward(self, aim: Array) -> Array:
        """Expected reward of a step aimed at x + a = aim, before the noise."""
        low, high = self.noise
        safe, short = (np.clip((edge - aim - low) / (high - low), 0.0, 1.0) for edge in (TRAP_START, TRAP_END))
        return np.asarray(SAFE * safe + PRIZE * (1.0 - short))

    def last(self, x: Array) -> Array:
        """Value of x with one step left."""
        if self.allowed is not None:
            return np.asarray(self.reward(x[..., None] + self.allowed[:, 0]).max(axis=-1))
        aims = np.clip(self.corners, x[..., None], x[..., None] + 1.0)
        return np.asarray(np.maximum(np.maximum(self.reward(x), self.reward(x + 1.0)), self.reward(aims).max(axis=-1)))

    def first(self, aim: Array) -> Array:
        """Value of aiming the first of two steps at `aim`."""
        landing = aim[..., None] + np.linspace(self.noise[0], self.noise[1], POINTS)
        return self.reward(aim) + np.trapezoid(self.last(landing), dx=1.0 / (POINTS - 1), axis=-1)

    def candidates(self, state: Array) -> Array:
        """The allowed actions, or a grid and all places where the value may have a corner, [A, 1]."""
        if self.allowed is not None:
            return self.allowed
        aims = np.concatenate([self.corners, self.corners - 1.0])
        special = np.concatenate([aims, np.subtract.outer(aims, self.noise).ravel()]) - state[0]
        return np.unique(np.clip(np.concatenate([np.linspace(0.0, 1.0, 101), special]), 0.0, 1.0))[:, None]

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]."""
        if state[1] >= self.model.horizon:
            return np.zeros(len(actions))
        return (self.first if steps_left(self.model, state) > 1 else self.reward)(state[0] + actions[:, 0])


def solve(model: Trap, actions: Array | None) -> TrapOptimum:
    """The optimal policy; see `envs.optimal.solve`."""
    return TrapOptimum(model, actions)


def random_value(model: Trap) -> float:
    """Expected return of two uniformly random actions."""
    optimum = TrapOptimum(model, None)
    action, step = np.linspace(0.0, 1.0, POINTS, retstep=True)
    x = np.linspace(optimum.noise[0], 1.0 + optimum.noise[1], POINTS)
    second = np.trapezoid(optimum.reward(x[:, None] + action), dx=step)
    middle = optimum.noise[0] + (np.arange(400) + 0.5) / 400 * np.ptp(optimum.noise)
    total = optimum.reward(action) + np.interp(action[:, None] + middle, x, second).mean(axis=1)
    return float(np.trapezoid(total, dx=step))
