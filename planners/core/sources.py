"""The sources and data that compiled searches and their results depend on, as a digest."""

import functools
import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# no search runs what is in the other folders: protocols, client, server, replay
FOLDERS = tuple(
    ROOT / name
    for name in (
        "planners",
        "planners/core",
        "planners/abstraction",
        "planners/weighted_uct",
        "planners/kr_uct",
        "curling",
        "curling/engines",
        "curling/players",
        "envs",
    )
)
SUFFIXES = (".py", ".json")


@functools.cache
def digest(places: tuple[Path, ...] = FOLDERS) -> str:
    """An identity of the sources and data in these folders, and of files that are named themselves."""
    result = hashlib.blake2b(digest_size=8)
    for place in places:
        for file in _files(place) if place.is_dir() else [place]:
            result.update(file.read_bytes())
    return result.hexdigest()


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES and file.is_file())
