"""Tiny models whose actions are not all real, with a known best action."""

from dataclasses import dataclass

import numpy as np

from bonspiel.planners.jit import compiled

TAKERS = (
    "uct",
    "pw",
    "dpw",
    "voot",
    "abstraction",
    "scaled_abstraction",
    "adaptive",
    "sequential_halving",
    "open_loop",
    "random_shooting",
    "cem",
    "icem",
)
"""The planners besides the baselines that take all kinds of actions."""
CODES = {"real": 0.0, "integer": 1.0, "boolean": 2.0, "categorical": 3.0}


@compiled("step")
def step(state, action, next_state, params, rng):
    """Each coordinate costs its distance from the best value, as a part of its range; a categorical 0 or 1."""
    dim = len(action)
    next_state[0] = state[0] + 1.0
    reward = 1.0
    for k in range(dim):
        low, high, best, code = params[4 * k], params[4 * k + 1], params[4 * k + 2], params[4 * k + 3]
        if code == 3.0:
            reward -= 0.0 if action[k] == best else 1.0 / dim
        elif high > low:
            reward -= abs(action[k] - best) / (high - low) / dim
    return reward, False


@compiled("sample_action")
def sample_action(state, action, params, rng):
    for k in range(len(action)):
        low, high, code = params[4 * k], params[4 * k + 1], params[4 * k + 3]
        if code == 0.0:
            action[k] = low + (high - low) * rng.random()
        else:
            action[k] = np.floor(low + (high - low + 1.0) * rng.random())


@dataclass(frozen=True)
class Dials:
    """So many steps, each of which earns 1 for the best action and less for others.

    Args:
        kinds: of the coordinates.
        low: smallest values.
        high: largest values.
        best: the best action.
        horizon: steps.
    """

    kinds: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    best: tuple[float, ...]
    horizon: int = 2

    state_dim, time_index, discount, compiled = 1, 0, 1.0, True
    step, sample_action = staticmethod(step), staticmethod(sample_action)

    @property
    def action_kinds(self):
        return self.kinds

    @property
    def action_low(self):
        return np.array(self.low, float)

    @property
    def action_high(self):
        return np.array(self.high, float)

    @property
    def state_low(self):
        return np.zeros(1)

    @property
    def state_high(self):
        return np.full(1, self.horizon + 1.0)

    @property
    def params(self):
        codes = [CODES.get(kind, 0.0) for kind in self.kinds]
        return np.array(list(zip(self.low, self.high, self.best, codes, strict=False)), float).ravel()

    def initial_state(self, rng):
        return np.zeros(1)

    def loss(self, action):
        """By how much less an action earns in one step than the best."""
        return 1.0 - self.step(np.zeros(1), action, np.zeros(1), self.params, np.random.default_rng(0))[0]


FEW = Dials(("real", "categorical"), (-1.0, 0.0), (1.0, 2.0), (0.4, 1.0))
"""3 choices, which planners with a fixed set list."""

MANY = Dials(
    ("categorical", "real", "integer", "boolean"), (0.0, -1.0, 2.0, 0.0), (4.0, 1.0, 8.0, 1.0), (3.0, 0.4, 7.0, 1.0)
)
"""70 choices, of which planners with a fixed set draw some."""

WHOLE = Dials(("integer", "boolean", "categorical"), (-5.0, 0.0, 0.0), (5.0, 1.0, 0.0), (4.0, 1.0, 0.0))
"""Without a real coordinate; one value is fixed."""
