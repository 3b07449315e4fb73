"""Curling: the sheet, the rules, two physics engines that agree with the reference simulator, noise and models."""

if __name__ != "bonspiel.curling":  # the folder is importable from the checkout's root, and would be loaded twice
    raise ImportError("import bonspiel.curling, not curling")


import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bonspiel.curling.ice.engines import Engine, Path, make_engine

__all__ = ["Engine", "Path", "make_engine"]


def __getattr__(name: str) -> Any:
    if name in __all__:  # imported when first asked for: the command line needs no engine
        return getattr(importlib.import_module("bonspiel.curling.ice.engines"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
