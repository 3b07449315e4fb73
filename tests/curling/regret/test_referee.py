"""The referee of shots: known best shots, and regret that agrees with plain throws."""

import numpy as np
import pytest

from bonspiel.curling.analysis.valuation import value_after
from bonspiel.curling.ice.physics import law_index
from bonspiel.curling.ice.shots import draw
from bonspiel.curling.match.state import state_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.regret import sources
from bonspiel.curling.regret.referee import FEWEST_THROWS, SOURCES, SURE, Comparison, judge
from bonspiel.planners.core.actions import own_actions
from tests.curling.regret.places import MODEL, TEE, position, stones

AWAY = 0.0, 2.0, 1.0  # stops short of the hog line
LAW = law_index("fcv1")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Few playouts, which are what takes long."""
    monkeypatch.setattr(sources.PlayoutSource, "budget", 150_000)


def last(lead=0, **lying):
    """Yellow throws the last stone of the match, unless it is level then."""
    return state_of(stones(**lying), 15, 1, 7, lead)


def drawn(x, y):
    """The aim of a draw to a place relative to the tee."""
    return *draw(LAW, x, TEE + y, 1.0), 1.0


@pytest.mark.parametrize(
    ("state", "best"),
    [
        (last(1, red1=(0.0, 0.0), red2=(0.6, 0.9), yellow1=(-0.3, 0.2)), "red 1"),  # both kinds of it win
        (last(1, yellow1=(0.0, 1.5)), "draw"),
    ],
)
def test_the_best_last_stone_is_found(state, best):
    for verdict in judge(MODEL, state, [AWAY], 1)[0]:
        assert best in verdict.best_name and verdict.best_value > 0.5
        assert verdict.name == "throw-away" and verdict.value < 0.2
        assert verdict.regret == pytest.approx(verdict.best_value - verdict.value, abs=1e-9)
        assert verdict.regret > 0.5 and verdict.lost_points > 0.9
        assert verdict.wrong_shot == pytest.approx(verdict.regret) and abs(verdict.wrong_weight) < 1e-9


def test_a_draw_with_the_wrong_weight_is_the_right_shot():
    state = last(0, red1=(0.0, 0.9))
    for short, good in zip(*judge(MODEL, state, [drawn(0.5, -0.7), drawn(0.0, 0.0)], 1), strict=True):
        assert short.name == good.name == short.best_name == "draw"
        assert short.wrong_weight > 0.9 * short.regret > 0.05 and abs(short.wrong_shot) < 0.02
        assert abs(good.regret) < 0.03


def test_the_best_shot_has_no_regret():
    for shot in (15, 12):
        state = position(shot)
        best = judge(MODEL, state, [AWAY], 1)[0]
        again = judge(MODEL, state, [verdict.best for verdict in best], 2)
        for number in range(len(SOURCES)):
            verdict = again[number][number]
            assert abs(verdict.regret) <= 4.0 * verdict.error + 0.002


def test_what_was_chosen_is_judged_by_other_throws():
    state = position(12)
    aims = own_actions(MODEL, state)
    for kind in SOURCES:
        found = Comparison(kind, MODEL, state, aims, [""] * len(aims), 1, (1,))
        chosen, judged = (source.throw(aims[:1], 0, 8)[0] for source in (found.first, found.second))
        assert not np.isclose(chosen, judged, atol=1e-9).all()


def compared(kind, aims, names, seeds=((1, 0), (1, 1))):
    """Verdicts on the first of the aims before shot 12."""
    found = Comparison(kind, MODEL, position(12), aims, names, 1, (1,))
    found.first, found.second = (kind(MODEL, position(12), seed) for seed in seeds)
    return found.verdicts(np.arange(len(aims)))[0], found


@pytest.mark.parametrize("kind", SOURCES)
def test_few_throws_tell_a_bad_shot_apart_and_more_are_for_close_ones(kind):
    good = own_actions(MODEL, position(12))[0]
    near, away = good + np.array([0.0, 0.004, 0.0]), MODEL.aim(*AWAY)
    bad, _ = compared(kind, np.array([away, good]), ["", ""])
    close, _ = compared(kind, np.array([near, good]), ["", ""])
    assert bad.throws == FEWEST_THROWS < close.throws and bad.error < bad.regret / SURE
    assert close.error < 1.5 * kind.fine


@pytest.mark.parametrize("kind", SOURCES)
def test_how_often_shots_are_thrown_does_not_depend_on_the_throws_that_judge_them(kind):
    aims = own_actions(MODEL, position(12))[:6]
    first, second = (compared(kind, aims, ["", *"abcde"], ((1, 0), (seed, 1)))[0] for seed in (1, 2))
    assert first.throws == second.throws and first.best == second.best and first.regret != second.regret


@pytest.mark.parametrize(("luck", "kept"), [(0.0, [5]), (1.0, [5, 4])])
def test_rivals_are_the_better_half_less_those_that_are_surely_no_better(luck, kept):
    _, found = compared(SOURCES[0], own_actions(MODEL, position(12))[:6], [""] * 6)
    found.means, found._throws = np.arange(6.0) / 100.0, np.full(6, 4096)
    alternating = np.array([1.0, -1.0] * 2048)  # the luck of every other shot, so that 5 and 3 have the same
    found._values[:, :4096] = found.means[:, None] + luck * np.outer(np.arange(6) % 2, alternating)
    assert found._rivals(np.arange(6)).tolist() == kept


@pytest.mark.parametrize("shot", [2, 8, 14])
def test_no_regret_is_below_zero_beyond_its_error(shot):
    state = position(shot, seed=5)
    shots = [tuple(aim) for aim in own_actions(MODEL, state)[:4]]
    found = judge(MODEL, state, shots, 1)
    assert len(found) == len(shots)
    for verdict in (one for both in found for one in both):
        assert verdict.regret >= -4.0 * verdict.error and verdict.wrong_shot >= -4.0 * verdict.error - 0.002
    if shot == 14:
        assert found == judge(MODEL, state, shots, 1) != judge(MODEL, state, shots, 2)


@pytest.mark.parametrize("shot", [7, 13, 15])
def test_the_values_agree_with_plain_throws_of_the_match(shot):
    state, throws = position(shot, seed=7), 5_000
    verdict = judge(MODEL, state, [tuple(own_actions(MODEL, state)[0])], 1)[0][0]
    values = []
    for aim in (verdict.shot, verdict.best):
        value = value_after(MODEL, state, MODEL.aim(*aim), throws, np.random.default_rng(3))
        values.append(value if team_of(state) == 0 else 1.0 - value)
    assert values == pytest.approx([verdict.value, verdict.best_value], abs=4.0 * 0.5 / throws**0.5)
    assert values[1] - values[0] == pytest.approx(verdict.regret, abs=0.02)


@pytest.mark.parametrize("source", [sources.NetworkSource, sources.PlayoutSource])
def test_a_draw_counts_what_the_match_says_and_is_not_calibrated(source):
    match = Curling(ends=1, tie=0.3, reward="win")
    state = state_of(stones(), 15, 0, 0, 0)
    values, points = source(sources.judging(match), state, (1,)).throw(np.array([AWAY]), 0, 8)
    assert np.allclose(points, 0.0)
    assert np.allclose(values, 0.3) or np.allclose(values, 0.7)
