"""The reference engine against a sample of the recorded shots of each kind."""

import numpy as np
import pytest

from bonspiel import curling
from tests.curling.recorded import compare, dc2_shots, dc3_shots, sample


def test_fcv1_agrees_with_recorded_shots():
    errors = compare(
        curling.make_engine("box2d"),
        sample(dc3_shots(), {"free": 9, "1 stone": 1, "2-5 stones": 4, "6-15 stones": 2, "clusters": 2}),
    )
    assert max(errors["free"].millimetres) <= 8.0
    assert np.quantile(errors["1 stone"].millimetres, 0.9) <= 8.0
    assert np.quantile(errors["2-5 stones"].millimetres, 0.9) <= 40.0
    assert np.median(errors["6-15 stones"].millimetres) <= 8.0
    assert np.quantile(errors["6-15 stones"].millimetres, 0.9) <= 80.0
    assert np.median(errors["clusters"].millimetres) <= 20.0
    assert np.mean([same for kind in errors if kind != "free" for same in errors[kind].same]) >= 0.95


@pytest.mark.parametrize(
    ("kind", "median", "p90"),
    [("free", 0.1, 0.3), ("1 stone", 0.3, 2.0), ("2-5 stones", 0.5, 2.0), ("6-15 stones", 0.5, 3.0)],
)
def test_dc2_agrees_with_recorded_shots(kind, median, p90):
    errors = compare(curling.make_engine("box2d", "dc2"), sample(dc2_shots(), {kind: 1}))[kind]
    assert np.mean(errors.same) >= 0.95
    assert np.median(errors.millimetres) <= median
    assert np.quantile(errors.millimetres, 0.9) <= p90


def test_slow_impacts_are_elastic():
    """With Box2D's velocity threshold the thrown stone and the struck one would stop together."""
    engine = curling.make_engine("box2d")
    stones = np.full((16, 2), np.nan)
    stones[8] = 0.0, 34.0
    final = engine.shot(stones, 0, (0.0, 2.3457), 0.0)  # arrives at about 0.5 m/s, without curl
    gap = final[8, 1] - final[0, 1]
    assert gap > 1.0
