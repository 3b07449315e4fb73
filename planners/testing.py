"""A check for authors of planners: does the planner keep the contract that benchmarks rely on?"""

from dataclasses import dataclass

import numpy as np

from bonspiel.planners.checks import require
from bonspiel.planners.contract.apart import check_contract
from bonspiel.planners.contract.decisions import check_pickles
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Planner, unsupported
from bonspiel.planners.registry import fields_of


def check_planner(planner: Planner, rng: Rng, model: Model | None = None) -> None:
    """Let a planner decide some dozen times and check the contract of `planners.Planner`.

    A planner of another package decides in a process of its own where it can be sent to one, so that it is named too if
    it hangs or ends the process. docs/guides/adding-a-planner.md says what is checked.

    Args:
        planner: the planner.
        rng: chooses the states and the seeds.
        model: to plan with; a small one in plain Python if None.

    Raises:
        ValueError: the planner breaks the contract; one line that names it and what is wrong.
    """
    made: Model = Walk() if model is None else model
    name = type(planner).__name__
    require(
        not isinstance(planner, type), "planner", planner, f"an instance: pass {getattr(planner, '__name__', '')}()"
    )
    require(callable(getattr(planner, "plan", None)), "plan", name, "a method of the planner")
    if reason := unsupported(planner, made):
        raise ValueError(f"{name} cannot search {type(made).__name__}: {reason}; pass a model that it can search")
    check_pickles(planner)
    check_contract(name, lambda: (planner, made), int(rng.integers(2**31)), is_ours=_is_ours(planner))


def _is_ours(planner: object) -> bool:
    """True if neither the planner nor one in it is of another package."""
    nested = (getattr(planner, of.name) for of in fields_of(type(planner)))
    ours = type(planner).__module__.partition(".")[0] == "bonspiel"
    return ours and all(_is_ours(one) for one in nested if hasattr(one, "plan"))


@dataclass(frozen=True)
class Walk:
    """A model for checks: four noisy steps on a line, each of which costs the distance to 1."""

    state_dim = 2
    horizon = 4
    time_index = 1
    discount = 1.0
    compiled = False
    action_low, action_high = -np.ones(1), np.ones(1)
    state_low, state_high = np.array([-5.0, 0.0]), np.array([5.0, 4.0])
    params = np.array([0.1])

    def initial_state(self, rng: Rng) -> Array:
        """The origin."""
        return np.zeros(2)

    def step(self, state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
        """Move by the action and by noise."""
        next_state[0] = state[0] + action[0] + params[0] * rng.normal()
        next_state[1] = state[1] + 1.0
        return -abs(1.0 - next_state[0]), False

    def sample_action(self, state: Array, action: Array, params: Array, rng: Rng) -> None:
        """Uniform within the bounds."""
        action[0] = rng.uniform(-1.0, 1.0)
