"""Exports every episode as CSV or Parquet."""

import csv
import io
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


# Names and types; docs/reference/results-files.md says what they mean.
COLUMNS = {
    "env": "String",
    "planner": "String",
    "budget": "Float64",
    "unit": "String",
    "episode": "Int64",
    "return": "Float64",
    "steps": "Int64",
    "seconds": "Float64",
    "simulations": "Int64",
    "first_action": "String",
    "mean_ms": "Float64",
    "max_ms": "Float64",
    "invalid": "Int64",
    "seed": "Int64",
    "label": "String",
    "commit": "String",
}


def rows(store: Store) -> Iterator[tuple[Any, ...]]:
    """Every episode as it is exported, a value for each of COLUMNS, in order of the suite."""
    commit = store.provenance.get("commit")
    if any(one.get("commit") != commit for one in store.provenance.get("merged", [])):
        commit = None  # rows of several commits are together
    for setting in store.suite.settings():
        origin = setting.seed, store.suite.names(setting.env)[setting.planner], commit
        yield from ((*_row(setting, episode), *origin) for episode in store.episodes(setting))


def _row(setting: Setting, episode: Episode) -> tuple[Any, ...]:
    action = mean = longest = None
    if episode.first_action is not None:
        action = " ".join(map(repr, np.frombuffer(episode.first_action, "<f8").tolist()))
    if episode.times is not None:
        times = 1e3 * np.frombuffer(episode.times, "<f4").astype(np.float64)
        mean, longest = round(float(times.mean()), 6), round(float(times.max()), 6)
    played = episode.number, episode.total, episode.steps, episode.seconds, episode.simulations
    return (*setting[:4], *played, action, mean, longest, episode.invalid)


def to_csv(store: Store, stream: TextIO) -> None:
    """Write every episode, floats in full precision."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(store))


def csv_bytes(store: Store) -> bytes:
    """The CSV of every episode, the same for equal runs."""
    text = io.StringIO(newline="")
    to_csv(store, text)
    return text.getvalue().encode()


def to_parquet(store: Store, path: Path) -> None:
    """Write every episode to a Parquet file."""
    try:
        import polars
    except ImportError as error:
        raise UsageError("Parquet needs polars: pip install -e '.[parquet]', or use --format csv") from error
    schema = {name: getattr(polars, kind) for name, kind in COLUMNS.items()}
    found, frames = rows(store), [polars.DataFrame(schema=schema)]
    while chunk := list(islice(found, CHUNK)):
        frames.append(polars.DataFrame(chunk, schema=schema, orient="row"))
    with writing(path, polars.exceptions.PolarsError):  # of a full disk
        polars.concat(frames).write_parquet(path)
