"""A benchmark suite for planning with continuous actions; its environments are registered with Gymnasium.

Every module is an attribute of its package, and is imported when it is first asked for.

>>> import bonspiel, gymnasium
>>> gymnasium.make("bonspiel/Trap-v0").spec.id
'bonspiel/Trap-v0'

The packages `planners`, `envs`, `runs`, `curling` and `go` in this folder are links in a checkout.
"""

import importlib.util
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from bonspiel import moved
from bonspiel.version import __version__

if TYPE_CHECKING:
    from bonspiel import curling as curling
    from bonspiel import envs as envs
    from bonspiel import go as go
    from bonspiel import planners as planners
    from bonspiel import runs as runs

__all__ = ["__version__", "register"]


def register() -> None:
    """Make the environments known to Gymnasium; a second call changes nothing."""
    import bonspiel.envs  # noqa: F401


class _Package(ModuleType):
    """A package that imports its modules when they are first asked for; packages in it become such packages too."""

    def __getattr__(self, name: str) -> Any:
        module, absent = f"{self.__name__}.{name}", f"module {self.__name__!r} has no attribute {name!r}"
        try:
            if name.startswith("_") or importlib.util.find_spec(module) is None:
                raise AttributeError(absent)
            return importlib.import_module(module)
        except ImportError as error:  # of an extra, mostly; `hasattr` and `inspect` expect what follows
            raise AttributeError(f"{absent}: {error}") from error

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if type(value) is ModuleType and value.__name__ == f"{self.__name__}.{name}" and hasattr(value, "__path__"):
            value.__class__ = _Package
            for part in vars(value).copy().items():  # its own imports came before
                setattr(value, *part)

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, (self.__name__,)  # as pickles of functions hold the modules that they name


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


moved.announce()
sys.modules[__name__].__class__ = _Package
if "gymnasium" in sys.modules:
    register()
else:
    sys.meta_path.insert(0, _AfterGymnasium())
