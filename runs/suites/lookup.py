"""Suites by name, read from TOML files, or made of the text of an environment."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Any

from bonspiel.extensions import extensions, sole
from bonspiel.runs.experiment import Entrant, Experiment, UsageError, parsed
from bonspiel.runs.suite import Suite, model_of

DEFAULT_SIMULATIONS = (10, 100, 1000)
OWN = "module:Class, as my_module:MyModel for a class in my_module.py"
IN_PYTHON: dict[str, Any] = {"simulations": (10, 30), "episodes": 5}  # some minutes; with all planners, days
PLANNERS_IN_PYTHON = ("dpw", "cem")  # and the baselines
GROUP = "bonspiel.suites"  # entry points NAME = "package.module", a folder with NAME.toml in it


def packaged(package: str) -> list[str]:
    """The TOML files of a package of bonspiel, by name."""
    files = resources.files(package).iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def content(target: str) -> bytes:
    """The content of somebody's file."""
    try:
        return Path(target).read_bytes()
    except OSError as error:
        raise UsageError(f"{target}: cannot be read ({error.strerror})") from error


def tables(name: str, content: bytes) -> dict[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: not a TOML file ({error})") from error


def names() -> list[str]:
    """The suites that come with this package, and those that installed packages add."""
    own = packaged("bonspiel.runs.suites")
    return [*own, *(name for name in extensions(GROUP) if name not in own)]


def qualified(target: str, entrants: Iterable[str]) -> str:
    """The text of an environment with the module, of those that planners' texts name, which registers its id."""
    from bonspiel import planners
    from bonspiel.envs import outside

    modules = (module for text in entrants for module in parsed(lambda of: list(planners.REGISTRY.modules(of)), text))
    return parsed(lambda text: outside.qualified(text, modules), target) if target.startswith(outside.GYM) else target


def load(target: str, entrants: Sequence[str] = (), added: Sequence[str] = ()) -> Suite:
    """A suite by its name, by the path of a TOML file, or made of the text of an environment.

    There these planners play, by default those that can; modules of `added` ones may register its id too.
    """
    if target in names():
        return _named(target)
    if target.endswith(".toml"):
        return _read(Path(target).stem, content(target))
    from bonspiel import envs, planners
    from bonspiel.planners.registry import unknown

    if ":" not in target and target not in (known := [*envs.names(), *envs.REGISTRY.installed()]):
        unheard = unknown("suite or environment", target, dict.fromkeys([*names(), *known]))
        raise UsageError(f"{unheard}; one of your own is written {OWN}")
    module = target.partition(":")[0]
    if module.endswith(".py") or "/" in module:
        raise UsageError(f"{target}: {module!r} is a file; its environment is written {OWN}, where the file is")
    target = qualified(target, [*entrants, *added])
    model = model_of(target)
    given: dict[str, Any] = {"simulations": DEFAULT_SIMULATIONS} if model.compiled else IN_PYTHON
    if entrants:
        able = list(entrants)
    elif model.compiled:
        able = planners.names_for(model)
    else:
        offered = *PLANNERS_IN_PYTHON, *planners.BASELINES
        able = [name for name in offered if not planners.unsupported(planners.make(name), model)]
    return Suite(target, (Experiment(target, tuple(map(Entrant, able)), **given),))


def only(suite: Suite, patterns: Sequence[str]) -> Suite:
    """The part of a suite that matches one of some patterns, all of it without any.

    PROBLEM/PLANNER or PROBLEM, with * for any text; a problem goes by its text or name, a planner by its label too.
    """
    kept, unused = [], list(patterns)
    for experiment in suite.experiment:
        entrants = []
        for entrant in experiment.planners:
            matching = [one for one in patterns if _matches(one, experiment.env, entrant)]
            unused = [one for one in unused if one not in matching]
            entrants += [entrant] * bool(matching)
        if entrants:
            kept.append(replace(experiment, planners=tuple(entrants)))
    if unused:
        problems = dict.fromkeys(experiment.env for experiment in suite.experiment)
        known = dict.fromkeys(
            one.label or one.planner for experiment in suite.experiment for one in experiment.planners
        )
        there = f"{suite.name} has the problems {', '.join(problems)} and the planners {', '.join(known)}"
        raise UsageError(f"--only {unused[0]!r} matches nothing: write PROBLEM/PLANNER; {there}")
    return replace(suite, experiment=tuple(kept)) if patterns else suite


def _matches(pattern: str, env: str, entrant: Entrant) -> bool:
    problems = env, env.partition(":")[0]
    called = entrant.planner, entrant.planner.partition(":")[0], entrant.label or entrant.planner
    pairs = (f"{problem}/{name}" for problem in problems for name in called)
    return any(fnmatchcase(text, pattern) for text in (*problems, *pairs))


def _named(name: str) -> Suite:
    """A suite of this package or of an installed one."""
    own = resources.files("bonspiel.runs.suites").joinpath(f"{name}.toml")
    if own.is_file():
        return _read(name, own.read_bytes())
    try:
        added = sole("suite", name, extensions(GROUP)[name], "give the path of its file instead")
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        return _read(name, resources.files(added.place).joinpath(f"{name}.toml").read_bytes())
    except (ImportError, OSError) as error:
        raise UsageError(f"suite {name!r} of {added.package} ({added.place}) cannot be read ({error})") from error


def _read(name: str, content: bytes) -> Suite:
    suite = Suite.of(name, tables(name, content))
    played = {setting.planner for setting in suite.settings()}
    for entrant in (one for experiment in suite.experiment for one in experiment.planners):
        if entrant.planner not in played:
            raise UsageError(f"{name}: {entrant.planner} has a largest budget below all that it could play with")
    return suite
