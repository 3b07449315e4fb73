"""A benchmark suite for planning with continuous actions; importing it registers the environments with Gymnasium.

>>> import bonspiel, gymnasium
>>> gymnasium.make("Trap-v0").spec.id
'Trap-v0'

The packages of this project have short names: `planners`, `curling`, `envs` and `runs`. This module makes sure that
they are not those of another project. `python -m bonspiel` runs the command line.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["__version__", "register"]

__version__ = "0.1.0"
HOME = Path(__file__).resolve().parent


def register() -> None:
    """Make the environments known to Gymnasium; a second call changes nothing."""
    import envs

    envs.register()


def _conflict() -> str | None:
    """The line for a user who has a package or a module of the same name; a folder without `__init__.py` is neither."""
    for name in ("planners", "curling", "envs", "runs"):
        spec = find_spec(name)
        found = Path(spec.origin).resolve() if spec and spec.origin else None
        if found and found != HOME / name / "__init__.py":
            place = found.parent if found.name == "__init__.py" else found
            return f"bonspiel: {place} is in the way of bonspiel's own package `{name}`: rename it or move your script"
    return None


if conflict := _conflict():
    raise SystemExit(conflict) if __name__ == "__main__" else ImportError(conflict)

if __name__ == "__main__":
    from runs.cli import main

    sys.exit(main())

register()
