"""Files that a user asked for and the system refuses."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runs.experiment import UsageError


@contextmanager
def writing(place: Path, *errors: type[Exception]) -> Iterator[None]:
    """Name the place where something could not be written.

    Args:
        place: a file or a folder.
        errors: what means that, besides OSError.

    Raises:
        UsageError: it could not be written.
    """
    refusals: tuple[type[Exception], ...] = (OSError, *errors)
    try:
        yield
    except refusals as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{place} cannot be written ({reason}); make room there, or choose another place") from error
