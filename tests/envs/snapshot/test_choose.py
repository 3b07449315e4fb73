"""What `from_gymnasium` takes."""

import gymnasium
import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs.snapshot.vector_state import by_get_state
from tests.envs.snapshot.toys import Locked, Noisy, Restorable


class Unbounded(Noisy):
    action_space = gymnasium.spaces.Box(-np.inf, np.inf, (1,))


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (Unbounded, {"horizon": 5}, r"^action_space=Box\(-inf.*Box of coordinates.*Unbounded.*wrapper"),
        (Noisy, {}, r"^horizon=None.*given.*Noisy.*no time limit.*horizon="),
        (Noisy, {"horizon": 0}, r"^horizon=0"),
        (Noisy, {"horizon": 5, "discount": 0.0}, r"^discount=0.0"),
        (Noisy, {"horizon": 5, "capacity": 0}, r"^capacity=0"),
        (Noisy, {"horizon": 1.5}, r"^horizon=1.5.*whole number"),
        (lambda: "Pendulum-v1", {}, r"^env='Pendulum-v1'.*gymnasium.make"),
        (lambda: gymnasium.make_vec("Pendulum-v1", 2), {}, r"^env=.*Pendulum.*vector"),
        (Locked, {"horizon": 5}, r"^env=<Locked instance>.*copied.*gymnasium.make.*TypeError"),
    ],
)
def test_bad_arguments_are_named(make, arguments, message):
    with pytest.raises(ValueError, match=message) as caught:
        envs.from_gymnasium(make(), **arguments)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_copied_is_made_anew(monkeypatch):
    monkeypatch.setattr(gymnasium.envs.registration, "registry", {})
    gymnasium.register("Locked-v0", Locked, max_episode_steps=30)
    env = gymnasium.make("Locked-v0")
    model, rng = envs.from_gymnasium(env), np.random.default_rng(0)
    assert (model.storage.name, model.horizon) == ("replay", 30)
    observation, _ = env.reset(seed=1)
    state, after = model.observe(env, observation), np.empty(3)
    model.step(state, np.ones(1), after, model.params, np.random.default_rng(3))
    env.unwrapped.np_random = np.random.default_rng(3)
    assert env.step(np.ones(1))[0][0] == after[-1]
    assert model.initial_state(rng)[-1] != observation[0]


def test_attributes_of_other_environments_can_be_declared(monkeypatch):
    place = f"{Noisy.__module__}:{Noisy.__qualname__}"
    monkeypatch.setitem(envs.snapshot.ATTRIBUTES, place, ("x",))
    assert envs.from_gymnasium(Noisy(), horizon=50).storage.name == "attributes"
    assert envs.from_gymnasium(type("Subclass", (Noisy,), {})(), horizon=50).storage.name == "deep copies"


@pytest.mark.parametrize("first", [0, np.float32(0.1), np.array([[1, 2]]), [3, 4]])
def test_states_come_back_with_their_shape_and_number_type(first):
    class Giving(Restorable):
        given, taken = first, None

        def get_state(self):
            return self.given

        def set_state(self, state):
            self.taken = state

    env = Giving()
    env.reset(seed=1)
    storage, rng = by_get_state(Giving, env), np.random.default_rng(0)
    snapshot = np.empty(storage.width)
    for given in (np.asarray(first), np.asarray(first) + 0.5):
        env.given = given
        storage.observe(env, 0.5, snapshot)
        storage.load(snapshot, rng)
        np.testing.assert_array_equal(env.taken, given, strict=True)


class Counting(gymnasium.Wrapper):
    """Keeps a count of its own."""

    def reset(self, **options):
        self.steps = 0
        return self.env.reset(**options)

    def step(self, action):
        self.steps += 1
        observation, reward, *rest = self.env.step(action)
        return observation, reward - self.steps, *rest


class Tired(Counting):
    """Has a state with its count."""

    def get_state(self):
        return [self.steps, self.unwrapped.x]

    def set_state(self, state):
        self.steps, self.unwrapped.x = state


@pytest.mark.parametrize("make", [Noisy, Restorable])
def test_a_state_of_a_wrapper_is_taken_before_that_of_the_environment_inside(make):
    outer = gymnasium.wrappers.ClipReward(gymnasium.wrappers.TimeLimit(Tired(make()), 40), -1e6)
    model = envs.from_gymnasium(outer)
    assert (model.storage.name, model.rejected, model.horizon) == ("get_state", [], 40)
    observation, _ = outer.reset(seed=3)
    outer.step(np.ones(1))
    assert model.observe(outer, observation)[1:-1].tolist()[-2:] == [1.0, outer.unwrapped.x]


def test_a_state_within_a_wrapper_that_has_another_one_is_not_taken():
    model = envs.from_gymnasium(gymnasium.wrappers.TimeLimit(Counting(Restorable()), 40))
    assert (model.storage.name, model.rejected) == ("deep copies", [])
