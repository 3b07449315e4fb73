"""Models take over what was changed in an environment after it was made."""

import threading

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import EzPickle

from bonspiel import envs


class _Plant(gymnasium.Env, EzPickle):
    """A gain, a decay of the class, and nested numbers; its copies are made anew."""

    action_space = observation_space = gymnasium.spaces.Box(-1.0, 1.0, (1,))
    decay = 0.5

    def __init__(self):
        EzPickle.__init__(self)
        self.gain, self.weights, self.nested = 1.0, np.ones(2), ((1.0, 2.0), 3.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.steps = 0.0, 0
        return self._seen(), {}

    def step(self, action):
        force = self.gain * self.weights[1] * self.nested[0][0] * self.push(float(action[0]))
        self.x, self.steps = self.decay * self.x + 0.01 * force, self.steps + 1
        return self._seen(), force, False, self.steps == 30, {}

    def push(self, force):
        return force

    def _seen(self):
        return np.array([self.x], np.float32)


class _WithState(_Plant):
    def get_state(self):
        return [self.x, self.steps]

    def set_state(self, state):
        self.x, self.steps = float(state[0]), int(state[1])


class _Locked(_WithState):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def __reduce__(self):
        raise TypeError("cannot be copied")


gymnasium.register("LockedPlant-v0", _Locked, max_episode_steps=30)


def _agrees(env):
    """The model's first steps are those of the environment itself, whatever it did before."""
    model = envs.from_gymnasium(env, horizon=20)
    if model.storage.name.startswith("replay"):
        env = envs.Recorded(env)
    observation, _ = env.reset(seed=3)
    state, rng = model.observe(env, observation), np.random.default_rng(0)
    action, after = np.empty(len(model.action_low)), np.empty(model.state_dim)
    for _ in range(4):
        model.sample_action(state, action, model.params, rng)
        reward, _ = model.step(state, action, after, model.params, rng)
        observation, expected, *_ = env.step(model.action(action))
        np.testing.assert_allclose(after[model.seen], observation, rtol=0.0, atol=1e-9)
        assert reward == pytest.approx(expected, abs=1e-12)
        state, after = after.copy(), state
    return model


CHANGES = {
    "number": lambda env: setattr(env, "gain", 4.0),
    "array in place": lambda env: env.weights.__setitem__(1, 3.0),
    "another array": lambda env: setattr(env, "weights", np.array([1.0, 7.0])),
    "of the class": lambda env: setattr(env, "decay", 0.1),
}


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("made", [_Plant, _WithState, lambda: gymnasium.make("LockedPlant-v0")])
def test_changes_are_carried_over(made, change, begun):
    env = made()
    if begun:
        env.reset(seed=1)
        env.step(np.array([0.5], np.float32))
    CHANGES[change](env.unwrapped)
    _agrees(env)


def test_functions_and_what_copies_share_stay_what_they_are():
    table = np.ones(2)

    class Shared(_WithState):
        def __init__(self):
            super().__init__()
            self.weights = table

    env = Shared()
    original, calls = env.step, []
    env.weights = np.array([1.0, 5.0])
    env.step = lambda action: calls.append(action) or original(action)
    envs.from_gymnasium(env, horizon=20)
    assert calls == [] and table.tolist() == [1.0, 1.0]


def test_what_a_wrapper_changes_within_is_carried_over():
    class Stronger(gymnasium.Wrapper):
        def __init__(self, env):
            super().__init__(env)
            env.unwrapped.gain = 5.0

    _agrees(Stronger(_WithState()))


@pytest.mark.parametrize("change", ["body_mass", "opt.gravity", "opt.timestep", "_ctrl_cost_weight"])
def test_those_of_mujoco_too(change):
    pytest.importorskip("mujoco")
    env = gymnasium.make("HalfCheetah-v5")
    base = env.unwrapped
    if change == "body_mass":
        base.model.body_mass[1:] *= 3.0
    elif change == "opt.gravity":
        base.model.opt.gravity[2] = -1.0
    elif change == "opt.timestep":
        base.model.opt.timestep = 0.005
    else:
        base._ctrl_cost_weight = 5.0
    assert _agrees(env).storage.name == "MuJoCo"
