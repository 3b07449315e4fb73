"""The line of a program's output that says why it ended: its last error, unless much was printed after it."""

import re
from collections.abc import Iterator, Sequence

RECENT = 50  # last lines in which errors are looked for: a program that went on for longer had caught them
HEADER = "Traceback (most recent call last):"
IGNORED = "Exception ignored"  # raised where Python cannot end by it, often while it ends already
GROUP = re.compile(r"^[ ]*(?:[|+][ -]?)+(?:Exception Group )?")  # before the lines of an exception group
ERROR = re.compile(
    r"(?:Uncaught |Unhandled exception\W+|Exception in thread \".*\" |Caused by: )?[\w.$:]*(?:Error|Exception|Fault)\b"
    r"|panic: |thread '.*' panicked|(?i:fatal)\b|terminate called|\s*what\(\):|.*Assertion .*failed|.*\(\w*Error\)$"
    r"|.*\b(?:FATAL|CRITICAL)\b"
)


def last_words(output: str) -> str:
    """The line that says best why a program ended; empty without output."""
    lines = [line for line in (GROUP.sub("", line).rstrip() for line in output.split("\n")) if line]
    tracebacks = dict(_tracebacks(lines))
    for number in range(len(lines) - 1, max(len(lines) - RECENT, 0) - 1, -1):
        message = lines[number].strip()
        if message.startswith(IGNORED) or (number > 0 and lines[number - 1].startswith(IGNORED)):
            continue
        if number in tracebacks:
            if tracebacks[number]:
                return tracebacks[number]
        elif ERROR.match(lines[number]):
            return " ".join([message, *lines[number + 1 : number + 2]]) if message.endswith(":") else message
    return lines[-1].strip() if lines else ""


def _tracebacks(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The number of each line below a traceback and the exception in it, which is empty where Python ignored it.

    The lines of a traceback may all have the indentation or the prefix of its header; one that is cut off names none.
    """
    for header, line in enumerate(lines):
        if line.endswith(HEADER):
            prefix = line.removesuffix(HEADER)
            below = range(header + 1, len(lines))
            end = next((number for number in below if not lines[number].removeprefix(prefix).startswith(" ")), None)
            if end is not None:
                ignored = header > 0 and lines[header - 1].startswith(IGNORED)
                yield end, "" if ignored else lines[end].removeprefix(prefix).strip()
