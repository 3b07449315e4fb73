"""The sources that compiled searches and their results depend on, as a digest."""

import functools
import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = tuple(ROOT / name for name in ("planners", "curling", "curling/engines", "envs"))


@functools.cache
def digest(places: tuple[Path, ...] = FOLDERS) -> str:
    """An identity of the Python files in these folders, and of files that are named themselves."""
    result = hashlib.blake2b(digest_size=8)
    for place in places:
        for file in sorted(filter(Path.is_file, place.glob("*.py"))) if place.is_dir() else [place]:
            result.update(file.read_bytes())
    return result.hexdigest()
