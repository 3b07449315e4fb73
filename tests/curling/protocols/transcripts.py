"""Recorded talks of one client with the reference servers, of tests/curling/data/transcripts/{dc2,dc3}."""

import json
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parents[1] / "data" / "transcripts"


class Line(NamedTuple):
    from_server: bool
    message: Any  # parsed JSON of dc3, text of dc2
    text: bytes  # the message without line feed or NUL; dc3's with sorted keys and no white space


def names(protocol: str) -> list[str]:
    return sorted(path.stem for path in (FOLDER / protocol).glob("*.jsonl"))


def transcript(protocol: str, name: str) -> list[Line]:
    """The messages of a transcript, without ends of file and what is no JSON."""
    with (FOLDER / protocol / f"{name}.jsonl").open() as file:
        entries = [entry for entry in map(json.loads, file) if "msg" in entry]
    return [Line(entry["dir"] == "server->client", entry["msg"], text_of(entry["msg"])) for entry in entries]


def text_of(message: Any) -> bytes:
    return (
        message.encode()
        if isinstance(message, str)
        else json.dumps(message, separators=(",", ":"), sort_keys=True).encode()
    )


def lines(protocol: str) -> list[Line]:
    """The messages of all transcripts."""
    return [line for name in names(protocol) for line in transcript(protocol, name)]
