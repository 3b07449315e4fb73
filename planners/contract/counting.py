"""A copy of a model that counts the steps which a search makes in it, compiled and in Python, on any thread."""

import copy
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from bonspiel.planners.core.jit import INTERPRETED
from bonspiel.planners.model import Array, Model
from bonspiel.planners.sequences.batches import in_batches

STEPPING = "step", "step_exact"
OF_SEVERAL_STEPS = "rollout", "traced_rollout", "value"


class StepCounter:
    """The steps that all threads have made in a model, each of which counts its own.

    Args:
        state_dim: of the model.
    """

    def __init__(self, state_dim: int) -> None:
        self._size, self._counters = 1 + state_dim, dict[int, Array]()

    def of_thread(self) -> Array:
        """The calling thread's steps, then room for a state, [1 + state_dim]; what compiled code counts by."""
        thread = threading.get_ident()
        if thread not in self._counters:
            self._counters[thread] = np.zeros(self._size)
        return self._counters[thread]

    @property
    def steps(self) -> float:
        """The steps so far; NaN if a rollout could not be counted."""
        return float(sum(counter[0] for counter in self._counters.values()))

    def reset(self) -> None:
        """Count from 0 again; no search may be under way."""
        for counter in self._counters.values():
            counter[0] = 0.0


def counting(model: Model, several: float = 1.0) -> tuple[Model, StepCounter]:
    """A copy of a model that counts its steps, and their counter.

    Args:
        model: to copy; it must not have slots alone.
        several: what a call in Python counts of a function that may make several steps: one at least, or NaN.
    """
    counter = StepCounter(model.state_dim)
    cls: Any = type(model)
    uncounted = copy.copy, (model,)  # what another process gets, since it could not count for this one
    body = {"__module__": cls.__module__, "__slots__": (), "__reduce__": lambda _: uncounted}
    counted: Any = type(cls.__name__, (cls,), body)
    copied = copy.copy(model)
    object.__setattr__(copied, "__class__", counted)
    if model.compiled and not INTERPRETED:
        object.__setattr__(copied, "step_counter", counter)
    steps = dict.fromkeys(STEPPING, _one) | dict.fromkeys(OF_SEVERAL_STEPS, lambda *given: several)
    for name, steps_of in (steps | {"sequence_returns": _of_sequences}).items():
        function = getattr(copied, name, None)
        if function is not None:
            setattr(counted, name, staticmethod(_counted(function, counter, steps_of)))
    if not in_batches(model):  # the copy has both functions, so that it cannot tell
        counted.sequence_returns = None
    return copied, counter


def _one(*given: Any) -> float:
    return 1.0


def _of_sequences(state: Array, actions: Array, *given: Any) -> float:
    """The steps of many sequences of actions, [n, steps, action_dim]."""
    return float(actions.shape[0] * actions.shape[1])


def _counted(function: Callable[..., Any], counter: StepCounter, steps_of: Callable[..., float]) -> Callable[..., Any]:
    """The function in Python, which counts `steps_of` its arguments.

    No search takes it for a compiled one, as its address would be none.
    """

    def call(*given: Any) -> Any:
        counter.of_thread()[0] += steps_of(*given)
        return function(*given)

    call.uncounted = function  # type: ignore[attr-defined]  # for compiled searches, which count by the counter
    return call
