"""Output for people. A closed console does not end a match: the lines are dropped."""

import os
import sys
from typing import TextIO


def print_line(line: str, stream: TextIO | None = None) -> None:
    """Print a line on standard output, or on another stream, and flush it."""
    try:
        print(line, file=stream, flush=True)
    except OSError:
        # the line is still buffered, and flushing it at exit would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def print_to_stderr(line: str) -> None:
    """Print a line on standard error and flush it."""
    print_line(line, sys.stderr)


def print_error(text: str) -> None:
    """Print an error message on standard error."""
    print_to_stderr(f"bonspiel client: {text}")


def count_ends(ends: int) -> str:
    """The length of a match, such as "1 end" or "10 ends"."""
    return "1 end" if ends == 1 else f"{ends} ends"


def describe_end(end: int, ends: int) -> str:
    """An end of a match of `ends` regular ends, such as "end 2" or "extra end 1"; the number from 0."""
    return f"end {end + 1}" if end < ends else f"extra end {end - ends + 1}"


def describe_shot(end: int, shot: int, ends: int) -> str:
    """A place in a match of `ends` regular ends, such as "end 2, shot 5" or "extra end 1, shot 1"; numbers from 0."""
    return f"{describe_end(end, ends)}, shot {shot + 1}"
