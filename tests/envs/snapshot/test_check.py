"""The check at construction: what restores faithfully is taken, what does not is refused with the reason."""

import random
import time

import gymnasium
import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs.snapshot import GymnasiumModel, check
from bonspiel.envs.snapshot.copies.making import deep_copy
from bonspiel.envs.snapshot.deep_copies import DeepCopies
from tests.envs.snapshot import toys


@pytest.mark.parametrize(
    ("cls", "way"),
    [
        (toys.Restorable, "get_state"),
        (toys.Noisy, "deep copies"),
        (toys.Broken, "deep copies"),
        (toys.Limited, "deep copies"),
        (toys.LimitedExactly, "deep copies"),
        (toys.Slope, "deep copies"),
        (toys.Fuel, "deep copies"),
        (toys.Wearing, "deep copies"),
        (toys.Worn, "deep copies"),
        (toys.Sharing, "replay"),
        (toys.Alias, "deep copies"),
    ],
)
def test_the_first_faithful_way_is_taken(cls, way):
    assert envs.from_gymnasium(cls(), horizon=100).storage.name == way


def test_what_cannot_be_restored_is_refused_with_the_reason():
    class Unrepeatable(toys.Noisy):
        system = random.SystemRandom()

        def step(self, action):
            self.x += self.system.random()
            return super().step(action)

    reason = r"deep copies: at step 1 the observation differs by \d.*replay"
    with pytest.raises(ValueError, match=rf"^env=.*Unrepeatable.*: .*get_state.*np_random.*{reason}") as caught:
        envs.from_gymnasium(Unrepeatable(), horizon=100)
    assert "\n" not in str(caught.value)


def test_deep_copies_of_box2d_are_found_out():
    """They are fresh environments, in silence."""
    env = gymnasium.make("LunarLanderContinuous-v3")
    copies = DeepCopies(lambda: deep_copy(env.unwrapped), 10)
    model = GymnasiumModel(copies, env.action_space, env.observation_space, 100, 1.0)
    with pytest.raises(check.UnfaithfulError, match="at step 1"):
        check.check_restoring(model)


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (toys.Elsewhere, r"^after reset\(seed=1\) the observation differs by \d.* the second time$"),
        (toys.OwnStart, r"^after reset\(seed=1\) the observation differs"),
        (toys.NeverSeeded, r"^after reset\(seed=1\) the observation differs"),
        (
            toys.HiddenStart,
            r"^after 1 step with the same actions and noise the reward differs by \d.* the second time$",
        ),
    ],
)
def test_a_reset_that_draws_from_elsewhere_is_found(cls, reason):
    model = envs.from_gymnasium(cls(), horizon=100)
    with pytest.raises(check.UnseededError, match=reason):
        check.check_seeding(model)


@pytest.mark.parametrize("cls", [toys.Restorable, toys.Noisy, toys.Fuel, toys.Sharing, toys.Slope])
def test_a_reset_that_follows_its_seed_passes(cls):
    check.check_seeding(envs.from_gymnasium(cls(), horizon=100))


@pytest.mark.parametrize("name", ["Pendulum-v1", "LunarLanderContinuous-v3", "InvertedPendulum-v5"])
def test_gymnasiums_environments_follow_their_seed(name):
    check.check_seeding(envs.from_gymnasium(gymnasium.make(name)))


@pytest.mark.parametrize(
    ("method", "cut", "words"),
    [("reset", 1, "reset.. returned .*a tuple of two"), ("step", 4, "step.. returned .*a tuple of five")],
)
def test_results_in_the_form_of_the_old_gym_are_refused(method, cut, words):
    def old(self, *args, **kwargs):
        return getattr(toys.Restorable, method)(self, *args, **kwargs)[:cut]

    with pytest.raises(ValueError, match=f"must be an environment that runs; {words}"):
        envs.from_gymnasium(type("Old", (toys.Restorable,), {method: old})(), horizon=100)


@pytest.mark.parametrize("method", ["reset", "step"])
def test_an_environment_that_exits_gets_a_line(method):
    def leave(self, *args, **kwargs):
        raise SystemExit("no licence")

    with pytest.raises(ValueError, match=r"SystemExit: no licence\)? in .*test_check.py, line \d+: raise SystemExit"):
        envs.from_gymnasium(type("Leaves", (toys.Restorable,), {method: leave})(), horizon=100)


@pytest.mark.parametrize("name", ["action_space", "observation_space"])
def test_an_environment_without_a_space_gets_a_line(name):
    members = {key: value for key, value in vars(toys.Noisy).items() if key not in (name, "__dict__", "__weakref__")}
    words = rf"^env=<Bare instance>: must have an {name}; set self\.{name} in its __init__"
    with pytest.raises(ValueError, match=words):
        envs.from_gymnasium(type("Bare", (gymnasium.Env,), members)(), horizon=100)


@pytest.mark.parametrize(
    ("cls", "reason"), [(toys.FailsInReset, "reset.*KeyError.*no"), (toys.FailsInStep, "step.*ZeroDivision.*wheel")]
)
def test_an_environment_that_fails_is_refused_with_its_error(cls, reason):
    with pytest.raises(ValueError, match=rf"^env=<{cls.__name__} instance>: .*{reason}") as caught:
        envs.from_gymnasium(cls(), horizon=100)
    assert "\n" not in str(caught.value)


def test_what_fails_late_is_the_runs_affair():
    class Late(toys.Limited):
        def is_over(self):
            return 1 / (60 - self.steps) < 0

    with pytest.raises(ValueError, match="ZeroDivisionError"):
        envs.from_gymnasium(Late(), horizon=100)
    assert envs.from_gymnasium(Late(), horizon=50).horizon == 50


def test_observations_outside_their_space_are_refused():
    class Odd(toys.Noisy):
        observation_space = gymnasium.spaces.Dict({"x": gymnasium.spaces.Box(-1.0, 1.0, (1,))})

    with pytest.raises(ValueError, match=r"^env=<Odd instance>: .*reset\(\) returned observation=array"):
        envs.from_gymnasium(Odd(), horizon=100)


def test_a_slow_environment_is_not_followed_to_its_end(monkeypatch):
    class Slow(toys.Restorable):
        def step(self, action):
            steps.append(action)
            return super().step(action)

    steps = []
    monkeypatch.setattr(time, "perf_counter", lambda: 0.01 * len(steps))
    envs.from_gymnasium(Slow(), horizon=100_000)
    assert 0.01 * len(steps) < 10 * check.PATIENCE


def test_every_episode_of_one_step_is_enough():
    class Bandit(toys.Restorable):
        def step(self, action):
            observation, reward, *_ = super().step(action)
            return observation, reward, True, False, {}

    class Forgetful(Bandit):
        def set_state(self, state):
            self.x = 1.0

    assert envs.from_gymnasium(Bandit(), horizon=100).storage.name == "get_state"
    assert envs.from_gymnasium(Forgetful(), horizon=100).storage.name == "deep copies"


def test_not_a_number_equals_itself():
    class Undefined(toys.Restorable):
        def step(self, action):
            _, reward, *rest = super().step(action)
            return np.full(1, np.nan), reward, *rest

    assert envs.from_gymnasium(Undefined(), horizon=100).storage.name == "get_state"


def test_differences_within_the_tolerance_pass():
    class Rounded(toys.Restorable):
        def set_state(self, state):
            super().set_state(state + self.error)

    for Rounded.error, way in ((1e-11, "get_state"), (1e-7, "deep copies")):
        assert envs.from_gymnasium(Rounded(), horizon=25).storage.name == way
