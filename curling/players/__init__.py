"""Planners that know curling and play nothing else; importing this package registers them with `planners`.

>>> import planners
>>> from curling import players
>>> planners.parse("expectimax:plies=1").plies
1
"""

from planners import REGISTRY, make, parse

__all__ = ["PLAYERS", "make", "parse"]

PLAYERS = {  # name -> "module:Class"
    "rulebased": "curling.players.rulebased:RuleBased",
    "expectimax": "curling.players.expectimax:Expectimax",
    "process": "curling.players.process:ProcessPlayer",
    "champion": "curling.players.champion:Champion",
}
REGISTRY.extend("curling", PLAYERS)
