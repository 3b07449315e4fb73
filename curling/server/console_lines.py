"""Lines about matches, for the console."""

from pathlib import Path

from bonspiel.curling.records.match_data import Result


def result_line(result: Result, winner: str | None, record: Path | None) -> str:
    """The result of a match in one line; `winner` is None for a draw, `record` if there is none."""
    outcome, where = "a draw" if winner is None else f"{winner} wins", f", record {record}" if record else ""
    return f"{outcome}, {result.score[0]}:{result.score[1]} ({result.reason}){where}"
