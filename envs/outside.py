"""Environments by text: this project's, Gymnasium's, and those of other packages or of the current folder.

| text | the environment |
|---|---|
| `trap:noise_range=0.1` | a name of this project, or one that an installed package adds |
| `gym:Pendulum-v1:g=9.8` | `gymnasium.make("Pendulum-v1", g=9.8)` |
| `gym:my_module:Id-v0`, `gym:my_module/Id-v0` | the same, after an import of `my_module`, which registers it |
| `gym:dm_control/cartpole-swingup-v0` | a task of dm_control, by shimmy |
| `rddl:Reservoir_ippc2023:instance=1` | a problem of rddlrepository: `envs.rddl.from_rddl` |
| `rddl:DOMAIN.rddl:INSTANCE.rddl` | the same, from files |
| `my_package.module:MyModel:size=3` | a model: `MyModel(size=3)` |
| `my_package.module:make_env:size=3` | a function or class that gives a model or a Gymnasium environment |

Every text may have `lookahead=30`, the steps that a plan looks ahead. Those that give a Gymnasium environment may also
have `wrap=(module:Class:key=value)`, the inner wrapper first, and `horizon` and `discount`, as for `from_gymnasium`.
"""

import copy
import importlib.metadata
import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium

from bonspiel.planners.checks import missing, require_count
from bonspiel.planners.core.code import packages
from bonspiel.planners.core.code.errors import error_place, error_text
from bonspiel.planners.core.text import read
from bonspiel.planners.model import Model
from bonspiel.planners.registry import Registry, check_parameters, parameters_of, unknown

GYM = "gym:"
RDDL = "rddl:"
WRAP = "wrap"
DM_CONTROL, SHIMMY = "dm_control", "shimmy"  # the namespace of ids, and the package that registers them
SIMULATORS = {"mujoco", "Box2D", "pybullet", "dm_control"}
OF_CONVERSION = ("horizon", "discount")


def make(registry: Registry, name: str, parameters: Mapping[str, Any]) -> Any:
    """A model by the name in a text, with the parameters in it.

    Args:
        registry: of the environments that have a name.
        name: one of them, `gym:ID`, `rddl:DOMAIN`, or `module:attribute`.
        parameters: of the environment, and `lookahead`, `wrap`, `horizon`, `discount`.

    Raises:
        ValueError: something unknown, a value out of range, or something that is not an environment.
    """
    own = dict(parameters)
    made: Any
    lookahead, wraps = own.pop("lookahead", None), own.pop(WRAP, [])
    if name.startswith(GYM):
        conversion = {key: own.pop(key) for key in OF_CONVERSION if key in own}
        made = _of_gymnasium(name.removeprefix(GYM), own)
    elif name.startswith(RDDL):
        conversion = {}
        made = _of_rddl(name.removeprefix(RDDL), own)
    else:
        known = parameters_of(registry.cls(name))
        theirs = OF_CONVERSION if known is None else known  # a function that takes anything takes these too
        conversion = {key: own.pop(key) for key in OF_CONVERSION if key in own and key not in theirs}
        made = registry.make(name, **own)
    model = _model(name, made, [wraps] if isinstance(wraps, str) else wraps, conversion)
    if lookahead is None:
        return model
    require_count("lookahead", lookahead)
    shorter = copy.copy(model)
    object.__setattr__(shorter, "lookahead", lookahead)  # models are frozen
    return shorter


def modules(registry: Registry, text: str) -> Iterator[str]:
    """The modules of other packages that a text names."""
    name, parameters = read(text, repeatable=(WRAP,))
    if name.startswith(GYM):
        entry_point = _spec(name.removeprefix(GYM)).entry_point
        maker = getattr(entry_point, "func", entry_point)  # of a functools.partial
        place = entry_point.partition(":")[0] if isinstance(entry_point, str) else maker.__module__
        yield from dict.fromkeys((*name.removeprefix(GYM).split(":")[:-1], place))
    elif name.startswith(RDDL):
        yield from ("pyRDDLGym", "rddlrepository")
    elif (place := registry.place(name)) not in registry.everything().values():
        yield place.partition(":")[0]
    for wrap in parameters.get(WRAP, []):
        yield read(wrap)[0].partition(":")[0]


def simulators_within(model: Any) -> list[str]:
    """The simulators, with their versions, whose objects the environment of a model holds.

    Args:
        model: any; only one of `from_gymnasium` has an environment.
    """
    from bonspiel.envs.snapshot.model import GymnasiumModel
    from bonspiel.envs.snapshot.objects import held

    if not isinstance(model, GymnasiumModel):
        return []
    tops = {str(getattr(type(item), "__module__", None)).partition(".")[0] for item in held(model.env)}
    return [f"{name} {importlib.metadata.version(name)}" for name in sorted(tops & SIMULATORS)]


def _model(name: str, made: Any, wraps: Sequence[str], conversion: Mapping[str, Any]) -> Any:
    """The model itself, or one of a Gymnasium environment."""
    from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

    from bonspiel.envs.base import ModelEnv
    from bonspiel.envs.snapshot import from_gymnasium

    for text in wraps:
        wrapper, parameters = read(text)
        if not isinstance(made, gymnasium.Env):
            raise ValueError(f"{name} is a model, which {wrapper} cannot wrap")
        cls = packages.load(wrapper)
        if not callable(cls):
            raise ValueError(f"{wrapper} is no wrapper: it is not a class or function, but {cls!r}")
        check_parameters(wrapper, cls, parameters, positional=1)
        try:
            made = cls(made, **parameters)
        except (Exception, SystemExit) as error:  # whatever the author's code raises
            where = error_place(error)
            raise ValueError(f"{wrapper} failed ({error_text(error)}){where}") from error
        if not isinstance(made, gymnasium.Env):
            raise ValueError(f"{wrapper} is no wrapper: it gives {type(made).__name__}, not a gymnasium.Env")
    if not isinstance(made, gymnasium.Env):
        if hasattr(made, "num_envs"):
            raise ValueError(f"{name} gives a vector of environments, {type(made).__name__}: let it give a single one")
        if not hasattr(made, "state_dim"):
            raise ValueError(
                f"{name} gives {type(made).__name__}, which is neither a planners.Model (no `state_dim`) nor a "
                "gymnasium.Env"
            )
        if lacks := missing(made, Model):
            raise ValueError(
                f"{name} gives {type(made).__name__}, which {lacks} to be a model; see bonspiel.envs.check_model"
            )
        if conversion:
            raise unknown(f"parameter of {name}", next(iter(conversion)), parameters_of(type(made)) or [])
        return made
    inside = made
    while isinstance(inside, OrderEnforcing | PassiveEnvChecker):
        inside = inside.env
    if isinstance(inside, ModelEnv) and inside.plays_its_model and not conversion:
        return inside.model
    try:
        return from_gymnasium(made, **conversion)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _of_gymnasium(env_id: str, parameters: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    registered = _spec(env_id).id
    try:
        return gymnasium.make(registered, **parameters)
    except (Exception, SystemExit) as error:  # whatever the author's code raises
        where = error_place(error)
        raise ValueError(f"{GYM}{env_id} failed ({error_text(error)}){where}") from error


def _of_rddl(problem: str, parameters: Mapping[str, Any]) -> Model:
    from bonspiel.envs.rddl import from_rddl

    domain, _, instance = problem.partition(":")
    given: dict[str, Any] = {**({"instance": instance} if instance else {}), **parameters}
    check_parameters(f"{RDDL}{problem}", from_rddl, given, positional=1)
    try:
        return from_rddl(domain, **given)
    except ImportError as error:
        raise ValueError(str(error)) from error


def _spec(env_id: str) -> Any:
    """The specification of an id; the module in front of it, `module:Id-v0` or `module/Id-v0`, registers it.

    Raises:
        ValueError: no such id.
    """
    if "=" in env_id:
        raise ValueError(f"{GYM}{env_id}: a value with a colon stands in parentheses, wrap=(module:Class:key=value)")
    module, colon, name = env_id.rpartition(":")
    if colon:
        packages.imported(module)
    elif "/" in name and name not in gymnasium.registry:
        packages.importable()
        namespace = name.partition("/")[0]
        if namespace == DM_CONTROL and not all(map(importlib.util.find_spec, (SHIMMY, DM_CONTROL))):
            raise ValueError(f"{GYM}{env_id} needs {DM_CONTROL} and {SHIMMY}: pip install 'shimmy[dm-control]'")
        provider = SHIMMY if namespace == DM_CONTROL else namespace
        if provider.isidentifier() and importlib.util.find_spec(provider):
            packages.imported(provider)
    try:
        return gymnasium.spec(name)
    except Exception as error:
        message = " ".join(str(error).split()).rstrip(".")
        remedy = "" if colon else f"; if a module of yours registers it, write {GYM}MODULE:{name}"
        raise ValueError(f"{GYM}{env_id}: {message}; `gymnasium.registry` lists the ids{remedy}") from error


def qualified(text: str, modules: Iterable[str]) -> str:
    """Name the module in the text of an environment, `gym:Id-v0` as `gym:module:Id-v0`, so that workers find it too.

    Args:
        text: of an environment.
        modules: are imported one after the other until one registers the id.

    Raises:
        ValueError: a module cannot be imported.
    """
    name, _ = read(text, repeatable=(WRAP,))
    env_id = name.removeprefix(GYM)
    if name.startswith(GYM) and not {":", "/"} & set(env_id) and env_id not in gymnasium.registry:
        for module in modules:
            packages.imported(module)
            if env_id in gymnasium.registry:
                return f"{GYM}{module}:{text.removeprefix(GYM)}"
    return text
