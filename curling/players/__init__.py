"""Planners that know curling and play nothing else; `planners` knows their names.

>>> from bonspiel.curling import players
>>> players.parse("expectimax:plies=1").plies
1
"""

from bonspiel.planners import REGISTRY, make, parse

__all__ = ["PLAYERS", "make", "parse"]

PLAYERS = REGISTRY.extensions["curling"]
