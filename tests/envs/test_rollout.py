import numpy as np
import pytest

from bonspiel.envs.rollout import follow


def count(state, action, next_state, params, rng):
    """Add the action; the reward is the sum, and the episode ends where it reaches the limit."""
    next_state[0] = state[0] + action[0]
    return next_state[0], next_state[0] >= params[0]


def one(state, action, params, rng):
    action[0] = 1.0


@pytest.mark.parametrize(("depth", "total", "last"), [(0, 0.0, 0.0), (3, 6.0, 3.0), (9, 15.0, 4.0)])
def test_a_policy_acts_until_the_depth_or_the_end_whose_state_is_left_out(depth, total, last):
    state, action, scratch = np.zeros(1), np.empty(1), np.empty(1)
    given = (state, action, scratch, depth, np.array([5.0]), np.random.default_rng(0))
    assert follow.py_func(one, count, *given) == total
    assert state[0] == last


def test_later_rewards_are_discounted():
    given = (np.zeros(1), np.empty(1), np.empty(1), 3, np.array([5.0]), np.random.default_rng(0))
    assert follow.py_func(one, count, *given, 0.5) == 1.0 + 0.5 * 2.0 + 0.25 * 3.0
