"""The Smart Game Format: the main line of a game as nodes, and back."""

import codecs
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bonspiel.planners.checks import require

LETTERS = "abcdefghijklmnopqrs"
LARGEST = 1_000_000  # bytes of a file
START = re.compile(r"\(\s*;")
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z][A-Za-z0-9_]*)|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])", re.DOTALL)
ESCAPE = re.compile(r"\\(?:\r\n|\n\r|[\r\n]|(.))", re.DOTALL)  # of a line's end it leaves nothing
CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([^\]\s]+)\s*\]")
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
    """The nodes of the main line in a file; see `read_nodes`. Further games in it are counted on standard error.

    Raises:
        OSError: it cannot be read.
        ValueError: it is larger than `LARGEST`; or as of `decoded` and `read_nodes`.
    """
    with file.open("rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes, the limit for a game")
    text = decoded(data)
    nodes = read_nodes(text)
    others = _count(text) - 1
    if others > 0:
        print(f"{file} has {others + 1} games: the first is read, {others} left out", file=sys.stderr)
    return nodes


def decoded(data: bytes) -> str:
    """The text in a file: by its byte order mark or else its CA, where that is true; or else UTF-8, or else Latin-1.

    Raises:
        ValueError: CA names no known character set.
    """
    named = CHARSET.search(data)
    charset = named[1].decode("latin-1") if named else ""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        charset = "utf-16"
    elif data.startswith(codecs.BOM_UTF8):
        charset = ""
    for name in filter(None, (LARGER.get(charset.lower().replace("-", "_"), charset), "utf-8-sig")):
        try:
            return _decoded_part(data, name)
        except UnicodeDecodeError:
            continue
        except LookupError:
            raise ValueError(f"CA={charset!r}: must be a character set such as UTF-8, GB18030 or Shift_JIS") from None
    return data.decode("latin-1")


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


def _tokens(text: str, nodes: list[Node]) -> Iterator[re.Match[str]]:
    """Marks, names and values one after the other, from the first game on; a mail's header may stand before it."""
    first, end = START.search(text), len(text.rstrip())
    if first is None or text.lstrip().startswith("["):
        raise ValueError(f"{text[:40]!r} is no game in the Smart Game Format")
    place = first.start()
    while place < end:
        found = TOKEN.match(text, place)
        if found is None:
            rest = text[place:].lstrip()
            if rest.startswith("["):
                raise Incomplete(nodes)
            raise ValueError(f"{rest[:20]!r} is not of the Smart Game Format")
        yield found
        place = found.end()


def _count(text: str) -> int:
    """The games in a text, whole or not, whatever stands between them."""
    count = depth = 0
    rest = text
    with suppress(ValueError):  # what follows the games may be anything
        while START.search(rest):
            count += 1
            for found in _tokens(rest, []):
                depth += (found[1] == "(") - (found[1] == ")")
                if depth == 0:
                    rest = rest[found.end() :]
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
