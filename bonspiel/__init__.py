"""A benchmark suite for planning with continuous actions; its environments are registered with Gymnasium.

>>> import bonspiel, gymnasium
>>> gymnasium.make("Trap-v0").spec.id
'Trap-v0'

The packages `planners`, `curling`, `envs` and `runs` lie beside this folder in a checkout, and in it where bonspiel is
installed. `python -m bonspiel` runs the command line.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

__all__ = ["__version__", "register"]

__version__ = "0.1.0"


def register() -> None:
    """Make the environments known to Gymnasium; a second call changes nothing."""
    import bonspiel.envs  # noqa: F401


class _AfterGymnasium(MetaPathFinder):
    """Register the environments once Gymnasium is imported, whose import would double the time of `bonspiel --help`."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_register(module: ModuleType) -> None:
            execute(module)
            register()

        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


if "gymnasium" in sys.modules:
    register()
else:
    sys.meta_path.insert(0, _AfterGymnasium())
