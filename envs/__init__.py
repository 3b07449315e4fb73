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
from typing import TYPE_CHECKING, Any

from bonspiel.envs import outside
from bonspiel.extensions import extensions
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.core.text import read
from bonspiel.planners.registry import Registry

if TYPE_CHECKING:
    from bonspiel.envs.base import ModelEnv
    from bonspiel.envs.checks import check_model
    from bonspiel.envs.rddl import from_rddl
    from bonspiel.envs.snapshot import Recorded, from_gymnasium

__all__ = [
    "IDS",
    "ModelEnv",
    "Recorded",
    "check_model",
    "from_gymnasium",
    "from_rddl",
    "make_model",
    "names",
    "parse",
    "register",
]


ENVIRONMENTS = {
    "trap": "bonspiel.envs.trap.model:Trap",
    "treasure_hunt": "bonspiel.envs.treasure_hunt.model:TreasureHunt",
    "pendulum": "bonspiel.envs.classic.pendulum.model:Pendulum",
    "mountain_car": "bonspiel.envs.classic.mountain_car.model:MountainCar",
    "noisy_mountain_car": "bonspiel.envs.classic.noisy_mountain_car.model:NoisyMountainCar",
    "hill_car": "bonspiel.envs.classic.hill_car.model:HillCar",
    "lunar_lander": "bonspiel.envs.classic.lunar_lander.model:LunarLander",
    "navigation": "bonspiel.envs.classic.navigation.model:Navigation",
    "cart_pole": "bonspiel.envs.classic.cart_pole.model:CartPole",
    "double_integrator": "bonspiel.envs.classic.double_integrator.model:DoubleIntegrator",
    "bicycle": "bonspiel.envs.classic.bicycle.model:Bicycle",
    "donut": "bonspiel.envs.classic.donut.model:Donut",
    "racetrack": "bonspiel.envs.classic.racetrack.model:Racetrack",
    "hovering": "bonspiel.envs.classic.hovering.model:Hovering",
}
FAMILIES = {
    "family:linear_quadratic": "bonspiel.envs.families.linear_quadratic.model:LinearQuadratic",
    "family:trap": "bonspiel.envs.families.trap.model:Traps",
    "family:treasure_hunt": "bonspiel.envs.families.treasure_hunt.model:HoleHunt",
    "family:donut": "bonspiel.envs.families.donut.model:Rings",
}
REGISTRY = Registry(
    "environment",
    ENVIRONMENTS | FAMILIES,
    group="bonspiel.environments",
    members=("step",),
    functions=("envs.parse", "envs.make_model"),
)

# Gymnasium's ids of the environments that installed packages add: NAME = "module:Class" is the id PACKAGE/NAME.
GROUP = "bonspiel.gymnasium"


def _ids() -> tuple[dict[str, str], list[str]]:
    """Places, "module:Class", by id; and those ids of version 0.1 that have no namespace."""
    found = {env_id(name): place.replace(".model:", ".env:") + "Env" for name, place in ENVIRONMENTS.items()}
    short = ["Trap-v0", "TreasureHunt-v0"]
    for name, (extension, *_) in extensions(GROUP).items():
        found[f"{extension.place.partition('.')[0]}/{name}"] = extension.place
        short += [name] * bool(extension.guest)
    return found | {name: found[f"bonspiel/{name}"] for name in short}, short


def env_id(name: str) -> str:
    """The id that Gymnasium knows an environment of this project by, such as "bonspiel/Trap-v0"."""
    return f"bonspiel/{REGISTRY.place(name).rpartition(':')[2]}-v0"


IDS, SHORT_IDS = _ids()


def names() -> list[str]:
    """The environments of this project, those of guests last."""
    return [*ENVIRONMENTS, *REGISTRY.guests()]


# Imported when first asked for: models are compiled on import, and registering the environments needs none of them.
_LAZY = [
    "bonspiel.envs.base:ModelEnv",
    "bonspiel.envs.checks:check_model",
    "bonspiel.envs.rddl:from_rddl",
    "bonspiel.envs.snapshot:Recorded",
    "bonspiel.envs.snapshot:from_gymnasium",
]


def __getattr__(name: str) -> Any:
    for module, _, attribute in (place.partition(":") for place in (*_LAZY, *REGISTRY.everything().values())):
        if attribute == name:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(place.partition(":")[2] for place in (*_LAZY, *REGISTRY.everything().values()))})


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
    if not name.startswith((outside.GYM, outside.RDDL)):
        REGISTRY.keep_words(name, parameters)
    return outside.make(REGISTRY, name, parameters)


def modules(text: str) -> list[str]:
    """The modules of other packages that the text of an environment names."""
    return list(outside.modules(REGISTRY, text))


def register() -> None:
    """Make the ids known to Gymnasium; calling it again changes nothing."""
    from gymnasium.envs import registration
    from gymnasium.error import Error

    for name, entry_point in IDS.items():
        if name in registration.registry:
            continue
        try:
            registration.register(name, entry_point)
        except Error as error:
            if entry_point.startswith("bonspiel."):
                raise
            say_once(f"the entry point {name.partition('/')[2]} = {entry_point} ({GROUP}) is left out: {error}")


register()
