"""The bounds of a model's actions may change between decisions, as when an actuator fails."""

from contextlib import nullcontext

import numpy as np
import pytest

from bonspiel import planners


class Cart:
    """A mass pushed to the origin, whose bounds a user may change."""

    state_dim, discount, compiled, horizon = 2, 1.0, False, 40
    params = np.zeros(0)

    def __init__(self):
        self.action_low, self.action_high = np.array([-2.0]), np.array([2.0])

    def initial_state(self, rng):
        return np.array([3.0, 0.0])

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state[0] + 0.1 * state[1], state[1] + 0.1 * action[0]
        return -(next_state[0] ** 2), False

    def sample_action(self, state, action, params, rng):
        action[:] = rng.uniform(self.action_low, self.action_high)


@pytest.mark.parametrize(
    "text",
    ["icem:memory=1", "cem:memory=1", "mppi:memory=1", "adaptive", "dpw:memory=1", "abstraction", "constant:memory=1"],
)
def test_bounds_may_change_within_an_episode(text):
    model, rng = Cart(), np.random.default_rng(0)
    search, state = planners.begin_episode(planners.parse(text), model), model.initial_state(rng)
    for step in range(5):
        if step == 2:
            model.action_low, model.action_high = np.array([-0.5]), np.array([0.5])
        with pytest.warns(match="the bounds of the actions changed") if step == 2 else nullcontext():
            decision = search.plan(state, planners.Budget(simulations=60), rng)
        assert np.abs([decision.action, *decision.actions, *decision.plan]).max() <= (2.0 if step < 2 else 0.5)
        following = np.empty(2)
        model.step(state, decision.action, following, model.params, rng)
        state = following
