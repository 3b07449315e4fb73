"""The record of a game of Go, and its file."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bonspiel.go.model import Go
from bonspiel.go.sgf import Incomplete, Node, index_of_letters, letters_of, read_file, write_nodes
from bonspiel.replacing import replacing
from bonspiel.version import __version__

NAMES = ("B", "W")
SETUP = ("AB", "AW", "AE")


@dataclass(frozen=True)
class RecordedMove:
    """A move of player 0 (Black) or 1 (White), with the player's own estimate, None without one, and its cost."""

    player: int
    index: int
    value: float | None = None
    simulations: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class GoRecord:
    """A game.

    Attributes:
        model: board, komi and rules.
        names: of Black and White.
        facts: of the tournament: budgets, seed, pair and number; None of a game from elsewhere.
        moves: in order.
        value: Black's result, 0 to 1; None if the game has none.
        result: it in the words of SGF, such as "B+3.5".
        forfeit: why the loser forfeited, if it did.
        breaks_off: whether moves are missing at the end of the file that it was read from.
    """

    model: Go
    names: tuple[str, str]
    facts: dict[str, Any] | None
    moves: tuple[RecordedMove, ...]
    value: float | None
    result: str
    forfeit: str | None = None
    breaks_off: bool = False


def write(file: Path, record: GoRecord) -> None:
    """Write a record, which is never incomplete."""
    nodes = [_root(record), *(_node(move, record.model.size) for move in record.moves)]
    with replacing(file) as draft:
        draft.write_text(write_nodes(nodes), "utf-8")


def _root(record: GoRecord) -> Node:
    model = record.model
    comment = {"superko": model.superko, "playout": model.playout, "value": record.value, "forfeit": record.forfeit}
    facts = {
        "FF": "4",
        "CA": "UTF-8",
        "GM": "1",
        "AP": f"bonspiel:{__version__}",
        "RU": "Chinese",
        "SZ": str(model.size),
        "KM": f"{model.komi:g}",
        "PB": record.names[0],
        "PW": record.names[1],
        "RE": record.result,
        "C": json.dumps(comment | {"facts": record.facts}),
    }
    return {name: [value] for name, value in facts.items()}


def _node(move: RecordedMove, size: int) -> Node:
    comment = {"value": move.value, "simulations": move.simulations, "seconds": move.seconds}
    return {NAMES[move.player]: [letters_of(move.index, size)], "C": [json.dumps(comment)]}


def read(file: Path, partial: bool = False) -> GoRecord:
    """Read a record of this project's, or a game from elsewhere that begins on an empty board.

    Args:
        file: the SGF.
        partial: whether it may break off.

    Raises:
        ValueError: it is no such record.
    """
    try:
        try:
            nodes = read_file(file)
        except Incomplete as broken:
            if not partial or not broken.nodes:
                raise
            return replace(_record(broken.nodes), breaks_off=True)
        return _record(nodes)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{file} is no record of a game of Go: {' '.join(str(error).split())}") from error


def _record(nodes: list[Node]) -> GoRecord:
    root = {name: values[0] for name, values in nodes[0].items() if values and values[0].strip()}
    if root.get("GM", "1").strip() != "1":
        raise ValueError(f"GM={root['GM']!r}: must be 1, Go")
    for number, node in enumerate(nodes):
        if placed := [name for name in SETUP if any(point.strip() for point in node.get(name, ()))]:
            where = f"in node {number}" if number else "in its first node"
            raise ValueError(
                f"it sets up stones ({placed[0]} {where}): must begin on an empty board, and go on by moves"
            )
    comment = _comment(root)
    if "facts" not in comment:  # another program's
        comment, nodes = {}, [{name: values for name, values in node.items() if name != "C"} for node in nodes]
    size = root.get("SZ", "19").strip()
    if not size.isascii() or not size.isdecimal():
        raise ValueError(f"SZ={size!r}: must be a whole number")
    given = {name: comment[name] for name in ("superko", "playout") if name in comment}
    model = Go(int(size), float(root.get("KM", "0").replace(",", ".")), **given)
    moves = [_move(node, model.size) for node in nodes if node.get(NAMES[0]) or node.get(NAMES[1])]
    names = root.get("PB", "Black"), root.get("PW", "White")
    facts, result, forfeit = comment.get("facts"), root.get("RE", ""), comment.get("forfeit")
    return GoRecord(model, names, facts, tuple(moves), _number(comment.get("value")), result, forfeit)


def _move(node: Node, size: int) -> RecordedMove:
    player = int(not node.get(NAMES[0]))
    if sum(len(node.get(name, ())) for name in NAMES) > 1:
        raise ValueError("it has several moves in one node")
    comment = _comment({name: values[0] for name, values in node.items() if values})
    index = index_of_letters(node[NAMES[player]][0], size)
    cost = int(comment.get("simulations", 0)), float(comment.get("seconds", 0.0))
    return RecordedMove(player, index, _number(comment.get("value")), *cost)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _comment(node: dict[str, str]) -> dict[str, Any]:
    """The facts in a comment; none if it holds no JSON."""
    try:
        found = json.loads(node.get("C", "{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
