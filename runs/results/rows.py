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


def different(one: Episode, other: Episode) -> tuple[str, Any, Any] | None:
    """The first fact, in words, and its values that differ between two plays of an episode, which take other times."""
    for name in Episode._fields:
        ours, theirs = getattr(one, name), getattr(other, name)
        if name not in ("seconds", "times") and ours != theirs and None not in (ours, theirs):
            return "return" if name == "total" else name.replace("_", " "), ours, theirs
    return None


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
