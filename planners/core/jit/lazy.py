"""Functions that are compiled, or loaded from disk, when they are first used."""

import functools
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import takewhile
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit, types

from bonspiel.planners.core.code import sources
from bonspiel.planners.core.code.cache import cache_folder, code_folder, locked, say_once
from bonspiel.planners.core.jit.generator_reader import installed_for
from bonspiel.planners.core.jit.reached import digest_of_reached
from bonspiel.planners.core.jit.settings import INTERPRETED, code_settings, configured, private, require

F = TypeVar("F", bound=Callable[..., Any])

SECONDS_A_BYTE = 5e-4  # of compiling, by the length of Python's byte code: right within a factor of two
WORTH_A_LINE = 1.0  # s
UNUSABLE = (OSError, EOFError, pickle.UnpicklingError)  # a full disk, another user's files, files that are cut off

COMPILER_LOCK = private("numba.core.compiler_lock", "global_compiler_lock") or threading.RLock()
with configured(DISABLE_JIT=0):
    Dispatcher: Any = type(njit(lambda: None))
require(Dispatcher, "compile", "disable_compile", "get_compile_result")
HAS_NRT = hasattr(getattr(Dispatcher.targetdescr, "options", None), "_nrt")  # the option is not documented


def _takes_functions(sig: Any) -> bool:
    """True if compiled functions are among the arguments of this signature."""
    return any(isinstance(one, types.Dispatcher) for one in getattr(sig, "args", sig))


def _byte_code(function: Any, seen: set[Any]) -> int:
    """The length of a function's byte code with that of the helpers that become part of it, each counted once."""
    source = getattr(function, "py_func", function)
    if source in seen or getattr(source, "__code__", None) is None:
        return 0
    seen.add(source)
    called = (source.__globals__.get(name) for name in source.__code__.co_names)
    inlined = (one for one in called if isinstance(one, FunctionType) or getattr(one, "signature", 0) is None)
    return len(source.__code__.co_code) + sum(_byte_code(one, seen) for one in inlined)


class CompiledFunction(Dispatcher):  # type: ignore[misc]
    """A function whose machine code is loaded from disk, or made and kept there, when it is first used.

    numba would do so when a function with a signature is declared, but processes use few of those that they import.

    Attributes:
        signature: the only one to compile for; None for a helper, which is compiled for the types it is called with.
        digest: of the sources that the code may depend on, as they were imported, since numba itself watches one file
            only; None keeps nothing on disk.
    """

    signature: Any = None
    digest: str | None = None
    _cache: Any

    def load(self) -> Any:
        """The compiled form for the signature."""
        with COMPILER_LOCK:
            if not self.overloads:
                with _timed(), configured(DISABLE_JIT=0):
                    _begin_numba()
                    with nullcontext() if self.is_on_disk() else self._alone(), installed_for(self.py_func):
                        self._compile(self.signature)
                self.disable_compile()
            return next(iter(self.overloads.values()))

    def _compile(self, sig: Any) -> Any:
        """Compile for these types, or load from disk; nothing is kept where the disk cannot be used."""
        try:
            return super().compile(sig)
        except UNUSABLE as error:
            if self.digest is None:
                raise
            reason = getattr(error, "strerror", None) or error
            say_once(f"the cache {cache_folder()} cannot be used ({reason}): compiled code is not kept")
            self._cache.disable()
            return super().compile(sig)  # what was compiled before it could not be written is found

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
        # equal sources in different places share the digest's folder, and each has one within
        name = f"{self.py_func.__qualname__}-{self.py_func.__code__.co_firstlineno}{ending}"
        return Path(self._cache.cache_path) / name

    def is_on_disk(self) -> bool:
        """True if the names of files show that the code need not be compiled."""
        self._open_cache()
        if self.digest is None:
            return False
        # the index, .nbi, is written before the code: a process that ended between leaves the index alone
        code = self._file(".*.nbc")
        return any(code.parent.glob(f"*{code.name}"))

    def compile(self, sig: Any) -> Any:
        """The entry point for these types; numba calls this for calls within compiled code."""
        if self.signature is not None:
            return self.load().entry_point
        with COMPILER_LOCK:
            self._open_cache()
            with self._nothing_kept() if _takes_functions(sig) else nullcontext():
                return self._compile(sig)

    @contextmanager
    def _nothing_kept(self) -> Iterator[None]:
        """Keep the code for functions off the disk: a function equals itself alone, and so only in its own process.

        An index that names a function cannot even be written again after the function was deleted.
        """
        self._cache.disable()
        try:
            yield
        finally:
            self._cache.enable()

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Return the function to call; numba asks for it where a call from Python fits nothing compiled so far."""
        if self.signature is None:
            return super()._compile_for_args(*args, **kws)
        self.load()
        return self

    def _open_cache(self) -> None:
        """Find the folder on disk; where there is none, nothing is kept.

        numba would turn to other folders then, in which it takes code of other sources for this function's.
        """
        if self.digest is None or self._cache.cache_path is not None:
            return
        known = hasattr(self, "enable_caching")
        folder = code_folder(self.digest, code_settings() + digest_of_reached(self)) if known else None
        if folder is not None:
            with configured(CACHE_DIR=str(folder), CACHE_LOCATOR_CLASSES=""), suppress(RuntimeError):
                self.enable_caching()
        if folder is None or not str(self._cache.cache_path).startswith(str(folder)):
            self._cache.disable()
            self.digest = None

    def _reduce_states(self) -> Any:
        """The state to pickle of a function that another process cannot import."""
        if self.signature is not None:
            self.load()
        return super()._reduce_states()


@functools.cache
def _begin_numba() -> None:
    """Import what numba imports at its first use without scipy's linear algebra, which takes longer than the rest.

    numba asks whether it is there. It is, as a dependency, and numba asks again where code calls it.
    """
    ask = private("numba.np.linalg", "ensure_blas")
    if ask is None:
        return
    from numba.np import linalg

    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath

        arraymath.ensure_blas = ask
    finally:
        linalg.ensure_blas = ask


_under_way: list[None] = []  # what is loaded now, one within another
_loads: list[tuple[float, float]] = []  # begin and end of each
_unchecked: list[CompiledFunction] = []  # declared since the last `compile_missing`


@contextmanager
def _timed() -> Iterator[None]:
    """Note how long it takes to load, if it is not for something else that is loaded."""
    begin = time.perf_counter()
    _under_way.append(None)
    try:
        yield
    finally:
        _under_way.pop()
        if not _under_way:
            _loads.append((begin, time.perf_counter()))


def options(*, nrt: bool, forceinline: bool) -> dict[str, Any]:
    """How to compile a function. Without reference counts (`nrt`) nothing can be allocated, and loops are faster."""
    known = {"_nrt": nrt} if HAS_NRT else {}
    return {"nogil": True, "error_model": "numpy", "forceinline": forceinline, **known}


def declare(function: F, signature: Any, *, nrt: bool, forceinline: bool = False) -> F:
    """A function to compile; see `options`. Without a compiler it stays as it is, with the attributes of one."""
    if INTERPRETED:
        say_once("NUMBA_DISABLE_JIT is set: nothing is compiled, and searches are some hundred times slower")
        plain = np.errstate(all="ignore")(function) if signature is not None else function  # as compiled code does
        vars(plain).update(py_func=plain, signature=signature, load=lambda: None)
        return plain
    made = CompiledFunction(function, targetoptions={"nopython": True, **options(nrt=nrt, forceinline=forceinline)})
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
