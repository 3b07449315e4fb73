"""Faults of a run's file that show without a replay: missing or impossible rows, names and seeds that disagree."""

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from bonspiel import planners
from bonspiel.planners.core.code import sources
from bonspiel.runs.experiment import Setting, UsageError, parsed
from bonspiel.runs.progress import counted
from bonspiel.runs.provenance import played_sources
from bonspiel.runs.results import seal
from bonspiel.runs.results.rows import Episode
from bonspiel.runs.results.store import Store
from bonspiel.runs.suite import model_of

DIGITS = 1e-3  # relative; times are float32, their sum is not


def faults(store: Store) -> Iterator[str]:
    """A sentence for each fault, the seal's last."""
    yield from _plan(store)
    yield from _labels(store)
    if strays := store.strays():
        yield f"{counted(strays, 'row')} of no planner of the run"
    failed: dict[tuple[Any, ...], dict[int, str]] = {}
    for *key, episode, error in store.failures():
        failed.setdefault(tuple(key), {})[episode] = error
    for setting, planned in store.suite.episodes().items():
        yield from _rows(store, setting, planned, failed.get(setting[:4], {}))
    if change := seal.broken(store):
        yield change


def _plan(store: Store) -> Iterator[str]:
    """Entries that state the same as the suite, in other words."""
    entries = store.entries()
    if (kept := entries.get("digest")) != (now := store.suite.digest()):
        yield f"the digest of the suite is {now}, not {kept}: a setting was changed"
    texts = dict.fromkeys(chain.from_iterable(setting[:2] for setting in store.suite.settings()))
    if missing := [text for text in texts if text not in store.resolved]:
        yield f"the parameters of {', '.join(missing)} are missing"
    if store.provenance.get("sources") == sources.digest(played_sources()):
        yield from _parameters(store, [text for text in texts if text in store.resolved])
    command = str(store.provenance.get("command", ""))
    if (given := _seed_in(command)) is not None:
        seeds = sorted({setting.seed for setting in store.suite.settings()})
        if seeds != [given]:
            yield f"the seed of the rows is {', '.join(map(str, seeds))}, but the run was made by `{command}`"


def _seed_in(command: str) -> int | None:
    """The number of the option --seed of a command, not of a planner's text; None without one."""
    given = None
    with suppress(ValueError):  # of an open quote, or of a seed that is no number
        words = shlex.split(command)
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word == "--seed" or word.startswith("--seed="):
                given = int(following if word == "--seed" else word.removeprefix("--seed="))
    return given


def _parameters(store: Store, texts: Sequence[str]) -> Iterator[str]:
    """Parameters that are not those that the same sources give to a text; others are told by the replay alone."""
    environments = {setting.env for setting in store.suite.settings()}
    for text in texts:
        with suppress(UsageError):  # of a package that is not installed here, which the replay says
            made = repr(model_of(text) if text in environments else parsed(planners.parse, text))
            if not store.resolved[text].startswith(made):
                yield f"{text} was {store.resolved[text]} in the file, and is {made} with the same sources"


def _labels(store: Store) -> Iterator[str]:
    """Labels that begin with the name of another planner than the text that they stand for."""
    for env in dict.fromkeys(experiment.env for experiment in store.suite.experiment):
        for text, label in store.suite.labels(env).items():
            own, shown = (re.split(r"\W", name, maxsplit=1)[0] for name in (text, label))
            if shown != own and shown in planners.REGISTRY.classes:
                yield f"{label!r} labels {text} in {env}, which is another planner"


def _rows(store: Store, setting: Setting, planned: int, failed: Mapping[int, str]) -> Iterator[str]:
    """Faults of the rows of a setting; errors of those that failed are given by the episodes' numbers."""
    expected, found = set(store.part.episodes(planned)), set()
    for episode in store.episodes(setting):
        if not isinstance(episode.number, int):
            yield f"{setting.words}: {episode.number!r} is no number of an episode"
            continue
        found.add(episode.number)
        if wrong := _wrong(setting, episode):
            yield f"{setting.words}, episode {episode.number}: {wrong}"
    for number, error in failed.items():
        yield f"{setting.words}, episode {number}: {'is there twice' if number in found else f'failed ({error})'}"
    if missing := sorted(expected - found - failed.keys()):
        yield f"{setting.words}: {counted(len(missing), 'episode')} missing, the first is {missing[0]}"
    if more := sorted(found - expected):
        yield f"{setting.words}: {counted(len(more), 'episode')} too many, the first is {more[0]}"


def _wrong(setting: Setting, episode: Episode) -> str | None:
    """What cannot be true of an episode, whatever was played."""
    numbers: dict[str, tuple[Any, float]] = {"return": (episode.total, -math.inf), "seconds": (episode.seconds, 0.0)}
    for name, (value, least) in numbers.items():
        if not (isinstance(value, float | int) and math.isfinite(value) and value >= least):
            return f"{name} {value!r} is not possible"
    whole = {"steps": (episode.steps, 1), "simulations": (episode.simulations, 0), "invalid": (episode.invalid, 0)}
    for name, (count, fewest) in whole.items():
        if not (count is None or (isinstance(count, int) and count >= fewest)):
            return f"{name} {count!r} is not possible"
    if not all(isinstance(blob, bytes | None) for blob in (episode.first_action, episode.times)):
        return "its first action or its times are none"
    if episode.first_action is not None and len(episode.first_action) % 8:
        return "its first action is cut off"
    if episode.times is not None:
        if setting.unit != "ms" or len(episode.times) != 4 * episode.steps:
            return "it has not one time for each decision"
        if not math.isclose(np.frombuffer(episode.times, "<f4").sum(), episode.seconds, rel_tol=DIGITS):
            return "its times do not add up to its seconds"
    return None
