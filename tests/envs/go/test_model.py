"""The model of Go with planners: all can search it, and some find what is best."""

import numpy as np
import pytest

import envs
import planners
from envs.go import model as model_of_go
from envs.go.model import Go
from envs.go.state import MOVER, PLY
from tests.envs.go.diagrams import state_of


def plan(name, model, state, simulations, seed=0, **parameters):
    rng = np.random.default_rng(seed)
    return planners.make(name, **parameters).plan(model, state, planners.Budget(simulations), rng)


@pytest.mark.parametrize("parameters", [{"superko": True}, {"playout": "light"}, {"size": 5, "komi": 0}], ids=str)
def test_other_games_keep_the_contract_too(parameters):
    envs.check_model(envs.make_model("go", **parameters), np.random.default_rng(0), states=20)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("go:size=4", "size=4: must be a whole number from 5 to 19"),
        ("go:size=20", "size=20: must be a whole number from 5 to 19"),
        ("go:komi=0.3", "komi=0.3: must be a multiple of 1/2"),
        ("go:komi=nan", "komi='nan': must be a multiple of 1/2"),
        ("go:komi=much", "komi='much': must be a multiple of 1/2"),
        ("go:playout=heavy", "playout='heavy': must be 'light' or 'mogo'"),
        ("go:superko=2", "superko=2: must be True or False"),
    ],
)
def test_parameters_that_are_refused(text, message):
    with pytest.raises(ValueError) as error:
        envs.parse(text)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("name", planners.names_for(Go()))
def test_every_planner_plays_a_legal_move(name):
    model = Go(5)
    decision = plan(name, model, model.initial_state(np.random.default_rng(0)), 20)
    assert 0.0 <= decision.action[0] <= 25.0


def test_planners_with_actions_are_among_them():
    assert {"uct", "pw", "kr_uct", "abstraction", "root", "threads"} <= set(planners.names_for(Go()))


@pytest.mark.parametrize(("size", "komi"), [(3, 8.5), (5, 24.5)])
def test_2000_simulations_find_the_centre(size, komi, monkeypatch):
    """Black wins every point, and only from there on 5x5; single searches find it in four of five cases."""
    monkeypatch.setattr(model_of_go, "SMALLEST", 3)
    model, votes = Go(size, komi), np.zeros(size * size + 1)
    for seed in range(9):
        state = model.initial_state(np.random.default_rng(0))
        votes[int(plan("uct", model, state, 2_000, seed, leaf="rollout", exploration=0.5).action[0])] += 1
    assert votes.argmax() == size * size // 2 and votes.max() >= 5


SEKI = """
    X X X O O
    X X . O O
    X X X O O
    X X . O O
    X X X O O"""


@pytest.mark.parametrize(("mover", "komi"), [("X", 2.5), ("O", 3.5)])
def test_a_seki_is_left_alone_by_the_side_that_is_ahead(mover, komi):
    """Who plays at one of the two common liberties is captured at the other."""
    model = Go(5, komi)
    decision = plan("uct", model, state_of(SEKI, mover), 2_000, leaf="rollout")
    assert decision.action[0] == 25.0 and decision.value > 0.5


def test_a_finished_game_is_refused():
    model = Go(5)
    state = model.initial_state(np.random.default_rng(0))
    state[25 + PLY] = 75.0
    with pytest.raises(ValueError, match="over"):
        plan("uct", model, state, 10)


def test_colours_mirror():
    """The same game with the colours swapped has the opposite value, move by move."""
    model, rng = Go(5, komi=0), np.random.default_rng(0)
    state = model.initial_state(rng)
    other, over = state.copy(), False
    other[25 + MOVER] = -1.0
    while not over:
        action, mirrored = np.empty(1), np.empty(1)
        seed = int(rng.integers(2**32))
        model.sample_action(state, action, model.params, np.random.default_rng(seed))
        model.sample_action(other, mirrored, model.params, np.random.default_rng(seed))
        assert action == mirrored
        generators = np.random.default_rng(seed), np.random.default_rng(seed)
        rollouts = [
            model.rollout(one.copy(), one.copy(), 75, model.params, generator)
            for one, generator in zip((state, other), generators, strict=True)
        ]
        assert rollouts[0] == -rollouts[1]
        after, mirror = np.empty_like(state), np.empty_like(state)
        reward, over = model.step(state, action, after, model.params, rng)
        assert model.step(other, action, mirror, model.params, rng) == (-reward, over)
        state, other = after, mirror
        assert (state[:26] == -other[:26]).all() and (state[26:] == other[26:]).all()
