"""Deep copies of an environment by number, for states that are no vector."""

import copy
from collections.abc import Callable
from typing import Any

from bonspiel.envs.snapshot.storage import Kept
from bonspiel.envs.snapshot.wrappers import without_transparent
from bonspiel.planners.model import Array, Rng


def deep_copy(env: Any, memo: dict[int, Any] | None = None) -> Any:
    """A deep copy that shares spaces and specification, since they never change; `memo` as for copy.deepcopy."""
    base, memo = env.unwrapped, {} if memo is None else memo
    memo.update((id(part), part) for part in (base.action_space, base.observation_space, base.spec))
    return copy.deepcopy(env, memo)


class DeepCopies:
    """See `Storage`; a snapshot is the number of a copy.

    Args:
        fresh: makes copies of the environment.
        capacity: number of copies to keep of each sort.
    """

    name = "deep copies"
    width = 1

    def __init__(self, fresh: Callable[[], Any], capacity: int) -> None:
        self.fresh = fresh
        self.kept = Kept(capacity)

    def observe(self, env: Any, number: float, out: Array) -> None:
        """See `Storage`."""
        self.save(without_transparent(deep_copy(env)), number, out)

    def load(self, snapshot: Array, rng: Rng) -> Any:
        """See `Storage`."""
        env = deep_copy(self.kept.get(snapshot))
        env.unwrapped.np_random = rng
        return env

    def save(self, env: Any, number: float, out: Array) -> None:
        """See `Storage`; keeps the environment itself, since steps are taken with copies."""
        env.unwrapped._np_random = None  # never part of a snapshot: a step's noise comes from the planner's generator
        self.kept.put(number, env)
        out[0] = number
