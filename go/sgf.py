"""The Smart Game Format: the main line of a game as nodes, and back."""

import codecs
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from bonspiel.planners.checks import require

LETTERS = "abcdefghijklmnopqrs"
LARGEST = 1_000_000  # bytes of a file
START = re.compile(r"\(\s*;")
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z][A-Za-z0-9_]*)|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])", re.DOTALL)
ESCAPE = re.compile(r"\\(?:\r\n|\n\r|[\r\n]|(.))", re.DOTALL)  # of a line's end it leaves nothing
CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([^\]\s]+)\s*\]")
TRIED = 8  # at most, of the texts in a file that look like a CA
LARGER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "sjis": "cp932"}  # as such files are written

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

    Standard error tells of further games, and of a CA that is not true.

    Raises:
        OSError: it cannot be read.
        ValueError: it is larger than `LARGEST`; or as of `read_nodes`.
    """
    with file.open("rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes, the limit for a game")
    text, note = decoded(data)
    if note:
        print(f"{file} {note}", file=sys.stderr)
    nodes = read_nodes(text)
    others = _count(text) - 1
    if others > 0:
        print(f"{file} has {others + 1} games: the first is read, {others} left out", file=sys.stderr)
    return nodes


def decoded(data: bytes) -> tuple[str, str]:
    """The text in a file: by its byte order mark or else its CA, where that is true; or else UTF-8, or else Latin-1.

    Beside it a note about a CA that is unknown or not true, empty if there is none.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        names, is_marked = ["utf-16"], True
    elif data.startswith(codecs.BOM_UTF8):
        names, is_marked = ["utf-8-sig"], True
    else:  # the first may stand in a comment, which only the decoded text shows
        found = dict.fromkeys(name[1].decode("latin-1") for name in islice(CHARSET.finditer(data), TRIED))
        names, is_marked = list(found), False
    for name in names:
        with suppress(LookupError, ValueError):  # a codec of Python may raise any ValueError
            text = _decoded_part(data, LARGER.get(name.lower().replace("-", "_"), name))
            if is_marked or _charset(text) == name:
                return text, ""
    try:
        text, used = _decoded_part(data, "utf-8"), "UTF-8"
    except UnicodeDecodeError:
        text, used = data.decode("latin-1"), "Latin-1"
    named = _charset(text)
    return text, named and f"says CA={named[:40]!r}, which is not its character set: it is read as {used}"


def _charset(text: str) -> str:
    """The CA in the first node of a text, without blanks around; empty if there is none."""
    try:
        nodes = read_nodes(text)
    except Incomplete as error:
        nodes = error.nodes
    except ValueError:
        nodes = []
    return "".join(nodes[0].get("CA", [])[:1]).strip() if nodes else ""


def _decoded_part(data: bytes, charset: str) -> str:
    """The text without a last character that is cut off."""
    try:
        return data.decode(charset)
    except UnicodeDecodeError as error:
        if error.end < len(data) or error.start == 0 or b")" in data[error.start :]:
            raise
        return data[: error.start].decode(charset)


def read_nodes(text: str) -> list[Node]:
    """The nodes of the main line of the first game; of variations only the first is read.

    Raises:
        Incomplete: the text breaks off.
        ValueError: it is something else.
    """
    nodes, name = list[Node](), ""
    for mark, word, value in map(re.Match.groups, _tokens(text, nodes)):
        if mark == ")":
            return nodes
        if mark == ";":
            nodes.append({})
            name = ""
        elif word and nodes:
            # FF[1] to FF[3] have small letters too, as in SiZe
            name = "".join(letter for letter in word if letter.isupper()) or word.upper()
            nodes[-1].setdefault(name, [])
        elif name and not mark:
            nodes[-1][name].append(ESCAPE.sub(r"\1", value))
        elif mark != "(":
            raise ValueError(f"{text[:40]!r} is no game in the Smart Game Format")
    raise Incomplete(nodes)


def _tokens(text: str, nodes: list[Node], start: int = 0) -> Iterator[re.Match[str]]:
    """Marks, names and values one after the other, from the first game after `start` on; a mail may stand before it."""
    first = START.search(text, start)
    if first is None or (start == 0 and text.lstrip().startswith("[")):
        raise ValueError(f"{text[:40]!r} is no game in the Smart Game Format")
    place = first.start()
    while found := TOKEN.match(text, place):
        yield found
        place = found.end()
    rest = text[place:].lstrip()
    if rest.startswith("["):
        raise Incomplete(nodes)
    if rest:
        raise ValueError(f"{rest[:20]!r} is not of the Smart Game Format")


def _count(text: str) -> int:
    """The games in a text, whole or not, whatever stands between them."""
    count = place = 0
    with suppress(ValueError):  # what follows the games may be anything
        while START.search(text, place):
            count, depth = count + 1, 0
            for found in _tokens(text, [], place):
                depth += (found[1] == "(") - (found[1] == ")")
                if depth == 0:
                    place = found.end()
                    break
            else:
                break
    return count


def letters_of(index: int, size: int) -> str:
    """A move as SGF writes it: column and row from the top left, nothing for a pass."""
    return "" if index == size * size else LETTERS[index % size] + LETTERS[index // size]


def index_of_letters(text: str, size: int) -> int:
    """The move of letters as SGF writes them.

    Raises:
        ValueError: it is not on the board.
    """
    text = text.strip()
    if text == "" or (text == "tt" and size <= 19):
        return size * size
    known = len(text) == 2 and all(letter in LETTERS[:size] for letter in text)
    require(known, "move", text, f"two letters from a to {LETTERS[size - 1]}, or none for a pass")
    return LETTERS.index(text[1]) * size + LETTERS.index(text[0])
