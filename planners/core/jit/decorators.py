"""The signatures of model functions, and the decorators of all that is compiled."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import boolean, float64, int64, typeof, types, uint64
from numba.extending import register_jitable

from bonspiel.planners.core.jit.lazy import declare, options
from bonspiel.planners.core.jit.settings import require

F = TypeVar("F", bound=Callable[..., Any])

Signature = type(types.void())
VECTOR = float64[::1]
MATRIX = float64[:, ::1]
require(types, "npy_rng")
RNG = types.npy_rng

SIGNATURES = {
    "step": types.Tuple((float64, boolean))(VECTOR, VECTOR, VECTOR, VECTOR, RNG),
    "sample_action": types.void(VECTOR, VECTOR, VECTOR, RNG),
    "rollout": float64(VECTOR, VECTOR, int64, VECTOR, RNG),
    "player": float64(VECTOR, VECTOR),
    "cells": types.void(VECTOR, int64, int64, VECTOR, uint64[::1]),
    "actions": int64(VECTOR, VECTOR, MATRIX, uint64[::1]),
    "step_exact": types.Tuple((float64, boolean))(VECTOR, VECTOR, VECTOR, VECTOR, RNG),
    "traced_rollout": float64(VECTOR, VECTOR, int64, VECTOR, RNG, uint64[::1], VECTOR, VECTOR),
    "priors": types.void(VECTOR, VECTOR, MATRIX, MATRIX),
    "region": int64(VECTOR, VECTOR),
}
ROLES = tuple(SIGNATURES)
# which argument of each is `params`; searches leave it out, as a problem knows it
PARAMS_AT = {
    "step": 3,
    "sample_action": 2,
    "rollout": 3,
    "player": 1,
    "cells": 3,
    "actions": 1,
    "step_exact": 3,
    "traced_rollout": 3,
    "priors": 1,
    "region": 1,
}


def kernel(*arguments: Any) -> Callable[[F], F]:
    """Compile a kernel, cached on disk.

    Args:
        arguments: for each argument of the kernel its numba type, such as `VECTOR`, or an example of a value; or else
            one signature, which also says the type of the result.
    """
    if isinstance(arguments[0], Signature | str):
        return functools.partial(declare, signature=arguments[0], nrt=False)
    declared = tuple(given if isinstance(given, types.Type) else typeof(given) for given in arguments)
    return functools.partial(declare, signature=declared, nrt=False)


def compiled(role: str) -> Callable[[F], F]:
    """Compile a function of the model protocol, e.g. `@compiled("step")`, with that role's signature.

    Raises:
        ValueError: `role` is not one of the model functions.
    """
    if role not in SIGNATURES:
        raise ValueError(f"role={role!r}: must be one of {', '.join(ROLES)}")
    # the cells of many models are a call of `box_cells`, whose twenty words of arguments cost as much as its work
    return functools.partial(declare, signature=SIGNATURES[role], nrt=True, forceinline=role == "cells")


def helper(function: F) -> F:
    """Compile a function that kernels or model functions call; it becomes part of its callers' machine code."""
    return declare(function, None, nrt=False, forceinline=True)


def model_helper(function: F) -> F:
    """A piece of a kernel that calls model functions: compiled within compiled kernels, else plain Python."""
    return cast(F, register_jitable(**options(nrt=False, forceinline=True))(function))


def rare_helper(function: F) -> F:
    """A model helper that is hardly ever run, and so a function of its own instead of a part of its callers' code."""
    return cast(F, register_jitable(**options(nrt=False, forceinline=False))(function))
