"""The referee of shots: known best shots, and regret that agrees with plain throws."""

import numpy as np
import pytest

from bonspiel.curling.analysis.valuation import value_after
from bonspiel.curling.ice.physics import law_index
from bonspiel.curling.ice.shots import draw
from bonspiel.curling.match.state import state_of, team_of
from bonspiel.curling.regret import sources
from bonspiel.curling.regret.referee import SOURCES, Comparison, judge
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
