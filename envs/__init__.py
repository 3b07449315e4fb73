"""Gymnasium environments for planning with continuous actions, and the models behind them.

Examples:
    >>> import gymnasium
    >>> from bonspiel import envs
    >>> env = gymnasium.make("bonspiel/Trap-v0", noise_range=0.01)
    >>> observation, info = env.reset(seed=1)
    >>> envs.Trap(noise_range=0.01) == env.unwrapped.model
    True
"""

if __name__ != "bonspiel.envs":  # the folder is importable from the checkout's root, and would be loaded twice
    raise ImportError("import bonspiel.envs, not envs")


import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

from bonspiel.envs import outside
from bonspiel.planners.core.text import read
from bonspiel.planners.registry import Registry

if TYPE_CHECKING:
    from bonspiel.envs.base import ModelEnv
    from bonspiel.envs.checks import check_model
    from bonspiel.envs.snapshot import Recorded, from_gymnasium

__all__ = ["IDS", "ModelEnv", "Recorded", "check_model", "from_gymnasium", "make_model", "names", "parse", "register"]


class Environment(NamedTuple):
    """Places, "module:Class", of a model and of its Gymnasium environment, if it has one, and the id of the latter."""

    model: str
    env: str = ""
    id: str = ""


ENVIRONMENTS = {
    "trap": Environment("bonspiel.envs.trap.model:Trap", "bonspiel.envs.trap.env:TrapEnv", "bonspiel/Trap-v0"),
    "treasure_hunt": Environment(
        "bonspiel.envs.treasure_hunt.model:TreasureHunt",
        "bonspiel.envs.treasure_hunt.env:TreasureHuntEnv",
        "bonspiel/TreasureHunt-v0",
    ),
    "pendulum": Environment(
        "bonspiel.envs.classic.pendulum.model:Pendulum",
        "bonspiel.envs.classic.pendulum.env:PendulumEnv",
        "bonspiel/Pendulum-v0",
    ),
    "mountain_car": Environment(
        "bonspiel.envs.classic.mountain_car.model:MountainCar",
        "bonspiel.envs.classic.mountain_car.env:MountainCarEnv",
        "bonspiel/MountainCar-v0",
    ),
    "cart_pole": Environment(
        "bonspiel.envs.classic.cart_pole.model:CartPole",
        "bonspiel.envs.classic.cart_pole.env:CartPoleEnv",
        "bonspiel/CartPole-v0",
    ),
    "double_integrator": Environment(
        "bonspiel.envs.classic.double_integrator.model:DoubleIntegrator",
        "bonspiel.envs.classic.double_integrator.env:DoubleIntegratorEnv",
        "bonspiel/DoubleIntegrator-v0",
    ),
    "bicycle": Environment(
        "bonspiel.envs.classic.bicycle.model:Bicycle",
        "bonspiel.envs.classic.bicycle.env:BicycleEnv",
        "bonspiel/Bicycle-v0",
    ),
    "donut": Environment(
        "bonspiel.envs.classic.donut.model:Donut", "bonspiel.envs.classic.donut.env:DonutEnv", "bonspiel/Donut-v0"
    ),
    "racetrack": Environment(
        "bonspiel.envs.classic.racetrack.model:Racetrack",
        "bonspiel.envs.classic.racetrack.env:RacetrackEnv",
        "bonspiel/Racetrack-v0",
    ),
    "hovering": Environment(
        "bonspiel.envs.classic.hovering.model:Hovering",
        "bonspiel.envs.classic.hovering.env:HoveringEnv",
        "bonspiel/Hovering-v0",
    ),
    "go": Environment("bonspiel.envs.go.model:Go", "bonspiel.envs.go.env:GoEnv", "bonspiel/Go-v0"),
    "curling": Environment(
        "bonspiel.curling.model:Curling", "bonspiel.envs.curling.env:CurlingEnv", "bonspiel/Curling-v0"
    ),
}

REGISTRY = Registry(
    "environment",
    {name: environment.model for name, environment in ENVIRONMENTS.items()},
    group="bonspiel.environments",
    members=("step",),
)
IDS = {environment.id: environment.env for environment in ENVIRONMENTS.values() if environment.id}
IDS["bonspiel/CurlingMixedDoubles-v0"] = "bonspiel.envs.curling.env:mixed_doubles"
SHORT_IDS = ("Trap-v0", "TreasureHunt-v0", "Curling-v0", "CurlingMixedDoubles-v0", "Go-v0")  # of before the namespace
IDS |= {env_id: IDS[f"bonspiel/{env_id}"] for env_id in SHORT_IDS}

names = REGISTRY.names

# Imported when first asked for: models are compiled on import, and registering the environments needs none of them.
_LAZY = [
    "bonspiel.envs.base:ModelEnv",
    "bonspiel.envs.checks:check_model",
    "bonspiel.envs.snapshot:Recorded",
    "bonspiel.envs.snapshot:from_gymnasium",
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
