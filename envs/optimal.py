"""What the best and the uniformly random policy earn in Trap and Treasure Hunt, by dynamic programming.

>>> from envs import Trap
>>> reference = solve(Trap(noise_range=0.1))
>>> round(reference.q([0.0, 0.0], [0.9375]), 4), round(reference.value([0.0, 0.0]), 6)
(1.4375, 1.7)
"""

import functools
import importlib
from collections.abc import Hashable
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from planners.base import Array, Model, check_actions

SOLVERS = {"envs.trap": "envs.trap_optimum", "envs.treasure_hunt": "envs.treasure_hunt_optimum"}


class Reference(Protocol):
    """An optimal policy and its values. A state after the end of its episode is worth 0."""

    def value(self, state: ArrayLike) -> float:
        """V*(state): the largest expected return from `state`, [state_dim], to the horizon."""
        ...

    def q(self, state: ArrayLike, action: ArrayLike) -> float:
        """Q*(state, action): the expected return of taking `action`, [action_dim], and acting optimally after it."""
        ...

    def policy(self, state: ArrayLike) -> Array:
        """An action of an optimal policy, [action_dim]."""
        ...


def solve(model: Model, actions: ArrayLike | None = None) -> Reference:
    """The optimal policy of a model.

    Args:
        model: a Trap or a TreasureHunt.
        actions: the only actions to choose from, [A, action_dim], as for a planner with a fixed action set.

    Raises:
        TypeError: nobody has solved this kind of model, or it is too large.
        ValueError: the actions are of the wrong shape or out of bounds.
    """
    if actions is None:
        return _solve(cast(Hashable, model), None)
    checked = check_actions(model, np.asarray(actions, np.float64), "actions")
    return _solve(cast(Hashable, model), tuple(map(tuple, checked.tolist())))


@functools.lru_cache(maxsize=8)
def _solve(model: Any, actions: tuple[tuple[float, ...], ...] | None) -> Reference:
    reference: Reference = _solver(model).solve(model, None if actions is None else np.array(actions))
    return reference


def optimal_value(model: Model) -> float:
    """V* of the start of an episode; raises as `solve` does."""
    return solve(model).value(model.initial_state(np.random.default_rng(0)))


@functools.lru_cache(maxsize=8)
def random_value(model: Model) -> float:
    """Expected return of uniformly random actions from the start of an episode; raises as `solve` does."""
    return float(_solver(model).random_value(model))


def _solver(model: Model) -> Any:
    cls = type(model)
    if cls.__module__ not in SOLVERS:
        raise TypeError(f"no dynamic programming reference for {cls.__name__}: there is one for Trap and TreasureHunt")
    return importlib.import_module(SOLVERS[cls.__module__])
