"""Read the rows of CSV files; an error names the file and the row."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """A row of a table; `number` is its line in the file, the header's is 1."""

    file: Path
    number: int
    cells: dict[str, str]

    def error(self, text: str) -> ValueError:
        """The error of this row."""
        return ValueError(f"{self.file} row {self.number}: {text}")

    def text(self, column: str) -> str:
        """A cell."""
        return self.cells[column]

    def whole(self, column: str, low: int, high: int) -> int:
        """A whole number from `low` to `high`.

        Raises:
            ValueError: it is not.
        """
        text = self.cells[column]
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise self.error(f"{column}={text!r}: must be a whole number from {low} to {high}")
        return number

    def choice(self, column: str, allowed: Sequence[int]) -> int:
        """A whole number among those that are allowed.

        Raises:
            ValueError: it is not.
        """
        text = self.cells[column]
        if text not in map(str, allowed):
            raise self.error(f"{column}={text!r}: must be one of {', '.join(map(str, allowed))}")
        return int(text)


def rows_of(file: Path, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a CSV file with a header, which must have these columns and may have others.

    Raises:
        ValueError: no such file, no CSV, a column is missing, or a row with more or fewer cells than the header.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: {getattr(error, 'strerror', None) or 'is no text in UTF-8'}") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        (_, header), *lines = [(reader.line_num, cells) for cells in reader] or [(1, [])]
    except csv.Error as error:
        raise ValueError(f"{file} row {reader.line_num}: {error}") from None
    missing = [column for column in columns if column not in header]
    if missing:
        raise ValueError(f"{file}: has no column {missing[0]!r}, must have {', '.join(columns)}")
    for number, cells in lines:
        row = Row(file, number, dict(zip(header, cells, strict=False)))
        if len(cells) != len(header):
            raise row.error(f"has {len(cells)} cells, the header {len(header)}")
        yield row
