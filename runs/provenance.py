"""Where, when and by what a run was made."""

import datetime
import functools
import importlib.metadata
import platform
import shlex
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import joblib

import bonspiel
from planners.core import sources
from runs.experiment import RunError

PACKAGES = ("numpy", "numba", "scipy", "gymnasium", "joblib", "matplotlib")
PLAYED = (*sources.FOLDERS, sources.ROOT / "runs" / "runner" / "episode.py")  # what an episode's return depends on
ALIKE = ("numpy", "numba")  # packages that could make another number of the same sources


@functools.cache
def identity() -> tuple[tuple[str, str], ...]:
    """(name, version) of all that must be the same wherever a run's episodes are played."""
    versions = ((name, importlib.metadata.version(name)) for name in ALIKE)
    return (("sources", sources.digest(PLAYED)), *versions)


def check_identity(expected: tuple[tuple[str, str], ...]) -> None:
    """Refuse to play here for a driver of another version.

    Raises:
        RunError: this process would not play the same.
    """
    for (name, theirs), (_, own) in zip(expected, identity(), strict=True):
        if own != theirs:
            raise RunError(
                f"the worker on {socket.gethostname()} has {name} {own}, the driver {theirs}, and results "
                "of two versions do not mix: install the same everywhere, then go on with --resume"
            )


def other_version(facts: Mapping[str, Any], expected: Mapping[str, Any]) -> str | None:
    """The first package that could make another number and is not as expected, as far as both facts tell.

    Args:
        facts: of a run, as from `collect`.
        expected: of another.

    Returns:
        Such as "numba 0.67.0, not 0.68.0"; None if there is no difference.
    """
    ours, theirs = facts.get("packages", {}), expected.get("packages", {})
    different = (name for name in ALIKE if name in ours and name in theirs and ours[name] != theirs[name])
    return next((f"{name} {ours[name]}, not {theirs[name]}" for name in different), None)


def commit() -> str | None:
    """The git commit of the sources, with a plus if they were changed since; None outside a repository."""
    if not (sources.ROOT / ".git").exists():
        return None
    try:
        git = ["git", "-C", str(sources.ROOT)]
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changed = subprocess.run([*git, "diff", "--quiet", "HEAD"], check=False).returncode != 0
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" if changed else "")


def cpu() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def collect(arguments: Sequence[str], played: tuple[Path, ...] = PLAYED) -> dict[str, Any]:
    """Everything worth knowing about a run that begins now.

    Args:
        arguments: the command line, without the program.
        played: the sources that the results depend on.
    """
    return {
        "version": bonspiel.__version__,
        "commit": commit(),
        "sources": sources.digest(played),
        "command": shlex.join(["bonspiel", *arguments]),
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "platform": platform.platform(),
        "cpu": f"{cpu()}, {joblib.cpu_count()} cores",
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def texts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Facts as people read them, by their names; the runs that a merged one was made of have their own."""
    result = {name: str(value) for name, value in facts.items() if name != "merged"}
    if "packages" in facts:
        result["packages"] = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    return result
