"""The pages: self-contained HTML files that load nothing but their own live events."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bonspiel.curling.replay.page_events import Event
from bonspiel.html_template import csp_hash, fill_template, json_for_html, read_cached

FOLDER = Path(__file__).parent
SCRIPTS = ("match.js", "sheet.js", "panels.js", "page.js")


def replay_page(events: Sequence[Event]) -> str:
    """The page of a recorded match; `events` are as from `curling.replay.page_events.record_events`."""
    first, second = events[0]["players"]
    return _page(f"{first} against {second}", {"events": events}, "'none'")


def live_page(match_id: str, address: str) -> str:
    """The page of a running match, which receives its events from `address`."""
    return _page(f"Match {match_id}", {"live": address}, "'self'")


def play_page(title: str, address: str, play: dict[str, Any]) -> str:
    """The page of a match that a person plays, which receives its events from `address`.

    `play` has the person's team `me`, the number of `shots` so far, the names of the `weights`, the `aim`, and the
    `root` of the addresses that take shots.
    """
    parts = {name: read_cached(FOLDER / f"{name}.html") for name in ("throw", "review")}
    return _page(title, {"live": address, "play": play}, "'self'", (*SCRIPTS, "throw.js"), **parts)


def index_page() -> str:
    """The page with the list of a server's matches."""
    style, script = read_cached(FOLDER / "page.css"), read_cached(FOLDER / "index.js")
    return fill_template(FOLDER / "index.html", style=style, script=script, policy=_policy(style, script, "'self'"))


def _page(
    title: str, data: dict[str, Any], connect: str, scripts: Sequence[str] = SCRIPTS, throw: str = "", review: str = ""
) -> str:
    style, script = read_cached(FOLDER / "page.css"), "\n".join(read_cached(FOLDER / name) for name in scripts)
    parts = {"style": style, "script": script, "policy": _policy(style, script, connect)}
    parts |= {"throw": throw, "review": review, "title": html.escape(title), "data": json_for_html(data)}
    return fill_template(FOLDER / "page.html", **parts)


def _policy(style: str, script: str, connect: str) -> str:
    """A Content-Security-Policy that allows exactly this script and this style."""
    return (
        f"default-src 'none'; img-src data:; connect-src {connect}; style-src {csp_hash(style)}; "
        f"script-src {csp_hash(script)}; base-uri 'none'; form-action 'none'"
    )
