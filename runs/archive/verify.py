"""Whether a run is what it says: its file as a whole, and a share of its episodes, which are replayed."""

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from bonspiel import planners
from bonspiel.commit import commit
from bonspiel.planners.core.code import sources
from bonspiel.planners.core.code.packages import origin
from bonspiel.runs import provenance
from bonspiel.runs.archive import replay
from bonspiel.runs.archive.replay import HERE, Difference
from bonspiel.runs.experiment import Setting, UsageError, parsed
from bonspiel.runs.progress import counted
from bonspiel.runs.provenance import played_sources
from bonspiel.runs.results import seal
from bonspiel.runs.results.rows import Episode
from bonspiel.runs.results.seal import Seal
from bonspiel.runs.results.store import Count, Store
from bonspiel.runs.suite import model_of, modules

SHOWN = 10  # faults and differences


@dataclass(frozen=True)
class Verdict:
    """The result of checking and replaying a run."""

    rows: int  # episodes in the file
    replayed: int  # number of them that were
    seed: int  # of the draw
    faults: Sequence[str]  # a sentence for each fault of the file
    differences: Sequence[Difference]  # rows that came out otherwise, in order of the run
    left_out: Mapping[str, int] = field(default_factory=dict)  # numbers of rows that were not replayed, by reason
    digest: str = ""  # of the results
    sealed: bool = True  # whether the run carries a seal
    elsewhere: str = ""  # what differs between the run's sources and those that replayed it, in words; empty if nothing

    @property
    def good(self) -> bool:
        """Whether nothing is wrong, and no row was left out because it cannot be played here."""
        return not (self.faults or self.differences or any(reason.startswith(HERE) for reason in self.left_out))

    @property
    def problems(self) -> list[str]:
        """All that is wrong, a sentence each; the first of each planner and problem, and of all if there are many."""
        absent = [f"{counted(n, 'row')}: {why}" for why, n in self.left_out.items() if why.startswith(HERE)]
        alike: dict[tuple[str, ...], list[Difference]] = {}
        for one in self.differences:
            alike.setdefault(one.setting[:2], []).append(one)
        differ = (f"{found[0]}" + f" (and {len(found) - 1} more)" * (len(found) > 1) for found in alike.values())
        lines = [*self.faults, *differ, *absent]
        more = [f"... and {len(lines) - SHOWN:,} more"] if len(lines) > SHOWN else []
        return lines[:SHOWN] + more

    def __str__(self) -> str:
        said = [f"digest of the results {self.digest}" + ("" if self.sealed else f"; {UNSEALED}")]
        said += [f"left out: {counted(n, 'row')} of {why}" for why, n in self.left_out.items()]
        share = f"{self.replayed / max(self.rows, 1):.1%}"
        drawn = f"{self.replayed:,} of {self.rows:,} rows ({share}, drawn with seed {self.seed}) were replayed"
        differ = f"{len(self.differences):,} came out otherwise" if self.differences else "all came out as stored"
        nothing = "nothing was replayed: only the form of the file was checked"
        said.append(f"{drawn}: {differ}" if self.replayed else nothing)
        if 0 < self.replayed < self.rows:
            can_more = self.replayed + sum(self.left_out.values()) < self.rows
            advice = ", --share 1 replays all" + " that can be" * bool(self.left_out) if can_more else ""
            said.append(f"a replay vouches for these {share} alone; the others may differ{advice}")
        said += [f"note: {self.elsewhere}"] * bool(self.elsewhere)
        said += [f"wrong: {problem}" for problem in self.problems]
        return "\n".join(said)


UNSEALED = "the run carries no seal, by which a later change would show (unfinished, or of an older version)"


def verify(store: Store, share: float, seed: int, jobs: int) -> Verdict:
    """Check a run's file, and replay a share, in (0, 1], of the episodes that can be, drawn by `seed`."""
    found = [*faults(store)]
    left_out = replay.unrepeatable(store)
    drawn = replay.draw(store, share, seed, left_out)
    return Verdict(
        rows=Count.of(store.counts()).done,
        replayed=sum(map(len, drawn.values())),
        seed=seed,
        faults=found,
        differences=replay.differences(store, drawn, jobs),
        left_out=replay.counts(store, left_out),
        digest=Seal.of(store).results,
        sealed=Seal.kept(store) is not None,
        elsewhere=_elsewhere(store, drawn),
    )


def _elsewhere(store: Store, drawn: replay.Rows) -> str:
    now = provenance.collect([])
    theirs = f"commit {store.provenance.get('commit') or 'unknown'}"
    if store.provenance.get("sources") != now["sources"]:
        ours = f"replayed by those of commit {commit() or 'unknown'}"
        return f"played by other sources ({theirs}), {ours}: where rows differ, the planner may have changed since"
    if found := provenance.other_version(store.provenance, now):
        return f"played with {found} as here"
    told = " ".join(store.resolved.values())
    changed = [one for one in modules([*drawn]) if f"({one}: {origin(one)})" not in told]
    return f"played with other sources of {', '.join(changed)}" if changed else ""


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
    """Texts that mean other parameters here, with the same sources; other sources show in the replay."""
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
    """A value that no episode can have, in words; None if there is none."""
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
