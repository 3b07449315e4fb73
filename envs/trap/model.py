"""Trap: two moves to the right; the safe ones earn 1.4, the optimum is 1.7 (Couetoux et al. 2011, values over 100)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_choice, require_positive
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import Array, Rng

NOISE_RANGE, NOISE_LOW = 0, 1  # the entries of params
TRAP_START, TRAP_END = 1.0, 1.7
SAFE, PRIZE = 0.7, 1.0
Noise: TypeAlias = Literal["positive", "centred"]


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move to x + action + noise; the reward depends on where that is."""
    noise = params[NOISE_LOW] + (params[NOISE_RANGE] - params[NOISE_LOW]) * rng.random()
    x = state[0] + action[0] + noise
    next_state[0] = x
    next_state[1] = state[1] + 1.0
    if x < TRAP_START:
        return SAFE, False
    return (PRIZE if x >= TRAP_END else 0.0), False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform on [0, 1)."""
    action[0] = rng.random()


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of uniformly random actions over `depth` steps."""
    return follow(sample_action, step, state, np.empty(1), scratch, depth, params, rng)


@dataclass(frozen=True)
class Trap:
    """State (x, t), action a in [0, 1]: x <- x + a + noise, twice.

    Each step earns 0.7 while x < 1, nothing in the trap 1 <= x < 1.7, and 1 from 1.7 on. Staying below 1 twice earns
    1.4; the optimum 1.7 goes to the edge of the trap first and jumps across it with the second step.

    Args:
        noise_range: R in (0, 1], the size of the noise.
        noise: "positive", uniform on [0, R), or "centred", uniform on [-R, R).
    """

    noise_range: float = 0.1
    noise: Noise = "positive"

    state_dim = 2
    horizon = 2
    time_index = 1
    discount = 1.0
    compiled = True
    action_low, action_high = np.zeros(1), np.ones(1)
    distance_weights = np.array([1.0, np.inf])  # only states of the same time are compared
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def __post_init__(self) -> None:
        require_positive("noise_range", self.noise_range, 1.0)
        require_choice("noise", self.noise, ("positive", "centred"))

    @cached_property
    def params(self) -> Array:
        """(R, lower bound of the noise)."""
        return np.array([self.noise_range, -self.noise_range if self.noise == "centred" else 0.0])

    @cached_property
    def state_low(self) -> Array:
        """Lower bounds of the abstraction's cells."""
        return np.array([-2.0 * self.noise_range, 0.0])

    @cached_property
    def state_high(self) -> Array:
        """Upper bounds of the abstraction's cells; time splits at depth 1."""
        return np.array([2.0 + 2.0 * self.noise_range, 2.0])

    def initial_state(self, rng: Rng) -> Array:
        """(0, 0)."""
        return np.zeros(2)
