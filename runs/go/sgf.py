"""The Smart Game Format: the main line of a game as nodes, and back."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bonspiel.planners.checks import require

LETTERS = "abcdefghijklmnopqrs"
LARGEST = 1_000_000  # bytes of a file
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])", re.DOTALL)

Node = dict[str, list[str]]


class Incomplete(ValueError):
    """The text breaks off; `nodes` came before."""

    def __init__(self, nodes: list[Node]) -> None:
        super().__init__("breaks off")
        self.nodes = nodes


def write_nodes(nodes: Sequence[Node]) -> str:
    """A game as text, one node a line."""
    return f"({chr(10).join(map(_node_text, nodes))})\n"


def _node_text(node: Node) -> str:
    return ";" + "".join(name + "".join(f"[{_escaped(value)}]" for value in values) for name, values in node.items())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")


def read_file(file: Path) -> list[Node]:
    """The nodes of the main line in a file; see `read_nodes`.

    Raises:
        OSError: it cannot be read.
        ValueError: it is larger than `LARGEST`; or as of `read_nodes`.
    """
    with file.open("rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes, the limit for a game")
    return read_nodes(data.decode())


def read_nodes(text: str) -> list[Node]:
    """The nodes of the main line; of variations only the first is read.

    Raises:
        Incomplete: the text breaks off.
        ValueError: it is something else.
    """
    nodes, name, depth = list[Node](), "", 0
    for mark, word, value in _tokens(text, nodes):
        if mark == "(":
            depth += 1
        elif mark == ")":
            require(bool(nodes), "text", text[:40], "a game in the Smart Game Format, with a node at least")
            return nodes
        elif mark == ";" and depth:
            nodes.append({})
            name = ""
        elif word and nodes:
            name = "".join(letter for letter in word if letter.isupper())  # old files have small letters too
            nodes[-1].setdefault(name, [])
        elif name:
            nodes[-1][name].append(re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL))
        else:
            raise ValueError(f"{text[:40]!r} is no game in the Smart Game Format")
    raise Incomplete(nodes)


def _tokens(text: str, nodes: list[Node]) -> Iterator[Any]:
    """Marks, names and values one after the other."""
    place, end = 0, len(text.rstrip())
    while place < end:
        found = TOKEN.match(text, place)
        if found is None:
            rest = text[place:].lstrip()
            if rest.startswith("["):
                raise Incomplete(nodes)
            raise ValueError(f"{rest[:20]!r} is not of the Smart Game Format")
        yield found.groups()
        place = found.end()


def letters_of(index: int, size: int) -> str:
    """A move as SGF writes it: column and row from the top left, nothing for a pass."""
    return "" if index == size * size else LETTERS[index % size] + LETTERS[index // size]


def index_of_letters(text: str, size: int) -> int:
    """The move of letters as SGF writes them.

    Raises:
        ValueError: it is not on the board.
    """
    if text == "" or (text == "tt" and size <= 19):
        return size * size
    known = len(text) == 2 and all(letter in LETTERS[:size] for letter in text)
    require(known, "move", text, f"two letters from a to {LETTERS[size - 1]}, or none for a pass")
    return LETTERS.index(text[1]) * size + LETTERS.index(text[0])
