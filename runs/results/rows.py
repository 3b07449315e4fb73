"""The rows of results: episodes that ended or failed, and batches of them as workers return them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from bonspiel.runs.experiment import Setting


class Episode(NamedTuple):
    """A finished episode; None stands for values that were not kept. New fields come last, each with a migration."""

    number: int  # its index
    total: float  # its return
    steps: int  # decisions made
    seconds: float  # time spent on planning
    simulations: int | None = None  # of all decisions
    first_action: bytes | None = None  # [action_dim], little-endian float64
    times: bytes | None = None  # seconds of every decision, [steps], little-endian float32; of time budgets only
    invalid: int | None = None  # rollouts of all decisions that were invalid; see `planners.Decision`


REPEATED = tuple(name for name in Episode._fields if name not in ("seconds", "times"))  # by a second run of the episode


class Failure(NamedTuple):
    """A failed episode with its error in one line."""

    number: int
    error: str


class Batch(NamedTuple):
    """Episodes of one setting."""

    setting: Setting
    results: list[Episode | Failure]  # one for each episode
    seconds: float  # wall-clock time of all of them, without the start of the worker
    records: Sequence[Any] = ()  # of games, one for each result
