"""One dimension with bounds that bind: dynamic programming over the place y, by splines of the concave V.

A step's value depends on the place m = A y + B b that it aims at, before the noise: W(m) = E[-Q (m + e)^2 + V(m + e)].
V(y) = max over b of W(A y + B b) - R b^2, where the slope changes sign; the action's bounds cut the search for it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bonspiel.envs.families.linear_quadratic.model import LinearQuadratic
from bonspiel.envs.optimal import Reference
from bonspiel.planners.checks import steps_left
from bonspiel.planners.model import Array

NODES = 2001
QUADRATURE = 21  # points of Gauss and Hermite
HALVINGS = 50  # of the interval of actions
DEVIATIONS = 6.0  # of the noise, beyond the places that no action leaves


@dataclass(frozen=True, eq=False)
class BoundedOptimum(Reference):
    """The optimal policy with bounded actions; see `envs.optimal.Reference`."""

    model: LinearQuadratic

    @cached_property
    def numbers(self) -> tuple[float, float, float, float]:
        """A, B, Q and R."""
        a, b, q, r = (matrix.item() for matrix in self.model.system[:4])
        return a, b, q, r

    @cached_property
    def sides(self) -> tuple[float, float]:
        """The bounds of actions, from the action at rest."""
        of = self.model.system
        return (of.low - of.rest).item(), (of.high - of.rest).item()

    @cached_property
    def places(self) -> Array:
        """Nodes, as far as doing nothing but the noise may lead from the starts, [NODES]."""
        of, (a, *_) = self.model.system, self.numbers
        reach, spread = max(-of.start_low.item(), of.start_high.item()), 0.0
        for _ in range(self.model.horizon):
            reach, spread = max(reach, a * reach), a * a * spread + self.model.noise**2
        reach += DEVIATIONS * spread**0.5
        return np.linspace(-reach, reach, NODES)

    @cached_property
    def aims(self) -> list[Any]:
        """W as a spline for h = 1, 2, ... steps left, None first; V is not kept."""
        from scipy.interpolate import CubicSpline

        points, weights = np.polynomial.hermite_e.hermegauss(QUADRATURE)
        after = self.places[:, None] + self.model.noise * points
        values, found = np.zeros(NODES), [None]
        for left in range(1, self.model.horizon + 1):
            every = self.model.sparsity
            paid = every if (self.model.horizon - left + 1) % every == 0 else 0
            outcome = CubicSpline(self.places, values)(after) - paid * self.numbers[2] * after**2
            found.append(CubicSpline(self.places, outcome @ weights / weights.sum()))
            best = self.best(left, self.places, found)
            values = self.value_of(found[-1], self.places, best)
        return found

    def value_of(self, aim: Any, y: Array, b: Array) -> Array:
        """Minus the cost from y on, of b first and the best after it."""
        first, push, _, r = self.numbers
        return np.asarray(aim(first * y + push * b) - r * b**2)

    def best(self, left: int, y: Array, aims: list[Any]) -> Array:
        """The best b in each place y, by bisection for the sign of the slope."""
        first, push, _, r = self.numbers
        slope = aims[left].derivative()
        low, high = (np.full(len(y), side) for side in self.sides)
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            rises = push * slope(first * y + push * middle) > 2.0 * r * middle
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        return (low + high) / 2.0

    def candidates(self, state: Array) -> Array:
        """The best action, [1, 1]."""
        of, left = self.model.system, self.model.horizon - int(state[-1])
        if left < 1:
            return of.rest[None]
        best = of.rest + self.best(left, state[:1] - of.centre, self.aims)
        return np.clip(best, of.low, of.high)[None]

    def q_values(self, state: Array, actions: Array) -> Array:
        """Q* of each action, [A]."""
        if state[-1] >= self.model.horizon:
            return np.zeros(len(actions))
        of, left = self.model.system, steps_left(self.model, state)
        found = self.value_of(self.aims[left], state[:1] - of.centre, actions[:, 0] - of.rest)
        return np.asarray(left * self.model.offset + self.model.factor * found)

    def mean_value(self) -> float:
        """Mean of V* over the initial states."""
        of, left = self.model.system, self.model.horizon
        y = np.linspace(of.start_low.item(), of.start_high.item(), NODES)
        found = self.value_of(self.aims[left], y, self.best(left, y, self.aims))
        return float(left * self.model.offset + self.model.factor * np.trapezoid(found, dx=1.0 / (NODES - 1)))
