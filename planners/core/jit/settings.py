"""What depends on the version and the settings of numba.

Settings come from variables such as NUMBA_OPT, from `.numba_config.yaml` in the current folder, or from a program that
sets `numba.config`.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba import config

WORKING = "0.66 to 0.68"  # versions of numba
INTERPRETED = bool(config.DISABLE_JIT)  # what is declared stays plain Python; set before the import, as numba wants it

# numba's own values. ENABLE_AVX and USING_SVML (a library of Intel's, if installed) depend on the machine too.
DEFAULTS = {
    "OPT": 3,
    "BOUNDSCHECK": None,
    "DEBUGINFO_DEFAULT": 0,
    "EXTEND_VARIABLE_LIFETIMES": 0,
    "LOOP_VECTORIZE": 1,
    "SLP_VECTORIZE": 0,
    "CPU_NAME": None,
    "CPU_FEATURES": None,
    "ENABLE_AVX": True,
    "USING_SVML": False,
    "DISABLE_INTEL_SVML": False,
    "ENABLE_PROFILING": 0,
    "JIT_COVERAGE": 0,
    "LLVM_REFPRUNE_PASS": 1,
    "LLVM_REFPRUNE_FLAGS": "all",
    "CAPTURED_ERRORS": "new_style",
    "USE_LEGACY_TYPE_SYSTEM": 0,
    "DEBUG_JIT": 0,
    "DEBUG_NRT": 0,
    "NRT_STATS": 0,
    "DEBUG_ARRAY_OPT_RUNTIME": 0,
    "PARFOR_MAX_TUPLE_SIZE": 100,
}


def code_settings() -> str:
    """The settings that change machine code and are not numba's own, "NAME=value ..."; empty without any."""
    found = {name: getattr(config, name, default) for name, default in DEFAULTS.items()}
    if getattr(config.OPT, "is_opt_max", False):  # equals 3 as a number
        found["OPT"] = "max"
    return " ".join(f"{name}={value}" for name, value in found.items() if value != DEFAULTS[name])


def require(owner: Any, *names: str) -> None:
    """Refuse a numba without names that it does not promise to keep and that nothing can be compiled without.

    Raises:
        ImportError: the line says which versions have them.
    """
    for name in names:
        if not hasattr(owner, name):
            lacks = f"numba {numba.__version__} has no {owner.__name__}.{name}, which the planners need"
            raise ImportError(f"{lacks}: install numba {WORKING}", name="numba")


@contextmanager
def configured(**values: Any) -> Iterator[None]:
    """Change settings of numba for a while; one that this version of numba lacks is left alone."""
    before = {name: getattr(config, name) for name in values if hasattr(config, name)}
    for name in before:
        setattr(config, name, values[name])
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(config, name, value)


def private(module: str, name: str) -> Any:
    """Something that numba does not promise to keep; None where this version lacks it, which costs speed alone."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


cgutils: Any = importlib.import_module("numba.core.cgutils")
require(cgutils, "add_global_variable", "alloca_once_value", "get_item_pointer", "if_unlikely", "ir", "unpack_tuple")
