"""RAVE and territory: UCT that learns from playouts which actions and which regions matter (MoGo, Fuego)."""

from bonspiel.planners.trees.rave_uct.planner import RaveUCT as RaveUCT
from bonspiel.planners.trees.rave_uct.planner import TerritoryUCT as TerritoryUCT
