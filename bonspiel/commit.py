"""The git commit of these sources: of a checkout, or of the one that a wheel or source distribution was built from.

setup.py reads this file by its path, so it imports nothing of this project.
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = "commit.txt"  # beside this file, written by setup.py
SOURCES = ("bonspiel", "planners", "curling", "envs", "runs")


def commit(root: Path = ROOT) -> str | None:
    """The commit, with a plus after changes that are not committed; None where no git knows the sources.

    Args:
        root: the folder of the package `bonspiel`.
    """
    try:
        return _of_checkout(root)
    except (OSError, subprocess.CalledProcessError):  # no git, not a checkout, or one of something else
        built = root / "bonspiel" / BUILT
        return built.read_text(encoding="utf-8").strip() or None if built.is_file() else None


def _of_checkout(root: Path) -> str:
    """As for `commit`; the folder must be the top of a repository in which git knows this file."""
    (root / ".git").stat()
    # not the repository of a hook that runs this
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    git("ls-files", "--error-unmatch", "bonspiel/commit.py")
    # without the lock of the index, which another git may need at this moment
    changed = git("--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
    added = git("ls-files", "--others", "--exclude-standard", "--", *SOURCES)
    return git("rev-parse", "HEAD") + ("+" if changed or added else "")
