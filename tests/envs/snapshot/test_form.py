"""What a reset and a step must give: anything else is called by its name, before and in a search."""

import random

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from tests.envs.snapshot.toys import Noisy, Restorable


class Giving(Noisy):
    """Gives rewards and observations of its own."""

    given, seen, first = -1.0, np.zeros(1), np.zeros(1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.first, {}

    def step(self, action):
        self.steps += 1
        return self.seen, self.given, False, False, {}


def giving(**members):
    return type("Giving", (Giving,), members)()


NUMBERS = [1, True, np.float16(1), np.int64(1), np.bool_(True), np.array(1.0), np.array([1.0]), np.array([[1]])]


@pytest.mark.parametrize("reward", NUMBERS, ids=repr)
def test_rewards_that_are_numbers_are_taken(reward):
    model = envs.from_gymnasium(giving(given=reward), horizon=5)
    state, rng = model.initial_state(np.random.default_rng(0)), np.random.default_rng(0)
    found, _ = model.step(state, np.zeros(1), state.copy(), model.params, rng)
    assert type(found) is float and found == 1.0


NO_NUMBERS = [None, [1.0], (1.0,), "1.0", b"1", 1j, {}, np.array([1.0, 2.0]), np.array([]), np.array(["1"]), [None]]


@pytest.mark.parametrize("reward", NO_NUMBERS, ids=repr)
def test_rewards_that_are_none_are_named(reward):
    with pytest.raises(ValueError, match=r"^env=<Giving.*step\(\) returned reward=.*: must be a number") as caught:
        envs.from_gymnasium(giving(given=reward), horizon=5)
    assert "\n" not in str(caught.value) and "restor" not in str(caught.value)


VECTOR = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float64)
DICT = gymnasium.spaces.Dict({"a": VECTOR, "b": gymnasium.spaces.Discrete(3)})
WRONG = {
    "longer": (VECTOR, np.zeros(4)),
    "shorter": (VECTOR, np.zeros(1)),
    "a number for a vector": (VECTOR, 0.5),
    "none": (VECTOR, None),
    "text": (VECTOR, "abc"),
    "uneven": (VECTOR, [[0.0], [0.0, 1.0]]),
    "numbers as text": (VECTOR, np.array(["1", "2", "3"])),
    "large": (VECTOR, np.zeros((100, 100))),
    "a matrix too small": (gymnasium.spaces.Box(-1.0, 1.0, (2, 2)), np.zeros((2, 1))),
    "without a key": (DICT, {"a": np.zeros(3)}),
    "no dictionary": (DICT, np.zeros(6)),
    "a wrong item": (DICT, {"a": np.zeros(2), "b": 1}),
    "a wrong choice": (gymnasium.spaces.Discrete(3), 5),
}


@pytest.mark.parametrize(("space", "seen"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("function", ["reset", "step"])
def test_observations_of_another_form_are_named(space, seen, function):
    right = space.sample()
    members = {"first": right, "seen": right} | {{"reset": "first", "step": "seen"}[function]: seen}
    with pytest.raises(
        ValueError, match=rf"^env=<Giving.*{function}\(\) returned observation=.*: must be of the form"
    ) as e:
        envs.from_gymnasium(giving(observation_space=space, **members), horizon=5)
    assert "\n" not in str(e.value) and "restor" not in str(e.value) and len(str(e.value)) < 700


@pytest.mark.parametrize("seen", [[0.1, 0.2, 0.3], np.float32([0.1, 0.2, 0.3]), np.array([[0.1, 0.2, 0.3]])], ids=repr)
def test_what_has_the_right_length_is_an_observation(seen):
    model = envs.from_gymnasium(giving(observation_space=VECTOR, first=np.zeros(3), seen=seen), horizon=5)
    state, rng = model.initial_state(np.random.default_rng(0)), np.random.default_rng(0)
    after = state.copy()
    model.step(state, np.zeros(1), after, model.params, rng)
    np.testing.assert_allclose(after[model.seen], [0.1, 0.2, 0.3], rtol=1e-6)


class Late(Restorable):
    """Its fault shows in what the check does not try."""

    def step(self, action):
        observation, reward, *rest = super().step(action)
        return (np.zeros(2) if action[0] < 0 else observation), (None if action[0] > 0 else reward), *rest

    def get_state(self):
        return self.x

    def set_state(self, state):
        self.x = float(state)


def test_what_shows_in_a_search_is_named_there(monkeypatch):
    monkeypatch.setattr(envs.snapshot.choose, "check_restoring", lambda model: None)
    model, rng = envs.from_gymnasium(Late(), horizon=5), np.random.default_rng(0)
    state = model.initial_state(rng)
    for action, words in ((0.5, r"^step\(\) returned reward=None"), (-0.5, r"^step\(\) returned observation=array")):
        with pytest.raises(ValueError, match=words):
            model.step(state, np.array([action]), state.copy(), model.params, rng)


def test_generators_of_another_library_are_named():
    class Pythons(Restorable):
        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self._np_random = random.Random(seed)
            return np.zeros(1), {}

        def step(self, action):
            return np.zeros(1), 0.0, False, False, {}

    with pytest.raises(ValueError, match=r"^env=<Pythons.*np_random=<random.Random.*must be a numpy.random.Generator"):
        envs.from_gymnasium(Pythons(), horizon=5)


@pytest.mark.parametrize("space", [VECTOR, DICT, gymnasium.spaces.Discrete(5, start=-2)], ids=repr)
def test_every_form_can_be_planned_with(space):
    env = giving(observation_space=space, first=space.sample(), seen=space.sample())
    model = envs.from_gymnasium(env, horizon=5)
    observation, _ = env.reset(seed=1)
    decision = planners.make("cem").plan(
        model, model.observe(env, observation), planners.Budget(10), np.random.default_rng(0)
    )
    assert decision.simulations == 10
