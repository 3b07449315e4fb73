"""The verb `replay`: a match on record as a page for a browser."""

import argparse
import itertools
import sys
import time
from pathlib import Path

from runs.experiment import UsageError
from runs.files import check_writable, writing
from runs.verbs.command_line import DONE, Verb

SAME = 0.005  # m; servers keep their stones to a millimetre or so


def replay(arguments: argparse.Namespace) -> int:
    """Write the page of a match, and open it if that is asked for."""
    import webbrowser

    from curling import record
    from curling.replay.page import replay_page
    from curling.replay.story import tell
    from runs.progress import progress

    file: Path = arguments.file
    try:
        if file.is_dir():
            raise UsageError(f"{file} is a folder; give a record, the file of one match{_records(file)}")
        game = record.read(file, partial=True)
        out: Path = arguments.out or file.with_suffix(".html")
        check_writable(out, (".html", ".htm"))
        if out.exists() and out.samefile(file):
            raise UsageError(f"{out} is the record itself; give the page another name with --out")
        count, done, start = len(game.shots), itertools.count(1), time.monotonic()
        with progress(count, "shots") as advance:
            events, apart = tell(game, lambda: advance(1, (time.monotonic() - start) * (count / next(done) - 1.0)))
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise UsageError(str(error) if str(error).startswith(str(file)) else f"{file}: {error}") from error
    if apart > SAME:
        print(
            f"bonspiel replay: {file} tells of stones up to {apart:.3g} m from where its engine takes them; the page "
            "shows them as on record when they are at rest",
            file=sys.stderr,
        )
    with writing(out):
        out.write_text(replay_page(events), encoding="utf-8")
    print(out)
    if arguments.open and not webbrowser.open(out.resolve().as_uri()):
        print(f"bonspiel replay: no browser found; open {out} yourself", file=sys.stderr)
    return DONE


def _records(folder: Path) -> str:
    """Where in a folder records are, in words."""
    inside = folder / "records"
    return f"; there are some in {inside}" if inside.is_dir() else ""


def add_verbs(verb: Verb) -> None:
    """Add the verb; `verb` makes one from its name, function, summary and example."""
    command = verb(
        "replay",
        replay,
        "make a page of a match on record, to be watched in a browser",
        "bonspiel replay game.jsonl --open | exit status: 0 done, 2 bad usage or no record, 130 stopped",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="a record of a match, also one that breaks off")
    command.add_argument("--out", type=Path, metavar="FILE.html", help="default: beside the record, with its name")
    command.add_argument("--open", action="store_true", help="show the page in the default browser")
