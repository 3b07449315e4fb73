"""What a user's compiled function reaches: code and constants that no digest of imported files need show.

Helpers may come from any folder, and constants from data that a module reads.
"""

import hashlib
import os
import sysconfig
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from bonspiel.planners.core.code import sources

INSTALLED = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
FROZEN = (bool, int, float, complex, str, bytes, tuple, np.generic, np.ndarray, type(None))


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
        constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
        yield f"{code.co_code.hex()} {constants!r} {code.co_names} "
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
    """What a global stands for: of a user's module, what is taken from it."""
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
    elif isinstance(value, FROZEN):
        shown = value.tobytes().hex() if isinstance(value, np.ndarray) and value.dtype != object else repr(value)
        yield f"{name} {type(value).__name__} {shown} "


def _is_installed(file: str) -> bool:
    """True for this project, the standard library, and installed packages, whose versions and sources say all."""
    return not file or sources.is_own(file) or os.path.abspath(file).startswith(INSTALLED)
