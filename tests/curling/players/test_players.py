"""Players of curling alone: clear decisions, smoothing, and small budgets."""

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.curling import players
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.rules import score
from bonspiel.curling.match.state import FIRST_STONE, state_of, stones_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players import expectimax, static
from bonspiel.curling.players.evaluation import feature_values
from bonspiel.curling.players.expectimax import FEWEST, Expectimax, expected_values, smooth
from bonspiel.curling.players.rulebased import evenly_spaced
from bonspiel.planners import Budget
from bonspiel.planners.core.aims import aims_of
from bonspiel.planners.model import AimBlock

TEXTS = [
    "rulebased",
    "rulebased:evaluation=playouts",
    "expectimax:plies=1",
    "expectimax:evaluation=board,plies=2",
    "expectimax:evaluation=board,plies=1",
    "expectimax:evaluation=static,plies=1",
    "rulebased:evaluation=static",
]


def last_shot(model):
    """Team 1 throws the last stone; team 0 lies on the button, in the open."""
    stones = no_stones()
    stones[7] = 0.0, model.law.sheet.tee
    return state_of(stones, 15, hammer=1)


@pytest.mark.parametrize("physics", ["fcv1", "dc2"])
@pytest.mark.parametrize("text", [*TEXTS, "kr_uct"])
def test_the_last_shot_removes_an_open_stone(text, physics):
    """An open take-out nearly always succeeds, and scores only if the thrown stone stays in the house."""
    model = Curling(physics=physics, noise="normal_dist" if physics == "fcv1" else "gat").planning()
    rng, player, state = np.random.default_rng(0), players.parse(text), last_shot(model)
    aims = [player.plan(model, state, Budget(1_500), rng).action for _ in range(5)]
    after, won = np.empty(model.state_dim), 0
    for i in range(200):
        model.step(state, aims[i % 5], after, model.params, rng)
        stones = stones_of(after)
        won += score(stones, model.law.sheet.tee, model.law.sheet.in_house) <= 0
    assert won >= 180


def test_smoothing_is_the_expected_value_of_an_aim():
    """Against noise added to the coordinates of the grid, for values as smooth as those of aims."""
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[0:31, 0:41].astype(float)
    sd = (1.5, 2.5)
    blocks = [AimBlock(np.zeros((31, 41, 3)), sd), AimBlock(np.zeros((2, 3, 3)), (0.0, 0.0))]
    table = np.sin(rows / 5.0) * np.cos(columns / 7.0)
    values = np.concatenate([table.ravel(), np.arange(6.0)])
    smoothed = smooth(blocks, values)
    noisy_rows = 15.0 + sd[0] * rng.standard_normal(200_000)
    noisy_columns = 20.0 + sd[1] * rng.standard_normal(200_000)
    expected = np.sin(noisy_rows / 5.0) * np.cos(noisy_columns / 7.0)
    error = 4.0 * expected.std() / np.sqrt(len(expected))
    assert smoothed[: 31 * 41].reshape(31, 41)[15, 20] == pytest.approx(expected.mean(), abs=error + 0.005)
    np.testing.assert_array_equal(smoothed[31 * 41 :], np.arange(6.0))
    np.testing.assert_allclose(smooth(blocks, np.stack([values, -values])), [smoothed, -smoothed])


def test_unknown_values_are_left_out_of_smoothing():
    rng = np.random.default_rng(0)
    blocks = [AimBlock(np.zeros((31, 41, 3)), (1.5, 2.5)), AimBlock(np.zeros((2, 3, 3)), (0.0, 0.0))]
    rows, columns = np.mgrid[0:31, 0:41].astype(float)
    values = np.concatenate([np.sin(rows / 5.0).ravel() * np.cos(columns / 7.0).ravel(), np.arange(6.0)])
    np.testing.assert_allclose(expected_values(blocks, values, np.full(len(values), True)), smooth(blocks, values))
    known = rng.random(len(values)) < 0.7
    found = expected_values(blocks, np.where(known, values, 1e9), known)
    np.testing.assert_array_equal(np.isnan(found), ~known)
    assert np.abs(found - smooth(blocks, values))[known].max() < 0.1
    np.testing.assert_array_equal(found[-6:][known[-6:]], values[-6:][known[-6:]])


@pytest.mark.parametrize(("plies", "seconds", "tick"), [(1, 0.06, 0.005), (2, 1.5, 0.02)])
def test_time_budgets_are_kept(monkeypatch, plies, seconds, tick):
    """With a clock that advances at every call: untried aims have no value, and the search ends in time."""
    ticks = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: tick * next(ticks))
    monkeypatch.setattr(expectimax, "time", clock)
    model = Curling().planning()
    decision = Expectimax("static", plies).plan(
        model, model.initial_state(None), Budget(seconds=seconds), np.random.default_rng(0)
    )
    tried = decision.visits > 0
    assert 1 < tried.sum() < 0.8 * len(tried)
    np.testing.assert_array_equal(np.isnan(decision.values), ~tried)
    assert decision.value == decision.values[tried].max()
    assert set(decision.visits[tried]) == ({1} if plies == 1 else {decision.visits.max()})
    assert (decision.visits.max() > 1) == (plies == 2)
    assert 0.5 * seconds < decision.seconds < seconds + 6.0 * tick


def test_convolution_agrees_with_noisy_throws():
    model = Curling().planning()
    state = last_shot(model)
    decision = Expectimax(evaluation="board").plan(model, state, Budget(12_116), np.random.default_rng(0))
    rng, after = np.random.default_rng(1), np.empty(model.state_dim)
    raw = np.array([-model.step_exact(state, action, after, model.params, rng)[0] for action in decision.actions])
    beside_a_jump = np.flatnonzero(np.abs(np.roll(raw, 1) - np.roll(raw, -1)) > 0.2)
    some = rng.choice(beside_a_jump, 30, replace=False)
    direct = [
        -np.mean([model.step(state, action, after, model.params, rng)[0] for _ in range(2_000)])
        for action in decision.actions[some]
    ]
    assert np.abs(decision.values[some] - direct).mean() < 0.05
    assert np.abs(raw[some] - direct).mean() > 0.15  # without the noise they would be far off


def test_a_second_ply_considers_the_reply():
    """With two shots left a single stone on the button is worth little: the last shot takes it out."""
    model = Curling().planning()
    state = state_of(no_stones(), 14, hammer=1)
    rng = np.random.default_rng(0)
    one = Expectimax("board", 1).plan(model, state, Budget(100_000), rng)
    two = Expectimax("board", 2).plan(model, state, Budget(100_000), rng)
    assert two.value < one.value
    assert two.simulations == len(two.actions) * two.visits[0] > 50_000


@pytest.mark.parametrize("text", TEXTS)
def test_less_than_one_simulation_a_candidate(text):
    """Every candidate is tried nevertheless, and the decision reports more simulations than the budget."""
    model = Curling().planning()
    decision = players.parse(text).plan(model, model.initial_state(None), Budget(1), np.random.default_rng(0))
    assert decision.simulations == decision.visits.sum() > 1
    assert (decision.visits > 0).all()
    assert text.startswith("rulebased") or len(decision.actions) == len(
        aims_of(model.aim_grid(model.initial_state(None), FEWEST))
    )


@pytest.mark.parametrize("text", TEXTS)
def test_same_seed_same_decision(text):
    model = Curling(ends=2)
    decisions = [
        players.parse(text).plan(model, model.initial_state(None), Budget(2_000), np.random.default_rng(3))
        for _ in range(2)
    ]
    np.testing.assert_array_equal(decisions[0].values, decisions[1].values)
    assert decisions[0].actions.shape == (len(decisions[0].visits), 3)
    assert decisions[0].value == decisions[0].values.max()


def test_budgets_are_spent():
    model = Curling().planning()
    rng, state = np.random.default_rng(0), model.initial_state(None)
    decision = Expectimax("playouts", 1).plan(model, state, Budget(20_000), rng)
    assert decision.simulations == 20_000
    timed = Expectimax("playouts", 1).plan(model, state, Budget(seconds=0.05), rng)
    assert timed.seconds > 0.04


def test_rulebased_tries_each_candidate_equally():
    model = Curling()
    decision = players.make("rulebased", n_candidates=4, simulations=7).plan(
        model, model.initial_state(None), Budget(1), np.random.default_rng(0)
    )
    assert decision.visits.tolist() == [7] * 4
    given = np.array([model.aim(0.1, 2.4, 1.0), model.aim(-0.1, 2.4, -1.0)])
    only = players.make("rulebased").plan(model, model.initial_state(None), Budget(1), np.random.default_rng(0), given)
    np.testing.assert_array_equal(only.actions, given)


def test_all_players_are_registered():
    assert {"dpw", "abstraction", "kr_uct", "rulebased", "expectimax"} <= set(planners.REGISTRY.everything())
    with pytest.raises(ValueError, match="rulebased"):
        players.make("rulebase")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rulebased:evaluation=luck", "evaluation='luck'"),
        ("rulebased:n_candidates=0", "n_candidates=0"),
        ("rulebased:simulations=0", "simulations=0"),
        ("expectimax:plies=3", "plies=3"),
        ("expectimax:evaluation=luck", "evaluation='luck'"),
    ],
)
def test_bad_parameters_are_named(text, problem):
    with pytest.raises(ValueError, match=f"{problem}.*must be"):
        players.parse(text)


@pytest.mark.parametrize("name", ["rulebased", "expectimax"])
def test_bad_input_is_refused(name):
    from bonspiel import envs

    model, rng = Curling(), np.random.default_rng(0)
    with pytest.raises(TypeError, match="cannot search Trap: curling only"):
        players.make(name).plan(envs.Trap(), np.zeros(2), Budget(10), rng)
    with pytest.raises(ValueError, match=r"(?s)state=.*finite"):
        players.make(name).plan(model, np.full(model.state_dim, np.nan), Budget(10), rng)


def test_expectimax_refuses_root_actions():
    model = Curling()
    with pytest.raises(ValueError, match=r"root_actions=.*None"):
        players.make("expectimax").plan(
            model, model.initial_state(None), Budget(10), np.random.default_rng(0), np.array([[0.1, 2.4, 1.0]])
        )


def test_the_state_is_not_modified():
    model = Curling()
    state = last_shot(model)
    before = state.copy()
    for text in TEXTS:
        players.parse(text).plan(model, state, Budget(500), np.random.default_rng(0))
    np.testing.assert_array_equal(state, before)
    assert state[FIRST_STONE + 15] > 0


def test_the_static_table_is_reproducible_and_monotone(tmp_path):
    """A new table has the same form; the team with the hammer scores more, the more stones it has nearest the tee."""
    static.write_file(tmp_path / "static.json", 20, np.random.default_rng(0))
    made, shipped = (json.loads(path.read_text()) for path in (tmp_path / "static.json", static.FILE))
    assert {key: np.shape(made[key]) for key in made} == {key: np.shape(shipped[key]) for key in shipped}
    for physics in ("fcv1", "dc2"):
        expected = static.outcome_table(physics) @ np.arange(-8, 9)
        one_left = expected.reshape(17, static.LYING, 2)[1]
        assert (np.diff(one_left[static.MOST_LYING + 1 :, 0]) > 0).all()
        assert (one_left[: static.MOST_LYING, 1] < one_left[: static.MOST_LYING, 0]).all()


@pytest.mark.parametrize("evaluation", ["board", "static"])
@pytest.mark.parametrize("hammer", [0, 1])
def test_values_grow_with_the_points_as_the_stones_lie(evaluation, hammer):
    found = feature_values(Curling().planning(), state_of(no_stones(), 15, hammer), evaluation)
    lying = found.reshape(17, static.LYING, 2)[1, :, 0]  # by points of the team with the hammer, one shot left
    least, most = (lying[2], lying[6]) if hammer == 0 else (lying[6], lying[2])
    assert least < most - 0.1


def test_few_candidates_are_spread_evenly():
    assert evenly_spaced(np.arange(24.0)[:, None], 4).ravel().tolist() == [0.0, 8.0, 15.0, 23.0]


def test_features_by_hand():
    """Team 0 lies one, 5 shots are left, team 1 has the hammer; a guard in front of the stone covers it."""
    model = Curling()
    stones = no_stones()
    stones[0] = 0.0, model.law.sheet.tee
    open_stone = (5 * static.LYING - 1 + static.MOST_LYING) * 2
    assert static.features(state_of(stones, 11), model.params) == open_stone
    stones[8] = 0.2, model.law.sheet.tee - 3.0
    assert static.features(state_of(stones, 11), model.params) == open_stone + 1
