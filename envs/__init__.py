"""Gymnasium environments for planning with continuous actions, and the models behind them.

>>> import gymnasium
>>> import envs
>>> env = gymnasium.make("Trap-v0", noise_range=0.01)
>>> observation, info = env.reset(seed=1)
>>> envs.Trap(noise_range=0.01) == env.unwrapped.model
True
"""

import importlib
from typing import TYPE_CHECKING, Any

from planners.registry import Registry

if TYPE_CHECKING:
    from envs.base import ModelEnv
    from envs.checks import check_model
    from envs.snapshot import from_gymnasium
    from envs.trap import Trap
    from envs.treasure_hunt import TreasureHunt

__all__ = [
    "IDS",
    "ModelEnv",
    "Trap",
    "TreasureHunt",
    "check_model",
    "from_gymnasium",
    "make_model",
    "names",
    "parse",
    "register",
]

REGISTRY = Registry(
    "environment",
    {"trap": "envs.trap:Trap", "treasure_hunt": "envs.treasure_hunt:TreasureHunt", "curling": "curling.model:Curling"},
)

IDS = {
    "Trap-v0": "envs.trap_env:TrapEnv",
    "TreasureHunt-v0": "envs.treasure_hunt_env:TreasureHuntEnv",
    "Curling-v0": "envs.curling:CurlingEnv",
}

names = REGISTRY.names

# Imported when first asked for: models are compiled on import, and registering the environments needs none of them.
_LAZY = {
    "ModelEnv": "envs.base",
    "Trap": "envs.trap",
    "TreasureHunt": "envs.treasure_hunt",
    "check_model": "envs.checks",
    "from_gymnasium": "envs.snapshot",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)


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


def register() -> None:
    """Make the ids known to Gymnasium; calling it again changes nothing."""
    from gymnasium.envs import registration

    for env_id, entry_point in IDS.items():
        if env_id not in registration.registry:
            registration.register(env_id, entry_point)


register()
