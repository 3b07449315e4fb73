"""Deep copies of an environment by number, for states that are no vector."""

import math
from collections.abc import Callable
from typing import Any

from bonspiel.envs.snapshot.copies.making import deep_copy, headless_copy
from bonspiel.envs.snapshot.objects import bit_generator, like, size
from bonspiel.envs.snapshot.storage import Kept
from bonspiel.planners.model import Array, Rng

MEASURED = 100  # one copy in MEASURED is measured, since measuring takes about as long as copying


class DeepCopies:
    """See `Storage`; a snapshot is the number of a copy.

    Args:
        fresh: makes copies of the environment.
        capacity: number of copies to keep of each sort.
        max_bytes: that the copies of each sort may take.
    """

    name = "deep copies"
    width = 1

    def __init__(self, fresh: Callable[[], Any], capacity: int, max_bytes: float = math.inf) -> None:
        self.fresh = fresh
        self.example = fresh()
        self.kept = Kept(capacity, max_bytes)
        self.count = 0

    def observe(self, env: Any, number: float, out: Array) -> None:
        """See `Storage`."""
        self._keep(headless_copy(env), number, out)

    def load(self, snapshot: Array, rng: Rng) -> Any:
        """See `Storage`; `rng` stands for np_random wherever the environment holds it, in its parts too."""
        kept = self.kept.get(snapshot)
        generator = kept.unwrapped.np_random
        noise = like(generator, rng)
        memo = {id(generator): noise, id(bit_generator(generator)): rng.bit_generator}
        env = deep_copy(kept, memo)
        if env.unwrapped.np_random is not noise:
            env.unwrapped.np_random = noise
        return env

    def save(self, env: Any, rng: Rng, out: Array) -> None:
        """See `Storage`; keeps the environment itself, since steps are taken with copies."""
        self._keep(env, rng.random(), out)

    def _keep(self, env: Any, number: float, out: Array) -> None:
        if self.count % MEASURED == 0:
            self.kept.measure(size(env, self.example))
        self.count += 1
        self.kept.put(number, env)
        out[0] = number
