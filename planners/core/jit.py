"""Everything that knows numba: the signatures of model functions, the decorators, calls by address, the cache.

A search kernel is compiled once and serves every model: it calls the model's functions by their addresses, with
`step(problem, ...)` and its siblings. The same source also runs uncompiled for a model written in plain Python, whose
functions are then called as they are. `planners.core.problem` says what a problem is.

An author of a model needs two decorators: `compiled("step")` for the functions of the model protocol, and `helper` for
what they call. An author of a planner needs `search_kernel` of `planners.core.problem`, `helper` and `model_helper`.
"""

import functools
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import takewhile
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

from numba import boolean, float64, int64, typeof, types, uint64
from numba.core import cgutils, config
from numba.core.boxing import NativeValue
from numba.core.compiler_lock import global_compiler_lock
from numba.core.pythonapi import _unboxers
from numba.core.registry import CPUDispatcher
from numba.core.typing import Signature
from numba.experimental.function_type import _get_jit_address
from numba.extending import intrinsic, overload, register_jitable

from bonspiel.planners.base import Array
from bonspiel.planners.core import sources
from bonspiel.planners.core.cache import code_folder, locked

__all__ = [
    "MATRIX",
    "RNG",
    "SIGNATURES",
    "VECTOR",
    "Problem",
    "actions",
    "boolean",
    "cells",
    "compiled",
    "float64",
    "helper",
    "int64",
    "kernel",
    "model_helper",
    "player",
    "priors",
    "region",
    "rollout",
    "run",
    "runner",
    "sample_action",
    "step",
    "step_exact",
    "traced_rollout",
    "typeof",
    "uint64",
]

F = TypeVar("F", bound=Callable[..., Any])

VECTOR = float64[::1]
MATRIX = float64[:, ::1]
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


BIT_GENERATOR = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")  # as numpy's bitgen.h has them


def _read_bit_generator(kind: Any, generator: Any, c: Any) -> NativeValue:
    """Read numpy's generator of random bits through its C interface when compiled code is entered.

    numba would ask ctypes, anew for every call, which takes a fifth of a short decision. This holds for all numba code
    of the process.
    """
    read, builder = cgutils.create_struct_proxy(kind)(c.context, c.builder), c.builder
    read.parent = generator
    failed = cgutils.alloca_once_value(builder, cgutils.false_bit)
    get_pointer = c.pyapi._get_function(
        cgutils.ir.FunctionType(cgutils.voidptr_t, [c.pyapi.pyobj, cgutils.voidptr_t]), "PyCapsule_GetPointer"
    )
    with ExitStack() as stack:
        capsule = c.pyapi.object_getattr_string(generator, "capsule")
        with cgutils.early_exit_if_null(builder, stack, capsule):
            builder.store(cgutils.true_bit, failed)
        name = c.context.insert_const_string(builder.module, "BitGenerator")
        interface = builder.call(get_pointer, [capsule, name])
        c.pyapi.decref(capsule)
        with cgutils.early_exit_if_null(builder, stack, interface):
            builder.store(cgutils.true_bit, failed)
        words = builder.bitcast(interface, c.context.get_value_type(types.uintp).as_pointer())
        for i, field in enumerate(BIT_GENERATOR):
            setattr(read, field, builder.load(cgutils.gep_inbounds(builder, words, i)))
        read.state_address = read.state
    return NativeValue(read._getvalue(), is_error=builder.load(failed))


_unboxers.functions[types.NumPyRandomBitGeneratorType] = _read_bit_generator


SECONDS_A_BYTE = 5e-4  # of compiling, by the length of Python's byte code: right within a factor of two
WORTH_A_LINE = 1.0  # s


def _byte_code(function: Any, seen: set[Any]) -> int:
    """The length of a function's byte code with that of the helpers that become part of it, each counted once."""
    source = getattr(function, "py_func", function)
    if source in seen or getattr(source, "__code__", None) is None:
        return 0
    seen.add(source)
    called = (source.__globals__.get(name) for name in source.__code__.co_names)
    inlined = (one for one in called if isinstance(one, FunctionType) or getattr(one, "signature", 0) is None)
    return len(source.__code__.co_code) + sum(_byte_code(one, seen) for one in inlined)


class CompiledFunction(CPUDispatcher):  # type: ignore[misc]
    """A function whose machine code is loaded from disk, or made and kept there, when it is first used.

    numba would do so when a function with a signature is declared, but processes use few of those that they import.

    Attributes:
        signature: the only one to compile for; None for a helper, which is compiled for the types it is called with.
        digest: of the sources that the code may depend on, as they were imported, since numba itself watches one file
            only; None keeps nothing on disk.
    """

    signature: Any = None
    digest: str | None = None

    def load(self) -> Any:
        """The compiled form for the signature."""
        within_another = global_compiler_lock.is_locked()
        with global_compiler_lock:
            if not self.overloads:
                begin = time.perf_counter()
                with nullcontext() if self.is_on_disk() else self._alone():
                    super().compile(self.signature)
                self.disable_compile()
                if not within_another:
                    _loads.append((begin, time.perf_counter()))
            return next(iter(self.overloads.values()))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one process compile; others that need the function wait, and find the code on disk."""
        module = Path(self.py_func.__code__.co_filename).stem
        with locked(self._file(f".{module}.lock")) if self.digest is not None else nullcontext():
            if not self.is_on_disk():
                self._announce()
            yield

    def _announce(self) -> None:
        """Say what is compiled, and how long it may take."""
        seconds = SECONDS_A_BYTE * _byte_code(self, set())
        if seconds >= WORTH_A_LINE:
            name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
            said = f"compiling {name} for this machine, once for this version of the sources: about {seconds:.0f} s"
            print(f"bonspiel: {said}", file=sys.stderr, flush=True)

    def _file(self, ending: str) -> Path:
        """The file on disk, or the pattern of those, with this ending."""
        self._open_cache()  # equal sources in different places share the digest's folder, and each has one within
        name = f"{self.py_func.__qualname__}-{self.py_func.__code__.co_firstlineno}{ending}"
        return Path(self._cache.cache_path) / name

    def is_on_disk(self) -> bool:
        """Whether the code need not be compiled, as far as the names of files tell."""
        if self.digest is None:
            return False
        # the index, .nbi, is written before the code: a process that ended between leaves the index alone
        code = self._file(".*.nbc")
        return any(code.parent.glob(f"*{code.name}"))

    def compile(self, sig: Any) -> Any:
        """The entry point for these types; numba calls this for calls within compiled code."""
        if self.signature is not None:
            return self.load().entry_point
        with global_compiler_lock:
            self._open_cache()
            return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """What to call instead; numba calls this for a call from Python that fits nothing compiled so far."""
        if self.signature is None:
            return super()._compile_for_args(*args, **kws)
        self.load()
        return self

    def _open_cache(self) -> None:
        if self.digest is not None and self._cache.cache_path is None:
            before = config.CACHE_DIR
            config.CACHE_DIR = str(code_folder(self.digest))
            try:
                self.enable_caching()
            finally:
                config.CACHE_DIR = before

    def _reduce_states(self) -> Any:
        """What to pickle of a function that another process cannot import."""
        if self.signature is not None:
            self.load()
        return super()._reduce_states()


_loads: list[tuple[float, float]] = []  # begin and end of each
_unchecked: list[CompiledFunction] = []  # declared since the last `compile_missing`


def _declare(function: F, signature: Any, *, nrt: bool, forceinline: bool = False) -> F:
    """A function to compile. Without reference counts (`nrt`) nothing can be allocated, and loops are faster."""
    options = {"nopython": True, "nogil": True, "error_model": "numpy", "_nrt": nrt, "forceinline": forceinline}
    made = CompiledFunction(function, targetoptions=options)
    made.signature = signature
    made.digest = _digest(function.__code__.co_filename)
    if signature is not None:
        _unchecked.append(made)
    return cast(F, made)


@functools.cache
def _digest(file: str) -> str | None:
    return sources.digest(sources.imports_of(Path(file).resolve())) if os.path.exists(file) else None


def seconds_loading(since: float) -> float:
    """Seconds spent on loading or compiling since a reading of `time.perf_counter`."""
    if not _loads or _loads[-1][1] <= since:  # as for every decision but the first
        return 0.0
    latest = takewhile(lambda load: load[1] > since, reversed(_loads))
    return sum(end - max(begin, since) for begin, end in latest)


def compile_missing() -> None:
    """Compile what was imported so far and is not on disk, so that several processes need not each do it."""
    while _unchecked:
        function = _unchecked.pop()
        if function.digest is not None and not function.is_on_disk():
            with suppress(Exception):  # it fails again where it is used
                function.load()


def kernel(*arguments: Any) -> Callable[[F], F]:
    """Compile a kernel, cached on disk.

    Args:
        arguments: for each argument of the kernel its numba type, such as `VECTOR`, or an example of a value; or else
            one signature, which also says the type of the result.
    """
    if isinstance(arguments[0], Signature | str):
        return functools.partial(_declare, signature=arguments[0], nrt=False)
    declared = tuple(given if isinstance(given, types.Type) else typeof(given) for given in arguments)
    return functools.partial(_declare, signature=declared, nrt=False)


def compiled(role: str) -> Callable[[F], F]:
    """Compile a function of the model protocol, e.g. `@compiled("step")`, with that role's signature.

    Raises:
        ValueError: `role` is not one of the model functions.
    """
    if role not in SIGNATURES:
        raise ValueError(f"role={role!r}: must be one of {', '.join(ROLES)}")
    # the cells of many models are a call of `box_cells`, whose twenty words of arguments cost as much as its work
    return functools.partial(_declare, signature=SIGNATURES[role], nrt=True, forceinline=role == "cells")


def helper(function: F) -> F:
    """Compile a function that kernels or model functions call; it becomes part of its callers' machine code."""
    return _declare(function, None, nrt=False, forceinline=True)


def model_helper(function: F) -> F:
    """A piece of a kernel that calls model functions: compiled within compiled kernels, else plain Python."""
    return cast(F, register_jitable(nogil=True, error_model="numpy", _nrt=False, forceinline=True)(function))


class Problem(NamedTuple):
    """A decision to make: what a search kernel knows of the model and of where it is.

    Attributes:
        functions: addresses of the model's functions, int64 [roles]; the functions themselves of a Python model.
        params: the model's, for all functions but `cells`.
        cell_params: for `cells`.
        state: where to act, [state_dim].
        discount: of a step, in (0, 1].
        steps: to the end of the episode at most.
    """

    functions: Any
    params: Array
    cell_params: Array
    state: Array
    discount: float
    steps: int


def _caller(role: str) -> Callable[..., Any]:
    """A function (problem, *arguments without params) that calls the model's function, compiled or interpreted.

    numba's own first-class function values cost 40 ns more a call: each looks for null addresses and fall-backs.
    """
    row, at, signature = ROLES.index(role), PARAMS_AT[role], SIGNATURES[role]
    params = Problem._fields.index("cell_params" if role == "cells" else "params")
    others = signature.args[:at] + signature.args[at + 1 :]

    @intrinsic  # type: ignore[untyped-decorator]
    def call_address(typing_context: Any, address: Any, params: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, values: Any) -> Any:
            given = cgutils.unpack_tuple(builder, values[2])
            given.insert(at, values[1])
            convention = context.call_conv
            pointer_type = convention.get_function_type(signature.return_type, signature.args).as_pointer()
            pointer = builder.inttoptr(values[0], pointer_type)
            status, result = convention.call_function(builder, pointer, signature.return_type, signature.args, given)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return signature.return_type(int64, VECTOR, types.Tuple(others)), codegen

    def call(problem: Any, *arguments: Any) -> Any:
        return problem.functions[row](*arguments[:at], problem[params], *arguments[at:])

    @overload(call)  # type: ignore[untyped-decorator]
    def _(problem: Any, *arguments: Any) -> Any:
        def by_address(problem: Any, *arguments: Any) -> Any:
            return call_address(problem.functions[row], problem[params], arguments)

        return by_address

    return call


step = _caller("step")
sample_action = _caller("sample_action")
rollout = _caller("rollout")
player = _caller("player")
cells = _caller("cells")
actions = _caller("actions")
step_exact = _caller("step_exact")
traced_rollout = _caller("traced_rollout")
priors = _caller("priors")
region = _caller("region")


def address_of(function: Any, role: str) -> int:
    """The address of a model function that was compiled for this role; it holds in this process only."""
    if isinstance(function, CompiledFunction) and function.signature is not None:
        function.load()  # so that another role's is refused
    return int(_get_jit_address(function, SIGNATURES[role]))


_checked: dict[Any, Any] = {}


def runner(kernel: Any, model: Any, *arguments: Any) -> Any:
    """The kernel in the form that serves this model: compiled, or as plain Python for a Python model.

    The compiled form is the bare entry point, which costs 5 us less a call than numba's dispatcher because it does not
    look at the types of its arguments. So they are checked here, once for each kernel, class of model and class of the
    last argument (the settings of a search).

    Args:
        kernel: one made by `kernel`.
        model: the model of the problem.
        arguments: those of the first call.

    Raises:
        TypeError: an argument, or a field of one, is not of the type declared.
    """
    if not model.compiled:
        return kernel.py_func
    key = (kernel, type(model), type(arguments[-1]))
    entry_point = _checked.get(key)
    if entry_point is None:
        overload = kernel.load()
        names = kernel.py_func.__code__.co_varnames
        for name, value, declared in zip(names, arguments, overload.signature.args, strict=False):
            _check_type(name, value, declared)
        entry_point = _checked[key] = overload.entry_point
    return entry_point


def run(kernel: Any, model: Any, *arguments: Any) -> Any:
    """Call a kernel once; see `runner`."""
    return runner(kernel, model, *arguments)(*arguments)


def _check_type(name: str, value: Any, declared: Any) -> None:
    """Raise TypeError naming the argument or field unless the value may be read as the type declared."""
    if isinstance(declared, types.BaseNamedTuple):
        cls = declared.instance_class
        if type(value).__name__ != cls.__name__ or value._fields != cls._fields:
            fields = ", ".join(getattr(value, "_fields", ()))
            raise TypeError(
                f"{name} is {type(value).__name__}({fields}): must be {cls.__name__}({', '.join(cls._fields)})"
            )
        for field, item, kind in zip(cls._fields, value, declared.types, strict=True):
            _check_type(f"{name}.{field}", item, kind)
        return
    try:
        found = typeof(value)
    except ValueError:  # nothing that numba knows
        found = type(value).__name__
    if isinstance(declared, types.Array) and isinstance(found, types.Array):
        fits = (found.dtype, found.ndim, found.layout) == (declared.dtype, declared.ndim, declared.layout)
    elif isinstance(declared, types.Float):
        fits = isinstance(found, types.Float | types.Integer)
    elif isinstance(declared, types.Integer):
        fits = isinstance(found, types.Integer)
    else:
        fits = found == declared
    if not fits:
        raise TypeError(f"{name} is {found}: must be {declared}")
