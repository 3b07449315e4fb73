"""Who can play curling: every planner, and players that know the game.

>>> from curling import players
>>> players.parse("uct:exploration=0.5").exploration
0.5
"""

from collections import ChainMap
from typing import Any

import planners
from planners import Planner
from planners.registry import Registry

PLAYERS = {  # name -> "module:Class", as in planners.REGISTRY
    "rulebased": "curling.players.rulebased:RuleBased",
    "expectimax": "curling.players.expectimax:Expectimax",
}
REGISTRY = Registry("planner", ChainMap(PLAYERS, planners.REGISTRY.classes), planners.REGISTRY.aliases)  # type: ignore[arg-type]

names = REGISTRY.names


def make(name: str, **parameters: Any) -> Planner:
    """A player by name, e.g. `make("expectimax", plies=2)`.

    Raises:
        ValueError: unknown name or parameter (the close match is named), or a value out of range.
    """
    player: Planner = REGISTRY.make(name, **parameters)
    return player


def parse(text: str) -> Planner:
    """A player from text as on the command line, e.g. `parse("uct:exploration=0.5")`.

    Raises:
        ValueError: not of the form NAME[:key=value,...], or it names something unknown or out of range.
    """
    player: Planner = REGISTRY.parse(text)
    return player
