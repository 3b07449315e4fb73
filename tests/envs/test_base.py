import gymnasium
import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs.base import ModelEnv


class Counter:
    """Counts up, with noise from the generator; nothing bounds its state."""

    state_dim, horizon, discount, compiled = 1, 3, 1.0, False
    action_low, action_high, params = np.zeros(2), np.ones(2), np.zeros(0)

    def initial_state(self, rng):
        return np.zeros(1)

    @staticmethod
    def step(state, action, next_state, params, rng):
        next_state[:] = state + 1.0 + 0.01 * rng.random()
        return float(action.sum()), False

    @staticmethod
    def sample_action(state, action, params, rng):
        action[:] = rng.random(2)


@pytest.fixture
def trap():
    env = envs.ModelEnv(envs.Trap())
    env.reset(seed=1)
    return env


def test_python_model_without_bounds_nor_time():
    env = ModelEnv(Counter(), render_mode="rgb_array")
    observation, _ = env.reset(seed=3)
    assert env.observation_space.contains(observation) and not env.observation_space.is_bounded()
    ends = []
    for _ in range(3):
        observation, reward, terminated, truncated, _ = env.step([0.25, 0.5])
        assert (reward, terminated) == (0.75, False)
        ends.append(truncated)
    assert ends == [False, False, True]
    assert env.render().shape == (540, 720, 3)


def test_noise_comes_from_np_random(trap):
    trap.np_random = np.random.default_rng(5)
    observation, *_ = trap.step([0.5])
    assert observation[0] == 0.5 + 0.1 * np.random.default_rng(5).random()


@pytest.mark.parametrize(("place", "reward"), [(np.nan, 0.0), (0.0, np.nan), (np.inf, 0.0)])
def test_a_step_that_is_not_finite_is_an_error(place, reward):
    class Broken(Counter):
        def step(self, state, action, next_state, params, rng):
            next_state[:] = place
            return reward, False

    env = ModelEnv(Broken())
    env.reset(seed=0)
    with pytest.raises(ValueError, match="a finite reward and a finite state"):
        env.step(np.zeros(2))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_bound_rounded_to_fewer_digits_is_the_bound(dtype):
    env = gymnasium.make("bonspiel/Donut-v0")  # 0.1 is no float32
    space = env.action_space
    for bound in (space.low, space.high):
        env.reset(seed=0)
        expected = env.step(bound)
        env.reset(seed=0)
        np.testing.assert_array_equal(env.step(bound.astype(dtype))[0], expected[0])
        with pytest.raises(ValueError, match=r"must be within"):
            env.step((1.01 * bound).astype(dtype))


@pytest.mark.parametrize("action", [[np.nan], [1.1], [-0.1], [0.1, 0.2], [[0.1], [0.2, 0.3]], 0.5, "left", None, []])
def test_bad_actions(trap, action):
    with pytest.raises(ValueError, match=r"^action="):
        trap.step(action)
    assert trap.state[1] == 0.0, "a refused action changes nothing"


def test_a_number_is_answered_with_the_vector_that_is_wanted(trap):
    with pytest.raises(ValueError, match=r"action=0.5.*vector of 1"):
        trap.step(0.5)


@pytest.mark.parametrize("state", [[np.nan, 0], [5, 0], [-1, 0], [0], [0, 2], [0, -1], "x", None])
def test_bad_states(trap, state):
    with pytest.raises(ValueError, match=r"^state="):
        trap.reset(options={"state": state})


def test_given_state_is_copied_and_its_time_counts(trap):
    given = np.array([0.9, 1.0])
    observation, _ = trap.reset(options={"state": given})
    given[:], observation[:] = 7.0, 7.0
    np.testing.assert_array_equal(trap.state, [0.9, 1.0])
    *_, truncated, _ = trap.step([0.0])
    assert truncated


def test_bad_options_and_render_modes(trap):
    with pytest.raises(ValueError, match=r"options=.*'state'"):
        trap.reset(options={"position": 1})
    with pytest.raises(ValueError, match=r"render_mode='ansi'.*human"):
        envs.ModelEnv(envs.Trap(), render_mode="ansi")


def test_steps_before_the_reset_and_after_the_end():
    env = envs.ModelEnv(envs.Trap())
    for touch in (lambda: env.step([0.5]), lambda: env.state):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            touch()
    env.reset(seed=1)
    env.step([0.5])
    env.step([0.5])
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step([0.5])


def test_termination_is_no_truncation():
    env = envs.ModelEnv(envs.TreasureHunt())
    env.reset(seed=1, options={"state": [4.9, 4.9, 49]})
    *_, terminated, truncated, _ = env.step([np.pi / 4])
    assert (terminated, truncated) == (True, False)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step([0.0])


def test_render_without_a_mode_warns(trap):
    with pytest.warns(UserWarning, match="render_mode"):
        assert trap.render() is None
