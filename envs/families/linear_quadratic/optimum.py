"""Linear dynamics solved: by the Riccati equation, or, where a bound binds in one dimension, on a grid.

With h steps left V(y) = -(y' P_h y + c_h), the best action is -K_h y; y is from the centre, without level and scale.
Without the bounds of actions more can be earned, never less: where they bind, this V is an upper bound.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.families.linear_quadratic.bounded import BoundedOptimum
from bonspiel.envs.families.linear_quadratic.model import LinearQuadratic
from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import steps_left
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.model import Array

EPISODES = 4000  # that show what the bounds of actions cost
NEGLIGIBLE = 1e-3  # share of the optimal cost


@dataclass(frozen=True, eq=False)
class RiccatiOptimum(Reference):
    """The optimal policy as if actions had no bounds; see `envs.optimal.Reference`."""

    model: LinearQuadratic

    @cached_property
    def bound(self) -> bool:
        """Whether the bounds bind: its clipped actions cost more by more than a thousandth, in simulation."""
        free, clipped = self.simulated_costs(EPISODES)
        return bool(clipped.mean() - free.mean() > NEGLIGIBLE * free.mean())

    def state_cost(self, left: int) -> Array:
        """Q of the step with `left` steps left, [n, n]."""
        every = self.model.sparsity
        paid = (self.model.horizon - left + 1) % every == 0
        return self.model.system.state_cost * (every if paid else 0.0)

    @cached_property
    def riccati(self) -> tuple[list[Array], list[float], list[Array], list[Array]]:
        """P_h and c_h for h = 0, 1, ...; the cost of the next y, S_h, and K_h for h = 1, 2, ..., with zeros first."""
        of, zeros = self.model.system, np.zeros((self.model.dim, self.model.dim))
        p: list[Array] = [zeros]
        c, s, k = [0.0], p.copy(), p.copy()
        for left in range(1, self.model.horizon + 1):
            s.append(self.state_cost(left) + p[-1])
            curvature = of.action_cost + of.push.T @ s[-1] @ of.push
            k.append(np.asarray(np.linalg.solve(curvature, of.push.T @ s[-1] @ of.dynamics), float))
            p.append(of.dynamics.T @ s[-1] @ (of.dynamics - of.push @ k[-1]))
            c.append(c[-1] + self.model.noise**2 * float(np.trace(s[-1])))
        return p, c, s, k

    def simulated_costs(self, episodes: int) -> tuple[Array, Array]:
        """Costs of the policy without bounds and with its actions clipped, in the same starts and noise, [episodes]."""
        of, rng = self.model.system, np.random.default_rng(0)
        starts = rng.uniform(of.start_low, of.start_high, (episodes, self.model.dim))
        noise = self.model.noise * rng.standard_normal((self.model.horizon, episodes, self.model.dim))
        found = []
        for low, high in ((-np.inf, np.inf), (of.low - of.rest, of.high - of.rest)):
            y, cost = starts, np.zeros(episodes)
            for left in range(self.model.horizon, 0, -1):
                b = np.clip(-y @ self.riccati[3][left].T, low, high)
                y = y @ of.dynamics.T + b @ of.push.T + noise[self.model.horizon - left]
                cost += np.einsum("ei,ij,ej->e", b, of.action_cost, b)
                cost += np.einsum("ei,ij,ej->e", y, self.state_cost(left), y)
            found.append(cost)
        return found[0], found[1]

    def candidates(self, state: Array) -> Array:
        """The best action, clipped, [1, n]."""
        of, left = self.model.system, max(self.model.horizon - int(state[-1]), 0)
        best = of.rest - self.riccati[3][left] @ (state[:-1] - of.centre)
        return np.clip(best, of.low, of.high)[None]

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]; an upper bound of it if `bound`."""
        if state[-1] >= self.model.horizon:
            return np.zeros(len(actions))
        of, left = self.model.system, steps_left(self.model, state)
        _, c, s, _ = self.riccati
        b = actions - of.rest
        after = of.dynamics @ (state[:-1] - of.centre) + b @ of.push.T
        cost = np.einsum("ai,ij,aj->a", b, of.action_cost, b) + np.einsum("ai,ij,aj->a", after, s[left], after)
        return np.asarray(left * self.model.offset - self.model.factor * (cost + c[left]))

    def mean_value(self) -> float:
        """Mean of V*, or of its upper bound, over the initial states."""
        of, (p, c, *_) = self.model.system, self.riccati
        middle, side = (of.start_low + of.start_high) / 2.0, of.start_high - of.start_low
        cost = middle @ p[-1] @ middle + np.diag(p[-1]) @ side**2 / 12.0 + c[-1]
        return float(self.model.horizon * self.model.offset - self.model.factor * cost)


def solve(model: LinearQuadratic, actions: Array | None) -> RiccatiOptimum | BoundedOptimum:
    """The optimal policy; see `envs.optimal.solve`.

    Raises:
        TypeError: with only some actions, or with bounds that bind in several dimensions.
    """
    if actions is not None:
        raise TypeError(f"no reference for {model!r} with a fixed set of actions")
    found = RiccatiOptimum(model)
    if not found.bound:
        return found
    if model.dim == 1:
        return BoundedOptimum(model)
    raise TypeError(f"no reference for {model!r}: the bounds of actions bind; `upper_bound` has what none exceeds")


def upper_bound(model: LinearQuadratic) -> float:
    """The mean of V* if actions had no bounds, which is exact where they hardly bind."""
    return RiccatiOptimum(model).mean_value()


def random_value(model: LinearQuadratic) -> float:
    """Expected return of uniformly random actions, exactly."""
    of = model.system
    return _blind_value(model, (of.low + of.high) / 2.0 - of.rest, (of.high - of.low) ** 2 / 12.0)


def do_nothing_value(model: LinearQuadratic) -> float:
    """Expected return of doing nothing, exactly."""
    return _blind_value(model, null_action(model) - model.system.rest, np.zeros(model.dim))


def _blind_value(model: LinearQuadratic, mean: Array, variance: Array) -> float:
    """Expected return of actions drawn without a look at the state, [n] each, by the moments of y."""
    of, optimum = model.system, RiccatiOptimum(model)
    y, spread = (of.start_low + of.start_high) / 2.0, np.diag((of.start_high - of.start_low) ** 2 / 12.0)
    cost = 0.0
    drawn = of.push @ np.diag(variance) @ of.push.T + model.noise**2 * np.eye(model.dim)
    for left in range(model.horizon, 0, -1):
        y, spread = of.dynamics @ y + of.push @ mean, of.dynamics @ spread @ of.dynamics.T + drawn
        q = optimum.state_cost(left)
        cost += float(mean @ of.action_cost @ mean + np.diag(of.action_cost) @ variance)
        cost += float(y @ q @ y + np.sum(q * spread))
    return float(model.horizon * model.offset - model.factor * cost)
