"""The decision that a search is given, as its kernel takes it, and the kernels that take one."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from planners.base import Array, Model, steps_left
from planners.core.jit import RNG, ROLES, Problem, address_of, compiled, int64, kernel, typeof
from planners.core.zobrist import box_bounds, box_cells

F = TypeVar("F", bound=Callable[..., Any])

_ONE = np.zeros(1)
PROBLEM = typeof(Problem(np.zeros(1, np.int64), _ONE, _ONE, _ONE, 1.0, 1))


def search_kernel(tree: Any, walk: Any, settings: Any) -> Callable[[F], F]:
    """Compile a kernel (tree, walk, problem, simulations, rng, settings) -> simulations run before the tree was full.

    Args:
        tree: an example of what the search knows, a NamedTuple of arrays.
        walk: an example of the simulation under way, likewise; threads that share a tree have one each.
        settings: an example of the planner's parameters, a NamedTuple.
    """
    return kernel(tree, walk, PROBLEM, int64, RNG, settings)


@compiled("player")
def _single_player(state: Array, params: Array) -> float:
    return 1.0


_tables: dict[Any, Any] = {}


def functions_of(model: Any, needed: frozenset[str]) -> Any:
    """The table of addresses, or the functions of a Python model.

    Addresses hold in this process only, so the table is kept here, one for each class, and never on an instance.
    """
    key = type(model)
    if model.compiled and key in _tables and needed <= _tables[key][1]:
        return _tables[key][0]
    given = {role: getattr(model, role, None) for role in ROLES}
    given["player"] = given["player"] or _single_player
    given["cells"] = given["cells"] or box_cells
    for role in needed:
        if given[role] is None:
            raise TypeError(f"{key.__name__} has no `{role}`, which this planner needs")
    if not model.compiled:
        return tuple(given.values())
    for role, function in given.items():
        if function is not None and not hasattr(function, "py_func"):
            raise TypeError(
                f'{key.__name__}.{role} is not compiled: decorate it with @compiled("{role}"), '
                "or set `compiled = False` on the model"
            )
    table = np.array(
        [0 if function is None else address_of(function, role) for role, function in given.items()], np.int64
    )
    _tables[key] = table, {role for role, function in given.items() if function is not None}
    return table


def problem_of(model: Model, state: Array, needed: frozenset[str]) -> Problem:
    """The problem of acting in a state that was checked.

    Args:
        model: the generative model to search with.
        state: where to act, [state_dim].
        needed: the model functions that the kernel calls. A model without `cells` has those of its box.

    Raises:
        TypeError: the model lacks a function in `needed`, says `compiled` and has one that is not, or has params that
            are not a contiguous float64 vector.
    """
    params = model.params
    fits = isinstance(params, np.ndarray) and params.dtype == np.float64 and params.ndim == 1 and params.flags.carray
    if model.compiled and not fits:
        raise TypeError(f"{type(model).__name__}.params must be a contiguous float64 vector")
    boxed = "cells" in needed and not hasattr(model, "cells")
    return Problem(
        functions_of(model, needed),
        params,
        box_bounds(model) if boxed else params,
        state,
        float(model.discount),
        steps_left(model, state),
    )
