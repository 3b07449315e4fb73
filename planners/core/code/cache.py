"""The folder on disk that keeps compiled searches and other results of long computations between processes."""

import functools
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

DIGEST = re.compile("[0-9a-f]{16}")
UNUSED_SECONDS = 30 * 24 * 3600.0


def cache_folder() -> Path:
    """BONSPIEL_CACHE if set, else `bonspiel` in the user's cache folder; it may not exist yet."""
    base = os.environ.get("BONSPIEL_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "bonspiel"
    return Path(base).expanduser()


@functools.cache
def code_folder(digest: str) -> Path:
    """The folder for code compiled from the sources of this digest; those unused for 30 days are removed."""
    folder = cache_folder() / digest
    with suppress(OSError):  # without a writable cache, every process compiles
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _remove_unused(folder.parent)
        os.utime(folder)
    return folder


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Lock a file against other processes; one that ends releases it. Without locks on files, no process waits."""
    with ExitStack() as opened:
        with suppress(OSError, ImportError):  # a cache that cannot be written, Windows
            import fcntl

            file.parent.mkdir(parents=True, exist_ok=True)
            fcntl.flock(opened.enter_context(file.open("a")), fcntl.LOCK_EX)
        yield


@functools.cache
def _remove_unused(cache: Path) -> None:
    for folder in cache.iterdir():
        if DIGEST.fullmatch(folder.name) and time.time() - folder.stat().st_mtime > UNUSED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
