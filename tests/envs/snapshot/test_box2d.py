"""LunarLander, restored by the memory of its Box2D world: the same to the last bit as without restoring."""

import gymnasium
import numpy as np
import pytest
from Box2D import b2AABB, b2QueryCallback
from gymnasium.envs.box2d.lunar_lander import LunarLander, heuristic

from bonspiel import envs
from bonspiel.envs.snapshot import world_memory

ENV_ID = "LunarLanderContinuous-v3"


def step(model, state, action, rng):
    after = np.empty(model.state_dim)
    reward, ended = model.step(state, np.asarray(action, np.float64), after, model.params, rng)
    return after, reward, ended


def branch(model, state, rng):
    """A search from a state: random steps, as long as nothing ends."""
    for _ in range(rng.integers(1, 40)):
        state, _, ended = step(model, state, rng.uniform(-1.0, 1.0, 2), rng)
        if ended:
            return


def play(env, model, seed, pilot):
    """Compare an episode with the model, which searches from any of its states before each step; the last reward."""
    rng, ended, steps = np.random.default_rng(seed), False, 0
    observation, _ = env.reset(seed=seed)
    states = [model.observe(env, observation)]
    while not ended:
        for state in (states[-1], states[rng.integers(len(states))]):
            if rng.random() < 0.3:
                branch(model, state, rng)
        action = np.float32(pilot(env, observation, rng))
        after, *found = step(model, states[-1], action, np.random.default_rng(steps))
        env.unwrapped.np_random = np.random.default_rng(steps)
        observation, reward, ended, *_ = env.step(action)
        np.testing.assert_array_equal(after[model.seen], observation)
        assert found == [reward, ended]
        steps += 1
        states.append(after if rng.random() < 0.5 or ended else model.observe(env, observation, steps))
    return reward


def at_random(env, observation, rng):
    return rng.uniform(-1.0, 1.0, 2)


def landing(env, observation, rng):
    return heuristic(env, observation)


@pytest.mark.parametrize(
    "arguments", [{}, {"enable_wind": True}, {"render_mode": "rgb_array"}, {"gravity": -5.0}], ids=str
)
def test_model_follows_the_environment_until_it_sleeps_or_crashes(arguments):
    env = gymnasium.make(ENV_ID, **arguments)
    model = envs.from_gymnasium(env)
    assert model.storage.name == "Box2D"
    assert [play(env, model, seed, landing) for seed in (12, 24)] == [100, 100], "the lander sleeps"
    assert [play(env, model, seed, at_random) for seed in (3, 4)] == [-100, -100]


class Found(b2QueryCallback):
    def __init__(self):
        super().__init__()
        self.count = 0

    def ReportFixture(self, fixture):
        self.count += 1
        return True


def test_the_world_finds_all_its_fixtures_from_any_state():
    """The root of its tree of boxes changes several times in this flight."""
    env, everywhere = gymnasium.make(ENV_ID), b2AABB()
    everywhere.lowerBound, everywhere.upperBound = (-100.0, -100.0), (100.0, 100.0)
    model = envs.from_gymnasium(env)
    observation, _ = env.reset(seed=12)
    states, rng = [model.observe(env, observation)], np.random.default_rng(0)
    for steps in range(150):
        noise = np.random.default_rng(steps)
        states.append(step(model, states[-1], heuristic(env, states[-1][model.seen]), noise)[0])
    for state in states:
        world, found = model.storage.load(state[1:2], rng).unwrapped.world, Found()
        world.QueryAABB(found, everywhere)
        assert found.count == sum(len(body.fixtures) for body in world.bodies)


def count_steps(model):
    taken, own = [], model.storage.base.step

    def counting(action):
        taken.append(action)
        return own(action)

    model.storage.base.step = counting
    return taken


def test_a_step_from_anywhere_in_the_episode_takes_one_step():
    env, rng = gymnasium.make(ENV_ID), np.random.default_rng(0)
    model = envs.from_gymnasium(env)
    observation, _ = env.reset(seed=1)
    states = [model.observe(env, observation)]
    for _ in range(5):
        states.append(step(model, states[-1], np.zeros(2), rng)[0])
    taken = count_steps(model)
    for state in (states[3], states[0], states[5], states[3]):
        step(model, state, np.ones(2), rng)
    assert len(taken) == 4
    for steps in range(1, 4):
        observation, *_ = env.step(np.float32([1.0, 0.0]))
        model.observe(env, observation, steps)
        assert len(taken) == 4 + steps, "only the step that is new"
        step(model, states[3], np.ones(2), rng)
        taken.pop()
    model.observe(env, observation, 3)
    assert len(taken) == 7


def test_a_state_outlives_its_world():
    model, rng = envs.from_gymnasium(gymnasium.make(ENV_ID)), np.random.default_rng(0)
    start = model.initial_state(rng)
    first = step(model, start, [0.5, 0.5], rng)[0]
    expected = step(model, first, [0.5, 0.5], np.random.default_rng(1))
    other = model.initial_state(rng)
    step(model, other, [0.5, 0.5], rng)
    found = step(model, first, [0.5, 0.5], np.random.default_rng(1))
    np.testing.assert_array_equal(found[0][model.seen], expected[0][model.seen])
    assert found[1:] == expected[1:]


def test_a_snapshot_holds_no_blocks_of_contacts_that_are_not_used():
    env = gymnasium.make(ENV_ID)
    model = envs.from_gymnasium(env)
    play(env, model, 1, landing)
    sizes = [sum(map(len, kept.saved)) for kept in model.storage.kept.observed.values()]
    assert len(set(sizes)) > 1 and max(sizes) < 6000


@pytest.mark.parametrize("place", ["BODY_COUNT", "NODE_COUNT", "BODIES", "ALLOCATOR", "GRAVITY"])
def test_an_unknown_layout_is_replayed(monkeypatch, place):
    monkeypatch.setattr(world_memory, place, getattr(world_memory, place) - 16)
    assert envs.from_gymnasium(gymnasium.make(ENV_ID)).storage.name == "replay"


def test_a_subclass_with_more_to_restore_is_replayed():
    class Fuelled(LunarLander):
        fuel = 10.0

        def reset(self, **options):
            self.fuel = 10.0
            return super().reset(**options)

        def step(self, action):
            self.fuel -= 0.1
            observation, reward, *rest = super().step(action)
            return observation, reward + self.fuel, *rest

    assert envs.from_gymnasium(Fuelled(continuous=True), horizon=1000).storage.name == "replay"
