"""Planners that know curling and play nothing else; `planners` knows their names.

>>> from bonspiel.curling import players
>>> players.parse("expectimax:plies=1").plies
1
"""

from bonspiel.planners import make, parse

__all__ = ["make", "parse"]
