"""The interface of all ways to restore an environment, and a store of numbered snapshots."""

import math
from collections import OrderedDict
from typing import Any, Protocol

from bonspiel.planners.checks import require
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.model import Array, Rng


class Storage(Protocol):
    """Snapshots of an environment as vectors of fixed length.

    Attributes:
        name: of the way to restore, as reports name it.
        width: length of a snapshot.
    """

    name: str
    width: int

    def fresh(self) -> Any:
        """Another copy of the environment, not yet reset, that `observe` accepts."""

    def observe(self, env: Any, number: float, out: Array) -> None:
        """Write a snapshot of any copy of the environment, which stays as it is.

        Args:
            env: the environment, or one like it.
            number: names the snapshot, if it is kept here.
            out: receives the snapshot, [width].
        """

    def load(self, snapshot: Array, rng: Rng) -> Any:
        """An environment in the state of a snapshot, for one step with the noise of `rng`."""

    def save(self, env: Any, rng: Rng, out: Array) -> None:
        """Write a snapshot of the environment from `load` after its step, which `rng` numbers with its next draw.

        `rng` is the one of `load`, and moves on by the noise of the step.
        """


class Kept:
    """The objects of snapshots that are numbers, those used last.

    In a tree search the states that it visits again stay and those of rollouts make room. Observed states, from number
    1 on, make no room for searched ones, below 1.

    Args:
        capacity: number of snapshots to keep of each sort.
        max_bytes: that the snapshots of each sort may take, if they are measured.
    """

    def __init__(self, capacity: int, max_bytes: float = math.inf) -> None:
        self.capacity, self.max_bytes = capacity, max_bytes
        self.largest = 1
        self.searched: OrderedDict[float, Any] = OrderedDict()
        self.observed: OrderedDict[float, Any] = OrderedDict()

    def _sort(self, number: float) -> OrderedDict[float, Any]:
        return self.searched if number < 1.0 else self.observed

    def measure(self, size: int) -> None:
        """Keep no more snapshots of this size, in bytes, than max_bytes allow; one is always kept."""
        if size > self.largest:
            self.largest = size
            self.capacity = max(1, int(min(self.capacity, self.max_bytes // size)))

    def put(self, number: float, item: Any) -> None:
        """Keep an item under a number."""
        kept = self._sort(number)
        kept[number] = item
        while len(kept) > self.capacity:
            kept.popitem(last=False)

    def get(self, snapshot: Array) -> Any:
        """The item of a snapshot, [1]."""
        number = float(snapshot[0])
        kept = self._sort(number)
        if number not in kept:
            if number < 1.0:
                limit = "max_bytes" if self.max_bytes // self.largest <= self.capacity else "capacity"
                say_once(
                    f"a search needs more than the {self.capacity:,} states that are kept of its model, and counts as "
                    f"invalid what was forgotten: give from_gymnasium a larger {limit}, or plan with fewer simulations"
                )
            sizes = f", of up to {self.largest:,} bytes each (max_bytes={self.max_bytes:,})"
            allowed = f"one of the {self.capacity:,} states of this model used last"
            require(False, "state", snapshot, allowed + sizes * (self.max_bytes < math.inf))
        kept.move_to_end(number)
        return kept[number]
