"""Keys pressed in a terminal, on POSIX systems and on Windows."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# names of keys that are not a character
ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
Read = Callable[[float], list[str]]

if sys.platform == "win32":
    import msvcrt

    SCANS = {"H": "up", "P": "down", "M": "right", "K": "left"}

    @contextmanager
    def keys() -> Iterator[Read]:
        """A function that waits for some seconds at most and returns the pressed keys: characters, or e.g. "up"."""

        def read(seconds: float) -> list[str]:
            end, pressed = time.monotonic() + seconds, []
            while not msvcrt.kbhit() and time.monotonic() < end:
                time.sleep(0.005)
            while msvcrt.kbhit():
                key = msvcrt.getwch()
                pressed.append(SCANS.get(msvcrt.getwch(), "") if key in "\0\xe0" else key.replace("\r", "enter"))
            return pressed

        yield read

else:
    import os
    import select
    import termios
    import tty

    SEQUENCE = re.compile(r"\x1b(?:\[|O)([0-9;]*)([A-Za-z~])|\x1b|[^\x1b]")

    @contextmanager
    def keys() -> Iterator[Read]:
        """A function that waits for some seconds at most and returns the pressed keys: characters, or e.g. "up"."""
        source = sys.stdin.fileno()
        before = termios.tcgetattr(source)

        def read(seconds: float) -> list[str]:
            if not select.select([source], [], [], seconds)[0]:
                return []
            text = os.read(source, 1024).decode(errors="ignore")
            return [_name(match) for match in SEQUENCE.finditer(text)]

        try:
            tty.setcbreak(source)
            yield read
        finally:
            termios.tcsetattr(source, termios.TCSADRAIN, before)

    def _name(match: re.Match[str]) -> str:
        modifiers, final = match.groups()
        if final is None:
            return {"\r": "enter", "\n": "enter", "\x1b": "escape"}.get(match[0], match[0])
        return ("shift " if modifiers.endswith(";2") else "") + ARROWS.get(final, "")
