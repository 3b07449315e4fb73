"""Cart-pole solved: no return exceeds the steps left, and a linear policy attains it wherever the pole stays up.

The gains are those of the linear quadratic regulator of the dynamics about the upright pole.
"""

import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_discrete_are

from bonspiel.envs.classic.cart_pole import model as cart_pole
from bonspiel.envs.classic.cart_pole.model import (
    GRAVITY,
    HALF_LENGTH,
    MAX_ANGLE,
    MAX_FORCE,
    MAX_PLACE,
    POLE_MASS,
    TIME_STEP,
    TOTAL_MASS,
    CartPole,
)
from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import check_state
from bonspiel.planners.core.values import cached
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import helper
from bonspiel.planners.model import Array, Rng

EPISODES = 200  # of a value with noise
STARTS = 200  # initial states of a mean
LEAST = 0.98  # share of the steps that the policy has to last for, or else the optimum is not known
STATE_COST, FORCE_COST = np.diag([1.0, 1.0, 10.0, 1.0]), 0.001


def _gains() -> Array:
    """Gains of the regulator of x, xdot, theta and thetadot, [4]."""
    inertia = HALF_LENGTH * (4.0 / 3.0 - POLE_MASS / TOTAL_MASS)
    turn = np.array([0.0, 0.0, GRAVITY / inertia, 0.0, -1.0 / (TOTAL_MASS * inertia)])  # the last, of the force
    push = np.array([0.0, 0.0, 0.0, 0.0, 1.0 / TOTAL_MASS]) - POLE_MASS * HALF_LENGTH / TOTAL_MASS * turn
    change = TIME_STEP * np.array([[0.0, 1.0, 0.0, 0.0, 0.0], push, [0.0, 0.0, 0.0, 1.0, 0.0], turn])
    a, b = np.eye(4) + change[:, :4], change[:, 4:]
    p = solve_discrete_are(a, b, STATE_COST, [[FORCE_COST]])
    return np.asarray((b.T @ p @ a) / (FORCE_COST + b.T @ p @ b)).ravel()


@helper
def _choose(state: Array, action: Array, gains: Array, allowed: Array) -> None:
    """The linear policy's action, [1], or the one next to it of those allowed, [A, 1], if there are any."""
    wanted = 0.0
    for i in range(len(gains)):
        wanted -= gains[i] * state[i]
    wanted = min(max(wanted, -MAX_FORCE), MAX_FORCE)
    action[0] = wanted
    for i in range(len(allowed)):
        if i == 0 or abs(allowed[i, 0] - wanted) < abs(action[0] - wanted):
            action[0] = allowed[i, 0]


@helper
def _follow(
    state: Array, action: Array, scratch: Array, gains: Array, allowed: Array, left: int, params: Array, rng: Rng
) -> float:
    """Return of an action, [1], and of the policy in the steps after it; state and action are changed."""
    total, over = 0.0, abs(state[0]) > MAX_PLACE or abs(state[2]) > MAX_ANGLE
    for _ in range(left):
        if over:
            break
        reward, over = cart_pole.step(state, action, scratch, params, rng)
        total += reward
        copy(scratch, state)
        _choose(state, action, gains, allowed)
    return total


@dataclass(frozen=True, eq=False)
class CartPoleOptimum(Reference):
    """A linear policy of the cart-pole; see `envs.optimal.Reference`.

    Values are mean returns of that policy: exact where they equal the steps left, else a lower bound.

    Args:
        model: the solved model.
        allowed: the only actions to choose from, [A, 1]; all if None.
    """

    model: CartPole
    allowed: Array | None

    @cached_property
    def gains(self) -> Array:
        """Of x, xdot, theta and thetadot, [4]."""
        return _gains()

    def policy(self, state: ArrayLike) -> Array:
        """The linear policy's action, [1], or the allowed one next to it."""
        action = np.empty(1)
        _choose(check_state(self.model, state), action, self.gains, self._allowed)
        return action

    @property
    def _allowed(self) -> Array:
        return np.empty((0, 1)) if self.allowed is None else np.ascontiguousarray(self.allowed)

    def candidates(self, state: Array) -> Array:
        """The policy's action alone, [1, 1]."""
        return self.policy(state)[None]

    def q_values(self, state: Array, actions: Array) -> Array:
        """Mean return of each action with the policy after it, [A]; the same noise for all of them."""
        episodes = EPISODES if self.model.noise > 0.0 else 1
        return np.array([[self._return(state, action, i) for i in range(episodes)] for action in actions]).mean(axis=1)

    def mean_value(self) -> float:
        """Mean return of the policy from random initial states, an episode each."""

        def compute() -> dict[str, Array]:
            rng = np.random.default_rng(0)
            starts = [self.model.initial_state(rng) for _ in range(STARTS)]
            returns = [self._return(start, self.policy(start), i) for i, start in enumerate(starts)]
            return {"mean": np.mean(returns, keepdims=True)}

        allowed = None if self.allowed is None else self.allowed.tolist()
        return float(cached(f"mean {self.model} {allowed}", (sys.modules[__name__], cart_pole), compute)["mean"][0])

    def _return(self, state: Array, action: Array, seed: int) -> float:
        model, rng = self.model, np.random.default_rng(seed)
        start, first = np.array(state, np.float64), np.array(action, np.float64)
        left = model.horizon - int(start[model.time_index])
        return _follow(start, first, np.empty_like(start), self.gains, self._allowed, left, model.params, rng)


def solve(model: CartPole, actions: Array | None) -> CartPoleOptimum:
    """The policy; see `envs.optimal.solve`.

    Raises:
        TypeError: the policy falls so often that it is no optimum: too much noise, or too few actions.
    """
    found = CartPoleOptimum(model, actions)
    if (mean := found.mean_value()) < LEAST * model.horizon:
        raise TypeError(f"no reference for {model!r}: the linear policy lasts for {mean:.0f} of {model.horizon} steps")
    return found
