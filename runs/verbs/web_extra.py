"""The extra `web`: Starlette and uvicorn, which pages need."""

from collections.abc import Iterator
from contextlib import contextmanager

from bonspiel.runs.experiment import UsageError


@contextmanager
def needing_web(option: str) -> Iterator[None]:
    """Import what needs the extra within this block.

    Raises:
        UsageError: it is missing; the message names the option and the command.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise UsageError(f"{option} needs Starlette and uvicorn: pip install -e '.[web]'") from error
