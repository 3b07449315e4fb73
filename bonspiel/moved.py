"""Import names of earlier versions, each with the name of today."""

import sys
from importlib.abc import MetaPathFinder
from typing import Any

# since version 0.3.0
MOVED = {
    "bonspiel.envs.curling": "bonspiel.curling.env",
    "bonspiel.envs.go": "bonspiel.go",
    "bonspiel.runs.curling": "bonspiel.curling",
    "bonspiel.runs.go": "bonspiel.go",
    "bonspiel.curling.match.match_data": "bonspiel.curling.records.match_data",
    "bonspiel.curling.match.position": "bonspiel.curling.records.position",
    "bonspiel.curling.match.record": "bonspiel.curling.records.record",
    "bonspiel.curling.match.umpire": "bonspiel.curling.records.umpire",
    "bonspiel.curling.learning.end_network": "bonspiel.curling.network.end_network",
    "bonspiel.curling.learning.end_weights": "bonspiel.curling.network.end_weights",
    "bonspiel.planners.base": "bonspiel.planners.kernel",
}


class MovedModules(MetaPathFinder):
    """Asked last, when no module of a name is found: says where the module of an earlier version is."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise an error for a module that moved.

        Raises:
            ModuleNotFoundError: names the module of today.
        """
        if name in MOVED:
            raise ModuleNotFoundError(f"{name} is {MOVED[name]} since version 0.3.0", name=name)


def announce() -> None:
    """Have imports of earlier names end with the name of today."""
    sys.meta_path.append(MovedModules())
