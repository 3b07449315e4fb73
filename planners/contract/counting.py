"""Counts the model steps of a planner, in its compiled searches and in its own Python code."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from bonspiel.planners.core.jit import INTERPRETED
from bonspiel.planners.core.jit.validity import MOST_TRIALS
from bonspiel.planners.core.problem import functions_of
from bonspiel.planners.model import Array, Model
from bonspiel.planners.planner import Planner

STEPPING = "step", "step_exact", "rollout", "traced_rollout", "value"  # a call counts as one step at least
ALLOWANCE = 100  # steps of a decision beside its simulations


def most_steps(planner: Planner, model: Model, simulations: float, invalid: int) -> float:
    """Model steps that so many simulations may take: each one plan to the end of the longest episode, and its rollouts.

    Of these `invalid` were invalid, after each of which a search may make a trial. Planners that run several rollouts
    from a leaf have their number as an attribute `leaf_playouts`.
    """
    playouts = getattr(planner, "leaf_playouts", 1)
    playouts = playouts if isinstance(playouts, int) else 1
    trials = min(invalid, MOST_TRIALS)
    return simulations * (1 + model.horizon) * max(1, playouts) + (1 + trials) * model.horizon + ALLOWANCE


def counting(model: Model) -> tuple[Model, Array]:
    """A copy of a model that counts its steps, and the counter, whose first entry is their number so far.

    It is NaN if a rollout could not be counted.
    """
    counter = np.zeros(1 + model.state_dim)
    cls: Any = type(model)
    counted = type(cls.__name__, (cls,), {"__module__": cls.__module__, "__slots__": ()})
    copied = copy.copy(model)
    object.__setattr__(copied, "__class__", counted)
    if model.compiled and not INTERPRETED:
        functions_of(copied)  # compiled searches keep the functions as they are, and count by the counter
        object.__setattr__(copied, "step_counter", counter)
    for name in STEPPING:
        function = getattr(copied, name, None)
        if function is not None:
            setattr(counted, name, staticmethod(_counted(function, counter)))
    return copied, counter


def _counted(function: Callable[..., Any], counter: Array) -> Callable[..., Any]:
    """The function in Python, which no search takes for a compiled one: its address would be none."""

    def call(*given: Any) -> Any:
        counter[0] += 1.0
        return function(*given)

    return call
