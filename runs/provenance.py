"""The provenance of a run: sources, packages, machine, command and time."""

import datetime
import functools
import hashlib
import importlib.metadata
import platform
import shlex
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import joblib

from bonspiel.commit import commit
from bonspiel.planners.core.code import sources
from bonspiel.planners.core.code.packages import MISSING, origin
from bonspiel.runs.experiment import RunError
from bonspiel.version import __version__

PACKAGES = ("numpy", "numba", "scipy", "gymnasium", "joblib", "matplotlib")
ALIKE = ("numpy", "numba")  # packages that can change the results of the same sources


@functools.cache
def played_sources() -> tuple[Path, ...]:
    """The sources that the return of an episode depends on, which are searched for."""
    own = ("runner/episode", "draws", "counting", "plants")
    return (*sources.folders(), *(sources.ROOT / "runs" / f"{name}.py" for name in own))


@functools.cache
def identity(modules: tuple[str, ...] = ()) -> tuple[tuple[str, str], ...]:
    """(name, version) of the sources and packages, with other packages' `modules`, that all machines must share."""
    versions = ((name, importlib.metadata.version(name)) for name in ALIKE)
    return (("sources", sources.digest(played_sources())), *versions, *((module, origin(module)) for module in modules))


def key(suite: str) -> str:
    """A short key for results of a suite, given by its digest; it differs where a run could not be resumed."""
    return hashlib.blake2b(repr((suite, identity())).encode(), digest_size=4).hexdigest()


def check_identity(expected: tuple[tuple[str, str], ...]) -> None:
    """Refuse to play for a driver of another version."""
    modules = tuple(name for name, _ in expected[1 + len(ALIKE) :])
    for (name, theirs), (_, own) in zip(expected, identity(modules), strict=True):
        if own == MISSING:
            raise RunError(
                f"the worker on {socket.gethostname()} has no module {name}: install its package there, then resume "
                "with --resume"
            )
        if own != theirs:
            raise RunError(
                f"the worker on {socket.gethostname()} has {name} {own}, the driver {theirs}, and results "
                "of two versions do not mix: install the same everywhere, then resume with --resume"
            )


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """The first of some facts that is stated both times (not None), and differs."""
    both = (name for name, fact in before.items() if fact is not None and now.get(name) is not None)
    return next((name for name in both if now[name] != before[name]), None)


def other_version(facts: Mapping[str, Any], expected: Mapping[str, Any]) -> str | None:
    """The first package that can change results and has another version, as "numba 0.67.0, not 0.68.0".

    None if no version recorded in both differs.
    """
    ours, theirs = ({name: one.get("packages", {}).get(name) for name in ALIKE} for one in (facts, expected))
    name = changed(ours, theirs)
    return None if name is None else f"{name} {ours[name]}, not {theirs[name]}"


def cpu() -> str:
    """The processor's name; its architecture on systems that do not name it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def collect(arguments: Sequence[str], played: tuple[Path, ...] | None = None) -> dict[str, Any]:
    """The provenance of a run that begins now.

    Args:
        arguments: the command line, without the program's name.
        played: the sources that the results depend on, if others than those of episodes.
    """
    return {
        "version": __version__,
        "commit": commit(),
        "sources": sources.digest(played or played_sources()),
        "command": shlex.join(["bonspiel", *arguments]),
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "platform": platform.platform(),
        "cpu": f"{cpu()}, {joblib.cpu_count()} cores",
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def made_by(arguments: Sequence[str]) -> str:
    """What makes a report now, in words: the command, the version and the commit."""
    facts = collect(arguments)
    return f"`{facts['command']}`, bonspiel {facts['version']}, commit {facts['commit'] or 'unknown'}"


def of_all_parts(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The facts of a run, then those of the runs that it was merged from or whose episodes it keeps."""
    return [facts, *facts.get("merged", [])]


def joined_fact(facts: Mapping[str, Any], name: str, digits: int | None = None) -> str:
    """The values of a fact in all parts of a run, each once; a commit cut to its first digits keeps its "+"."""
    given = [str(part[name]) for part in of_all_parts(facts) if part.get(name)]
    shown = [text if digits is None else text[:digits] + "+" * text.endswith("+") for text in given]
    return ", ".join(dict.fromkeys(shown)) or "unknown"


def texts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Facts as readable text by name, without those of merged runs."""
    result = {name: "unknown" if value is None else str(value) for name, value in facts.items() if name != "merged"}
    if "packages" in facts:
        result["packages"] = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    return result
