"""Lines of Python that are written one after the other, with their indentation."""

from collections.abc import Iterator
from contextlib import contextmanager


class Writer:
    """The lines so far; `block` indents what is written within."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def line(self, text: str = "") -> None:
        """Write a line."""
        self.lines.append("    " * self._depth + text if text else "")

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        """Write a header, such as "for i in range(n):", and indent what follows."""
        self.line(header)
        self._depth += 1
        yield
        self._depth -= 1

    @contextmanager
    def aside(self) -> Iterator[list[str]]:
        """Collect the lines that are written within, instead of writing them; they are indented as if in a block."""
        kept, self.lines = self.lines, []
        self._depth += 1
        yield self.lines
        self._depth -= 1
        self.lines = kept

    def paste(self, lines: list[str]) -> None:
        """Write lines that were collected."""
        self.lines.extend(lines)
