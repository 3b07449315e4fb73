"""A benchmark suite for planning with continuous actions; its environments are registered with Gymnasium.

>>> import bonspiel, gymnasium
>>> gymnasium.make("bonspiel/Trap-v0").spec.id
'bonspiel/Trap-v0'

The packages `planners`, `curling`, `envs` and `runs` in this folder are links in a checkout.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from bonspiel.version import __version__

__all__ = ["__version__", "register"]


def register() -> None:
    """Make the environments known to Gymnasium; a second call changes nothing."""
    import bonspiel.envs  # noqa: F401


class _AfterGymnasium(MetaPathFinder):
    """Register the environments once Gymnasium is imported, whose import would double the time of `bonspiel --help`."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "gymnasium":
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_register(module: ModuleType) -> None:
            execute(module)
            sys.meta_path.remove(self)
            register()

        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


if "gymnasium" in sys.modules:
    register()
else:
    sys.meta_path.insert(0, _AfterGymnasium())
