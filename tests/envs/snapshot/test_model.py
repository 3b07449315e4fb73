"""Models of Gymnasium environments."""

import copy
import pickle
import threading
import time

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from tests.envs.snapshot.toys import Noisy, Restorable

WAYS = {
    "Pendulum-v1": "attributes",
    "MountainCarContinuous-v0": "attributes",
    "InvertedPendulum-v5": "MuJoCo",
    "Reacher-v5": "MuJoCo",
    "HalfCheetah-v5": "MuJoCo",
    "Ant-v5": "MuJoCo",
    "LunarLanderContinuous-v3": "Box2D",
    "BipedalWalker-v3": "replay in new copies",
}


def step(model, state, action, rng):
    after = np.empty(model.state_dim)
    reward, ended = model.step(state, np.asarray(action, np.float64), after, model.params, rng)
    return after, reward, ended


@pytest.mark.parametrize("env_id", WAYS)
def test_model_follows_the_environment(env_id):
    env, rng = gymnasium.make(env_id), np.random.default_rng(0)
    model = envs.from_gymnasium(env)
    assert model.storage.name == WAYS[env_id]
    env.action_space.seed(1)
    observation, _ = env.reset(seed=2)
    state, terminated = model.observe(env, observation), False
    for k in range(30):
        action = env.action_space.sample()
        step(model, state, -action, rng)  # another branch leaves no trace
        after, *expected = step(model, state, action, np.random.default_rng(k))
        env.unwrapped.np_random = np.random.default_rng(k)
        observation, reward, terminated, *_ = env.step(action)
        np.testing.assert_array_equal(after[-len(observation) :], observation)
        assert expected == [reward, terminated] and after[0] == k + 1
        state = after
        if terminated:
            break


@pytest.mark.parametrize("env_id", ["Pendulum-v1", "Hopper-v5", "LunarLanderContinuous-v3"])
def test_model_keeps_the_contract(env_id):
    envs.check_model(envs.from_gymnasium(gymnasium.make(env_id)), np.random.default_rng(0), states=15)


@pytest.mark.parametrize(("cls", "way"), [(Noisy, "deep copies"), (Restorable, "get_state")])
def test_noise_comes_from_the_generator(cls, way):
    model, env = envs.from_gymnasium(cls(), horizon=10), cls()
    assert model.storage.name == way
    observation, _ = env.reset(seed=1)
    state = model.observe(env, observation, steps=4)
    assert state[0] == 4
    after, *_ = step(model, state, [0.5], np.random.default_rng(3))
    again, *_ = step(model, state, [0.5], np.random.default_rng(3))
    np.testing.assert_array_equal(after, again)
    assert after[-1] == observation[0] + 0.5 + np.random.default_rng(3).normal()
    env.np_random = np.random.default_rng(3)
    assert env.step(np.array([0.5]))[0][0] == after[-1], "observing does not change the environment"
    assert model.initial_state(np.random.default_rng(1))[-1] == model.initial_state(np.random.default_rng(1))[-1]


def test_truncation_by_the_environment_ends_the_search():
    env = Restorable()
    env.reset(seed=1)
    env.x = 60.0
    model = envs.from_gymnasium(env, horizon=10)
    assert step(model, model.observe(env, [60.0]), [0.0], np.random.default_rng(0))[2] is True


def test_old_copies_make_room_and_their_states_are_refused():
    model, rng = envs.from_gymnasium(Noisy(), horizon=10, capacity=3), np.random.default_rng(0)
    root = model.initial_state(rng)
    first, *_ = step(model, root, [0.0], rng)
    for _ in range(5):
        step(model, root, [0.0], rng)
    with pytest.raises(ValueError, match=r"^state=.*3 states"):
        step(model, first, [0.0], rng)


def test_observing_before_the_reset_is_refused():
    env = gymnasium.make("Pendulum-v1")
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        envs.from_gymnasium(env).observe(env, np.zeros(3))


def test_what_is_no_observation_is_refused():
    env = gymnasium.make("Pendulum-v1")
    model, result = envs.from_gymnasium(env), env.reset(seed=1)
    for given in (result, np.zeros(2), None):
        with pytest.raises(ValueError, match=r"(?s)observation=.*reset"):
            model.observe(env, given)


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [((-2.0, 3.0), (-2.0, 3.0)), ((-np.inf, np.inf), (-np.inf, np.inf)), ((-3.4028235e38, 3.0), (-np.inf, 3.0))],
)
def test_bounds_of_the_observation_are_those_of_the_state(bounds, expected):
    class Bounded(Restorable):
        observation_space = gymnasium.spaces.Box(*bounds, (1,), np.float64)

    model = envs.from_gymnasium(Bounded(), horizon=5)
    assert model.state_low.tolist() == [-np.inf, -np.inf, -np.inf, expected[0]]
    assert model.state_high.tolist() == [np.inf, np.inf, np.inf, expected[1]]


def test_an_observed_state_makes_room_for_no_search():
    """The rollouts that estimate bounds take far more copies than are kept."""

    class Unbounded(Noisy):
        observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (1,), np.float64)

    env = Unbounded()
    model, rng = envs.from_gymnasium(env, horizon=5, capacity=20), np.random.default_rng(0)
    observation, _ = env.reset(seed=1)
    root = model.observe(env, observation)
    assert planners.make("abstraction").plan(model, root, planners.Budget(10), rng).simulations == 10


def test_planner_acts_in_an_environment():
    env, rng = gymnasium.make("Pendulum-v1"), np.random.default_rng(0)
    model, planner = envs.from_gymnasium(env), planners.make("dpw")
    observation, _ = env.reset(seed=1)
    decision = planner.plan(model, model.observe(env, observation, steps=190), planners.Budget(simulations=20), rng)
    assert env.action_space.contains(decision.action.astype(np.float32)) and decision.simulations == 20


def test_actions_are_clipped_and_new_since_environments_keep_them():
    class Keeping(Restorable):
        action_space = gymnasium.spaces.Box(np.float32([[-1.0, -2.0]]), np.float32([[1.0, 0.1]]))

        def step(self, action):
            self.kept = [*getattr(self, "kept", []), action]
            return super().step(action[0])

    model = envs.from_gymnasium(Keeping(), horizon=5)
    assert model.storage.name == "get_state"
    state, rng = model.initial_state(np.random.default_rng(0)), np.random.default_rng(0)
    model.storage.env.kept = []
    for action in ([0.5, -3.0], [2.0, 0.1], [-0.25, -1.0]):
        step(model, state, action, rng)
    expected = np.float32([[[0.5, -2.0]], [[1.0, 0.1]], [[-0.25, -1.0]]])
    np.testing.assert_array_equal(np.array(model.storage.env.kept), expected, strict=True)


class Yielding(Restorable):
    """Lets other threads run in the middle of a step."""

    def step(self, action):
        x = self.x
        time.sleep(0.0)
        self.x = x
        return super().step(action)


def test_threads_that_search_one_model_decide_as_each_alone():
    model = envs.from_gymnasium(Yielding(), horizon=10)
    planner, state, values = planners.make("uct"), model.initial_state(np.random.default_rng(0)), []

    def plan():
        for _ in range(3):
            values.append(planner.plan(model, state, planners.Budget(60), np.random.default_rng(1)).value)

    plan()
    threads = [threading.Thread(target=plan) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(values) == 9 and len(set(values)) == 1


def test_copies_of_a_model_wait_for_no_turn_of_the_first():
    turns = envs.from_gymnasium(Restorable(), horizon=5)._turns
    for other in (copy.deepcopy(turns), pickle.loads(pickle.dumps(turns))):
        assert other._lock is not turns._lock


class Cells(Noisy):
    """Its state has a whole number of as many bits as steps were taken."""

    def reset(self, **options):
        super().reset(**options)
        self.x, self.seen = 0, 0
        return np.array([0.0]), {}

    def step(self, action):
        self.x, self.seen = self.x + round(float(action[0])), 2 * self.seen + 1
        return np.array([float(self.x)]), float(self.seen % 8), False, False, {}

    def get_state(self):
        return np.array([self.x, self.seen], np.int64)

    def set_state(self, state):
        self.x, self.seen = map(int, state)


class Hashed(Cells):
    """Its state has such a number from the start."""

    def get_state(self):
        return np.append(super().get_state(), 2**60 + 1)


def test_get_state_with_such_a_number_from_the_start_is_not_used():
    assert envs.from_gymnasium(Hashed(), horizon=20).storage.name != "get_state"


def test_a_whole_number_of_get_state_that_float64_cannot_hold_is_no_state():
    env = Cells()
    model = envs.from_gymnasium(env, horizon=20)
    seen, _ = env.reset(seed=0)
    assert model.storage.name == "get_state"
    env.seen = 2**53 + 1
    with pytest.raises(ValueError, match=r"get_state\(\)=.*must be numbers that float64 holds exactly"):
        model.observe(env, seen)
