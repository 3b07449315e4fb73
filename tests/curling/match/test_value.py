"""Win probabilities: by hand, against a plain recursion, and as rewards of the model."""

import json
import pickle
from functools import cache

import numpy as np
import pytest

from bonspiel.curling.box2d_model import Box2DCurling
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.rules import next_hammer
from bonspiel.curling.match.state import HAMMER, LEAD, NETWORK, VALUES, state_of
from bonspiel.curling.match.value import (
    LEADS,
    MOST_LEAD,
    POINTS,
    THESIS,
    check_table,
    estimate_table,
    load_table,
    table_of,
    table_text,
    value_of,
    win_probabilities,
)
from bonspiel.curling.model import Curling
from bonspiel.envs.checks import check_model

TABLE = check_table(THESIS)
THROUGH = np.array([0.4, 4.0, 1.0])  # touches nothing


def values_of(model):
    return model.params[VALUES : int(model.params[NETWORK])]


def of_team_0(ends, extra_ends, tie, played, lead, hammer):
    """The value for team 0 by plain recursion, over teams instead of roles, without a bound on leads."""

    @cache
    def value(played, lead, hammer):
        if played >= ends and (lead != 0 or played == ends + extra_ends):
            return (tie if hammer == 0 else 1.0 - tie) if lead == 0 else float(lead > 0)
        total = 0.0
        for points, probability in zip(POINTS, TABLE, strict=True):
            scored = points if hammer == 0 else -points
            total += probability * value(played + 1, lead + scored, next_hammer(scored, hammer))
        return total

    return value(played, lead, hammer)


@pytest.mark.parametrize(("ends", "extra_ends", "tie"), [(2, 0, 0.5), (4, 0, 0.781), (3, 2, 0.5), (1, 3, 0.2)])
def test_against_a_plain_recursion(ends, extra_ends, tie):
    values = win_probabilities(ends, extra_ends, tie)
    for left in range(ends + extra_ends + 1):
        for hammer in (0, 1):
            for lead in range(-9, 10):
                expected = of_team_0(ends, extra_ends, tie, ends + extra_ends - left, lead, hammer)
                assert value_of(values.ravel(), left, hammer, lead) == pytest.approx(expected)


def test_one_end_by_hand():
    """A tie before the last end: the team with the hammer wins by scoring and has half of a blank end."""
    scores, blank = sum(TABLE[9:]), TABLE[8]
    assert win_probabilities(1)[1, MOST_LEAD] == pytest.approx(scores + 0.5 * blank)
    assert win_probabilities(1, tie=0.781)[1, MOST_LEAD] == pytest.approx(scores + 0.781 * blank)
    assert win_probabilities(1)[1, MOST_LEAD + 8] == pytest.approx(1.0 - 0.5 * TABLE[0])
    assert win_probabilities(1)[1, MOST_LEAD + 9] == pytest.approx(1.0)


def test_a_tie_before_an_extra_end_is_worth_the_end():
    assert win_probabilities(2, extra_ends=1)[1, MOST_LEAD] == win_probabilities(1)[1, MOST_LEAD]
    assert win_probabilities(2, extra_ends=1)[1, MOST_LEAD + 1] == 1.0
    many = win_probabilities(1, extra_ends=100)[100, MOST_LEAD]
    scores, blank = sum(TABLE[9:]), TABLE[8]
    assert many == pytest.approx(scores / (1.0 - blank))


@pytest.mark.parametrize("ends", [1, 2, 10])
def test_order(ends):
    flat = win_probabilities(ends).ravel()
    own, other = ([value_of(flat, ends, hammer, lead) for lead in range(-15, 16)] for hammer in (0, 1))
    np.testing.assert_allclose(np.add(own, other[::-1]), 1.0)
    assert (np.diff(own) > 0.0).all() or ends == 1
    assert (np.diff(own) >= 0.0).all()
    hammer_is_worth = np.subtract(own, other)[13:18]
    assert (hammer_is_worth > 0.0).all()


def test_leads_beyond_the_largest_and_ends_beyond_the_match_are_those_at_the_edge():
    values = win_probabilities(10)
    assert value_of(values.ravel(), 5, 0, 99) == values[5, -1]
    assert value_of(values.ravel(), 99, 0, 0) == values[10, MOST_LEAD]
    assert value_of(values.ravel(), -1, 0, 0) == values[0, MOST_LEAD] == 0.5
    assert values.shape == (11, LEADS)


def test_the_table_of_the_thesis():
    assert sum(TABLE) == pytest.approx(1.0)
    assert TABLE[POINTS.index(1)] == pytest.approx(0.390922, rel=1e-4)
    assert TABLE[POINTS.index(-1)] == pytest.approx(0.172006, rel=1e-4)
    assert win_probabilities(2)[2, MOST_LEAD] == pytest.approx(0.590, abs=5e-4)
    assert win_probabilities(10)[10, MOST_LEAD] == pytest.approx(0.560, abs=5e-4)


@pytest.mark.parametrize(
    "bad",
    [
        (),
        (1.0,) * 16,
        (0.0,) * 17,
        (-0.1,) + (1.0,) * 16,
        (np.nan,) + (1.0,) * 16,
        (np.inf,) + (1.0,) * 16,
        ("1",) + (1.0,) * 16,
    ],
)
def test_wrong_tables_are_refused(bad):
    with pytest.raises(ValueError, match=r"table=.*17"):
        check_table(bad)
    with pytest.raises(ValueError, match=r"table=.*17"):
        Curling(table=bad)


def test_files(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(table_text(TABLE))
    assert load_table(path) == pytest.approx(TABLE)
    path.write_text('{"1": 3, "-2": 1}')
    table = load_table(str(path))
    assert (table[POINTS.index(1)], table[POINTS.index(-2)], sum(table)) == (0.75, 0.25, 1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "table=.*file"),
        ("{", "table=.*JSON file"),
        ("[1, 2]", "table=.*an object"),
        ('{"9": 1}', "points in .*='9'"),
        ('{"one": 1}', "points in .*='one'"),
        ('{"1": "much"}', "table=.*finite"),
        ("{}", "table=.*0"),
    ],
)
def test_bad_files_are_named(tmp_path, content, message):
    path = tmp_path / "table.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ValueError, match=message):
        load_table(path)


def test_estimate():
    drawn = np.random.default_rng(1).choice(POINTS, 20_000, p=TABLE)
    np.testing.assert_allclose(estimate_table(drawn.tolist()), TABLE, atol=0.01)
    always = estimate_table([2] * 90)
    assert always[POINTS.index(2)] == pytest.approx(0.9 + 0.1 * TABLE[POINTS.index(2)])
    assert min(always) > 0.0
    assert estimate_table([]) == pytest.approx(TABLE)
    for points in ([9], [0.5]):
        with pytest.raises(ValueError, match="points="):
            estimate_table(points)
    with pytest.raises(ValueError, match="prior_ends"):
        estimate_table([1], prior_ends=0.0)


def last_shot(model, state):
    following = np.empty_like(state)
    reward, over = model.step(state, THROUGH, following, model.params, np.random.default_rng(1))
    return reward, over, following


def one_stone(team):
    """The team scores one, with a stone in a row that the last shot does not use."""
    stones = no_stones()
    stones[8 * team] = 0.0, 37.0
    return stones


@pytest.mark.parametrize("hammer", [0, 1])
@pytest.mark.parametrize("scorer", [0, 1])
@pytest.mark.parametrize(("end", "lead"), [(0, 0), (1, -3), (2, 1), (2, -1), (3, 0)])
def test_the_model_is_paid_the_value_when_an_end_is_over(hammer, scorer, end, lead):
    match = {"ends": 3, "extra_ends": 1, "noise": "none", "tie": 0.7, "table": "thesis"}
    model = Curling(**match).planning()
    state = state_of(one_stone(scorer), 15, hammer, end, lead)
    reward, over, following = last_shot(model, state)
    assert over
    assert reward == pytest.approx(of_team_0(3, 1, 0.7, end + 1, lead + 1 - 2 * scorer, scorer == 0))
    other = last_shot(Curling(**match), state)
    np.testing.assert_array_equal(following, other[2])  # the reward changes nothing else


def test_the_value_is_paid_only_after_an_end():
    model = Curling(ends=3, noise="none").planning()
    for shot in range(15):
        assert last_shot(model, state_of(no_stones(), shot))[:2] == (0.0, False)


@pytest.mark.parametrize("reward", ["win", "win_probability"])
@pytest.mark.parametrize("hammer", [0, 1])
def test_a_tie_at_the_end_of_the_match(reward, hammer):
    model = Curling(ends=2, noise="none", reward=reward, tie=0.781)
    value, over, following = last_shot(model, state_of(no_stones(), 15, hammer, end=1))
    assert (over, following[HAMMER], following[LEAD]) == (True, hammer, 0.0)
    assert value == pytest.approx(0.781 if hammer == 0 else 0.219)


def test_the_planning_twin(tmp_path):
    path = tmp_path / "table.json"
    path.write_text('{"1": 1}')  # the hammer always scores one
    match = Curling(ends=2, extra_ends=1, physics="dc2", tie=0.3, table=str(path))
    twin = match.planning()
    assert twin == Curling(ends=2, extra_ends=1, physics="dc2", tie=0.3, table=match.table, reward="win_probability")
    assert twin.planning() == twin
    path.unlink()  # the numbers are the model's own
    assert pickle.loads(pickle.dumps(twin)) == twin
    assert hash(twin) == hash(match.planning())
    rows = win_probabilities(2, 1, 0.3, json.loads("[" + "0," * 9 + "1" + ",0" * 7 + "]"))
    np.testing.assert_array_equal(values_of(twin), rows.ravel())


@pytest.mark.parametrize("physics", ["fcv1", "dc2"])
def test_the_default_table_is_from_self_play(physics):
    own = win_probabilities(2, table=table_of(None, physics)).ravel()
    np.testing.assert_array_equal(values_of(Curling(ends=2, physics=physics)), own)
    thesis = win_probabilities(2, table=THESIS).ravel()
    np.testing.assert_allclose(values_of(Curling(ends=2, physics=physics, table="thesis")), thesis, atol=1e-12)
    assert own.reshape(3, -1)[1, MOST_LEAD] > thesis.reshape(3, -1)[1, MOST_LEAD]  # our hammer is worth more


@pytest.mark.parametrize(
    "model",
    [Curling(ends=2, extra_ends=1).planning(), Curling(physics="dc2", noise="gat", velocity_unit="box").planning()],
    ids=repr,
)
def test_contract(model):
    check_model(model, np.random.default_rng(0), 40)


def test_both_engines_pay_the_same():
    state = state_of(one_stone(0), 15, end=1, lead=-1)
    values = [last_shot(cls(ends=3, noise="none").planning(), state)[:2] for cls in (Curling, Box2DCurling)]
    assert values[0] == values[1]


def test_values_of_playouts_are_probabilities():
    model = Curling(ends=4, table="thesis").planning()
    state = state_of(no_stones(), 0, hammer=0, end=1, lead=2)
    values = [
        model.rollout(state.copy(), np.empty_like(state), 64, model.params, np.random.default_rng(i))
        for i in range(200)
    ]
    assert 0.0 < min(values) < max(values) < 1.0
    ends = {of_team_0(4, 0, 0.5, 2, 2 + points, next_hammer(points, 0)) for points in POINTS}
    assert set(np.round(values, 9)) <= set(np.round(list(ends), 9))
