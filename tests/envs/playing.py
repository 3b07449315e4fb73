"""Policies that play."""

import numpy as np


def return_of(model, policy, state, rng):
    """The return of a policy from a state, whose last entry is the number of steps taken."""
    total, ended = 0.0, False
    while not ended and state[-1] < model.horizon:
        following = np.empty(model.state_dim)
        reward, ended = model.step(state, policy(state), following, model.params, rng)
        state, total = following, total + reward
    return total
