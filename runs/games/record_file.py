"""The record of a game and its page as files, for verbs that read the one and write the other."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bonspiel.replacing import replacing
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.files import check_writable, writing
from bonspiel.runs.games.game import TwoPlayerGame


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Turn errors of a record into a UsageError that names its file."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise UsageError(str(error) if str(error).startswith(str(file)) else f"{file}: {error}") from error


def read_record(game: TwoPlayerGame, file: Path) -> Any:
    """The record in a file, which may break off; ValueError and OSError as of `TwoPlayerGame.read`."""
    if file.is_dir():
        records = f"; there are some in {file / 'records'}" * (file / "records").is_dir()
        raise UsageError(f"{file} is a folder; give a record, the file of one game{records}")
    return game.read(file, partial=True)


def check_page(out: Path, file: Path) -> None:
    """Refuse a page that could not be written, or would replace its record."""
    check_writable(out, (".html", ".htm"))
    if out.exists() and out.samefile(file):
        raise UsageError(f"{out} is the record itself; give the page another name with --out")


def write_page(out: Path, page: str) -> None:
    """Write a page, which is never incomplete."""
    with writing(out), replacing(out) as draft:
        draft.write_text(page, encoding="utf-8")
