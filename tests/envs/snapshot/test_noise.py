"""Noise that follows np_random, and noise that a plan would know beforehand, told apart with and without copies."""

import functools
import itertools
import random
import threading

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from tests.envs.snapshot import toys

MODULE = np.random.default_rng(0)


class Gamble(toys.Noisy):
    """Half of an action's effects have the other sign, and nobody can know which: the best mean reward is 0."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.begin(seed)
        return np.zeros(1), {}

    def begin(self, seed):
        """Prepare the noise."""

    def step(self, action):
        return np.zeros(1), float(np.sign(self.draw() - 0.5) * action[0]), False, False, {}


class Own(Gamble):
    def begin(self, seed):
        self.own = np.random.default_rng(seed)

    def draw(self):
        return self.own.random()


class Legacy(Own):
    def begin(self, seed):
        self.own = np.random.RandomState(seed)


class Pythons(Own):
    def begin(self, seed):
        self.own = random.Random(seed)


class Nested(Own):
    def begin(self, seed):
        self.parts = [{"wind": {"generators": (np.random.default_rng(seed),)}}]

    def draw(self):
        return self.parts[0]["wind"]["generators"][0].random()


class Bound(Own):
    def begin(self, seed):
        self.draw = np.random.default_rng(seed).random


class Partial(Own):
    def begin(self, seed):
        self.draw = functools.partial(np.random.default_rng(seed).uniform, 0.0, 1.0)


class Closure(Own):
    def begin(self, seed):
        own = np.random.default_rng(seed)
        self.draw = lambda: own.random()


class Slotted:
    __slots__ = ("own",)

    def __init__(self, own):
        self.own = own


class InSlots(Own):
    def begin(self, seed):
        self.part = Slotted(np.random.default_rng(seed))

    def draw(self):
        return self.part.own.random()


class Late(Own):
    """Makes its generator in the first step, and ends in the third."""

    def begin(self, seed):
        self.steps, self.seed = 0, seed

    def step(self, action):
        if self.steps == 0:
            self.own = np.random.default_rng(self.seed)
        self.steps += 1
        observation, reward, *rest = super().step(action)
        return observation, reward, self.steps == 3, *rest[1:]


class Spawned(Own):
    """Its seed comes from np_random, once."""

    def begin(self, seed):
        self.own = self.np_random.spawn(1)[0]


class OfModule(Gamble):
    def draw(self):
        return MODULE.random()

    def step(self, action):
        assert isinstance(MODULE, np.random.Generator)
        return super().step(action)


class OfClass(Gamble):
    shared = np.random.default_rng(0)

    def draw(self):
        return self.shared.random()


class LegacyOfClass(OfClass):
    shared = np.random.RandomState(0)


class PythonsOfClass(OfClass):
    shared = random.Random(0)


class SeedsNumPy(Gamble):
    """Seeds the global generator, so that its noise is the same in every replay."""

    def begin(self, seed):
        np.random.seed(seed)  # noqa: NPY002 - that is its fault

    def draw(self):
        return np.random.random()  # noqa: NPY002


class SeedsRandom(Gamble):
    def begin(self, seed):
        random.seed(seed)

    def draw(self):
        return random.random()


class Follows(Gamble):
    def draw(self):
        return self.np_random.random()


class Holds(Own):
    """As the road of highway-env."""

    def begin(self, seed):
        self.part = Slotted(self.np_random)

    def draw(self):
        return self.part.own.random()


class HoldsDeep(Nested):
    def begin(self, seed):
        self.parts = [{"wind": {"generators": (self.np_random,)}}]


class HoldsBits(Own):
    """Another generator of the same bits."""

    def begin(self, seed):
        self.own = np.random.Generator(self.np_random.bit_generator)


class OldShared(Gamble):
    """Its np_random is of numpy's old kind, as in dm_control."""

    def begin(self, seed):
        self._np_random = np.random.RandomState(seed)

    def draw(self):
        return self.np_random.rand()  # which others do not have


class Property(Gamble):
    """Its np_random cannot be set."""

    @property
    def np_random(self):
        return self.generator

    def reset(self, *, seed=None, options=None):
        self.generator = np.random.default_rng(seed)
        return np.zeros(1), {}

    def draw(self):
        return self.np_random.random()


def locked(cls):
    """The same environment, which cannot be copied."""

    def begin(self):
        self.lock = threading.Lock()

    return type(cls.__name__, (cls,), {"__init__": begin})


@pytest.fixture
def make(monkeypatch):
    monkeypatch.setattr(gymnasium.envs.registration, "registry", {})

    def made(cls):
        gymnasium.register("Some-v0", cls, max_episode_steps=20)
        return gymnasium.make("Some-v0")

    return made


FOREKNOWN = [Own, Legacy, Pythons, Nested, Bound, Partial, Closure, InSlots, Late, Spawned]
FOREKNOWN += [OfModule, OfClass, LegacyOfClass, PythonsOfClass]


@pytest.mark.parametrize("lock", [False, True])
@pytest.mark.parametrize("cls", FOREKNOWN)
def test_a_generator_of_its_own_is_refused(cls, lock, make):
    with pytest.raises(ValueError, match=r"^env=.*noise from self\.np_random.*draws from a generator of its own") as e:
        envs.from_gymnasium(make(locked(cls) if lock else cls))
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("lock", [False, True])
@pytest.mark.parametrize(("cls", "name"), [(SeedsNumPy, "numpy.random"), (SeedsRandom, "random")])
def test_global_noise_is_refused_even_if_a_reset_seeds_it(cls, name, lock, make):
    with pytest.raises(ValueError, match=rf"^env=.*draws from the global generator of {name}, which a plan would know"):
        envs.from_gymnasium(make(locked(cls) if lock else cls))


@pytest.mark.parametrize("lock", [False, True])
@pytest.mark.parametrize("cls", [Follows, Holds, HoldsDeep, HoldsBits, OldShared, Property])
def test_noise_of_np_random_is_nothing_to_plan_with(cls, lock, make):
    """The rewards of a step follow the generator of the planner, and the next step goes on with it."""
    env = make(locked(cls) if lock else cls)
    model = envs.from_gymnasium(env)
    assert model.storage.name == ("replay" if lock else "deep copies")
    observation, _ = env.reset(seed=1)
    root, states = model.observe(env, observation), [np.empty(model.state_dim) for _ in range(3)]
    for seed in (1, 2, 1):
        rng, twin = np.random.default_rng(seed), np.random.default_rng(seed)
        for before, after in zip([root, *states[:2]], states, strict=True):
            reward, _ = model.step(before, np.ones(1), after, model.params, rng)
            assert reward == np.sign(twin.random() - 0.5)
            twin.random()  # numbers the snapshot
        assert rng.bit_generator.state == twin.bit_generator.state


@pytest.mark.parametrize("lock", [False, True])
def test_normal_numbers_that_an_old_generator_draws_in_pairs_follow_the_planner(lock, make):
    class Normal(OldShared):
        def draw(self):
            return self.np_random.randn()

        def step(self, action):
            return np.zeros(1), self.draw(), False, False, {}

    env = make(locked(Normal) if lock else Normal)
    model = envs.from_gymnasium(env)
    observation, _ = env.reset(seed=1)
    states = [model.observe(env, observation), *(np.empty(model.state_dim) for _ in range(3))]
    rng, twin = np.random.default_rng(1), np.random.default_rng(1)
    for before, after in itertools.pairwise(states):
        reward, _ = model.step(before, np.ones(1), after, model.params, rng)
        assert reward == np.random.RandomState(twin.bit_generator).randn()
        twin.random()  # numbers the snapshot


@pytest.mark.parametrize("lock", [False, True])
def test_no_planner_earns_what_chance_decides(lock, make):
    env = make(locked(Holds) if lock else Holds)
    model, rewards = envs.from_gymnasium(env), []
    for seed in range(6):
        observation, _ = env.reset(seed=seed)
        search = planners.begin_episode(planners.make("icem", lookahead=5), model)
        for steps in range(20):
            rng = np.random.default_rng((seed, steps))
            decision = search.plan(model.observe(env, observation, steps), planners.Budget(30), rng)
            observation, reward, *_ = env.step(model.action(decision.action))
            rewards.append(reward)
    assert abs(np.mean(rewards)) < 4.0 * np.std(rewards) / np.sqrt(len(rewards))


def test_the_state_of_the_global_generators_stays():
    np.random.seed(5)  # noqa: NPY002
    random.seed(5)
    expected = np.random.random(), random.random()  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    random.seed(5)
    envs.from_gymnasium(Follows(), horizon=5)
    assert (np.random.random(), random.random()) == expected  # noqa: NPY002


class FromSpace(gymnasium.Env):
    """Draws its start, and if asked its steps, from its action space."""

    def __init__(self, steps_too=False):
        self.action_space = self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float64)
        self.steps_too = steps_too

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.action_space.sample()
        return self.x, {}

    def step(self, action):
        self.x = np.clip(self.x + (self.action_space.sample() if self.steps_too else 0.1 * action), -1.0, 1.0)
        return self.x, 0.0, False, False, {}


def test_a_model_draws_nothing_from_the_spaces_of_the_environment():
    starts = []
    for searched in (False, True):
        env = FromSpace()
        env.action_space.seed(0)
        if searched:
            envs.from_gymnasium(env, horizon=5).initial_state(np.random.default_rng(0))
        starts.append(env.reset(seed=0)[0].item())
    assert starts[0] == starts[1]


def test_noise_of_a_space_is_refused():
    with pytest.raises(ValueError, match=r"step\(\) draws from a space, by sample\(\)"):
        envs.from_gymnasium(FromSpace(steps_too=True), horizon=5)
