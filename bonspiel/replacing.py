"""Files that are never incomplete."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, beside `path`, which the file replaces when the block ends well; else it is removed."""
    draft = path.with_name(f"{path.name}.new")
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
