"""RAVE and territory: UCT that learns from playouts which actions and which regions matter (MoGo, Fuego)."""

from planners.rave_uct.planner import RaveUCT as RaveUCT
from planners.rave_uct.planner import TerritoryUCT as TerritoryUCT
