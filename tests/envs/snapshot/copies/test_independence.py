"""Copies that share a simulator with their original: it comes to no harm, and plans are made all the same."""

import copy
import os
import signal
import threading
import time

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs.snapshot.copies import independence
from bonspiel.envs.snapshot.copies.making import headless_copy
from bonspiel.envs.snapshot.objects import reaches_outside
from tests.envs.snapshot import toys

SIMULATORS = {}
NUMBERS = iter(range(1000))
FILE = os.devnull


class Connected(gymnasium.Env):
    """The number of a simulator outside, as environments of PyBullet have it."""

    action_space = observation_space = gymnasium.spaces.Box(-100.0, 100.0, (1,), np.float64)

    def __init__(self, render_mode=None):
        self.number = next(NUMBERS)
        SIMULATORS[self.number] = 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        SIMULATORS[self.number] = 0.0
        return np.zeros(1), {}

    def step(self, action):
        SIMULATORS[self.number] += float(action[0])
        x = SIMULATORS[self.number]
        return np.array([x]), -abs(x - 1.0), False, False, {}


class Disconnecting(Connected):
    """The end of a copy closes the simulator."""

    def __del__(self):
        SIMULATORS.pop(self.number, None)


class Closing(Connected):
    def close(self):
        SIMULATORS.pop(self.number, None)


class Single(Connected):
    """A deep copy is the original."""

    def __deepcopy__(self, memo):
        return self


class Held(gymnasium.Wrapper):
    """The simulator belongs to a wrapper."""

    def __init__(self, env):
        super().__init__(env)
        self.simulator = Connected()

    def reset(self, **options):
        self.env.reset(**options)
        return self.simulator.reset()

    def step(self, action):
        return self.simulator.step(action)


class Global(Connected):
    """All share one simulator."""

    def __init__(self, render_mode=None):
        self.number = -1


class LockedGlobal(Global):
    """It cannot be copied."""

    def __init__(self, render_mode=None):
        super().__init__()
        self.lock = threading.Lock()


class Remote(Global):
    """Its simulator hears of all processes what they write into a file, as those at the end of a connection do."""

    def __init__(self, render_mode=None):
        super().__init__()
        self.connection = open(FILE, "a")

    def step(self, action):
        self.connection.write("step\n")
        self.connection.flush()
        return super().step(action)

    def close(self):
        self.connection.close()


class Freed(Connected):
    """Its process ends when it uses what the end of a copy freed, as with simulators in C."""

    def _simulator(self):
        if self.number not in SIMULATORS:
            os.kill(os.getpid(), signal.SIGSEGV)
        return SIMULATORS

    def step(self, action):
        self._simulator()
        return super().step(action)

    def close(self):
        SIMULATORS.pop(self.number, None)


class FreedTwice(Freed):
    """It goes on without its simulator, up to its own end."""

    def reset(self, *, seed=None, options=None):
        self.x = 0.0
        return super().reset(seed=seed)

    def step(self, action):
        self.x += float(action[0])
        return np.array([self.x]), 0.0, False, False, {}

    def close(self):
        del self._simulator()[self.number]


class FreedByCopying(Freed):
    """The end comes as soon as there is a copy."""

    def __deepcopy__(self, memo):
        os.kill(os.getpid(), signal.SIGSEGV)


class Locked(Freed):
    """It waits forever for what a copy did not give back."""

    def _simulator(self):
        while self.number not in SIMULATORS:
            time.sleep(0.01)
        return SIMULATORS


KINDS = [Connected, Disconnecting, Closing, Single]
DEADLY = [Freed, FreedTwice, FreedByCopying, Locked]


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(gymnasium.envs.registration, "registry", {})
    for cls in (*KINDS, *DEADLY, Global, LockedGlobal, Remote):
        gymnasium.register(f"{cls.__name__}-v0", cls, max_episode_steps=30)


def begun(env):
    """An environment in the middle of its episode."""
    env.reset(seed=1)
    env.step(np.array([2.0]))
    return env


def goes_on(env):
    return env.step(np.array([3.0]))[0].tolist() == [5.0]


@pytest.mark.parametrize("cls", KINDS)
def test_others_are_made_where_copies_share_a_simulator(cls, registered):
    env = begun(gymnasium.make(f"{cls.__name__}-v0"))
    model = envs.from_gymnasium(env)
    assert model.storage.name == "replay" and goes_on(env)
    observation, _ = env.reset(seed=2)
    for steps in range(3):
        state, rng = model.observe(env, observation, steps), np.random.default_rng(steps)
        decision = planners.make("cem", lookahead=3).plan(model, state, planners.Budget(20), rng)
        before = SIMULATORS[env.unwrapped.number]
        observation, *_ = env.step(model.action(decision.action))
        assert observation == before + decision.action


@pytest.mark.parametrize("make", [*KINDS, Global, lambda: Held(Connected())])
def test_what_nobody_can_make_again_is_refused_unharmed(make):
    env = begun(make())
    with pytest.raises(ValueError, match=r"^env=.*must be one that can be copied, or that gymnasium.make") as caught:
        envs.from_gymnasium(env, horizon=30)
    assert "\n" not in str(caught.value) and goes_on(env)


@pytest.mark.parametrize("name", ["Global", "LockedGlobal"])
def test_one_simulator_for_all_is_refused_unharmed(name, registered):
    env = begun(gymnasium.make(f"{name}-v0"))
    with pytest.raises(ValueError, match=r"^env=.*Global.*shares no state with others of its kind") as caught:
        envs.from_gymnasium(env)
    assert "\n" not in str(caught.value) and goes_on(env)


@pytest.mark.parametrize("cls", DEADLY)
def test_a_copy_that_ends_the_process_is_not_made_in_this_one(cls, registered, monkeypatch):
    monkeypatch.setattr(independence, "LIMIT", 1.0)
    env = begun(cls())
    assert "ends or hangs" in independence.harm(env, headless_copy)
    with pytest.raises(ValueError, match=r"^env=.*must be one that can be copied, or that gymnasium.make") as caught:
        envs.from_gymnasium(env, horizon=30)
    assert "\n" not in str(caught.value) and goes_on(env)
    assert envs.from_gymnasium(gymnasium.make(f"{cls.__name__}-v0")).storage.name == "replay"


class Moody(Connected):
    """Its later tries end otherwise: an error, or the end of the process, in the third child."""

    end = None
    tries = 0

    def step(self, action):
        return super().step(action) if self.tries < 3 else self.end()


@pytest.mark.parametrize("end", [lambda: 1 / 0, lambda: os.kill(os.getpid(), signal.SIGSEGV)])
def test_what_fails_by_itself_now_and_then_is_no_sign_of_a_shared_simulator(end, monkeypatch):
    def counting(function):
        env.tries += 1
        return in_child(function)

    env, in_child = Moody(), independence._in_child
    env.end = end
    monkeypatch.setattr(independence, "_in_child", lambda function, *limit: counting(function))
    assert independence.harm(env, headless_copy) is None


def test_an_environment_with_a_slow_reset_is_given_time_for_those_of_copies(monkeypatch):
    class Slow(toys.Noisy):
        def reset(self, **options):
            time.sleep(0.7)
            return super().reset(**options)

    monkeypatch.setattr(independence, "LIMIT", 1.0)
    assert independence.harm(Slow(), headless_copy) is None


def test_each_integer_is_tried_in_a_copy():
    class Button(Connected):
        """It moves by one of its two actions alone."""

        def __init__(self, kind):
            super().__init__()
            self.action_space = gymnasium.spaces.Box(0, 1, (1,), kind)

    for kind in (np.int8, np.uint8, np.int64, np.bool_):
        assert "shared a simulator" in independence.harm(Button(kind), headless_copy)


@pytest.mark.parametrize(
    "cls", [toys.Noisy, toys.Sharing, toys.GlobalNoise, toys.HiddenStart, toys.NeverSeeded, toys.OwnGenerator]
)
def test_noise_is_no_sign_of_a_shared_simulator(cls):
    assert independence.harm(cls(), headless_copy) is None


def test_the_original_is_not_touched():
    env = begun(toys.Noisy())
    before = copy.deepcopy(vars(env))
    independence.harm(env, headless_copy)
    assert vars(env)["x"] == before["x"]
    assert env.np_random.bit_generator.state == before["_np_random"].bit_generator.state


def test_a_connection_is_not_used_by_a_child(registered, monkeypatch, tmp_path):
    monkeypatch.setitem(globals(), "FILE", tmp_path / "steps")
    env = gymnasium.make("Remote-v0")
    with pytest.raises(independence.NoCopyError, match="cannot pickle"):
        independence.harm(env, headless_copy)
    assert reaches_outside(env) and (tmp_path / "steps").read_text() == ""
    env.close()


def test_a_child_that_hangs_is_ended(monkeypatch):
    class Hanging(toys.Noisy):
        def step(self, action):
            time.sleep(60)

    monkeypatch.setattr(independence, "LIMIT", 0.2)
    assert independence.harm(Hanging(), headless_copy) is None


def test_a_system_without_forks_copies_as_it_is(monkeypatch):
    monkeypatch.delattr(independence.os, "fork")
    assert envs.from_gymnasium(toys.Noisy(), horizon=5).storage.name == "deep copies"
