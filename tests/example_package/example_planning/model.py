from dataclasses import dataclass

import numpy as np

from bonspiel.planners.jit import compiled


@compiled("step")
def step(state, action, next_state, params, rng):
    next_state[0] = state[0] + 1.0
    return action[0], next_state[0] >= params[0]


@compiled("sample_action")
def sample_action(state, action, params, rng):
    action[0] = rng.random()


@dataclass(frozen=True)
class Slope:
    """Some steps, each of which earns its action."""

    steps: int = 3

    state_dim = 1
    time_index = 0
    discount = 1.0
    compiled = True
    action_low, action_high = np.zeros(1), np.ones(1)
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)

    @property
    def horizon(self):
        return self.steps

    @property
    def params(self):
        return np.array([float(self.steps)])

    def initial_state(self, rng):
        return np.zeros(1)
