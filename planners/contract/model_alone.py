"""A model without a planner: what it does by itself is no fault of a planner that asks it."""

import time
from typing import NamedTuple, TextIO

import numpy as np

from bonspiel.planners.model import Array, Model


class ModelAlone(NamedTuple):
    """A plan of random actions.

    Attributes:
        seconds: that it takes.
        draws: whether it changes `shared_state`.
        prints: whether it prints to standard output.
    """

    seconds: float
    draws: bool
    prints: bool

    @classmethod
    def of(cls, model: Model, start: Array, printed: TextIO) -> "ModelAlone":
        """Of a model in a state, while standard output is `printed`."""
        state, length, begun = shared_state(), printed.tell(), time.perf_counter()
        rollout(model, start)
        seconds = time.perf_counter() - begun
        return cls(seconds, shared_state() != state, printed.tell() > length)


def rollout(model: Model, start: Array) -> None:
    """Play random actions from a state to the end."""
    state, rng = start.copy(), np.random.default_rng(0)
    action, following = np.empty(len(model.action_low)), np.empty_like(state)
    for _ in range(model.horizon):
        model.sample_action(state, action, model.params, rng)
        if model.step(state, action, following, model.params, rng)[1]:
            break
        state[:] = following


def shared_state() -> str:
    """The state of the generator of `numpy.random`, which all code of a process shares."""
    return repr(np.random.get_state(legacy=False))  # noqa: NPY002
