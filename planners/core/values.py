"""Results of long computations kept on disk between runs, in the folder that holds the compiled searches too."""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from bonspiel.planners.core.code.cache import cache_folder, usable_folder
from bonspiel.planners.model import Array

MOST_BYTES = 2_000_000_000  # of all files; hundreds of drawn problems would fill a disk


def cached(name: str, sources: Iterable[ModuleType], compute: Callable[[], dict[str, Array]]) -> dict[str, Array]:
    """The arrays that `compute` returns, by name, from disk if they were computed before by the same sources.

    A file that is damaged is computed again, and a folder that cannot be written to costs no more than the time. Files
    that have not been read for longest make room for new ones.

    Args:
        name: of the computation, with everything that the values depend on except the sources.
        sources: the modules whose files the values depend on.
        compute: called when there is no usable file.
    """
    digest = hashlib.blake2b(name.encode(), digest_size=8)
    for module in sources:
        digest.update(Path(str(module.__file__)).read_bytes())
    file_name = f"{digest.hexdigest()}.npz"
    try:
        with (
            open(cache_folder() / "values" / file_name, "rb") as opened,
            np.load(opened) as stored,
        ):  # np.load leaves damaged files open
            with suppress(OSError):
                os.utime(opened.name)
            return dict(stored)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        arrays: dict[str, Any] = compute()
    folder = usable_folder("values")
    if folder is not None:
        with suppress(OSError):  # the disk is full
            with tempfile.NamedTemporaryFile(dir=folder, suffix=".partial", delete=False) as partial:
                np.savez(partial, **arrays)
            os.replace(partial.name, folder / file_name)
            _make_room(folder, file_name)
    return arrays


def _make_room(folder: Path, newest: str) -> None:
    """Remove the files that have not been read for longest, except the newest one."""
    with os.scandir(folder) as entries:
        files = sorted(((one.stat().st_mtime, one.stat().st_size, one.path) for one in entries), reverse=True)
    total = 0
    for _, size, path in files:
        total += size
        if total > MOST_BYTES and not path.endswith(newest):
            os.unlink(path)
