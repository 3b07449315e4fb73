"""Environments of Gymnasium that fail in a part of their states: in a rollout that is one invalid rollout."""

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners


class Diverges(gymnasium.Env):
    """A plant that is to go right, but whose integrator fails on the left."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float64)

    def __init__(self, mode):
        self.mode = mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = np.zeros(2)
        return self.x.copy(), {}

    def step(self, action):
        self.x[1] += 0.2 * action[0]
        self.x[0] += 0.2 * self.x[1]
        reward = float(-((self.x[0] - 1.0) ** 2))
        if self.x[0] < -0.3:
            if self.mode == "raise":
                raise RuntimeError("integrator diverged")
            reward = float("nan")
        return self.x.copy(), reward, False, False, {}


@pytest.mark.parametrize("mode", ["raise", "nan"])
@pytest.mark.parametrize("name", ["dpw", "uct", "adaptive", "icem", "random_shooting"])
def test_a_failure_in_a_rollout_is_one_invalid_rollout(name, mode):
    env = gymnasium.wrappers.TimeLimit(Diverges(mode), 20)
    env.reset(seed=0)
    model = envs.from_gymnasium(env)
    start = model.initial_state(np.random.default_rng(0))
    decision = planners.make(name).plan(model, start, planners.Budget(60), np.random.default_rng(0))
    assert 0 < decision.invalid < decision.simulations
    assert np.isfinite(decision.value)
