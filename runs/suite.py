"""Suites: named lists of experiments. `runs.suites.lookup` finds and reads them."""

import functools
import hashlib
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bonspiel.envs.outside import simulators_within
from bonspiel.planners.core.code import sources
from bonspiel.planners.core.code.errors import error_place, error_text
from bonspiel.planners.core.code.packages import origin
from bonspiel.planners.core.text import without_address
from bonspiel.runs import seeding
from bonspiel.runs.experiment import Entrant, Experiment, Setting, UsageError, able, amount, known_fields, parsed
from bonspiel.runs.plants import PlantText, check_alike, with_plant

if TYPE_CHECKING:
    from bonspiel.planners import Model

REMARK = "; remark: "  # before that of a model, which reports show
SILENCE = 60.0  # s; a check that takes longer prints a line
LISTS = "planners"  # key of an experiment, and of the table of named lists in a file


@dataclass(frozen=True)
class Suite:
    """The experiments of one run."""

    name: str  # of the suite, or the text of the environment
    # the experiments; each planner, environment and budget once, and in an environment every planner with a name of its
    # own
    experiment: tuple[Experiment, ...]
    description: str = ""  # one line for people

    def __post_init__(self) -> None:
        """Refuse a suite without anything to play, with the same thing twice, or with one name for two planners."""
        if not self.experiment:
            raise UsageError(f"{self.name}: nothing to play; write at least one [[experiment]] table")
        seen: set[tuple[Any, ...]] = set()
        for setting in self.settings():
            env, planner, budget, unit = key = setting[:4]
            if key in seen:
                raise UsageError(f"{self.name}: {planner} in {env} with {amount(budget, unit)} is listed twice")
            seen.add(key)
        if not seen:
            raise UsageError(f"{self.name}: nothing to play; every planner's largest budget is below all budgets")
        called: dict[tuple[str, str], str] = {}
        for experiment in self.experiment:
            for entrant in experiment.planners:
                label = entrant.label or entrant.planner
                text = called.setdefault((experiment.env, label), entrant.planner)
                if text != entrant.planner:
                    raise UsageError(
                        f"{self.name}: label={label!r} is used twice in {experiment.env}, to {text} and "
                        f"to {entrant.planner}; name every planner differently"
                    )

    @classmethod
    def of(cls, name: str, given: Mapping[str, Any]) -> "Suite":
        """From the content of a TOML file, or of `to_json`.

        A file may name lists of planners in a table [planners], and write such a name as the `planners` of experiments;
        an `env` that is a list stands for one experiment in each of its environments.
        """
        lists = given.get(LISTS, {})
        if not (isinstance(lists, dict) and all(isinstance(entries, list) for entries in lists.values())):
            raise UsageError(f"{name}: [{LISTS}] holds lists of planners by their names")
        known_fields(cls, given, "a suite", LISTS)
        experiments = given.get("experiment", [])
        if not (isinstance(experiments, list) and all(isinstance(table, dict) for table in experiments)):
            raise UsageError(f"{name}: experiments are written as [[experiment]] tables")
        written = (one for table in experiments for one in in_full(table, lists))
        return cls(name, tuple(map(Experiment.of, written)), str(given.get("description", "")))

    def settings(self) -> Iterator[Setting]:
        """All settings to play, in order."""
        for experiment in self.experiment:
            yield from experiment.settings()

    def episodes(self) -> dict[Setting, int]:
        """The number of episodes of each setting."""
        return {setting: experiment.episodes for experiment in self.experiment for setting in experiment.settings()}

    def labels(self, env: str) -> dict[str, str]:
        """The labels of an environment's planners by their texts, where they have one."""
        experiments = [experiment for experiment in self.experiment if experiment.env == env]
        return {e.planner: e.label for experiment in experiments for e in experiment.planners if e.label}

    def names(self, env: str) -> dict[str, str]:
        """The names of an environment's planners in tables, by their texts: the label, else the text."""
        experiments = [experiment for experiment in self.experiment if experiment.env == env]
        return {e.planner: e.planner for experiment in experiments for e in experiment.planners} | self.labels(env)

    def override(
        self,
        planners: Sequence[str] = (),
        simulations: Sequence[float] = (),
        milliseconds: Sequence[float] = (),
        episodes: int | None = None,
        seed: int | None = None,
        added: Sequence[str] = (),
        steps: Sequence[float] = (),
    ) -> "Suite":
        """This suite with other planners, budgets (of any unit), episodes or seed, where they are given.

        Other planners, and those that are `added` to the suite's, play in all its environments with all budgets.

        With other budgets, a planner that is in several experiments of an environment is played as in the first of
        them.
        """
        changes: dict[str, Any] = {}
        if simulations or milliseconds or steps:
            changes |= {"simulations": tuple(simulations), "milliseconds": tuple(milliseconds), "steps": tuple(steps)}
        if episodes is not None:
            changes["episodes"] = episodes
        if seed is not None:
            changes["seed"] = seed
        changed = [replace(experiment, **changes) for experiment in self.experiment]
        if planners:
            changed = [*_played_by(planners, changed)]
        elif "simulations" in changes:
            changed = [*_once(changed)]
        return replace(self, experiment=(*changed, *_played_by(added, changed)))

    def played_in(self, plant: str | None, delay: int) -> "Suite":
        """This suite of one environment with another plant than the planners' model, and a delay of actions."""
        if len({experiment.env for experiment in self.experiment}) > 1:
            raise UsageError(f"{self.name}: --plant and --delay are for one environment, and this suite has several")
        changed = tuple(replace(one, env=with_plant(one.env, plant, delay)) for one in self.experiment)
        return replace(self, name=with_plant(self.name, plant, delay), experiment=changed)

    def to_json(self) -> str:
        """As text, the same for equal suites; budgets in steps only where there are some, as before there were any."""
        written = asdict(self)
        for experiment in written["experiment"]:
            if not experiment["steps"]:
                del experiment["steps"]
        return json.dumps(written, sort_keys=True)

    def digest(self) -> str:
        """A hash of the settings and numbers of episodes; names, labels and the description do not count."""
        played = sorted((*setting, episodes) for setting, episodes in self.episodes().items())
        return hashlib.blake2b(json.dumps(played).encode(), digest_size=8).hexdigest()

    def resolve(self, unseeded: bool = False) -> dict[str, str]:
        """The planners and environments with all their parameters, by the texts that name them.

        Those of other packages are followed by the package's version and a digest of its sources.
        """
        from bonspiel import planners

        places = dict.fromkeys(experiment.env for experiment in self.experiment)
        entrants = dict.fromkeys(entrant.planner for experiment in self.experiment for entrant in experiment.planners)
        models = {text: model_of(text) for text in places}
        players = {text: parsed(planners.parse, text) for text in entrants}
        for experiment in self.experiment:
            model = models[experiment.env]
            for entrant in experiment.planners:
                if reason := planners.unsupported(players[entrant.planner], model):
                    raise UsageError(f"{entrant.planner} cannot play {experiment.env}: {reason}; {able(model)}")
                planners.planner.announce(players[entrant.planner], model)
        for env, text in dict.fromkeys((one.env, e.planner) for one in self.experiment for e in one.planners):
            refuse_broken(text, env, planners.parse, partial(model_of, env))
        resolved = {text: without_address(repr(made)) for text, made in (models | players).items()}
        for text, parts in ((text, PlantText.of(text)) for text in places):
            if text != parts.model:
                plant = model_of(parts.plant)
                check_alike(text, models[text], plant)
                resolved[text] += f", played in {without_address(repr(plant))} with a delay of {parts.delay}"
        for text in resolved:
            resolved[text] += "".join(f" ({file}: {sources.digest((file,))})" for file in _files_in(text))
        outside = _outside(places, entrants)
        for text, modules in outside.items():
            resolved[text] += "".join(f" ({module}: {origin(module)})" for module in modules)
        for text in (text for text in places if outside[text]):
            resolved[text] += "".join(f" ({package})" for package in simulators_within(models[text]))
            resolved[text] += seeding.note(text, models[text], unseeded)
        for text, model in models.items():
            if remark := getattr(model, "remark", ""):
                resolved[text] += f"{REMARK}{remark}"
        return resolved


def model_of(text: str) -> "Model":
    """The model of a text that planners plan in, made once in a folder; see `_sound_model`."""
    return _sound_model(PlantText.of(text).model, os.getcwd())


@functools.cache  # a command asks for its environment when it is read and before it starts, a worker in every batch
def _sound_model(text: str, folder: str) -> "Model":
    """The model of a text; one of another package must keep the contract of models, as far as a brief check shows."""
    from bonspiel import envs
    from bonspiel.envs.checks import check_briefly

    model: Model = parsed(envs.parse, text)
    if type(model).__module__.partition(".")[0] != "bonspiel":
        try:
            check_briefly(model, np.random.default_rng(0))
        except (Exception, SystemExit) as error:  # whatever the author's code raises
            wrong = f"{text} breaks the contract of models ({error_text(error)}){error_place(error)}"
            raise UsageError(f"{wrong}; correct it, and test it with bonspiel.envs.check_model") from error
    return model


def refuse_broken(text: str, env: str, parse: Callable[[str], Any], model: Callable[[], Any]) -> None:
    """Refuse a planner of another package that breaks the contract, as far as a brief check shows."""
    from bonspiel.planners import REGISTRY

    if not any(REGISTRY.modules(text)):
        return
    from bonspiel.planners.contract.apart import check_contract
    from bonspiel.planners.contract.decisions import check_pickles

    news = f"{text} is being checked in {env} before it plays"
    notice = threading.Timer(SILENCE, print, (news,), {"file": sys.stderr, "flush": True})
    notice.daemon = True
    notice.start()
    try:
        check_pickles(parse(text), text)
        check_contract(text, lambda: (parse(text), model()), 0, is_brief=True)
    except ValueError as error:
        raise UsageError(f"{error} ({env}; bonspiel.planners.testing.check_planner tests planners)") from error
    finally:
        notice.cancel()


def _once(experiments: Iterable[Experiment]) -> Iterator[Experiment]:
    """The same experiments; a planner that is in several of an environment stays only in the first of them."""
    seen: set[tuple[str, str]] = set()
    for experiment in experiments:
        new = tuple(entrant for entrant in experiment.planners if (experiment.env, entrant.planner) not in seen)
        seen.update((experiment.env, entrant.planner) for entrant in new)
        if new:
            yield replace(experiment, planners=new)


def _played_by(entrants: Sequence[str], experiments: Iterable[Experiment]) -> Iterator[Experiment]:
    """The same environments and budgets, each once, played by these planners."""
    seen: set[tuple[str, str, float]] = set()
    for experiment in experiments if entrants else ():
        new: dict[str, Any] = {}
        for unit in ("simulations", "steps", "milliseconds"):
            budgets = getattr(experiment, unit)
            new[unit] = tuple(budget for budget in budgets if (experiment.env, unit, budget) not in seen)
            seen.update((experiment.env, unit, budget) for budget in budgets)
        if any(new.values()):
            yield replace(experiment, planners=tuple(map(Entrant, entrants)), **new)


def in_full(table: Mapping[str, Any], lists: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """A table as written in a file, once for each of its environments, with its list of planners in full."""
    from bonspiel.planners.registry import unknown

    named, places = table.get(LISTS), table.get("env")
    if isinstance(named, str):
        if named not in lists:
            raise UsageError(str(unknown("list of planners", named, lists)))
        table = {**table, LISTS: lists[named]}
    if places == []:
        raise UsageError("env=[]: name at least one environment")
    for env in places if isinstance(places, list) else [places]:
        yield {**table, "env": env} if "env" in table else dict(table)


def modules(settings: Collection[Setting]) -> tuple[str, ...]:
    """The modules of other packages that the planners and environments of some settings come from, sorted."""
    found = _outside(*({getattr(setting, of) for setting in settings} for of in ("env", "planner")))
    return tuple(sorted({module for of_text in found.values() for module in of_text}))


def _files_in(text: str) -> list[Path]:
    """The files that parameters in a text name."""
    found = []
    for value in dict.fromkeys(re.findall(r"=([^,()=]+\.\w+)", text)):
        with suppress(OSError):  # such as a text that is too long for a name
            found += [Path(value)] * Path(value).is_file()
    return found


def _outside(environments: Iterable[str], entrants: Iterable[str]) -> dict[str, list[str]]:
    """The modules of other packages behind each text."""
    from bonspiel import envs, planners

    found = {text: list(planners.REGISTRY.modules(text)) for text in entrants}
    parts = {text: {*PlantText.of(text)[:2]} for text in environments}
    return found | {text: [one for part in parts[text] for one in envs.modules(part)] for text in parts}
