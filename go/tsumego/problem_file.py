"""Problems of life and death as SGF, and their solutions.

AB and AW are the stones, AE takes some away, PL the player to move, SL (or SQ) the region, TR the crucial stones, which
the other colour attacks; of all nodes before the first move. What programs add besides is left alone.
"""

from collections.abc import Iterator, Sequence
from itertools import product, takewhile
from pathlib import Path

from bonspiel.go.model import SMALLEST
from bonspiel.go.neighbourhoods import BLACK, WHITE
from bonspiel.go.sgf import Incomplete, Node, index_of_letters, letters_of, read_file, write_nodes
from bonspiel.go.tsumego.problem import LARGEST_SIZE, Solution, Tsumego
from bonspiel.runs.experiment import UsageError
from bonspiel.version import __version__

STONES = {"AB": 1, "AW": -1, "AE": 0}
MOVERS = {"B": BLACK, "W": WHITE}


def read_problem(file: Path) -> Tsumego:
    """The problem of a file.

    Raises:
        UsageError: there is none, in one line.
    """
    try:
        return _problem(read_file(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror})") from error
    except Incomplete as error:
        raise UsageError(f"{file} is not a complete game in the Smart Game Format") from error
    except (ValueError, IndexError) as error:
        raise UsageError(f"{file} is no problem of life and death: {' '.join(str(error).split())}") from error


def _problem(nodes: Sequence[Node]) -> Tsumego:
    """The problem that the nodes before the first move set up, one after the other."""
    before = list(takewhile(lambda node: not {"B", "W"} & node.keys(), nodes)) or nodes[:1]
    given: Node = {}
    for node in before:
        given |= {name: values for name, values in node.items() if name not in STONES}
    text = (given.get("SZ") or [""])[0].strip() or "19"
    if not (text.isascii() and text.isdecimal() and SMALLEST <= int(text) <= LARGEST_SIZE):
        raise ValueError(f"SZ={text!r}: must be a whole number from {SMALLEST} to {LARGEST_SIZE}")
    size = int(text)
    stones = [0] * (size * size)
    for node in before:
        placed: dict[int, int] = {}
        for name, stone in STONES.items():
            for point in _points(node.get(name, ()), size):
                if placed.setdefault(point, stone) != stone or (stone and stones[point]):
                    raise ValueError(f"two stones on the point {letters_of(point, size)}")
        for point, stone in placed.items():
            stones[point] = stone
    mover = (given.get("PL") or [""])[0].strip().upper()[:1]
    if mover not in MOVERS:
        raise ValueError(f"PL={mover!r}: must be B or W, who is to move")
    region = sorted({*_points(given.get("SL", ()), size), *_points(given.get("SQ", ()), size)})
    crucial = sorted(set(_points(given.get("TR", ()), size)))
    return Tsumego(size, tuple(stones), tuple(region), tuple(crucial), MOVERS[mover])


def _points(values: Sequence[str], size: int) -> Iterator[int]:
    """The points of a list, in which ab:cd is a rectangle."""
    for value in values:
        first, _, last = value.partition(":")
        corners = [divmod(index_of_letters(corner, size), size) for corner in (first, last or first)]
        if any(row == size for row, _ in corners):
            raise ValueError(f"{value!r} is no point")
        rows, columns = map(sorted, zip(*corners, strict=True))
        for row, column in product(range(rows[0], rows[1] + 1), range(columns[0], columns[1] + 1)):
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
