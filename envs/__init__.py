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
    """Places, "module:Class", of a model and of its Gymnasium environment, and the id of the latter; "" without one."""

    model: str
    env: str = ""
    id: str = ""


def _in_folder(folder: str, cls: str) -> Environment:
    """A problem in a folder of `envs`: the model `cls` in its module `model`, the environment `clsEnv` in its `env`."""
    package = f"bonspiel.envs.{folder}"
    return Environment(f"{package}.model:{cls}", f"{package}.env:{cls}Env", f"bonspiel/{cls}-v0")


ENVIRONMENTS = {
    "trap": _in_folder("trap", "Trap"),
    "treasure_hunt": _in_folder("treasure_hunt", "TreasureHunt"),
    "pendulum": _in_folder("classic.pendulum", "Pendulum"),
    "mountain_car": _in_folder("classic.mountain_car", "MountainCar"),
    "noisy_mountain_car": _in_folder("classic.noisy_mountain_car", "NoisyMountainCar"),
    "hill_car": _in_folder("classic.hill_car", "HillCar"),
    "lunar_lander": _in_folder("classic.lunar_lander", "LunarLander"),
    "navigation": _in_folder("classic.navigation", "Navigation"),
    "cart_pole": _in_folder("classic.cart_pole", "CartPole"),
    "double_integrator": _in_folder("classic.double_integrator", "DoubleIntegrator"),
    "bicycle": _in_folder("classic.bicycle", "Bicycle"),
    "donut": _in_folder("classic.donut", "Donut"),
    "racetrack": _in_folder("classic.racetrack", "Racetrack"),
    "hovering": _in_folder("classic.hovering", "Hovering"),
    "go": _in_folder("go", "Go"),
    "curling": Environment(
        "bonspiel.curling.model:Curling", "bonspiel.envs.curling.env:CurlingEnv", "bonspiel/Curling-v0"
    ),
}

REGISTRY = Registry(
    "environment",
    {name: environment.model for name, environment in ENVIRONMENTS.items()},
    group="bonspiel.environments",
    members=("step",),
    functions=("envs.parse", "envs.make_model"),
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


def __dir__() -> list[str]:
    return sorted({*globals(), *(place.partition(":")[2] for place in _LAZY)})


def make_model(name: str, **parameters: Any) -> Any:
    """A model by name, e.g. `make_model("trap", noise_range=0.01)`; `envs.outside` has the other forms of a name.

    Raises:
        ValueError: unknown name or parameter (the close match is named), or a value out of range.
    """
    REGISTRY.refuse_text(name)
    return outside.make(REGISTRY, name, parameters)


def parse(text: str) -> Any:
    """A model from text as on the command line, e.g. `parse("trap:noise_range=0.1")`, `parse("gym:Pendulum-v1:g=9.8")`.

    Raises:
        ValueError: not of the form NAME[:key=value,...], or as for `make_model`.
    """
    name, parameters = read(text, repeatable=(outside.WRAP,))
    if not name.startswith(outside.GYM):
        REGISTRY.keep_words(name, parameters)
    return outside.make(REGISTRY, name, parameters)


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
