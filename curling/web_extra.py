"""The extra `web`, Starlette and uvicorn, for pages; the extra `dc4` has it too."""

from collections.abc import Iterator
from contextlib import contextmanager

from bonspiel.runs.experiment import UsageError


@contextmanager
def needing_web(what: str, extra: str = "web") -> Iterator[None]:
    """Import the modules that need it within this block."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise UsageError(f"{what} needs Starlette and uvicorn: pip install -e '.[{extra}]'") from error
