"""The line of a program's output that says why it ended: that of its last uncaught exception, else the last one."""

import re

RECENT = 50  # last lines in which errors of other languages than Python are looked for
HEADER = "Traceback (most recent call last):"
IGNORED = "Exception ignored"  # raised where Python cannot end by it, often while it ends already
GROUP = re.compile(r"^[ ]*(?:[|+][ -]?)+(?:Exception Group )?")  # before the lines of an exception group
ERROR = re.compile(
    r"(?:Uncaught |Unhandled exception\W+|Exception in thread \".*\" |Caused by: )?[\w.$:]*(?:Error|Exception|Fault)\b"
    r"|panic: |thread '.*' panicked|fatal error|terminate called|\s*what\(\):|.*Assertion .*failed|.*\(\w*Error\)$"
)


def last_words(output: str) -> str:
    """The line that says best why a program ended; empty without output."""
    lines = [GROUP.sub("", line) for line in output.split("\n")]
    errors = list(filter(None, (_raised(lines, number) for number, line in enumerate(lines) if line == HEADER)))
    if errors:
        return errors[-1]
    spoken = [line.rstrip() for line in lines if line.strip()]
    for number in range(len(spoken) - 1, max(len(spoken) - RECENT, 0) - 1, -1):
        if ERROR.match(spoken[number]):
            message = spoken[number].strip()
            return " ".join([message, *spoken[number + 1 : number + 2]]) if message.endswith(":") else message
    return spoken[-1].strip() if spoken else ""


def _raised(lines: list[str], header: int) -> str | None:
    """The exception below the header of a traceback, unless Python ignored it, or the output ends before."""
    if header > 0 and lines[header - 1].startswith(IGNORED):
        return None
    below = lines[header + 1 :]
    return next((line.strip() for line in below if line.strip() and not line.startswith(" ")), None)
