"""The check at construction: what restores faithfully is taken, what does not is refused with the reason."""

import random
import time

import gymnasium
import numpy as np
import pytest

import envs
from envs.snapshot import GymnasiumModel, check
from envs.snapshot.deep_copies import DeepCopies, deep_copy
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
        (toys.Sharing, "replay"),
    ],
)
def test_the_first_faithful_way_is_taken(cls, way):
    assert envs.from_gymnasium(cls(), horizon=100).storage.name == way


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (toys.Global, r"deep copies: at step 1 the observation differs by \d.*replay"),
        (toys.GlobalNoise, r"deep copies: at step 1 the observation differs by 0\.\d+"),
        (toys.OwnGenerator, "generator of its own"),
        (toys.Alias, "generator of its own"),
    ],
)
def test_what_cannot_be_restored_is_refused_with_the_reason(cls, reason):
    random.seed(1)
    with pytest.raises(
        ValueError, match=rf"^env=<{cls.__name__} instance>: .*get_state.*np_random.*{reason}"
    ) as caught:
        envs.from_gymnasium(cls(), horizon=100)
    assert "\n" not in str(caught.value)


def test_deep_copies_of_box2d_are_found_out():
    """They are fresh environments, in silence."""
    env = gymnasium.make("LunarLanderContinuous-v3")
    copies = DeepCopies(lambda: deep_copy(env.unwrapped), 10)
    model = GymnasiumModel(copies, env.action_space, env.observation_space, 100, 1.0)
    with pytest.raises(check.UnfaithfulError, match="at step 1"):
        check.check_restoring(model)


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

    with pytest.raises(ValueError, match=r"^env=<Odd instance>: .*flatten"):
        envs.from_gymnasium(Odd(), horizon=100)


def test_a_slow_environment_is_not_followed_to_its_end():
    class Slow(toys.Restorable):
        def step(self, action):
            time.sleep(0.002)
            return super().step(action)

    start = time.perf_counter()
    envs.from_gymnasium(Slow(), horizon=100_000)
    assert time.perf_counter() - start < 10 * check.PATIENCE


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
