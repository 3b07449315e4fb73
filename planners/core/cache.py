"""Where compiled searches and other results of long computations are kept between processes."""

import functools
import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path

DIGEST = re.compile("[0-9a-f]{16}")
UNUSED_SECONDS = 30 * 24 * 3600.0  # after which compiled code is removed


def cache_folder() -> Path:
    """BONSPIEL_CACHE, else bonspiel in the user's cache folder; it need not exist yet."""
    base = os.environ.get("BONSPIEL_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "bonspiel"
    return Path(base).expanduser()


@functools.cache
def code_folder(digest: str) -> Path:
    """The folder for code compiled from the sources of this digest; other such folders, long unused, are removed."""
    folder = cache_folder() / digest
    with suppress(OSError):  # a cache that cannot be written costs no more than the time to compile
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in folder.parent.iterdir():
            if DIGEST.fullmatch(other.name) and time.time() - other.stat().st_mtime > UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    return folder
