"""Judges of actions: agreement with the best one of a position, loss against it, number of better ones."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.optimal import Reference, solve
from bonspiel.planners import Array, Decision, Model
from bonspiel.planners.checks import offers
from bonspiel.planners.model import HasActions
from bonspiel.planners.wrappers.root.similarity import Kernel, alike

TOLERANCE = 1e-3  # of regret: actions that lose less are best
WITHIN = math.exp(-0.5) * (1.0 - 1e-9)  # similarity of two actions that are h apart

Flags = NDArray[np.bool_]


def like(kernel: Kernel | None, actions: Array, one: Array) -> Flags:
    """True for each action, [A, action_dim], that is `one`: equal without a kernel, else at most h from it; [A]."""
    if kernel is None:
        return np.asarray((actions == one).all(axis=1))
    return alike(kernel, actions, one[None])[:, 0] >= WITHIN


class Judge(Protocol):
    """The judge of the actions of one position."""

    def agrees(self, actions: Array) -> Flags:
        """True for each action, [A, action_dim], that agrees with the best one, [A]."""

    def regrets(self, actions: Array) -> Array:
        """The loss of each against the best one, [A]; NaN where that is not known."""

    def rank(self, action: Array) -> float:
        """The number of actions better than this one; NaN where actions are sampled."""


@dataclass(frozen=True)
class ByOptimum:
    """The judge of a position whose optimum is known.

    Args:
        q: Q of actions, [A, action_dim] -> [A].
        best: the largest Q of all actions to choose from.
        listed: Q of each of a fixed set of actions, None where actions are sampled.
    """

    q: Callable[[Array], Array]
    best: float
    listed: Array | None

    def agrees(self, actions: Array) -> Flags:
        """Those that lose at most TOLERANCE."""
        return self.regrets(actions) <= TOLERANCE

    def regrets(self, actions: Array) -> Array:
        """Best Q less that of the action; at least 0, as Q has errors of interpolation."""
        return np.maximum(self.best - self.q(actions), 0.0)

    def rank(self, action: Array) -> float:
        """By Q, where a difference of at most TOLERANCE is none."""
        if self.listed is None:
            return math.nan
        return float((self.listed > self.q(action[None])[0] + TOLERANCE).sum())


@dataclass(frozen=True)
class BySearch:
    """The judge of a position whose best action is that of a long search.

    Args:
        reference: its decision.
        kernel: of actions that are sampled; None for a fixed set.
        values: the mean returns of actions by another long search, by their bytes.
    """

    reference: Decision
    kernel: Kernel | None
    values: Mapping[bytes, float]

    def agrees(self, actions: Array) -> Flags:
        """Those that are the reference's choice."""
        return like(self.kernel, actions, self.reference.action)

    def regrets(self, actions: Array) -> Array:
        """By the values; below 0 where these contradict the reference."""
        best = self.values.get(self.reference.action.tobytes(), math.nan)
        return best - np.array([self.values.get(action.tobytes(), math.nan) for action in actions])

    def rank(self, action: Array) -> float:
        """By the reference's visits."""
        if self.kernel is not None:
            return math.nan
        visits = self.reference.visits
        own = visits[like(None, self.reference.actions, action)].sum()
        return float((visits > own).sum())


def known_optimum(model: Model) -> bool:
    """True if the optimum of a model is known."""
    try:
        solve(model)
    except TypeError:
        return False
    return True


def by_optimum(model: Model, state: Array, listed: Array | None) -> ByOptimum:
    """The judge of a position by the optimum: the best policy that takes these actions alone, or all if None."""
    own = listed is not None and offers(model, HasActions)
    optimum: Reference = solve(model, None if own else listed)

    def q(actions: Array) -> Array:
        return optimum.q_values(state, actions)

    values = None if listed is None else q(listed)
    return ByOptimum(q, optimum.value(state) if values is None else float(values.max()), values)


def by_search(reference: Decision, kernel: Kernel | None, values: Decision | None) -> BySearch:
    """The judge of a position by its long searches."""
    found = {} if values is None else dict(zip(map(bytes, values.actions), values.values.tolist(), strict=True))
    return BySearch(reference, kernel, found)
