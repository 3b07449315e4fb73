"""Gymnasium environments for planning with continuous actions, and the models behind them."""

from typing import Any

from envs.trap import Trap
from envs.treasure_hunt import TreasureHunt
from planners.registry import Registry

__all__ = ["Trap", "TreasureHunt", "make_model", "names", "parse"]

REGISTRY = Registry("environment", {"trap": "envs.trap:Trap", "treasure_hunt": "envs.treasure_hunt:TreasureHunt"})

names = REGISTRY.names


def make_model(name: str, **parameters: Any) -> Any:
    """A model by name, e.g. `make_model("trap", noise_range=0.01)`.

    Raises:
        ValueError: unknown name or parameter (the close match is named), or a value out of range.
    """
    return REGISTRY.make(name, **parameters)


def parse(text: str) -> Any:
    """A model from text as on the command line, e.g. `parse("treasure_hunt:size=15")`.

    Raises:
        ValueError: not of the form NAME[:key=value,...], or as for `make_model`.
    """
    return REGISTRY.parse(text)
