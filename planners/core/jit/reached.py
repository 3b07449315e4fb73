"""The code and constants that a user's compiled function uses.

A digest of imported files may miss them: helpers come from any folder, and constants from data that a module reads.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from bonspiel.planners.core.code import sources

FROZEN = (bool, int, float, complex, str, bytes, np.generic, type(None))


def digest_of_reached(function: Any) -> str:
    """An identity of a function's code, that of the functions it may call, and of the constants in them.

    Args:
        function: compiled or not; one of this project has none, since its sources say all.
    """
    function = getattr(function, "py_func", function)
    if sources.is_own(function.__code__.co_filename):
        return ""
    found = hashlib.blake2b(digest_size=8)
    for part in _parts(function, set()):
        found.update(part.encode())
    return found.hexdigest()


def _parts(function: Any, seen: set[Any]) -> Iterator[str]:
    if function in seen:
        return
    seen.add(function)
    for code in _codes(function.__code__):
        yield f"{code.co_code.hex()} {code.co_names} "
        yield from _of("constants", code.co_consts, (), seen)
        for name in code.co_names:
            if name in function.__globals__:
                yield from _of(name, function.__globals__[name], code.co_names, seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Code, and that of functions within."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _of(name: str, value: Any, names: tuple[str, ...], seen: set[Any]) -> Iterator[str]:
    """The parts of a value; of a user's module, those of the attributes that the function names."""
    source = getattr(value, "py_func", value)
    if isinstance(source, FunctionType):
        if not _is_installed(source.__code__.co_filename):
            yield from _parts(source, seen)
    elif isinstance(value, ModuleType):
        if value not in seen and not _is_installed(getattr(value, "__file__", None) or ""):
            seen.add(value)
            for one in names:
                if hasattr(value, one):
                    yield from _of(f"{name}.{one}", getattr(value, one), names, seen)
            seen.discard(value)
    elif isinstance(value, tuple):
        yield f"{name} {len(value)} "
        for one in value:
            yield from _of(name, one, names, seen)
    elif isinstance(value, frozenset):  # whose order is another in each process
        yield f"{name} {sorted(map(repr, value))} "
    elif isinstance(value, np.ndarray):
        yield f"{name} {value.dtype} {value.shape} {value.tobytes().hex()} "
    elif isinstance(value, FROZEN):
        yield f"{name} {type(value).__name__} {value!r} "


def _is_installed(file: str) -> bool:
    """True for this project, the standard library, and installed packages, whose versions and sources say all."""
    return not file or sources.is_own(file) or sources.is_installed(Path(file).resolve())
