"""Names of points: "D4" counts columns from A on without I and lines from below, as in the Go Text Protocol."""

import re
import string

from bonspiel.planners.checks import require

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
    known = re.fullmatch("([A-Za-z])([1-9][0-9]?)", vertex)
    column, line = (COLUMNS[:size].find(known[1].upper()), int(known[2])) if known else (-1, 0)
    allowed = f"from A1 to {COLUMNS[size - 1]}{size}, without I, or {PASS}"
    require(column >= 0 and 1 <= line <= size, "vertex", vertex, allowed)
    return (size - line) * size + column
