"""Progress on standard error: a bar on a terminal, else a line every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

LINE_SECONDS = 5.0

Advance = Callable[..., None]


@contextmanager
def progress(total: int, things: str = "episodes") -> Iterator[Advance]:
    """Show progress over `total` things; yields a function of (number of new things, seconds left, further text)."""
    with _bar(total, things) if sys.stderr.isatty() else _lines(total, things) as advance:
        yield advance


@contextmanager
def _bar(total: int, things: str) -> Iterator[Advance]:
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn(f"{things}, {{task.fields[left]}}", markup=False))
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total, left="starting")
        yield lambda count, left, news="": bar.update(task, advance=count, left=time_left(left) + news)


@contextmanager
def _lines(total: int, things: str) -> Iterator[Advance]:
    done, last = 0, time.monotonic()

    def advance(count: int, left: float, news: str = "") -> None:
        nonlocal done, last
        done += count
        now = time.monotonic()
        if now - last >= LINE_SECONDS:
            last = now
            print(f"{done} of {total} {things}, {time_left(left)}{news}", file=sys.stderr, flush=True)

    yield advance


def counted(n: int, thing: str) -> str:
    """A number with its noun: "1 job", "2 jobs"."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def time_left(seconds: float) -> str:
    """The time left in words."""
    return f"about {seconds:.0f} s left" if seconds < 120 else f"about {seconds / 60:.0f} min left"
