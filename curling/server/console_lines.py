"""What is printed about matches."""

from pathlib import Path

from bonspiel.curling.match_data import Result

LONGEST_NAME = 40  # characters


def result_line(result: Result, winner: str | None, record: Path | None) -> str:
    """The result of a match in one line; `winner` is None for a draw, `record` if there is none."""
    outcome, where = "a draw" if winner is None else f"{winner} wins", f", record {record}" if record else ""
    return f"{outcome}, {result.score[0]}:{result.score[1]} ({result.reason}){where}"


def printable(text: str, longest: int = LONGEST_NAME) -> str:
    """A text from elsewhere in one short line without control characters."""
    short = text if len(text) <= longest else text[: longest - 3] + "..."
    return "".join(character if character.isprintable() else "?" for character in short)
