"""Aims against a path marched in the reference's own steps, against the engines, and against recorded shots."""

import math

import numpy as np
import pytest

from bonspiel import curling
from bonspiel.curling.ice import shots
from bonspiel.curling.ice.physics import DC2, FCV1
from bonspiel.curling.ice.sheet import STONE_RADIUS, no_stones
from tests.curling.marching import STEP, slow
from tests.curling.recorded import shots as recorded

MM = 1e-3
LAWS = pytest.mark.parametrize("law", [0, 1])
PHYSICS = (FCV1, DC2)
IMPOSSIBLE = pytest.approx((math.nan, math.nan), nan_ok=True)


def requests(law, n, seed=0):
    """Random places between hog line and back line, with a spin."""
    rng, sheet = np.random.default_rng(seed), PHYSICS[law].sheet
    return [
        (x, y, side)
        for x, y, side in zip(
            rng.uniform(-1.9, 1.9, n),
            rng.uniform(sheet.hog_line + 0.2, sheet.back_line, n),
            rng.choice([-1.0, 1.0], n),
            strict=True,
        )
    ]


def path(law, velocity, side):
    """Places and velocities at every step of a throw on an empty sheet until well behind the house, [n, 2] each."""
    place, (vx, vy), w = np.zeros(2), velocity, side * PHYSICS[law].launch_spin
    places, velocities = [place], [velocity]
    if law == 1:
        vx, vy, w = slow(law, vx, vy, w, 0.5 * STEP)
    while (vx != 0.0 or vy != 0.0) and place[1] < 41.0:
        if law == 0:
            vx, vy, w = slow(law, vx, vy, w, STEP)
        place = place + np.array([vx, vy]) * STEP
        places.append(place)
        velocities.append((vx, vy))
        if law == 1:
            vx, vy, w = slow(law, vx, vy, w, STEP)
    return np.array(places), np.array(velocities)


def foot(law, velocity, side, target):
    """Distance of the path from the target, and its speed there."""
    places, velocities = path(law, velocity, side)
    near = int(np.hypot(*(places - target).T).argmin())
    (ux, uy), (dx, dy) = velocities[near], target - places[near]
    speed = math.hypot(ux, uy)
    return abs(ux * dy - uy * dx) / speed, speed


def shot(law, stones, velocity, side):
    engine = curling.make_engine("analytic", PHYSICS[law].name)
    return engine.shot(stones, 15, velocity, side * PHYSICS[law].launch_spin)


@LAWS
def test_draw_stops_at_its_target(law):
    for x, y, side in requests(law, 20):
        places, _ = path(law, shots.draw(law, x, y, side), side)
        assert math.dist(places[-1], (x, y)) < MM
    for x, y, side in requests(law, 300, seed=1):
        assert math.dist(shot(law, no_stones(), shots.draw(law, x, y, side), side)[15], (x, y)) < 1e-6


@LAWS
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_through_passes_at_the_given_speed(law, share):
    speed = share * PHYSICS[law].max_speed
    for x, y, side in requests(law, 8):
        miss, left = foot(law, shots.through(law, x, y, speed, side), side, (x, y))
        assert miss < MM
        assert left == pytest.approx(speed, rel=0.02)


@LAWS
@pytest.mark.parametrize("share", [0.65, 0.8, 1.0])
def test_launched_passes_at_the_speed_of_the_release(law, share):
    speed = share * PHYSICS[law].max_speed
    for x, y, side in requests(law, 8):
        velocity = shots.launched(law, x, y, speed, side)
        assert math.hypot(*velocity) == pytest.approx(speed, rel=1e-9)
        assert foot(law, velocity, side, (x, y))[0] < MM


@LAWS
@pytest.mark.parametrize("share", [0.65, 1.0])
@pytest.mark.parametrize("offset", [-0.25, -0.1, 0.0, 0.15, 0.28])
def test_hit_strikes_off_centre_by_the_offset(law, share, offset):
    speed = share * PHYSICS[law].max_speed
    for x, y, side in requests(law, 4):
        velocity = shots.hit(law, x, y, offset, speed, side)
        assert math.hypot(*velocity) == pytest.approx(speed, rel=1e-9)
        places, velocities = path(law, velocity, side)
        first = int((np.hypot(*(places - (x, y)).T) <= 2.0 * STONE_RADIUS).argmax())
        (ux, uy), (dx, dy) = velocities[first], places[first] - (x, y)
        assert (dx * uy - dy * ux) / math.hypot(ux, uy) == pytest.approx(offset, abs=MM)


@LAWS
def test_hit_on_the_right_drives_the_stone_to_the_left(law):
    tee = PHYSICS[law].sheet.tee
    stones = no_stones()
    stones[0] = 0.0, tee
    for offset in (0.1, -0.1):
        after = shot(law, stones, shots.hit(law, 0.0, tee, offset, 0.65 * PHYSICS[law].max_speed, 1.0), 1.0)
        thrown = after[15, 0] if not np.isnan(after[15, 0]) else math.copysign(9.0, offset)
        assert math.copysign(1.0, thrown) == math.copysign(1.0, offset)


@LAWS
def test_aims_mirror(law):
    cap, tee = PHYSICS[law].max_speed, PHYSICS[law].sheet.tee
    for aim, *how in [(shots.draw,), (shots.through, 0.2 * cap), (shots.launched, 0.8 * cap)]:
        vx, vy = aim(law, 0.7, tee, *how, 1.0)
        assert aim(law, -0.7, tee, *how, -1.0) == pytest.approx((-vx, vy), abs=1e-9)
    vx, vy = shots.hit(law, 0.7, tee, 0.1, 0.8 * cap, 1.0)
    assert shots.hit(law, -0.7, tee, -0.1, 0.8 * cap, -1.0) == pytest.approx((-vx, vy), abs=1e-9)


@LAWS
def test_reach_is_the_distance_of_a_draw(law):
    for x, y, side in requests(law, 20):
        speed = math.hypot(*shots.draw(law, x, y, side))
        assert shots.reach(law, speed) == pytest.approx(math.hypot(x, y), abs=1e-6)


@LAWS
def test_impossible_aims_are_nan(law):
    cap, tee = PHYSICS[law].max_speed, PHYSICS[law].sheet.tee
    assert shots.draw(law, 0.0, 500.0, 1.0) == IMPOSSIBLE
    assert shots.draw(law, math.nan, tee, 1.0) == IMPOSSIBLE
    assert shots.through(law, 0.0, tee, 0.97 * cap, 1.0) == IMPOSSIBLE
    assert shots.through(law, 0.0, tee, -1.0, 1.0) == IMPOSSIBLE
    assert shots.through(law, 0.0, tee, math.nan, 1.0) == IMPOSSIBLE
    assert shots.launched(law, 0.0, tee, 0.5 * cap, 1.0) == IMPOSSIBLE
    assert shots.launched(law, 0.0, tee, 1.01 * cap, 1.0) == IMPOSSIBLE
    assert shots.hit(law, 0.0, tee, 0.0, 0.5 * cap, 1.0) == IMPOSSIBLE
    assert shots.hit(law, 0.0, tee, 2.0 * STONE_RADIUS, cap, 1.0) == IMPOSSIBLE


@LAWS
def test_named_shots(law):
    tee = PHYSICS[law].sheet.tee
    for x, y, side in requests(law, 100):
        stones = no_stones()
        stones[0] = x, y
        if y > PHYSICS[law].sheet.hog_line + 3.0 * STONE_RADIUS:
            after = shot(law, stones, shots.freeze(law, x, y, side), side)
            assert math.dist(after[0], (x, y)) < MM
            assert math.dist(after[15], after[0]) == pytest.approx(2.0 * STONE_RADIUS, abs=MM)
        assert np.isnan(shot(law, stones, shots.peel(law, x, y, side), side)[[0, 15]]).all()
        guarded = shot(law, no_stones(), shots.guard(law, x, tee, 3.0, side), side)[15]
        assert math.dist(guarded, (x, tee)) == pytest.approx(3.0, abs=MM)
        assert guarded[0] * tee == pytest.approx(guarded[1] * x, abs=1e-6)


@LAWS
def test_recorded_shots(law):
    """Draws to recorded places: the recorded velocities, and the same final stones."""
    box2d, draws = curling.make_engine("box2d", PHYSICS[law].name), 0
    for r in recorded(PHYSICS[law].name):
        side, thrown = math.copysign(1.0, r.spin), r.final[r.index]
        if abs(r.spin) != pytest.approx(PHYSICS[law].launch_spin, rel=1e-6):
            continue
        if r.kind == "free" and not np.isnan(thrown[0]):
            velocity, draws = shots.draw(law, *thrown, side), draws + 1
            assert velocity == pytest.approx(r.velocity, abs=3e-4)
            if draws % 5 == 0:
                assert math.dist(box2d.shot(r.stones, r.index, velocity, r.spin)[r.index], thrown) < 10.0 * MM
    assert draws > 15
