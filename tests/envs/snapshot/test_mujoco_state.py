"""Simulators of MuJoCo with numbers beside them are restored to the bit."""

import copy
import enum
import uuid

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium.envs.mujoco.inverted_pendulum_v5 import InvertedPendulumEnv
from gymnasium.envs.mujoco.reacher_v5 import ReacherEnv

from bonspiel import envs
from bonspiel.envs.snapshot.check import drawn
from bonspiel.envs.snapshot.noise import reseed

NAME = "MuJoCo and attributes"


class RateCost(gymnasium.Wrapper):
    """A cost of the change of the action."""

    def reset(self, **options):
        self.last = None
        return self.env.reset(**options)

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        change = 0.0 if self.last is None else float(np.abs(action - self.last).sum())
        self.last = action
        return observation, reward - change, *rest


class Goal(InvertedPendulumEnv):
    """Another goal in each episode, and a reward for each time that it is passed."""

    def reset_model(self):
        self.goal, self.times = self.np_random.normal(size=2), 0
        return super().reset_model()

    def step(self, action):
        observation, _, *rest = super().step(action)
        self.times += observation[0] > self.goal[0]
        return observation, self.times + self.goal[1], *rest


class Heavier(ReacherEnv):
    """Another mass in each episode, which is a field of the model."""

    def reset_model(self):
        self.model.body_mass[1:] = self.np_random.uniform(0.01, 0.1)
        return super().reset_model()


class Inside(gymnasium.Env):
    """Holds a simulator in a part of its own, as programs for dm_control do."""

    def __init__(self):
        self.parts = {"plant": InvertedPendulumEnv()}
        self.action_space = self.parts["plant"].action_space
        self.observation_space = self.parts["plant"].observation_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.parts["plant"].reset(seed=seed)

    def step(self, action):
        self.steps += 1
        observation, *rest = self.parts["plant"].step(action)
        return observation, float(self.steps), *rest[1:]


def rate_cost():
    return RateCost(gymnasium.make("HalfCheetah-v5"))


def dm_control(name):
    pytest.importorskip("dm_control")
    pytest.importorskip("shimmy")
    return gymnasium.make(f"dm_control/{name}-v0")


def assert_restored_to_the_bit(model, seed, steps=60):
    """The steps of an episode, each after steps of another branch, are those of one that is never restored."""
    rng, live = np.random.default_rng(seed), model.storage.fresh()
    observation, _ = live.reset(seed=seed)
    state, seen = model.observe(live, observation), []
    for number in range(steps):
        branch, after = state.copy(), np.empty(model.state_dim)
        for _ in range(1 + number % 5):
            model.step(branch.copy(), drawn(model, rng), branch, model.params, rng)
        action, noise = drawn(model, rng), int(rng.integers(2**31))
        reward, ended = model.step(state, action, after, model.params, np.random.default_rng(noise))
        reseed(live, noise)
        observation, expected, terminated, truncated, _ = live.step(model.action(action))
        assert (reward, ended) == (expected, terminated or truncated)
        np.testing.assert_array_equal(after[model.seen], model.flat(observation))
        state = after if number % 10 else model.observe(live, observation, number + 1)
        seen.append((reward, *model.flat(observation)))
        if ended:
            break
    return seen


@pytest.mark.parametrize("make", [rate_cost, Goal, Heavier, Inside])
def test_numbers_beside_the_simulator_are_restored_to_the_bit(make):
    model = envs.from_gymnasium(make(), horizon=100)
    assert model.storage.name == NAME
    assert assert_restored_to_the_bit(model, 11) != assert_restored_to_the_bit(model, 12)


TASKS = "cartpole-swingup", "reacher-hard", "cheetah-run", "walker-walk", "humanoid-walk", "point_mass-hard"


@pytest.mark.parametrize("name", TASKS)
def test_dm_control_is_restored_to_the_bit(name):
    model = envs.from_gymnasium(dm_control(name))
    assert (model.storage.name, model.rejected) == (NAME, [])
    assert name in repr(model) and model.horizon in (1000, 2000)
    assert assert_restored_to_the_bit(model, 11) != assert_restored_to_the_bit(model, 12)


def test_the_end_of_an_episode_of_dm_control_is_restored():
    env = dm_control("cartpole-swingup")
    env.unwrapped._env._step_limit = 7.0
    model = envs.from_gymnasium(env)
    assert (model.storage.name, model.horizon) == (NAME, 7)
    assert len(assert_restored_to_the_bit(model, 1)) == 7


def test_copies_for_workers_have_places_of_their_own():
    model = envs.from_gymnasium(Goal(), horizon=100)
    for other in (cloudpickle.loads(cloudpickle.dumps(model)), copy.deepcopy(model)):
        assert other.storage.env is not model.storage.env
        assert_restored_to_the_bit(other, 11)
        assert_restored_to_the_bit(model, 11)


class Logging(RateCost):
    """Keeps what it returned."""

    def step(self, action):
        self.log = [*getattr(self, "log", []), action]
        return super().step(action)


def test_what_cannot_be_written_back_goes_the_slow_way_and_says_why():
    model = envs.from_gymnasium(Logging(InvertedPendulumEnv()), horizon=30)
    assert model.storage.name == "replay"
    assert any(reason.startswith(f"{NAME}: env.log") for reason in model.rejected)


class Late(gymnasium.Wrapper):
    """Pays once something has changed in its 30th step."""

    def __init__(self, begin, change, pay):
        super().__init__(ReacherEnv())
        self.begin, self.change, self.pay = begin, change, pay

    def reset(self, **options):
        self.steps = 0
        self.begin(self)
        return self.env.reset(**options)

    def step(self, action):
        self.steps += 1
        if self.steps >= 30:
            self.change(self)
        observation, _, *rest = self.env.step(action)
        return observation, float(self.pay(self)), *rest


class Phase(enum.Enum):
    GO, STOP = 1, 2


class Slotted:
    __slots__ = ("count",)


class Part(Slotted):
    def __init__(self, count=0):
        self.count = count


class Counting(list):
    count = 0


def attribute(first, later):
    return (
        lambda env: setattr(env, "held", first),
        lambda env: setattr(env, "held", later),
        lambda env: env.held == later,
    )


def refer(env):
    """To one of two objects that are held already."""
    env.held, env.parts = None, [Part(0), Part(1)]
    env.held = env.parts[0]


def hold(make):
    return lambda env: setattr(env, "held", make())


def count(env):
    env.held.count += 1


def written(array):
    array[-1] += 1.0


LATE = {
    "text": attribute("go", "stop"),
    "enum": attribute(Phase.GO, Phase.STOP),
    "class": attribute(Part, Slotted),
    "function": attribute(written, hold),
    "entry": (hold(lambda: {"hits": 0}), lambda env: env.held.update(hits=1), lambda env: env.held["hits"]),
    "list": (hold(list), lambda env: env.held.append(1), lambda env: len(env.held)),
    "large array": (hold(lambda: np.zeros(400)), lambda env: written(env.held), lambda env: env.held.sum()),
    "reference": (refer, lambda env: setattr(env, "held", env.parts[1]), lambda env: env.held.count),
    "slot": (hold(Part), count, lambda env: env.held.count),
    "list with attributes": (hold(Counting), count, lambda env: env.held.count),
    "many digits": (hold(lambda: 1), lambda env: setattr(env, "held", 2**60 + 1), lambda env: env.held & 2),
}


@pytest.mark.parametrize("late", LATE.values(), ids=LATE)
def test_what_changes_late_is_not_restored_by_numbers(late):
    model = envs.from_gymnasium(Late(*late), horizon=50)
    assert model.storage.name == "replay"


def test_what_changes_late_is_seen_where_no_reward_shows_it():
    begin, change, _ = LATE["text"]
    model = envs.from_gymnasium(Late(begin, change, lambda env: 0.0), horizon=50)
    assert model.storage.name == "replay" and "env.held='stop': must be as" in str(model.rejected)


@pytest.mark.parametrize("late", LATE.values(), ids=LATE)
def test_what_changes_in_play_alone_is_an_error(late):
    env, words = Late(*late), r"^env\.(held|parts).*: must be .*get_state\(\) and set_state\(\)"
    model = envs.from_gymnasium(env, horizon=20)
    assert model.storage.name == NAME
    observation, _ = env.reset(seed=1)
    for _ in range(29):
        observation, *_ = env.step(np.zeros(2))
    state = model.observe(env, observation)
    env.step(np.zeros(2))
    with pytest.raises(ValueError, match=words):
        model.observe(env, observation)
    observation, _ = env.reset(seed=1)
    model.observe(env, observation)
    with pytest.raises(ValueError, match=words):  # what a search has changed
        model.step(state, np.zeros(2), state.copy(), model.params, np.random.default_rng(0))
        model.observe(env, observation)


class Rare(gymnasium.Wrapper):
    """Its resets change something now and then."""

    def __init__(self, change, part=0.3):
        super().__init__(ReacherEnv())
        self.change, self.part = change, part

    def reset(self, **options):
        result = self.env.reset(**options)
        self.steps = 0
        self.change(self, self.np_random.random() < self.part)
        return result

    def step(self, action):
        self.steps += 1
        observation, reward, *rest = self.env.step(action)
        return observation, reward - (getattr(self, "task", "near") == "far"), *rest


def task(env, is_rare):
    env.task = "far" if is_rare else "near"


def gear(env, is_rare):
    env.unwrapped.model.actuator_gear[:, 0] = 400.0 if is_rare else 200.0


def gravity(env, is_rare):
    env.unwrapped.model.opt.gravity[1] = float(is_rare)


def timestep(env, is_rare):
    env.unwrapped.model.opt.timestep = 0.02 if is_rare else 0.01


RARE = [(task, "replay"), (gear, NAME), (gravity, NAME), (timestep, "replay")]


@pytest.mark.parametrize(("change", "way"), RARE)
def test_what_a_reset_changes_now_and_then_is_seen(change, way):
    model = envs.from_gymnasium(Rare(change), horizon=50)
    assert model.storage.name == way
    for seed in range(3, 9) if way == NAME else ():
        assert_restored_to_the_bit(model, seed, 10)


class Heavy(ReacherEnv):
    part = 0.3

    def reset_model(self):
        gear(self, self.np_random.random() < self.part)
        return super().reset_model()


def test_an_environment_of_ones_own_may_change_its_model_now_and_then():
    model = envs.from_gymnasium(Heavy(), horizon=50)
    assert model.storage.name == NAME
    for seed in range(3, 9):
        assert_restored_to_the_bit(model, seed, 10)
    env = type("Never", (Heavy,), {"part": 0.0})()
    model = envs.from_gymnasium(env, horizon=50)
    assert model.storage.name == NAME
    observation, _ = env.reset(seed=1)
    model.observe(env, observation)
    gear(env, True)
    with pytest.raises(ValueError, match="actuator_gear of MuJoCo's model must be as in the first episodes"):
        model.observe(env, observation)


@pytest.mark.parametrize("change", [change for change, _ in RARE])
def test_what_a_reset_changes_for_the_first_time_in_play_is_an_error(change):
    env = Rare(change, 0.0)
    model = envs.from_gymnasium(env, horizon=50)
    assert model.storage.name == NAME
    observation, _ = env.reset(seed=1)
    model.observe(env, observation)
    change(env, True)
    with pytest.raises(ValueError, match=rf"^env.*{change.__name__}.*must be as in the first episodes.*get_state"):
        model.observe(env, observation)


class Drawn(gymnasium.Wrapper):
    """Opens a window and a viewer once it is drawn, and has a name of its own and an attribute of its class."""

    flag = True

    def __init__(self):
        super().__init__(ReacherEnv(render_mode="rgb_array"))
        self.window, self.name = None, [uuid.uuid4().hex]

    def __deepcopy__(self, memo):
        return type(self)()

    def reset(self, **options):
        self.steps = 0
        return self.env.reset(**options)

    def step(self, action):
        self.steps += 1
        return self.env.step(action)


def test_windows_and_names_of_an_environment_are_no_state():
    pygame = pytest.importorskip("pygame")
    env = Drawn()
    model = envs.from_gymnasium(env, horizon=50)
    assert model.storage.name == NAME
    observation, _ = env.reset(seed=1)
    state = model.observe(env, observation)
    env.window, env.viewer, env.flag = pygame.Surface((4, 4)), object(), True
    env.unwrapped.mujoco_renderer.viewer = object()
    np.testing.assert_array_equal(model.observe(env, observation), state)
    env.flag = False
    with pytest.raises(ValueError, match=r"^env\.flag=False: must be"):
        model.observe(env, observation)
    del env.flag
    env.window = []
    with pytest.raises(ValueError, match=r"^env\.window=\[\]: must be"):
        model.observe(env, observation)


def test_views_of_pendulums_camera_are_left_out():
    env = gymnasium.wrappers.NormalizeReward(gymnasium.make("InvertedPendulum-v5"))
    model = envs.from_gymnasium(env)
    observation, _ = env.reset(seed=1)
    assert model.storage.name == NAME and model.observe(env, observation).shape == (model.state_dim,)


class Touch(ReacherEnv):
    """A flag that random steps do not reach."""

    def reset_model(self):
        self.touched = False
        return super().reset_model()

    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward + (0.0 if self.touched else 10.0 * (abs(action).max() > 2.0)), *rest


def test_a_flag_that_few_episodes_reach_is_restored():
    env = Touch()
    model = envs.from_gymnasium(env, horizon=50)
    observation, _ = env.reset(seed=0)
    before = model.observe(env, observation)
    env.touched = True
    assert (model.observe(env, observation) != before).any()
