"""Exports every episode as CSV or Parquet."""

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from bonspiel.runs.experiment import Setting, UsageError
from bonspiel.runs.files import writing
from bonspiel.runs.results.rows import Episode
from bonspiel.runs.results.store import Store

CHUNK = 50_000  # rows in memory as Python objects


# docs/results-files.md says what they mean
_EPISODE = ("episode", "return", "steps", "seconds", "simulations", "first_action", "mean_ms", "max_ms")
COLUMNS = (*Setting._fields[:4], *_EPISODE)


def rows(store: Store) -> Iterator[tuple[Any, ...]]:
    """Every episode as it is exported, a value for each of COLUMNS, in order of the suite."""
    return (_row(setting, episode) for setting in store.suite.settings() for episode in store.episodes(setting))


def _row(setting: Setting, episode: Episode) -> tuple[Any, ...]:
    action = mean = longest = None
    if episode.first_action is not None:
        action = " ".join(map(repr, np.frombuffer(episode.first_action, "<f8").tolist()))
    if episode.times is not None:
        times = 1e3 * np.frombuffer(episode.times, "<f4").astype(np.float64)
        mean, longest = round(float(times.mean()), 6), round(float(times.max()), 6)
    return (*setting[:4], *episode[:5], action, mean, longest)


def to_csv(store: Store, stream: TextIO) -> None:
    """Write every episode, floats in full precision."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(store))


def to_parquet(store: Store, path: Path) -> None:
    """Write every episode to a Parquet file.

    Raises:
        UsageError: polars is not installed, or the file could not be written.
    """
    try:
        import polars
    except ImportError as error:
        raise UsageError("Parquet needs polars: pip install -e '.[parquet]', or use --format csv") from error
    text, real, whole = polars.String, polars.Float64, polars.Int64
    types = [text, text, real, text, whole, real, whole, real, whole, text, real, real]
    schema = dict(zip(COLUMNS, types, strict=True))
    found, frames = rows(store), [polars.DataFrame(schema=schema)]
    while chunk := list(islice(found, CHUNK)):
        frames.append(polars.DataFrame(chunk, schema=schema, orient="row"))
    with writing(path, polars.exceptions.PolarsError):  # of a full disk
        polars.concat(frames).write_parquet(path)
