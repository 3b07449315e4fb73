"""Progress on standard error: a bar on a terminal, else a line when the time is known and every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

T = TypeVar("T")

LINE_SECONDS = 5.0

Advance = Callable[..., None]


@contextmanager
def progress(total: int, things: str = "episodes") -> Iterator[Advance]:
    """Show progress over `total` things; yields a function of (new things, seconds left if known, further text)."""
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
    done, last, known = 0, time.monotonic(), False

    def advance(count: int, left: float | None, news: str = "") -> None:
        nonlocal done, last, known
        done += count
        now = time.monotonic()
        first = not known and left is not None and left >= LINE_SECONDS
        known = known or left is not None
        if first or now - last >= LINE_SECONDS:
            last = now
            print(f"{done} of {total} {things}, {time_left(left)}{news}", file=sys.stderr, flush=True)

    yield advance


def followed(items: Sequence[T], things: str) -> Iterator[T]:
    """The items, with progress while they are worked on one after the other; each is expected to take as long."""
    began = time.monotonic()
    with progress(len(items), things) as advance:
        for done, item in enumerate(items, 1):
            yield item
            advance(1, (time.monotonic() - began) / done * (len(items) - done))


def counted(n: float, thing: str) -> str:
    """A number with its noun: "1 job", "2 jobs"."""
    number = f"{n:,}" if isinstance(n, int) else f"{n:,g}"
    return f"{number} {thing}" if n == 1 else f"{number} {thing}s"


def time_left(seconds: float | None) -> str:
    """The time left in words."""
    if seconds is None:
        return "time left not known yet"
    return f"about {duration(round(seconds)) if seconds >= 1.0 else '0 s'} left"


def duration(seconds: float) -> str:
    """A time for people, in two digits."""
    for unit, size, limit in (("ms", 1e-3, 1.0), ("s", 1.0, 120.0), ("min", 60.0, 7200.0)):
        if seconds < limit:
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    return f"{seconds / 3600.0:.1f} h"
