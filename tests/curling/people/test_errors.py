import math

import numpy as np
import pytest

from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.shots import draw, hit
from bonspiel.curling.people.errors import Sample, estimate, first_draws, free_shots, lone_take_outs, sd_with
from bonspiel.curling.people.fit import LAW
from bonspiel.curling.people.tables import read_ends, set_up
from tests.curling.people.made_tables import Tables

SPEED, DIRECTION = 0.012, 0.0027
ENGINE = make_engine("analytic")


def sample_of(values, low=None, high=None):
    bounds = (values, values) if low is None else (low, high)
    return Sample("made", *bounds, np.arange(len(values)) % 50)


def test_gaussian_errors_are_estimated_and_students_t_foretells_no_better():
    found = estimate(sample_of(np.random.default_rng(1).normal(2.4, SPEED, 3000)))
    assert found.count == 3000
    assert (found.mean, found.sd) == (pytest.approx(2.4, abs=0.001), pytest.approx(SPEED, rel=0.04))
    assert found.scale == pytest.approx(SPEED, rel=0.06)
    assert found.freedom > 15.0 and found.gain < 2.0 * found.gain_error


def test_students_t_is_estimated_and_foretells_better():
    values = 2.4 + SPEED * np.random.default_rng(2).standard_t(3.0, 3000)
    found = estimate(sample_of(values))
    assert found.scale == pytest.approx(SPEED, rel=0.08)
    assert found.freedom == pytest.approx(3.0, rel=0.2)
    assert found.gain > 3.0 * found.gain_error > 0.0
    assert sd_with(sample_of(values), 3.0) == pytest.approx(SPEED * math.sqrt(3.0), rel=0.05)


def test_values_that_are_known_between_bounds_alone_do_not_bend_the_estimate():
    values = 2.4 + SPEED * np.random.default_rng(3).standard_t(3.0, 3000)
    near = (2.397 < values) & (values < 2.415)
    low, high = np.where(near, 2.397, values), np.where(near, 2.415, values)
    found = estimate(sample_of(values, low, high))
    assert found.scale == pytest.approx(SPEED, rel=0.1) and found.freedom == pytest.approx(3.0, rel=0.25)


def test_the_gain_is_that_of_games_that_the_estimates_did_not_see():
    values = np.random.default_rng(5).normal(size=400)
    games = np.arange(400) % 5
    values[games == 0] += 30.0
    assert estimate(Sample("made", values, values, games)).gain > 10.0  # seen, those games would widen the Gaussian


def first_shots(count, errors):
    """Tables of ends that begin with a draw at the stone in the house, with these errors of speed and direction."""
    tables, aim_speed = Tables(), math.hypot(*draw(LAW, 0.0, 38.4, 1.0))
    for i in range(count):
        hammer, rotation = i % 2, 1 if i % 3 else -1
        vx, vy = draw(LAW, 0.0, 38.4, float(rotation))
        speed, angle = aim_speed + errors[i, 0], math.atan2(vx, vy) + errors[i, 1]
        before = set_up(hammer, None)
        clear = before.copy()
        clear[8 * (1 - hammer) + 2] = np.nan  # so that no stone touches the guard
        velocity = speed * math.sin(angle), speed * math.cos(angle)
        after = ENGINE.shot(clear, 8 * (1 - hammer) + 3, velocity, rotation * math.pi / 2.0)
        after[8 * (1 - hammer) + 2] = before[8 * (1 - hammer) + 2]
        tables.add_end([("draw", rotation, 4, after)], hammer, game=str(i // 8))
    return tables


def test_the_errors_of_first_draws_come_back_from_their_tables(tmp_path):
    errors = np.random.default_rng(4).normal(size=(400, 2)) * (SPEED, DIRECTION)
    ends = read_ends(first_shots(400, errors).write(tmp_path))
    speeds, directions = first_draws(ends)
    between = speeds.high > speeds.low
    assert 0.2 < between.mean() < 0.5 and np.ptp((speeds.high - speeds.low)[between]) < 1e-9
    speed, direction = estimate(speeds), estimate(directions)
    assert speed.count == direction.count > 390
    assert speed.sd == pytest.approx(errors[:, 0].std(), rel=0.1)
    assert direction.sd == pytest.approx(errors[:, 1].std(), rel=0.05)
    assert abs(speed.mean - math.hypot(*draw(LAW, 0.0, 38.4, 1.0))) < 0.002
    free = free_shots(ends, "draw")[0]
    assert 0 < len(free.low) < speed.count and (free.low == free.high).all()
    assert len(free_shots(ends, "draw", last=True)[0].low) == len(free_shots(ends, "guard")[0].low) == 0


def test_draws_of_power_plays_and_other_types_are_left_out(tmp_path):
    tables, rest = Tables(), set_up(1, None)
    rest[3] = 0.0, 38.2
    tables.add_end([("draw", 1, 4, rest)])
    tables.add_end([("front", 1, 4, rest)])
    on_the_guard = hit(LAW, *set_up(1, None)[2], 0.1, 2.3, 1.0)
    tables.add_end([("draw", 1, 0, ENGINE.shot(set_up(1, None), 3, on_the_guard, math.pi / 2.0))])
    power = set_up(1, "left")
    power[3] = 0.0, 38.2
    tables.add_end([("draw", 1, 4, power)], power_play="left")
    assert len(first_draws(read_ends(tables.write(tmp_path)))[0].low) == 1


def test_take_outs_at_a_lone_stone_are_counted(tmp_path):
    tables, before = Tables(), set_up(1, None)
    before[3] = 1.0, 38.2
    missed, struck, crowded = before.copy(), before.copy(), before.copy()
    struck[3] = np.nan
    crowded[3], crowded[10] = (0.2, 38.2), np.nan
    for stones, task in ((missed, "take-out"), (struck, "take-out"), (struck, "hit and roll"), (struck, "clearing")):
        tables.add_end([("draw", 1, 4, before), (task, 1, 4, stones)])
    near = before.copy()
    near[3] = 0.2, 38.2
    tables.add_end([("draw", 1, 4, near), ("take-out", 1, 4, near)])  # the guard lies near its line
    assert lone_take_outs(read_ends(tables.write(tmp_path))) == (1, 3)
