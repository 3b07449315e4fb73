"""The page: one HTML file that needs nothing else and asks no network for anything but its own live events."""

import base64
import functools
import hashlib
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curling.replay.story import Event

SCRIPTS = ("story.js", "sheet.js", "panels.js", "page.js")


def replay_page(events: Sequence[Event]) -> str:
    """The page of a match; `events` are those of `curling.replay.story.tell`."""
    first, second = events[0]["players"]
    return _page(f"{first} against {second}", {"events": events}, "'none'")


def live_page(match_id: str, address: str) -> str:
    """The page of a match that is being played; it takes its events from `address`."""
    return _page(f"Match {match_id}", {"live": address}, "'self'")


def index_page() -> str:
    """The list of a server's matches."""
    style, script = _text("page.css"), _text("index.js")
    return fill("index.html", style=style, script=script, policy=policy(style, script, "'self'"))


def _page(title: str, data: dict[str, Any], connect: str) -> str:
    style, script = _text("page.css"), "\n".join(map(_text, SCRIPTS))
    return fill("page.html", title=html.escape(title), style=style, script=script, data=embedded(data),
                policy=policy(style, script, connect))


def fill(template: str, **parts: str) -> str:
    """A template with its {{names}} replaced, in one pass, so that no part can hold another."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text(template))


def policy(style: str, script: str, connect: str) -> str:
    """A Content-Security-Policy under which nothing runs but this script, and nothing styles but this style."""
    return (f"default-src 'none'; img-src data:; connect-src {connect}; style-src {_digest(style)}; "
            f"script-src {_digest(script)}; base-uri 'none'; form-action 'none'")


def embedded(data: Any) -> str:
    """JSON that no HTML parser takes for markup."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@functools.cache
def _text(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
