"""Values of the best policy, by dynamic programming or the Riccati equation, and of the baselines.

The solver of a model is the model's own module, if that defines `solve(model, actions)`, or the module `optimum` in the
same folder, also in other packages. `actions` are as for `solve` below, or None; it may have values of baselines too,
such as `random_value(model)`, and `upper_bound(model)` where it has no optimum.

Examples:
    >>> from bonspiel.envs import Trap
    >>> reference = solve(Trap(noise_range=0.1))
    >>> round(reference.q([0.0, 0.0], [0.9375]), 4), round(reference.value([0.0, 0.0]), 6)
    (1.4375, 1.7)
"""

import copy
import functools
import importlib
import importlib.util
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from bonspiel.envs import baselines
from bonspiel.planners.checks import check_action, check_actions, check_state, require
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.core.code.errors import error_text
from bonspiel.planners.core.text import without_address
from bonspiel.planners.model import Array, Model

STARTS = 64  # drawn to see whether episodes start alike
DRAWN = 1_000  # starts of which a mean value is taken
EQUAL = 1e-9  # difference of values, relative where they are large


class Reference(ABC):
    """An optimal policy of a `model` and its values. A state after the end of its episode is worth 0."""

    model: Any

    @abstractmethod
    def candidates(self, state: Array) -> Array:
        """Actions that include a best one, [A, action_dim]."""

    @abstractmethod
    def q_values(self, state: Array, actions: Array) -> Array:
        """Q*(state, action) of each action, [A]."""

    def value(self, state: ArrayLike) -> float:
        """V*(state): the largest expected return from `state`, [state_dim], to the horizon."""
        checked = check_state(self.model, state)
        return float(self.q_values(checked, self.candidates(checked)).max())

    def q(self, state: ArrayLike, action: ArrayLike) -> float:
        """Q*(state, action): the expected return of taking `action`, [action_dim], and acting optimally after it."""
        return float(self.q_values(check_state(self.model, state), check_action(self.model, action)[None])[0])

    def mean_value(self) -> float:
        """Mean of V* over the initial states; here, over DRAWN of them where they differ: a formula would be exact."""
        rng = np.random.default_rng(0)
        starts = np.array([self.model.initial_state(rng) for _ in range(DRAWN if starts_differ(self.model) else 1)])
        return float(np.mean([self.value(start) for start in starts]))

    def policy(self, state: ArrayLike) -> Array:
        """An action of an optimal policy, [action_dim]: the middle one of the best candidates."""
        checked = check_state(self.model, state)
        actions = self.candidates(checked)
        values = self.q_values(checked, actions)
        best = np.flatnonzero(values >= values.max() - EQUAL * max(1.0, abs(values.max())))
        return actions[best[len(best) // 2]]


def starts_differ(model: Model) -> bool:
    """True if episodes start in different states, by `STARTS` of them."""
    first, *others = (model.initial_state(np.random.default_rng(seed)) for seed in range(STARTS))
    return any((first != other).any() for other in others)


def solve(model: Model, actions: ArrayLike | None = None) -> Reference:
    """The optimal policy of a model.

    Args:
        model: one with a solver.
        actions: the only actions to choose from, [A, action_dim], as for a planner with a fixed action set.

    Raises:
        TypeError: there is no solution for this kind of model, or it is too large.
        ValueError: the actions are of the wrong shape or out of bounds.
    """
    allowed = None if actions is None else tuple(map(tuple, check_actions(model, actions, "actions").tolist()))
    return _solve(cast(Hashable, _to_the_end(model)), allowed)


def _to_the_end(model: Model) -> Model:
    """The model without a limit of how far plans look ahead: values are those of whole episodes."""
    if getattr(model, "lookahead", None) is None:
        return model
    whole = copy.copy(model)
    object.__setattr__(whole, "lookahead", None)  # models are frozen
    return whole


@functools.lru_cache(maxsize=8)
def _solve(model: Any, actions: tuple[tuple[float, ...], ...] | None) -> Reference:
    solver = _solver(model)
    if solver is None:
        kind = type(model)
        raise TypeError(
            f"no optimum of {kind.__name__} is known: {kind.__module__} defines no function solve, and there is no "
            "module optimum in its folder"
        )

    def checked() -> Reference:
        found = solver.solve(model, None if actions is None else np.array(actions))
        for name in ("value", "q", "mean_value", "q_values"):
            require(callable(getattr(found, name, None)), "solve(model, actions)", found, f"one with {name}()")
        return cast(Reference, found)

    return cast(Reference, _answer(solver, model, checked))


def _answer(solver: Any, model: Model, ask: Callable[[], Any]) -> Any:
    """Ask a solver; where one of another package fails, print a line and treat the optimum as unknown.

    Raises:
        TypeError: it failed.
    """
    try:
        return ask()
    except Exception as error:
        if solver.__name__.startswith("bonspiel."):
            raise
        failed = f"{solver.__name__}.solve({without_address(str(model))}) fails with {error_text(error)}"
        say_once(f"{failed}; there is no optimum to compare with")
        raise TypeError(failed) from error


def optimal_value(model: Model) -> float:
    """Mean of V* over the initial states of episodes; raises as `solve` does."""
    whole = _to_the_end(model)
    return float(_answer(_solver(whole), whole, solve(model).mean_value))


def upper_bound(model: Model) -> float:
    """A return that no policy exceeds in the mean over the initial states, where the optimum is not known.

    Raises:
        TypeError: the model's solver has no `upper_bound(model)`, or the optimum is known.
    """
    whole = _to_the_end(model)
    found = getattr(_solver(whole), "upper_bound", None)
    if found is None:
        raise TypeError(f"no upper bound of {type(model).__name__} is known")
    return float(found(whole))


def random_value(model: Model) -> float:
    """Expected return of the model's random actions over whole episodes: simulated if no solver computes it.

    Raises:
        TypeError: the model is too large for its solver; without one, it is not compiled, or has two players.
    """
    return _baseline("random_value", cast(Hashable, _to_the_end(model)))


def do_nothing_value(model: Model) -> float:
    """Expected return of the planner `do_nothing` over whole episodes, simulated.

    Raises:
        TypeError: the model is not compiled, or has two players.
    """
    return _baseline("do_nothing_value", cast(Hashable, _to_the_end(model)))


def constant_value(model: Model) -> float:
    """Expected return of the planner `constant` with 1,000 simulations over whole episodes, simulated.

    Raises:
        TypeError: the model is not compiled, or has two players.
    """
    return _baseline("constant_value", cast(Hashable, _to_the_end(model)))


@functools.lru_cache(maxsize=24)
def _baseline(name: str, model: Any) -> float:
    return float(getattr(_solver(model), name, getattr(baselines, name))(model))


def _solver(model: Model) -> Any:
    """The module that solves a model, None without one."""
    name = type(model).__module__
    module, package = sys.modules[name], name.rpartition(".")[0]
    if getattr(getattr(module, "solve", None), "__module__", None) == name:  # not imported, as numpy.linalg.solve is
        return module
    found = package and importlib.util.find_spec(f"{package}.optimum")
    return importlib.import_module(f"{package}.optimum") if found else None
