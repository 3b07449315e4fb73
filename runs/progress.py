"""How far a run is: a bar on a terminal, a plain line every few seconds elsewhere; always on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

LINE_SECONDS = 5.0

Advance = Callable[[int, float], None]


@contextmanager
def progress(total: int) -> Iterator[Advance]:
    """Show progress over `total` episodes; yields a function of (episodes more, seconds left)."""
    with (_bar(total) if sys.stderr.isatty() else _lines(total)) as advance:
        yield advance


@contextmanager
def _bar(total: int) -> Iterator[Advance]:
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("episodes, {task.fields[left]}"))
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total, left="starting")
        yield lambda episodes, left: bar.update(task, advance=episodes, left=_left(left))


@contextmanager
def _lines(total: int) -> Iterator[Advance]:
    done, last = 0, time.monotonic()

    def advance(episodes: int, left: float) -> None:
        nonlocal done, last
        done += episodes
        now = time.monotonic()
        if now - last >= LINE_SECONDS:
            last = now
            print(f"{done} of {total} episodes, {_left(left)}", file=sys.stderr, flush=True)

    yield advance


def _left(seconds: float) -> str:
    return f"about {seconds:.0f} s left" if seconds < 120 else f"about {seconds / 60:.0f} min left"
