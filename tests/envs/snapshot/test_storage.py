"""The store of snapshots: those used last, within a number and within bytes."""

import gymnasium
import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs.snapshot.objects import size
from bonspiel.planners.core.code.cache import SAID
from tests.envs.snapshot.toys import Noisy


class Large(Noisy):
    """A map of 1 MB, which copies take along."""

    def reset(self, **options):
        result = super().reset(**options)
        self.map = {"heights": [np.zeros(125_000)]}
        return result


class Growing(Noisy):
    """Remembers 100 KB more of each step."""

    def reset(self, **options):
        self.past = []
        return super().reset(**options)

    def step(self, action):
        self.past.append(np.zeros(12_500))
        return super().step(action)


class Remembering(Noisy):
    """Keeps 1 MB, made anew in each step or from the start."""

    def __init__(self, kind, new):
        super().__init__()
        self.kind, self.new, self.memory = kind, new, [kind()]

    def step(self, action):
        if self.new:
            self.memory = [self.kind()]
        return super().step(action)


ITEMS = {
    "bytes": lambda: bytes(1_000_000),
    "str": lambda: "x" * 1_000_000,
    "int": lambda: 1 << 8_000_000,
    "numpy's str": lambda: np.str_("x" * 250_000),
    "numpy's record": lambda: np.zeros(1, "V1000000")[0],
    "a tuple": lambda: ({"a": bytes(1_000_000)},),
    "a masked array": lambda: np.ma.array(np.zeros(500_000, bool), mask=np.zeros(500_000, bool)),
}


def held(model):
    return sum(len(sort) for sort in (model.storage.kept.searched, model.storage.kept.observed))


def decide(env, planner, **given):
    model = envs.from_gymnasium(env, horizon=20, **given)
    observation, _ = env.reset(seed=1)
    for steps in range(3):
        state, rng = model.observe(env, observation, steps), np.random.default_rng(steps)
        decision = planners.parse(planner).plan(model, state, planners.Budget(30), rng)
        observation, *_ = env.step(model.action(decision.action))
    return model, decision


@pytest.mark.parametrize("planner", ["cem", "dpw:lookahead=3", "adaptive:lookahead=3"])
def test_copies_take_no_more_bytes_than_allowed(planner):
    model, decision = decide(Large(), planner, max_bytes=70_000_000)
    assert model.storage.name == "deep copies" and len(model.storage.kept.searched) <= 69
    assert held(model) * 1_000_000 < 2 * 70_000_000
    unlimited, same = decide(Large(), planner)
    assert held(unlimited) > 70 and decision.action == same.action, "nothing that the search needs is dropped"


def test_environments_that_grow_are_measured_again():
    model, _ = decide(Growing(), "cem", max_bytes=20_000_000)
    copies = [*model.storage.kept.searched.values(), *model.storage.kept.observed.values()]
    assert sum(map(size, copies)) < 2 * 20_000_000


@pytest.mark.parametrize("kind", ITEMS.values(), ids=ITEMS)
def test_what_a_step_makes_anew_is_measured_of_any_type(kind):
    env = Remembering(kind, True)
    assert 990_000 < size(env) < 1_400_000
    model, _ = decide(env, "cem", max_bytes=20_000_000)
    assert len(model.storage.kept.searched) <= 20


@pytest.mark.parametrize("kind", ["bytes", "str", "int", "numpy's str", "a tuple"])
def test_what_all_copies_share_takes_no_room(kind):
    model, _ = decide(Remembering(ITEMS[kind], False), "cem", max_bytes=20_000_000)
    assert len(model.storage.kept.searched) > 100


def test_a_state_that_made_room_is_refused_with_the_limit():
    env, rng = Large(), np.random.default_rng(0)
    model = envs.from_gymnasium(env, horizon=20, max_bytes=5_000_000)
    state = model.initial_state(rng)
    states = [state]
    for _ in range(6):
        after = np.empty(model.state_dim)
        model.step(states[-1], np.zeros(1), after, model.params, rng)
        states.append(after)
    with pytest.raises(ValueError, match=r"^state=.*the 4 states.*1,00\d,\d\d\d bytes each.*max_bytes=5,000,000"):
        model.step(states[1], np.zeros(1), after, model.params, rng)


def test_one_copy_is_always_kept():
    model, rng = envs.from_gymnasium(Large(), horizon=20, max_bytes=1), np.random.default_rng(0)
    state = model.initial_state(rng)
    model.step(state, np.zeros(1), state, model.params, rng)
    model.step(state, np.zeros(1), state, model.params, rng)


@pytest.mark.parametrize("given", [0, -1, 1.5, "1 GB"])
def test_bad_limits_are_named(given):
    with pytest.raises(ValueError, match=r"^max_bytes="):
        envs.from_gymnasium(Noisy(), horizon=5, max_bytes=given)


def test_sizes_are_those_of_arrays_at_any_depth_views_in_full():
    env = Noisy()
    bare = size(env)
    whole = np.zeros(10_000)
    env.parts = ({"a": [whole[:5000]]}, bytearray(30_000))
    assert 70_000 < size(env) - bare < 71_000


def test_memories_of_box2d_take_no_more_bytes_than_allowed():
    model = envs.from_gymnasium(gymnasium.make("LunarLander-v3", continuous=True), max_bytes=50_000)
    state, rng = model.initial_state(np.random.default_rng(0)), np.random.default_rng(0)
    for _ in range(30):
        model.step(state.copy(), np.zeros(2), state, model.params, rng)
    kept = model.storage.kept.searched.values()
    assert model.storage.name == "Box2D" and 5 < len(kept) < 30
    assert sum(len(part) for item in kept for part in item.saved) < 50_000


def test_the_memory_of_a_simulator_outside_of_python_is_measured():
    env = gymnasium.make("HalfCheetah-v5").unwrapped
    env.reset(seed=0)
    assert size(env) > env.data.nbuffer + env.model.nbuffer


def test_a_search_that_forgets_states_which_it_needs_says_so_once(capfd, monkeypatch):
    monkeypatch.delenv(SAID, raising=False)
    model = envs.from_gymnasium(Large(), horizon=20, max_bytes=20_000_000)
    state = model.initial_state(np.random.default_rng(0))
    decision = planners.make("dpw").plan(model, state, planners.Budget(200), np.random.default_rng(0))
    assert decision.invalid > 0
    said = capfd.readouterr().err
    assert said.count("give from_gymnasium a larger max_bytes, or plan with fewer simulations") == 1
