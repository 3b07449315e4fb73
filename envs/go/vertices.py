"""Names of points: "D4" counts columns from A on without I and lines from below, as in the Go Text Protocol."""

import string

from planners.checks import require

COLUMNS = string.ascii_uppercase.replace("I", "")
PASS = "pass"


def vertex_of(index: int, size: int) -> str:
    """The name of a point, 0 to size^2 - 1, from left to right and top to bottom; "pass" for size^2."""
    if index == size * size:
        return PASS
    row, column = divmod(index, size)
    return f"{COLUMNS[column]}{size - row}"


def index_of(vertex: str, size: int) -> int:
    """The point of this name, in capital or small letters, or size^2 for "pass".

    Raises:
        ValueError: there is none on this board.
    """
    if vertex.lower() == PASS:
        return size * size
    column, line = COLUMNS[:size].find(vertex[:1].upper()), vertex[1:]
    known = bool(vertex) and column >= 0 and line.isascii() and line.isdecimal() and 1 <= int(line) <= size
    require(known, "vertex", vertex, f"from A1 to {COLUMNS[size - 1]}{size}, without I, or {PASS}")
    return (size - int(line)) * size + column
