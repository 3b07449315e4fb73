import math
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.sheet import DC3_SHEET, DIAMETER, no_stones
from bonspiel.curling.ice.shots import draw, hit
from bonspiel.curling.people.fit import LAW, fit, moved
from bonspiel.curling.people.tables import UNIT, Shot

ENGINE = make_engine("analytic")


def rounded(stones):
    return np.round(stones / UNIT) * UNIT


def thrown(before, velocity, rotation, task="take-out"):
    """A shot of the engine as a table tells it, in row 3."""
    before = rounded(before)
    after = rounded(ENGINE.shot(before, 3, velocity, rotation * math.pi / 2.0))
    return Shot(0, 0, 1, task, rotation, 4, 3, before, after)


def test_a_draw_that_moves_no_stone_is_explained_exactly_whatever_lies_in_its_way():
    rest, before = np.array([0.3, 38.1]), no_stones()
    before[2], after = (0.05, 35.0), no_stones()
    after[2], after[3] = before[2], rest
    for rotation in (-1, 1):
        found = fit(Shot(0, 0, 1, "draw", rotation, 4, 3, before, after))
        assert found.struck is None and found.distance == 0.0
        assert found.velocity == draw(LAW, *rest, float(rotation))


@pytest.mark.parametrize("rotation", [-1, 1])
@pytest.mark.parametrize(("offset", "speed"), [(0.1, 2.43), (-0.1, 2.45), (0.2, 2.42), (-0.05, 2.42)])
def test_a_hit_that_leaves_both_stones_is_found_again(rotation, offset, speed):
    before = no_stones()
    before[10], before[12] = (-0.2, 38.6), (1.6, 36.0)
    velocity = hit(LAW, *rounded(before)[10], offset, speed, float(rotation))
    found = fit(shot := thrown(before, velocity, rotation))
    assert moved(shot).tolist() == [10] and found.struck == 10 and not np.isnan(shot.after[[3, 10]]).any()
    assert found.distance < 0.01
    np.testing.assert_allclose(found.velocity, velocity, atol=0.0005)


def test_a_stone_that_did_not_move_is_no_obstacle_for_a_hit():
    before = no_stones()
    before[10] = 0.0, 38.6
    velocity = hit(LAW, *rounded(before)[10], 0.1, 2.43, 1.0)
    shot = thrown(before, velocity, 1)
    blocked, after = shot.before.copy(), shot.after.copy()
    for x in (-0.4, -0.2, 0.0, 0.2, 0.4):  # the stone comes past one of them
        blocked[2] = after[2] = x, 34.0
        assert fit(replace(shot, before=blocked, after=after)) == fit(shot)


def test_a_take_out_is_found_again_but_for_the_weight_that_nothing_tells():
    before = no_stones()
    before[10] = -0.2, 38.6
    velocity = hit(LAW, *rounded(before)[10], 0.02, 2.6, 1.0)
    found = fit(shot := thrown(before, velocity, 1))
    assert np.isnan(shot.after[10]).all() and not np.isnan(shot.after[3]).any()
    assert found.distance < 0.01 and found.struck == 10


def test_a_raise_onto_another_stone_is_found_again():
    before = no_stones()
    before[10], before[12] = (0.1, 36.0), (0.14, 38.0)
    velocity = hit(LAW, *rounded(before)[10], 0.01, 2.65, 1.0)
    found = fit(shot := thrown(before, velocity, 1, "raise"))
    assert sorted(moved(shot)) == [10, 12] and found.struck == 10
    assert found.distance < 0.1


def test_stones_that_the_table_lets_overlap_are_told_apart():
    before = no_stones()
    before[10], before[12] = (0.0, 38.0), (0.0, 38.0 + DIAMETER - 0.01)
    after = no_stones()
    after[3], after[10], after[12] = (0.0, 37.7), (0.05, 38.01), (-0.05, 38.6)
    found = fit(Shot(0, 0, 1, "raise", 1, 4, 3, before, after))
    assert found is not None and math.isfinite(found.distance)


def test_stones_that_overlap_at_the_edge_of_the_sheet_stay_on_it():
    side = DC3_SHEET.limits.side
    before, after = no_stones(), no_stones()
    before[10], before[12] = (side - 0.01, 38.0), (side - 0.2, 38.0)
    after[3], after[10], after[12] = (1.5, 37.7), (side - 0.01, 38.3), (side - 0.3, 38.6)
    found = fit(Shot(0, 0, 1, "raise", 1, 4, 3, before, after))
    assert found is not None and math.isfinite(found.distance)


def test_nothing_is_said_of_a_stone_lost_without_a_touch_or_unknown():
    before = no_stones()
    before[10] = 0.0, 38.6
    assert fit(Shot(0, 0, 1, "through", 1, None, 3, before, before)) is None
    after = before.copy()
    after[3] = 0.0, 37.0
    assert fit(Shot(0, 0, 1, "draw", 1, 4, None, before, after)) is None
