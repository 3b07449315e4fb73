"""Everything that knows numba: the signatures of model functions, the decorators, the table of addresses, the cache.

A search kernel is compiled once and serves every model. It is handed the model's functions as a table of addresses and
calls them with `step(functions, ...)` and its siblings. The same kernel source also runs uncompiled for a model written
in plain Python; `functions` is then a tuple of Python callables.

An author of a model needs two decorators: `compiled("step")` for the functions of the model protocol, and `helper` for
what they call. An author of a planner needs `kernel` and `helper`.
"""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numba import boolean, float64, int64, njit, typeof, types, uint64
from numba.core import cgutils, config
from numba.experimental.function_type import _get_jit_address
from numba.extending import intrinsic, overload, register_jitable

from planners.base import Array
from planners.core import sources
from planners.core.cache import code_folder

__all__ = [
    "MATRIX",
    "RNG",
    "SIGNATURES",
    "TABLE",
    "VECTOR",
    "actions",
    "boolean",
    "cells",
    "compiled",
    "float64",
    "functions_of",
    "helper",
    "int64",
    "kernel",
    "part",
    "player",
    "rollout",
    "runner",
    "sample_action",
    "step",
    "step_exact",
    "typeof",
    "uint64",
]

F = TypeVar("F", bound=Callable[..., Any])

VECTOR = float64[::1]
MATRIX = float64[:, ::1]
TABLE = int64[::1]
RNG = types.npy_rng

SIGNATURES = {
    "step": types.Tuple((float64, boolean))(VECTOR, VECTOR, VECTOR, VECTOR, RNG),
    "sample_action": types.void(VECTOR, VECTOR, VECTOR, RNG),
    "rollout": float64(VECTOR, VECTOR, int64, VECTOR, RNG),
    "player": float64(VECTOR, VECTOR),
    "cells": types.void(VECTOR, int64, int64, VECTOR, uint64[::1]),
    "actions": int64(VECTOR, VECTOR, MATRIX, uint64[::1]),
    "step_exact": types.Tuple((float64, boolean))(VECTOR, VECTOR, VECTOR, VECTOR, RNG),
}
ROLES = tuple(SIGNATURES)


def _cache_folder(function: Callable[..., Any]) -> Path:
    """The folder for compiled code, named by the sources it may depend on: numba itself watches one file only."""
    own = Path(function.__code__.co_filename).resolve().parent
    folders = sources.FOLDERS if own in sources.FOLDERS else (*sources.FOLDERS, own)
    return code_folder(sources.digest(folders))


@functools.cache
def _announce_compilation() -> None:
    print(
        "bonspiel: compiling the searches for this machine, once for this version of the sources "
        "(half a minute, with curling some minutes)",
        file=sys.stderr,
        flush=True,
    )


def _njit(function: F, signature: Any, *, nrt: bool, forceinline: bool = False) -> F:
    """Compile, cached on disk. Without reference counts (`nrt`) nothing can be allocated, and loops are faster."""
    code = function.__code__
    on_disk = os.path.exists(code.co_filename)
    folder = _cache_folder(function) if on_disk else Path()
    if signature and not any(folder.glob(f"*/*{function.__qualname__}-{code.co_firstlineno}.*.nbi")):
        _announce_compilation()
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        compiler = njit(signature, cache=on_disk, nogil=True, error_model="numpy", _nrt=nrt, forceinline=forceinline)
        return cast(F, compiler(function))
    finally:
        config.CACHE_DIR = before


def kernel(signature: Any) -> Callable[[F], F]:
    """Compile a search kernel with an explicit numba signature, cached on disk."""
    return functools.partial(_njit, signature=signature, nrt=False)


def compiled(role: str) -> Callable[[F], F]:
    """Compile a function of the model protocol, e.g. `@compiled("step")`, with that role's signature.

    Raises:
        ValueError: `role` is not one of the model functions.
    """
    if role not in SIGNATURES:
        raise ValueError(f"role={role!r}: must be one of {', '.join(ROLES)}")
    return functools.partial(_njit, signature=SIGNATURES[role], nrt=True)


def helper(function: F) -> F:
    """Compile a function that kernels or model functions call; it becomes part of its callers' machine code."""
    return _njit(function, None, nrt=False, forceinline=True)


def part(function: F) -> F:
    """A piece of a kernel that calls model functions: compiled within compiled kernels, else plain Python."""
    return cast(F, register_jitable(nogil=True, error_model="numpy", _nrt=False, forceinline=True)(function))


def _caller(role: str) -> Callable[..., Any]:
    """A function (functions, *arguments) that calls the model function of this role, compiled or interpreted.

    numba's own first-class function values cost 40 ns more a call: each looks for null addresses and fall-backs.
    """
    row, signature = ROLES.index(role), SIGNATURES[role]

    @intrinsic  # type: ignore[untyped-decorator]
    def call_address(typing_context: Any, address: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, values: Any) -> Any:
            convention = context.call_conv
            pointer_type = convention.get_function_type(signature.return_type, signature.args).as_pointer()
            pointer = builder.inttoptr(values[0], pointer_type)
            status, result = convention.call_function(
                builder, pointer, signature.return_type, signature.args, cgutils.unpack_tuple(builder, values[1])
            )
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return signature.return_type(int64, types.Tuple(signature.args)), codegen

    def call(functions: Any, *arguments: Any) -> Any:
        return functions[row](*arguments)

    @overload(call)  # type: ignore[untyped-decorator]
    def _(functions: Any, *arguments: Any) -> Any:
        def from_table(functions: Any, *arguments: Any) -> Any:
            return call_address(functions[row], arguments)

        return from_table

    return call


step = _caller("step")
sample_action = _caller("sample_action")
rollout = _caller("rollout")
player = _caller("player")
cells = _caller("cells")
actions = _caller("actions")
step_exact = _caller("step_exact")


@compiled("player")
def _single_player(state: Array, params: Array) -> float:
    return 1.0


_tables: dict[Any, Any] = {}


def functions_of(model: Any, needed: frozenset[str], default_cells: Any = None) -> Any:
    """The model's functions as kernels take them: a table of addresses, or a tuple of callables for a Python model.

    Addresses hold in this process only, so the table is kept here, one for each class, and never on an instance.

    Raises:
        TypeError: the model lacks a function in `needed`, or says `compiled` and has one that is not.
    """
    key = type(model)
    if model.compiled and key in _tables and needed <= _tables[key][1]:
        return _tables[key][0]
    given = {role: getattr(model, role, None) for role in ROLES}
    given["player"] = given["player"] or _single_player
    given["cells"] = given["cells"] or default_cells
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
    table = np.zeros(len(ROLES), np.int64)
    for row, (role, function) in enumerate(given.items()):
        if function is not None:
            table[row] = _get_jit_address(function, SIGNATURES[role])
    _tables[key] = table, {role for role, function in given.items() if function is not None}
    return table


@functools.cache
def _entry_point(kernel: Any) -> Any:
    (compiled,) = kernel.overloads.values()
    return compiled.entry_point


def runner(kernel: Any, model: Any) -> Any:
    """The kernel in the form that serves this model: compiled, or as plain Python for a Python model.

    The compiled form is the bare entry point, which costs 5 us less a call than numba's dispatcher because it does not
    look at the types of its arguments; so those that come from the model are looked at here.

    Raises:
        TypeError: the model's params are not a contiguous float64 vector.
    """
    if not model.compiled:
        return kernel.py_func
    params = model.params
    if not (isinstance(params, np.ndarray) and params.dtype == np.float64 and params.ndim == 1 and params.flags.carray):
        raise TypeError(f"{type(model).__name__}.params must be a contiguous float64 vector")
    return _entry_point(kernel)
