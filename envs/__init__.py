"""Gymnasium environments for planning with continuous actions, and the models behind them.

Examples:
    >>> import gymnasium
    >>> import envs
    >>> env = gymnasium.make("Trap-v0", noise_range=0.01)
    >>> observation, info = env.reset(seed=1)
    >>> envs.Trap(noise_range=0.01) == env.unwrapped.model
    True
"""

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

from envs import outside
from planners.core.text import read
from planners.registry import Registry

if TYPE_CHECKING:
    from envs.base import ModelEnv
    from envs.checks import check_model
    from envs.snapshot import Recorded, from_gymnasium

__all__ = ["IDS", "ModelEnv", "Recorded", "check_model", "from_gymnasium", "make_model", "names", "parse", "register"]


class Environment(NamedTuple):
    """Places, "module:Class", of a model and of its Gymnasium environment, if it has one, and the id of the latter."""

    model: str
    env: str = ""
    id: str = ""


ENVIRONMENTS = {
    "trap": Environment("envs.trap:Trap", "envs.trap_env:TrapEnv", "Trap-v0"),
    "treasure_hunt": Environment(
        "envs.treasure_hunt:TreasureHunt", "envs.treasure_hunt_env:TreasureHuntEnv", "TreasureHunt-v0"
    ),
    "pendulum": Environment(
        "envs.classic.pendulum:Pendulum", "envs.classic.pendulum_env:PendulumEnv", "bonspiel/Pendulum-v0"
    ),
    "mountain_car": Environment(
        "envs.classic.mountain_car:MountainCar",
        "envs.classic.mountain_car_env:MountainCarEnv",
        "bonspiel/MountainCar-v0",
    ),
    "cart_pole": Environment(
        "envs.classic.cart_pole:CartPole", "envs.classic.cart_pole_env:CartPoleEnv", "bonspiel/CartPole-v0"
    ),
    "double_integrator": Environment(
        "envs.classic.double_integrator:DoubleIntegrator",
        "envs.classic.double_integrator_env:DoubleIntegratorEnv",
        "bonspiel/DoubleIntegrator-v0",
    ),
    "bicycle": Environment(
        "envs.classic.bicycle:Bicycle", "envs.classic.bicycle_env:BicycleEnv", "bonspiel/Bicycle-v0"
    ),
    "donut": Environment("envs.classic.donut:Donut", "envs.classic.donut_env:DonutEnv", "bonspiel/Donut-v0"),
    "racetrack": Environment(
        "envs.classic.racetrack:Racetrack", "envs.classic.racetrack_env:RacetrackEnv", "bonspiel/Racetrack-v0"
    ),
    "hovering": Environment(
        "envs.classic.hovering:Hovering", "envs.classic.hovering_env:HoveringEnv", "bonspiel/Hovering-v0"
    ),
    "go": Environment("envs.go.model:Go", "envs.go.env:GoEnv", "Go-v0"),
    "curling": Environment("curling.model:Curling", "envs.curling:CurlingEnv", "Curling-v0"),
}

REGISTRY = Registry(
    "environment",
    {name: environment.model for name, environment in ENVIRONMENTS.items()},
    group="bonspiel.environments",
    members=("step",),
)
IDS = {environment.id: environment.env for environment in ENVIRONMENTS.values() if environment.id}
IDS["CurlingMixedDoubles-v0"] = "envs.curling:mixed_doubles"

names = REGISTRY.names

# Imported when first asked for: models are compiled on import, and registering the environments needs none of them.
_LAZY = [
    "envs.base:ModelEnv",
    "envs.checks:check_model",
    "envs.snapshot:Recorded",
    "envs.snapshot:from_gymnasium",
    *REGISTRY.classes.values(),
]


def __getattr__(name: str) -> Any:
    for module, _, attribute in (place.partition(":") for place in _LAZY):
        if attribute == name:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def make_model(name: str, **parameters: Any) -> Any:
    """A model by name, e.g. `make_model("trap", noise_range=0.01)`; `envs.outside` says what else a name may be.

    Raises:
        ValueError: unknown name or parameter (the close match is named), or a value out of range.
    """
    return outside.make(REGISTRY, name, parameters)


def parse(text: str) -> Any:
    """A model from text as on the command line, e.g. `parse("trap:noise_range=0.1")`, `parse("gym:Pendulum-v1:g=9.8")`.

    Raises:
        ValueError: not of the form NAME[:key=value,...], or as for `make_model`.
    """
    name, parameters = read(text, repeatable=(outside.WRAP,))
    if not name.startswith(outside.GYM):
        REGISTRY.keep_words(name, parameters)
    return make_model(name, **parameters)


def modules(text: str) -> list[str]:
    """The modules of other packages that the text of an environment names."""
    return list(outside.modules(REGISTRY, text))


def register() -> None:
    """Make the ids known to Gymnasium; calling it again changes nothing."""
    from gymnasium.envs import registration

    for env_id, entry_point in IDS.items():
        if env_id not in registration.registry:
            registration.register(env_id, entry_point)


register()
