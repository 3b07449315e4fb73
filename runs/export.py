"""Results as tables for other programs."""

import csv
from pathlib import Path
from typing import TextIO

from runs.experiment import UsageError
from runs.store import Row, Store

COLUMNS = ["return" if name == "total" else name for name in Row._fields]


def to_csv(store: Store, stream: TextIO) -> None:
    """Write every episode, floats in full precision."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(store.rows())


def to_parquet(store: Store, path: Path) -> None:
    """Write every episode to a Parquet file.

    Raises:
        UsageError: polars is not installed.
    """
    try:
        import polars
    except ImportError as error:
        raise UsageError('Parquet needs polars: pip install "bonspiel[parquet]", or use --format csv') from error
    types = [polars.String, polars.String, polars.Float64, polars.String, polars.Int64, polars.Float64, polars.Int64,
             polars.Float64]
    schema = dict(zip(COLUMNS, types, strict=True))
    polars.DataFrame(list(store.rows()), schema=schema, orient="row").write_parquet(path)
