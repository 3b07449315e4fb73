"""Lines for people. A console that has gone costs no match: what is said to it is dropped."""

import os
import sys
from typing import TextIO


def tell(line: str) -> None:
    """Print a line about the match, at once."""
    _print(line, sys.stdout)


def aside(line: str) -> None:
    """Print a line on standard error, at once."""
    _print(line, sys.stderr)


def complain(text: str) -> None:
    """Say what is wrong."""
    aside(f"bonspiel client: {text}")


def length(ends: int) -> str:
    """How long a match is."""
    return "1 end" if ends == 1 else f"{ends} ends"


def _print(line: str, stream: TextIO) -> None:
    try:
        print(line, file=stream, flush=True)
    except OSError:
        # the line is still in the stream, which would fail once more when the process ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
