"""Double integrator solved by the Riccati equation, exactly as long as no bound of the actions binds.

V(h, s) = -(s' P_h s + c_h) with h steps left; the best action is -K_h s.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.classic.double_integrator.model import ACTION_COST, SPEED_COST, TIME_STEP, DoubleIntegrator
from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import steps_left
from bonspiel.planners.model import Array

DYNAMICS = np.array([[1.0, TIME_STEP], [0.0, 1.0]])
PUSH = np.array([0.5 * TIME_STEP**2, TIME_STEP])
COST = np.diag([1.0, SPEED_COST])
DEVIATIONS = 6.0  # standard deviations of an action that have to lie within the bounds


@dataclass(frozen=True, eq=False)
class DoubleIntegratorOptimum(Reference):
    """The optimal policy of the double integrator; see `envs.optimal.Reference`.

    From states so far out that the best action is beyond the bounds, values are upper bounds of V*.
    """

    model: DoubleIntegrator

    @cached_property
    def riccati(self) -> tuple[list[Array], list[float], list[Array]]:
        """P_h and c_h for h = 0, 1, ..., and K_h for h = 1, 2, ... steps left, K_0 being 0."""
        p, c, k = [np.zeros((2, 2))], [0.0], [np.zeros(2)]
        for _ in range(self.model.horizon):
            c.append(c[-1] + self.model.noise**2 * PUSH @ p[-1] @ PUSH)
            k.append(PUSH @ p[-1] @ DYNAMICS / (ACTION_COST + PUSH @ p[-1] @ PUSH))
            p.append(COST + DYNAMICS.T @ p[-1] @ (DYNAMICS - np.outer(PUSH, k[-1])))
        return p, c, k

    def widest_action(self) -> float:
        """The largest |action| that the policy takes, from any start, with noise within 6 standard deviations."""
        corner, spread, widest = np.eye(2), np.zeros((2, 2)), 0.0
        for gain in reversed(self.riccati[2]):
            mean = np.abs(gain @ corner) @ self.model.start_high[:2]
            widest = max(widest, mean + DEVIATIONS * np.sqrt(gain @ spread @ gain))
            closed = DYNAMICS - np.outer(PUSH, gain)
            corner, spread = closed @ corner, closed @ spread @ closed.T + self.model.noise**2 * np.outer(PUSH, PUSH)
        return widest

    def candidates(self, state: Array) -> Array:
        """The best action alone, [1, 1]."""
        left = self.model.horizon - int(state[2])
        best = -self.riccati[2][max(left, 0)] @ state[:2]
        return np.clip([[best]], -self.model.bound, self.model.bound)

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]."""
        if state[2] >= self.model.horizon:
            return np.zeros(len(actions))
        left = steps_left(self.model, state)
        p, c, _ = self.riccati
        after = (DYNAMICS @ state[:2])[:, None] + np.outer(PUSH, actions[:, 0])
        cost = state[:2] @ COST @ state[:2] + ACTION_COST * actions[:, 0] ** 2
        return np.asarray(-(cost + np.einsum("ia,ij,ja->a", after, p[left - 1], after) + c[left]))

    def mean_value(self) -> float:
        """Mean of V* over the initial states."""
        p, c, _ = self.riccati
        return -float(np.sum(p[-1] * _start_moments(self.model)) + c[-1])


def _start_moments(model: DoubleIntegrator) -> Array:
    """E[s s'] of the initial states, uniform in a box about 0, [2, 2]."""
    return np.diag(model.start_high[:2] ** 2 / 3.0)


def solve(model: DoubleIntegrator, actions: Array | None) -> DoubleIntegratorOptimum:
    """The optimal policy; see `envs.optimal.solve`.

    Raises:
        TypeError: with only some actions, or with so much noise that a bound of the actions binds.
    """
    if actions is not None:
        raise TypeError(f"no reference for {model!r} with a fixed set of actions")
    found = DoubleIntegratorOptimum(model)
    if (widest := found.widest_action()) > model.bound:
        raise TypeError(f"no reference for {model!r}: it would take actions up to {widest:.2f}, out of bounds")
    return found


def random_value(model: DoubleIntegrator) -> float:
    """Expected return of uniformly random actions, exactly, by the moments of the state."""
    total, moments = 0.0, _start_moments(model)
    action = model.bound**2 / 3.0
    for _ in range(model.horizon):
        total -= float(np.sum(COST * moments) + ACTION_COST * action)
        moments = DYNAMICS @ moments @ DYNAMICS.T + (action + model.noise**2) * np.outer(PUSH, PUSH)
    return total
