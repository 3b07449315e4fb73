"""Environments that are restored by replaying the episode."""

import copy
import threading

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from tests.envs.snapshot.toys import Noisy, Sharing


class Counting(Sharing):
    """Counts its steps."""

    taken = 0

    def step(self, action):
        Counting.taken += 1
        return super().step(action)


def cost(model, state, rng):
    """Steps of the environment that a step of the model takes."""
    before, after = Counting.taken, np.empty(model.state_dim)
    model.step(state, np.zeros(1), after, model.params, rng)
    return Counting.taken - before, after


def test_a_step_costs_what_is_missing():
    model, rng = envs.from_gymnasium(Counting(), horizon=10), np.random.default_rng(0)
    assert model.storage.name == "replay"
    first = model.initial_state(rng)
    second = cost(model, first, rng)[1]
    steps, third = cost(model, second, rng)
    assert steps == 1, "where it is"
    assert cost(model, third, rng)[0] == 1
    assert cost(model, second, rng)[0] == 2, "from the reset: one step again and the new one"
    assert cost(model, first, rng)[0] == 1
    cost(model, second, rng)
    assert cost(model, third, rng)[0] == 3


def test_what_was_observed_is_not_replayed_again_for_the_first_step():
    env, rng = envs.Recorded(Counting()), np.random.default_rng(0)
    model = envs.from_gymnasium(Counting(), horizon=10)
    env.reset(seed=1)
    for _ in range(3):
        observation, *_ = env.step(np.zeros(1))
    assert cost(model, model.observe(env, observation, 3), rng)[0] == 1


def test_records_share_their_beginnings():
    """Otherwise every simulation would keep a record of the whole episode."""
    model, rng = envs.from_gymnasium(Counting(), horizon=10), np.random.default_rng(0)
    first = model.initial_state(rng)
    second = cost(model, first, rng)[1]
    cost(model, first, rng)
    cost(model, second, rng)
    assert model.storage.recorder.last.before is model.storage.kept.get(second[1:2])


def test_an_episode_that_runs_is_replayed_with_its_noise():
    env, rng = envs.Recorded(Sharing()), np.random.default_rng(0)
    model = envs.from_gymnasium(Sharing(), horizon=50)
    env.reset(seed=1)
    env.reset()  # goes on with the same generator
    for k in range(5):
        observation, *_ = env.step(np.array([0.1 * k]))
    state, after = model.observe(env, observation, 5), np.empty(3)
    model.step(model.initial_state(rng), np.zeros(1), after, model.params, rng)
    model.step(state, np.array([0.5]), after, model.params, np.random.default_rng(3))
    assert after[-1] == observation[0] + 0.5 + np.random.default_rng(3).normal()


@pytest.mark.parametrize("bit_generator", [np.random.PCG64, np.random.MT19937, np.random.Philox])
def test_noise_of_any_generator_is_replayed(bit_generator):
    model, rng = envs.from_gymnasium(Sharing(), horizon=50), np.random.Generator(bit_generator(1))
    state = model.initial_state(rng)
    once, after, again = np.empty(3), np.empty(3), np.empty(3)
    model.step(state, np.ones(1), once, model.params, rng)
    model.step(once, np.ones(1), after, model.params, np.random.default_rng(1))
    model.step(state, np.zeros(1), again, model.params, rng)
    model.step(once, np.ones(1), again, model.params, np.random.default_rng(1))
    assert after[-1] == again[-1]


def test_what_was_not_recorded_is_refused():
    model = envs.from_gymnasium(Sharing(), horizon=50)
    env = Sharing()
    observation, _ = env.reset(seed=1)
    with pytest.raises(ValueError, match=r"^env=.*Sharing.*envs.Recorded.*reset"):
        model.observe(env, observation)
    with pytest.raises(ValueError, match=r"^env=<Recorded.*reset"):
        model.observe(envs.Recorded(env), observation)


def test_a_replay_that_gives_another_episode_is_refused():
    """The second episode in the same Box2D world of BipedalWalker is another one than the first in a new world."""
    env = gymnasium.make("BipedalWalker-v3")
    model = envs.from_gymnasium(env)
    observation, _ = env.reset(seed=1)
    model.observe(env, observation)
    env.action_space.seed(1)
    with pytest.raises(ValueError, match=r"^env=.*BipedalWalker.*new one each episode"):
        for seed in range(2, 7):
            observation, _ = env.reset(seed=seed)
            for _ in range(30):
                observation, *_ = env.step(env.action_space.sample())
            model.observe(env, observation, 30)


def test_old_records_make_room_and_their_states_are_refused():
    model, rng = envs.from_gymnasium(Sharing(), horizon=10, capacity=3), np.random.default_rng(0)
    root = model.initial_state(rng)
    first = cost(model, root, rng)[1]
    for _ in range(5):
        cost(model, root, rng)
    with pytest.raises(ValueError, match=r"^state=.*3 states"):
        cost(model, first, rng)


def test_an_error_leaves_no_wrong_state():
    class Fragile(Sharing):
        def step(self, action):
            self.trail.append(self.trail[-1] + 1.0)
            if action[0] == 0.75:
                raise RuntimeError("too strong")
            return super().step(action)

    model, rng = envs.from_gymnasium(Fragile(), horizon=10), np.random.default_rng(0)
    state, after, again = model.initial_state(rng), np.empty(3), np.empty(3)
    model.step(state, np.zeros(1), after, model.params, np.random.default_rng(1))
    model.step(state, np.ones(1), again, model.params, rng)
    with pytest.raises(RuntimeError, match="strong"):
        model.step(state, np.array([0.75]), again, model.params, rng)
    model.step(state, np.zeros(1), again, model.params, np.random.default_rng(1))
    assert again[-1] == after[-1]


def test_records_are_long_and_copied_at_once():
    env = envs.Recorded(Noisy())
    env.reset(seed=1)
    for _ in range(20_000):
        env.step(np.zeros(1))
    assert copy.deepcopy(env).last is env.last


@pytest.mark.parametrize("env_id", ["LunarLanderContinuous-v3", "BipedalWalker-v3"])
def test_a_model_that_has_searched_decides_as_a_new_one(env_id):
    models = [envs.from_gymnasium(gymnasium.make(env_id), horizon=8) for _ in range(2)]
    planner, budget = planners.make("dpw"), planners.Budget(6)
    planner.plan(models[1], models[1].initial_state(np.random.default_rng(7)), budget, np.random.default_rng(7))
    decisions = []
    for model in models:
        rng = np.random.default_rng(1)
        decisions.append(planner.plan(model, model.initial_state(rng), budget, rng))
    np.testing.assert_array_equal(decisions[0].values, decisions[1].values)
    np.testing.assert_array_equal(decisions[0].action, decisions[1].action)


SPACES = gymnasium.spaces


class Acting(Sharing):
    """Takes actions of any kind, and changes those that it can."""

    def __init__(self, action_space):
        super().__init__()
        self.action_space = action_space

    def step(self, action):
        return super().step(np.array([self.force(action)]))

    def force(self, action):
        if isinstance(action, dict):
            return float(action["a"][0]) + {0: 0.0, 1: 1.0}[action["b"]]
        if isinstance(action, tuple):
            return float(action[0][0]) + {0: 0.0, 1: 1.0}[action[1]]
        if np.ndim(action) == 0:
            return {0: 0.0, 1: 1.0}[action]
        action *= 0.5
        return float(action[0])


PARTS = SPACES.Box(-1.0, 1.0, (1,)), SPACES.Discrete(2)


@pytest.mark.parametrize(
    "space",
    [*PARTS, SPACES.Tuple(PARTS), SPACES.Dict(dict(zip("ab", PARTS, strict=True)))],
    ids=lambda one: str(one)[:5],
)
def test_actions_of_any_kind_are_recorded(space):
    env = envs.Recorded(Acting(space))
    model = envs.from_gymnasium(env, horizon=10)
    assert model.storage.name.startswith("replay")
    observation, _ = env.reset(seed=1)
    rng, action, after = np.random.default_rng(0), np.empty(len(model.action_low)), np.empty(model.state_dim)
    for steps in range(3):
        state = model.observe(env, observation, steps)
        model.sample_action(state, action, model.params, rng)
        model.step(state, action, after, model.params, rng)
        observation = env.step(model.action(action))[0]


def test_one_that_gymnasium_made_is_recorded_as_documented():
    class Locked(Noisy):
        def __init__(self):
            super().__init__()
            self.lock = threading.Lock()

    gymnasium.register("RecordedAndLocked-v0", Locked, max_episode_steps=10)
    model = envs.from_gymnasium(envs.Recorded(gymnasium.make("RecordedAndLocked-v0")))
    assert model.storage.name.startswith("replay") and model.horizon == 10
