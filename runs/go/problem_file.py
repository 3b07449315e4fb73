"""Problems of life and death as SGF, and their solutions.

AB and AW are the stones, PL the player to move, SL (or SQ) the region, TR the crucial stones, which the other colour
attacks. What programs add besides is left alone.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from bonspiel.envs.go.model import SMALLEST
from bonspiel.envs.go.neighbourhoods import BLACK, WHITE
from bonspiel.envs.go.tsumego.problem import LARGEST_SIZE, Solution, Tsumego
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.go.sgf import Incomplete, Node, index_of_letters, letters_of, read_file, write_nodes
from bonspiel.version import __version__

MOVERS = {"B": BLACK, "W": WHITE}


def read_problem(file: Path) -> Tsumego:
    """The problem of a file.

    Raises:
        UsageError: there is none, in one line.
    """
    try:
        return _problem(read_file(file)[0])
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror})") from error
    except Incomplete as error:
        raise UsageError(f"{file} is not a complete game in the Smart Game Format") from error
    except (ValueError, IndexError) as error:
        raise UsageError(f"{file} is no problem of life and death: {' '.join(str(error).split())}") from error


def _problem(root: Node) -> Tsumego:
    text = (root.get("SZ") or ["19"])[0]
    if not (text.isascii() and text.isdecimal() and SMALLEST <= int(text) <= LARGEST_SIZE):
        raise ValueError(f"SZ={text!r}: must be a whole number from {SMALLEST} to {LARGEST_SIZE}")
    size = int(text)
    stones = [0] * (size * size)
    for name, stone in (("AB", 1), ("AW", -1)):
        for point in _points(root.get(name, ()), size):
            if stones[point]:
                raise ValueError(f"two stones on the point {letters_of(point, size)}")
            stones[point] = stone
    mover = (root.get("PL") or [""])[0].upper()[:1]
    if mover not in MOVERS:
        raise ValueError(f"PL={mover!r}: must be B or W, who is to move")
    region = sorted({*_points(root.get("SL", ()), size), *_points(root.get("SQ", ()), size)})
    crucial = sorted(set(_points(root.get("TR", ()), size)))
    return Tsumego(size, tuple(stones), tuple(region), tuple(crucial), MOVERS[mover])


def _points(values: Sequence[str], size: int) -> Iterator[int]:
    """The points of a list, in which ab:cd is a rectangle."""
    for value in values:
        first, _, last = value.partition(":")
        corners = [divmod(index_of_letters(corner, size), size) for corner in (first, last or first)]
        if any(row == size for row, _ in corners):
            raise ValueError(f"{value!r} is no point")
        (top, left), (bottom, right) = corners
        for row, column in product(range(top, bottom + 1), range(left, right + 1)):
            yield row * size + column


def write_problem(tsumego: Tsumego, solution: Solution | None = None) -> str:
    """A problem as SGF; with a solution, also its verdict and the main line."""
    size, mover = tsumego.size, tsumego.mover
    points = range(size * size)
    marked = {
        "AB": [point for point in points if tsumego.stones[point] > 0],
        "AW": [point for point in points if tsumego.stones[point] < 0],
        "SL": tsumego.region,
        "TR": tsumego.crucial,
    }
    facts = {"FF": "4", "CA": "UTF-8", "GM": "1", "AP": f"bonspiel:{__version__}", "SZ": str(size)}
    root = {name: [value] for name, value in facts.items()}
    root |= {name: [letters_of(point, size) for point in chosen] for name, chosen in marked.items() if chosen}
    root["PL"] = ["B" if mover == BLACK else "W"]
    nodes = [root]
    if solution is not None:
        root["C"] = [solution.verdict]
        for ply, move in enumerate(solution.line):
            nodes.append({"BW"[(mover == WHITE) != (ply % 2 == 1)]: [letters_of(move, size)]})
    return write_nodes(nodes)
