"""Wrappers of the environment that a model is made of."""

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers

from bonspiel import envs
from bonspiel.envs.snapshot import Recorded
from bonspiel.envs.snapshot.wrappers import recorder, with_recorder, without_transparent
from bonspiel.planners.core.code.cache import SAID
from tests.envs.snapshot.toys import Inertia, Restorable

HALF = np.float32(-0.5), np.float32(0.5)


def make(env_id):
    return gymnasium.make(env_id)


def cart_pole():
    """Pushed by the sign of a continuous action."""
    box = gymnasium.spaces.Box(-1.0, 1.0, (1,))
    return wrappers.TransformAction(make("CartPole-v1"), lambda action: int(action[0] > 0.0), box)


WRAPPED = {
    "scaled actions": (lambda: wrappers.RescaleAction(make("Pendulum-v1"), *HALF), "attributes"),
    "scaled actions of MuJoCo": (lambda: wrappers.RescaleAction(make("Reacher-v5"), *HALF), "MuJoCo"),
    "scaled actions of Box2D": (lambda: wrappers.RescaleAction(make("LunarLanderContinuous-v3"), *HALF), "Box2D"),
    "clipped actions": (lambda: wrappers.ClipAction(make("Pendulum-v1")), "attributes"),
    "scaled observations": (
        lambda: wrappers.RescaleObservation(
            wrappers.TransformReward(make("Pendulum-v1"), lambda reward: reward / 10), np.float32(0), np.float32(1)
        ),
        "attributes",
    ),
    "discrete beneath": (cart_pole, "attributes"),
    "stacked frames": (lambda: wrappers.FrameStackObservation(make("Pendulum-v1"), 3), "deep copies"),
    "inertia": (lambda: Inertia(make("Pendulum-v1")), "deep copies"),
    "inertia of MuJoCo": (lambda: Inertia(make("InvertedPendulum-v5")), "replay"),
    "time": (lambda: wrappers.TimeAwareObservation(make("MountainCarContinuous-v0")), "deep copies"),
}


@pytest.mark.parametrize(("wrap", "way"), WRAPPED.values(), ids=WRAPPED)
def test_model_follows_the_wrapped_environment(wrap, way):
    env, rng = wrap(), np.random.default_rng(0)
    model = envs.from_gymnasium(env)
    assert model.storage.name == way
    observed = recorder(env) is not None or way != "replay"
    env = env if observed else Recorded(env)
    observation, _ = env.reset(seed=1)
    state, after, other = model.observe(env, observation), np.empty(model.state_dim), np.empty(model.state_dim)
    for k in range(20):
        action = rng.uniform(model.action_low, model.action_high)
        model.step(state, -action, other, model.params, rng)
        reward, ended = model.step(state, action, after, model.params, np.random.default_rng(k))
        env.unwrapped.np_random = np.random.default_rng(k)
        observation, *expected, _, _ = env.step(action.astype(np.float32))
        np.testing.assert_array_equal(after[model.seen], gymnasium.spaces.flatten(env.observation_space, observation))
        assert [reward, ended] == expected
        state = after.copy()
        if ended:
            break


def test_bounds_are_those_of_the_wrapped_actions():
    pendulum = make("Pendulum-v1")
    assert envs.from_gymnasium(wrappers.RescaleAction(pendulum, *HALF)).action_high == 0.5
    clipped = envs.from_gymnasium(wrappers.TransformReward(wrappers.ClipAction(pendulum), abs))
    assert (clipped.action_low, clipped.action_high, clipped.horizon) == (-2.0, 2.0, 200)


def test_time_limits_are_left_to_the_horizon(monkeypatch, capsys):
    monkeypatch.setenv(SAID, "")
    env = wrappers.RescaleAction(gymnasium.make("Pendulum-v1", max_episode_steps=3), *HALF)
    model, rng = envs.from_gymnasium(env, horizon=30), np.random.default_rng(0)
    state = model.initial_state(rng)
    for _ in range(10):
        assert not model.step(state, np.zeros(1), state, model.params, rng)[1]
    assert "horizon=30 replaces the time limit of" in (said := capsys.readouterr().err) and "3 steps" in said
    envs.from_gymnasium(env, horizon=2)
    assert "horizon=2" not in capsys.readouterr().err


def test_an_environment_of_this_package_has_the_horizon_of_its_model(monkeypatch, capsys):
    monkeypatch.setenv(SAID, "")
    env = gymnasium.make("bonspiel/Pendulum-v0")
    assert envs.from_gymnasium(env).horizon == 200
    envs.from_gymnasium(env, horizon=300)  # it still ends itself after 200
    assert "replaces" not in capsys.readouterr().err


class Repeated(gymnasium.Wrapper):
    """Every action four times."""

    def step(self, action):
        total, over = 0.0, (False, False)
        for _ in range(4):
            observation, reward, *over, information = self.env.step(action)
            total += float(reward)
            if any(over):
                break
        return observation, total, *over, information


class Late(gymnasium.Wrapper):
    """100 more at the time limit."""

    def step(self, action):
        observation, reward, terminated, truncated, information = self.env.step(action)
        return observation, reward + 100.0 * truncated, terminated, truncated, information


@pytest.mark.parametrize("wrap", [Repeated, Late, lambda env: wrappers.MaxAndSkipObservation(env, skip=4)])
def test_a_time_limit_beneath_a_wrapper_that_may_see_it_ends_the_episode(wrap):
    def made():
        return wrap(gymnasium.make("Pendulum-v1", max_episode_steps=12))

    env, rewards = made(), []
    observation, _ = env.reset(seed=1)
    model = envs.from_gymnasium(made())
    state, found, over = model.observe(env, observation), [], False
    while not over:
        _, reward, terminated, truncated, _ = env.step(np.ones(1, np.float32))
        over = terminated or truncated
        rewards.append(reward)
    while len(found) < model.horizon and not (found and found[-1][1]):
        found.append(model.step(state, np.ones(1), state, model.params, np.random.default_rng(0)))
    assert [reward for reward, _ in found] == rewards


def test_a_subclass_of_a_known_wrapper_may_have_a_state():
    class Tiring(wrappers.TransformAction):
        def __init__(self, env):
            super().__init__(env, None, None)
            self.strength = 1.0

        def action(self, action):
            self.strength *= 0.9
            return (self.strength * action).astype(action.dtype)

    assert envs.from_gymnasium(Tiring(make("Pendulum-v1"))).storage.name == "deep copies"


def test_own_wrappers_can_be_declared_stateless(monkeypatch):
    class Double(gymnasium.RewardWrapper):
        def reward(self, reward):
            return 2 * reward

    env = Double(Restorable())
    assert envs.from_gymnasium(env, horizon=9).storage.name == "deep copies"
    monkeypatch.setattr(envs.snapshot.wrappers, "STATELESS", {Double})
    assert envs.from_gymnasium(env, horizon=9).storage.name == "get_state"


class TestRecorder:
    def test_it_is_put_beneath_wrappers_without_state(self):
        env = wrappers.RescaleAction(make("Pendulum-v1"), *HALF)
        assert with_recorder(env) is env and isinstance(recorder(env).env, gymnasium.Env)
        assert recorder(env).env is env.unwrapped and with_recorder(env) is env
        assert str(env).count("Recorded") == 1

    def test_it_is_put_around_wrappers_with_a_state(self):
        env = Inertia(make("Pendulum-v1"))
        assert recorder(env) is None and with_recorder(env).env is env

    def test_one_that_sees_other_actions_does_not_count(self):
        assert recorder(Recorded(wrappers.RescaleAction(make("Pendulum-v1"), *HALF))) is None

    def test_it_is_transparent(self):
        bare = without_transparent(Inertia(Recorded(make("Pendulum-v1"))))
        assert type(bare.env) is wrappers.TimeLimit and bare.env.env is bare.unwrapped
