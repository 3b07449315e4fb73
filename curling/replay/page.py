"""The page: one HTML file that needs nothing else and asks no network for anything but its own live events."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curling.replay.story import Event
from curling.replay.template import digest, embedded, fill, text

FOLDER = Path(__file__).parent
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
    style, script = text(FOLDER / "page.css"), text(FOLDER / "index.js")
    return fill(FOLDER / "index.html", style=style, script=script, policy=policy(style, script, "'self'"))


def _page(title: str, data: dict[str, Any], connect: str) -> str:
    style, script = text(FOLDER / "page.css"), "\n".join(text(FOLDER / name) for name in SCRIPTS)
    return fill(
        FOLDER / "page.html",
        title=html.escape(title),
        style=style,
        script=script,
        data=embedded(data),
        policy=policy(style, script, connect),
    )


def policy(style: str, script: str, connect: str) -> str:
    """A Content-Security-Policy under which nothing runs but this script, and nothing styles but this style."""
    return (
        f"default-src 'none'; img-src data:; connect-src {connect}; style-src {digest(style)}; "
        f"script-src {digest(script)}; base-uri 'none'; form-action 'none'"
    )
