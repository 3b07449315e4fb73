"""The rows of results: episodes that ended or failed, and batches of them as workers return them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from bonspiel.runs.experiment import Setting


class Episode(NamedTuple):
    """A finished episode; None stands for values that were not kept. New fields come last, each with a migration.

    Attributes:
        number: its index.
        total: its return.
        steps: decisions made.
        seconds: time spent on planning.
        simulations: of all decisions.
        first_action: [action_dim], little-endian float64.
        times: seconds of every decision, [steps], little-endian float32; of time budgets only.
        invalid: rollouts of all decisions that were invalid; see `planners.Decision`.
    """

    number: int
    total: float
    steps: int
    seconds: float
    simulations: int | None = None
    first_action: bytes | None = None
    times: bytes | None = None
    invalid: int | None = None


REPEATED = tuple(name for name in Episode._fields if name not in ("seconds", "times"))  # by a second run of the episode


class Failure(NamedTuple):
    """A failed episode with its error in one line."""

    number: int
    error: str


class Batch(NamedTuple):
    """Episodes of one setting.

    Attributes:
        setting: of all of them.
        results: one for each episode.
        seconds: wall-clock time of all of them, without the start of the worker.
        records: of games, one for each result.
    """

    setting: Setting
    results: list[Episode | Failure]
    seconds: float
    records: Sequence[Any] = ()
