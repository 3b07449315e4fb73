"""The reference engine against a sample of the recorded shots of each kind, and the analytic engine against it."""

import functools

import numpy as np
import pytest

from bonspiel import curling
from tests.curling.recorded import as_played_by, compare, errors_of, sample, shots

EVERY = {  # the reference plays every n-th recorded shot of a kind
    "fcv1": {"free": 9, "1 stone": 1, "2-5 stones": 4, "6-15 stones": 4, "clusters": 2},
    "dc2": {"free": 1, "1 stone": 1, "2-5 stones": 1, "6-15 stones": 1},
}
LIMITS = {  # median and p90 of their largest distance, mm, between the engines
    "fcv1": {
        "free": (1.0, 8.0),
        "1 stone": (8.0, 8.0),
        "2-5 stones": (8.0, 40.0),
        "6-15 stones": (8.0, 80.0),
        "clusters": (20.0, 80.0),
    },
    "dc2": {"free": (0.1, 0.3), "1 stone": (0.5, 2.0), "2-5 stones": (0.5, 2.0), "6-15 stones": (0.5, 3.0)},
}


@functools.cache
def recorded_and_played(physics):
    recorded = sample(shots(physics), EVERY[physics])
    return recorded, as_played_by(curling.make_engine("box2d", physics), recorded)


def test_fcv1_agrees_with_recorded_shots():
    recorded, played = recorded_and_played("fcv1")
    errors = errors_of(played, recorded)
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
    recorded, played = recorded_and_played("dc2")
    errors = errors_of(played, recorded)[kind]
    assert np.mean(errors.same) >= 0.95
    assert np.median(errors.millimetres) <= median
    assert np.quantile(errors.millimetres, 0.9) <= p90


@pytest.mark.parametrize("physics", EVERY)
def test_the_engines_agree_on_each_kind_of_shot(physics):
    _, played = recorded_and_played(physics)
    errors = compare(curling.make_engine("analytic", physics), played)
    assert set(errors) == set(EVERY[physics])
    for kind, (median, p90) in LIMITS[physics].items():
        assert np.median(errors[kind].millimetres) <= median
        assert np.quantile(errors[kind].millimetres, 0.9) <= p90
    assert np.mean([same for kind in errors if kind != "free" for same in errors[kind].same]) >= 0.95


def test_slow_impacts_are_elastic():
    """With Box2D's velocity threshold the thrown stone and the struck one would stop together."""
    engine = curling.make_engine("box2d")
    stones = np.full((16, 2), np.nan)
    stones[8] = 0.0, 34.0
    final = engine.shot(stones, 0, (0.0, 2.3457), 0.0)  # arrives at about 0.5 m/s, without curl
    gap = final[8, 1] - final[0, 1]
    assert gap > 1.0
