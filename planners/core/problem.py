"""The decision that a search is given, as its kernel takes it, and the kernels that take one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import offers, require, require_count, steps_left
from bonspiel.planners.core.bounds import state_bounds
from bonspiel.planners.core.jit import (
    INTERPRETED,
    RNG,
    ROLES,
    Problem,
    address_of,
    compiled,
    guarded,
    int64,
    kernel,
    new_validity,
    no_validity,
    typeof,
)
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.model import Array, HasCells, Model, Rng
from bonspiel.planners.planner import Budget

F = TypeVar("F", bound=Callable[..., Any])

_ONE = np.zeros(1)
NOT_COUNTED = np.zeros(0)
PROBLEM = typeof(Problem(np.zeros(1, np.int64), _ONE, _ONE, _ONE, 1.0, 1, _ONE, no_validity()))


class Stopped(Exception):
    """A search was stopped before its decision; see `planners.core.search.stopped_by`."""


def search_kernel(tree: Any, walk: Any, settings: Any) -> Callable[[F], F]:
    """Compile a kernel (tree, walk, problem, simulations, rng, settings) -> simulations run before the tree was full.

    Args:
        tree: an example of what the search knows, a NamedTuple of arrays.
        walk: an example of the simulation under way, a NamedTuple of arrays; threads that share a tree have one each.
        settings: an example of the planner's parameters, a NamedTuple.
    """
    return kernel(tree, walk, PROBLEM, int64, RNG, settings)


@compiled("player")
def _single_player(state: Array, params: Array) -> float:
    return 1.0


# A kernel is compiled with all its calls, also of functions that a model may lack. The first lines give the type of the
# result.


@compiled("rollout")
def _no_rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    if len(params) < 0:
        return 0.0
    raise TypeError("the planner calls `rollout`, which this model lacks; its `unsupported` must say so")


@compiled("actions")
def _no_actions(state: Array, params: Array, out: Array, keys: NDArray[np.uint64]) -> int:
    if len(params) < 0:
        return 0
    raise TypeError("the planner calls `actions`, which this model lacks; its `unsupported` must say so")


@compiled("step_exact")
def _no_step_exact(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    if len(params) < 0:
        return 0.0, True
    raise TypeError("the planner calls `step_exact`, which this model lacks; its `unsupported` must say so")


@compiled("traced_rollout")
def _no_traced_rollout(
    state: Array,
    scratch: Array,
    depth: int,
    params: Array,
    rng: Rng,
    keys: NDArray[np.uint64],
    movers: Array,
    owners: Array,
) -> float:
    if len(params) < 0:
        return 0.0
    raise TypeError("the planner calls `traced_rollout`, which this model lacks; its `unsupported` must say so")


@compiled("priors")
def _no_priors(state: Array, params: Array, actions: Array, out: Array) -> None:
    """Actions start with nothing."""
    out[:] = 0.0


@compiled("region")
def _no_region(action: Array, params: Array) -> int:
    return -1


DEFAULTS = {
    "player": _single_player,
    "cells": box_cells,
    "rollout": _no_rollout,
    "actions": _no_actions,
    "step_exact": _no_step_exact,
    "traced_rollout": _no_traced_rollout,
    "priors": _no_priors,
    "region": _no_region,
}

MOST_TABLES = 256

_tables: dict[Any, NDArray[np.int64]] = {}


def functions_of(model: Any) -> Any:
    """The table of addresses, or the functions of a Python model.

    Addresses hold in this process only, so the table is kept here and never on an instance: one for each class and set
    of functions, which an instance may have of its own.

    Raises:
        TypeError: the model lacks a function that all models have, or says `compiled` and has one that is not.
    """
    cls = type(model)
    functions = [getattr(model, role, None) or DEFAULTS.get(role) for role in ROLES]
    key = (cls, *functions)
    if model.compiled and (known := _tables.get(key)) is not None:
        return known
    if None in functions:
        raise TypeError(
            f"{cls.__name__} has no `{ROLES[functions.index(None)]}`; bonspiel.envs.check_model tests models"
        )
    if INTERPRETED or not model.compiled:
        return tuple(functions)
    functions = [getattr(function, "uncounted", function) for function in functions]  # of a copy that counts its steps
    for role, function in zip(ROLES, functions, strict=True):
        if not hasattr(function, "py_func"):
            raise TypeError(
                f'{cls.__name__}.{role} is not compiled: decorate it with @compiled("{role}"), '
                "or set `compiled = False` on the model"
            )
    if len(_tables) >= MOST_TABLES:  # methods of many instances, which the keys keep
        _tables.clear()
    table = np.array([address_of(*pair) for pair in zip(functions, ROLES, strict=True)], np.int64)
    _tables[key] = table
    return table


def problem_of(
    model: Model,
    state: Array,
    lookahead: int | None = None,
    *,
    cells: bool = False,
    budget: Budget | None = None,
    strict: bool = False,
) -> Problem:
    """The problem of acting in a state that was checked.

    Args:
        model: the generative model to search with.
        state: where to act, [state_dim].
        lookahead: steps that plans look ahead at most, where the model has no smaller limit.
        cells: whether the kernel calls `cells`; a model without them has those of its bounds.
        budget: of the decision, to which the time of estimating these bounds belongs.
        strict: whether the kernel gets the model's results as they are, invalid ones and exceptions too; see
            `planners.core.jit.validity` for what a search does.

    Raises:
        TypeError: the model's params are not a contiguous float64 vector; or it says `compiled`, and a function of it
            is not.
        ValueError: the episode is over, the discount is not in [0, 1], or a plan is too long.
    """
    params = model.params
    fits = isinstance(params, np.ndarray) and params.dtype == np.float64 and params.ndim == 1 and params.flags.carray
    if isinstance(model, type):
        raise TypeError(f"model={model.__name__}: must be an instance; pass {model.__name__}()")
    if not fits:
        raise TypeError(f"{type(model).__name__}.params={params!r}: must be a contiguous float64 vector")
    if not 0.0 <= model.discount <= 1.0:
        require(False, "discount", model.discount, "from 0 to 1")
    steps, functions = steps_left(model, state, lookahead), functions_of(model)
    cell_params = state_bounds(model, budget) if cells and not offers(model, HasCells) else params
    counting = getattr(model, "step_counter", None)
    counter = NOT_COUNTED if counting is None else counting.of_thread()
    if strict:
        validity = no_validity()
    else:
        validity = new_validity(len(state), len(model.action_low))
        functions = guarded(functions, Stopped) if isinstance(functions, tuple) else functions
    return Problem(functions, params, cell_params, state, float(model.discount), steps, counter, validity)


@dataclass(frozen=True, kw_only=True)
class PlanLength:
    """The length of a planner's plans.

    Args:
        lookahead: steps that plans look ahead at most; none: to the end of the episode, or as far as the environment
            says. Of two limits the smaller counts.
    """

    lookahead: int | None = None

    def __post_init__(self) -> None:
        """Refuse a length below 1."""
        if self.lookahead is not None:
            require_count("lookahead", self.lookahead)

    def problem(self, model: Model, state: Array, *, cells: bool = False, budget: Budget | None = None) -> Problem:
        """The problem of acting in a state that was checked; see `problem_of`."""
        return problem_of(model, state, self.lookahead, cells=cells, budget=budget)
