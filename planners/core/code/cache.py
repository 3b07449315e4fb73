"""The folder on disk that keeps compiled searches and other results of long computations between processes."""

import atexit
import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

DIGEST = re.compile("[0-9a-f]{16}")
SAID = "BONSPIEL_SAID"  # the variable with the lines that were said
UNUSED_SECONDS = 30 * 24 * 3600.0


def say_once(line: str) -> None:
    """Say something on standard error that is as true of all that follows, also of processes that this one starts."""
    said = os.environ.get(SAID, "")
    if line not in said.splitlines():
        os.environ[SAID] = f"{said}{line}\n"
        print(f"bonspiel: {line}\n", end="", file=sys.stderr, flush=True)  # at once, as other processes write too


def cache_folder() -> Path:
    """BONSPIEL_CACHE if set, else `bonspiel` in the user's cache folder; it may not exist yet.

    Raises:
        OSError: the folder is in the user's home, and there is none.
    """
    base = os.environ.get("BONSPIEL_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "bonspiel"
    try:
        return Path(base).expanduser()
    except RuntimeError as error:
        raise OSError(f"{base}: there is no home folder") from error


def usable_folder(*parts: str) -> Path | None:
    """A folder in the cache that can be written to; None, which is said once, if there is none.

    Where the cache itself cannot be written, another one serves this process and those that it starts.
    """
    try:
        return _made(cache_folder(), parts)
    except OSError as error:
        reason = f"{error.strerror}: {cache_folder()}" if error.strerror else str(error)
    with suppress(OSError):
        other = _temporary()
        say_once(f"the cache cannot be written ({reason}): compiled code goes to {other} until this process ends")
        return _made(other, parts)
    say_once(f"the cache cannot be written ({reason}): each process compiles; set BONSPIEL_CACHE to a folder")
    return None


def _made(cache: Path, parts: tuple[str, ...]) -> Path:
    folder = cache.joinpath(*parts)
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _remove_unused(cache)
    os.utime(folder)
    return folder


@functools.cache
def _temporary() -> Path:
    """A folder of this process and those that it starts, removed when it ends."""
    folder = tempfile.mkdtemp(prefix="bonspiel-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["BONSPIEL_CACHE"] = folder
    return Path(folder)


@functools.cache
def code_folder(digest: str, settings: str = "") -> Path | None:
    """The folder for code compiled from the sources of this digest; those unused for 30 days are removed.

    Args:
        digest: of the sources.
        settings: of the compiler, if not its own: code made with others lies elsewhere.

    Returns:
        None if no folder can be written to.
    """
    name = hashlib.blake2b(f"{digest} {settings}".encode(), digest_size=8).hexdigest() if settings else digest
    return usable_folder(name)


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
