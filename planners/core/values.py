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


def cached(name: str, sources: Iterable[ModuleType], compute: Callable[[], dict[str, Array]]) -> dict[str, Array]:
    """The arrays that `compute` returns, by name, from disk if they were computed before by the same sources.

    A file that is damaged is computed again, and a folder that cannot be written to costs no more than the time.

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
            return dict(stored)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        arrays: dict[str, Any] = compute()
    folder = usable_folder("values")
    if folder is not None:
        with suppress(OSError):  # the disk is full
            with tempfile.NamedTemporaryFile(dir=folder, suffix=".partial", delete=False) as partial:
                np.savez(partial, **arrays)
            os.replace(partial.name, folder / file_name)
    return arrays
