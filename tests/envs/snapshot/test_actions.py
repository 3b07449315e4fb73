"""Actions of a model as items of the environment's action space."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from bonspiel import envs, planners
from tests.envs.snapshot.toys import Restorable
from tests.planners.kinds_models import TAKERS


class Checking(Restorable):
    """Takes nothing but items of its action space; the reward grows with the sum of their places in the range."""

    def __init__(self, space, sign=1.0):
        self.action_space, self.sign = space, sign

    def step(self, action):
        assert self.action_space.contains(action), f"{action!r} is not in {self.action_space}"
        low, high = (np.asarray(end, float) for end in (self.action_space.low, self.action_space.high))
        part = (np.asarray(action, float) - low) / np.maximum(high - low, 1e-300)
        return np.zeros(1), self.sign * float(part.sum()), False, False, {}


def modelled(space, sign=1.0, horizon=1):
    return envs.from_gymnasium(Checking(space, sign), horizon=horizon)


def box(low, high, kind, shape=(1,)):
    return spaces.Box(low, high, shape, kind)


def drawn(model, n, seed=0):
    rng, action = np.random.default_rng(seed), np.zeros(len(model.action_low))
    for _ in range(n):
        model.sample_action(None, action, model.params, rng)
        yield model.action(action)


@pytest.mark.parametrize(
    "space",
    [
        box(-3, 3, np.int32),
        box(0, 1, np.int8),
        box(0, 255, np.uint8),
        box(-128, 127, np.int8, (2,)),
        box(5, 9, np.int64),
        box(0, 1, np.bool_, (2,)),
    ],
    ids=repr,
)
def test_every_integer_is_equally_likely(space):
    low, high, n = int(space.low.min()), int(space.high.max()), 20_000
    values = np.concatenate([action.ravel() for action in drawn(modelled(space), n)])
    counts = np.bincount(values.astype(int) - low, minlength=high - low + 1)
    expected = len(values) / (high - low + 1)
    assert len(counts) == high - low + 1
    assert (np.abs(counts - expected) < 5.0 * np.sqrt(expected)).all()


WIDE = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


@pytest.mark.parametrize("kind", WIDE)
def test_the_whole_range_of_a_type_has_its_ends(kind):
    ends = np.iinfo(kind)
    model = modelled(box(ends.min, ends.max, kind))
    assert [int(model.action(end)[0]) for end in (model.action_low, model.action_high)] == [ends.min, ends.max]
    assert int(model.action(2.0 * model.action_high + 9.0)[0]) == ends.max
    assert int(model.action(model.action_low - 9.0 - model.action_high)[0]) == ends.min
    assert all(model.env.action_space.contains(action) for action in drawn(model, 200))
    assert np.isfinite(model.action_high - model.action_low).all()


def test_a_half_is_rounded_up_and_ends_stay():
    model = modelled(box(-2, 2, np.int16))
    actions = [-9.0, -2.5, -1.5, -0.5, 0.49, 0.5, 1.5, 2.5]
    assert [int(model.action(np.array([action]))[0]) for action in actions] == [-2, -2, -1, 0, 0, 1, 2, 2]
    assert (model.action_low, model.action_high, model.action_kinds) == (-2.0, 2.0, ("integer",))


def test_an_integer_that_is_fixed_stays_fixed():
    space = spaces.Box(np.array([4, 0], np.int8), np.array([4, 3], np.int8), dtype=np.int8)
    model = modelled(space)
    assert model.action_low.tolist() == [4.0, 0.0] and model.action_high.tolist() == [4.0, 3.0]
    assert {int(action[0]) for action in drawn(model, 50)} == {4}


@pytest.mark.parametrize("end", [False, True])
def test_a_boolean_that_is_fixed_stays_fixed(end):
    space = spaces.Box(np.array([end, False]), np.array([end, True]), dtype=np.bool_)
    assert {bool(action[0]) for action in drawn(modelled(space), 50)} == {end}


@pytest.mark.parametrize("kind", [np.int8, np.bool_])
def test_integers_keep_the_shape_of_their_space(kind):
    for shape in ((), (1,), (2, 3)):
        model = modelled(box(0, 1, kind, shape))
        for action in drawn(model, 5):
            assert action.shape == shape and action.dtype == kind


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", ["uct", "abstraction", "adaptive", "cem", "voot", "sequential_halving"])
def test_planners_reach_both_ends(name, sign):
    model = modelled(box(-3, 3, np.int32), sign)
    planner, state = planners.make(name), model.initial_state(np.random.default_rng(0))
    best = [
        int(model.action(planner.plan(model, state, planners.Budget(400), np.random.default_rng(seed)).action)[0])
        for seed in range(10)
    ]
    assert best.count(round(3 * sign)) >= 8


SPACES = [
    *(box(-1.0, 1.0, np.float32, shape) for shape in ((), (1,), (2, 2))),
    box(np.float16(-0.1), np.float16(0.1), np.float16, (2,)),
    box(-3, 3, np.int8, (2,)),
    box(0, 2**64 - 1, np.uint64),
    box(0, 1, np.bool_, (2,)),
]


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_an_environment_that_checks_its_actions_can_be_acted_in(space):
    """The loop of the docstring of `from_gymnasium`."""
    env = Checking(space)
    model, planner, rng = envs.from_gymnasium(env, horizon=3), planners.make("dpw"), np.random.default_rng(1)
    observation, _ = env.reset(seed=1)
    for _ in range(3):
        decision = planner.plan(model, model.observe(env, observation), planners.Budget(10), rng)
        observation, *_ = env.step(model.action(decision.action))


@pytest.mark.parametrize("name", ["cem", "icem", "mppi", "adaptive"])
def test_planners_with_memory_need_no_count_of_steps(name):
    env = gymnasium.make("Pendulum-v1")
    model, rng = envs.from_gymnasium(env), np.random.default_rng(0)
    search = planners.begin_episode(planners.make(name, memory=1.0, lookahead=10), model)
    observation, _ = env.reset(seed=0)
    for _ in range(3):
        decision = search.plan(model.observe(env, observation), planners.Budget(20), rng)
        observation, *_ = env.step(model.action(decision.action))


@pytest.mark.parametrize("most", [np.finfo(np.float64).max, 1e308])
def test_a_range_that_no_number_holds_is_refused(most):
    with pytest.raises(ValueError, match=r"^action_space=Box.*must be a Box of coordinates of finite range"):
        modelled(box(-most, most, np.float64))


class Choosing(Restorable):
    """Takes nothing but items of its action space; the reward is `worth` of the item."""

    def __init__(self, space, worth=lambda action: 0.0):
        self.action_space, self.worth = space, worth

    def step(self, action):
        assert self.action_space.contains(action), f"{action!r} is not in {self.action_space}"
        return np.zeros(1), float(self.worth(action)), False, False, {}


NESTED = spaces.Dict(
    {
        "b": spaces.Tuple((spaces.Discrete(3, start=-1), box(-2.0, 2.0, np.float32, (2,)))),
        "a": spaces.MultiBinary((2, 2)),
        "c": spaces.Dict({"x": spaces.MultiDiscrete([[2, 3]], start=[[5, -1]]), "n": box(2, 9, np.int16)}),
    }
)

KINDS = [
    (spaces.Discrete(4, start=3), ["categorical"], [0], [3]),
    (spaces.Discrete(1), ["categorical"], [0], [0]),
    (spaces.MultiDiscrete([2, 5]), ["categorical"] * 2, [0, 0], [1, 4]),
    (spaces.MultiBinary(3), ["boolean"] * 3, [0] * 3, [1] * 3),
    (box(-1, 3, np.int8, (2,)), ["integer"] * 2, [-1, -1], [3, 3]),
    (box(0, 1, np.bool_), ["boolean"], [0], [1]),
    (
        NESTED,
        ["boolean"] * 4 + ["categorical", "real", "real", "integer", "categorical", "categorical"],
        [0] * 5 + [-2, -2, 2, 0, 0],
        [1] * 4 + [2, 2, 2, 9, 1, 2],
    ),
]


@pytest.mark.parametrize(("space", "kinds", "low", "high"), KINDS)
def test_spaces_become_kinds_and_every_draw_is_an_item(space, kinds, low, high):
    model = envs.from_gymnasium(Choosing(space), horizon=1)
    assert list(model.action_kinds) == kinds
    assert (model.action_low.tolist(), model.action_high.tolist()) == (low, high)
    envs.check_model(model, np.random.default_rng(0))
    assert all(space.contains(action) for action in drawn(model, 200))
    for end in (model.action_low - 3.0, model.action_high + 3.0):
        assert space.contains(model.action(end))


def test_coordinates_have_the_order_in_which_gymnasium_flattens():
    """The numbers of an action come again in its flat form, where a choice is a block of zeros and a one."""
    model = envs.from_gymnasium(Choosing(NESTED), horizon=1)
    vector = np.array([1.0, 0.0, 0.0, 1.0, 2.0, -1.5, 0.5, 7.0, 1.0, 0.0])
    action = model.action(vector)
    assert action["b"][0] == 1 and action["c"]["n"] == [7] and action["c"]["x"].tolist() == [[6, -1]]
    flat = spaces.flatten(NESTED, action)
    assert flat.tolist() == [1, 0, 0, 1, *(0, 0, 1), -1.5, 0.5, 7, *(0, 1), *(1, 0, 0)]


def test_a_box_of_real_numbers_has_no_kinds():
    assert envs.from_gymnasium(Choosing(box(-1.0, 1.0, np.float32)), horizon=1).action_kinds is None


MIXED = spaces.Dict({"choice": spaces.Discrete(3, start=5), "push": box(-1.0, 1.0, np.float64)})


@pytest.mark.parametrize("name", TAKERS)
def test_the_best_action_of_a_dict_is_found(name):
    """Choice 6 earns 1 more, and a push near 0.5 up to 1 more; random actions earn 0.9 on average."""

    def worth(action):
        return float(action["choice"] == 6) + 1.0 - abs(action["push"][0] - 0.5)

    model = envs.from_gymnasium(Choosing(MIXED, worth), horizon=1)
    state, rng = model.initial_state(np.random.default_rng(0)), np.random.default_rng(1)
    planner = planners.make(name)
    actions = [model.action(planner.plan(model, state, planners.Budget(400), rng).action) for _ in range(5)]
    assert np.mean([worth(action) for action in actions]) > 1.5


def test_values_of_64_bits_keep_their_ends():
    model = envs.from_gymnasium(Choosing(spaces.Tuple((box(0, 2**64 - 1, np.uint64), spaces.Discrete(2)))), horizon=1)
    for name in ("adaptive", "voot", "icem", "uct"):
        rng = np.random.default_rng(0)
        decision = planners.make(name).plan(model, model.initial_state(rng), planners.Budget(30), rng)
        assert model.env.action_space.contains(model.action(decision.action))


@pytest.mark.parametrize(
    "space",
    [
        spaces.Text(3),
        spaces.Sequence(spaces.Discrete(2)),
        spaces.Dict({"a": spaces.Discrete(2), "b": box(-np.inf, np.inf, np.float64)}),
        spaces.Tuple(()),
    ],
    ids=lambda space: type(space).__name__,
)
def test_other_spaces_are_refused(space):
    with pytest.raises(
        ValueError, match=r"^action_space=.*must be a Box of coordinates of finite range.*Discrete.*Dict or Tuple"
    ):
        envs.from_gymnasium(Choosing(space), horizon=1)


@pytest.mark.parametrize("id", ["CartPole-v1", "MountainCar-v0", "Acrobot-v1"])
def test_environments_of_gymnasium_with_choices(id):
    env = gymnasium.make(id)
    model, planner, rng = envs.from_gymnasium(env), planners.make("adaptive", lookahead=10), np.random.default_rng(1)
    observation, _ = env.reset(seed=1)
    for _ in range(3):
        decision = planner.plan(model, model.observe(env, observation), planners.Budget(20), rng)
        observation, *_ = env.step(model.action(decision.action))


def test_a_pole_does_not_fall():
    """100 simulations a decision of 30 steps; 60 of the 500 steps, in which random actions let it fall in 22."""
    env = gymnasium.make("CartPole-v1")
    model, planner, rng = envs.from_gymnasium(env), planners.make("adaptive", lookahead=30), np.random.default_rng(1)
    observation, _ = env.reset(seed=1)
    for steps in range(60):
        decision = planner.plan(model, model.observe(env, observation, steps), planners.Budget(100), rng)
        observation, _, terminated, *_ = env.step(model.action(decision.action))
        assert not terminated


def test_a_box_without_coordinates_is_refused():
    with pytest.raises(ValueError, match=r"^action_space=Box.*must be a Box of coordinates of finite range"):
        modelled(gymnasium.spaces.Box(-1.0, 1.0, (0,)))
