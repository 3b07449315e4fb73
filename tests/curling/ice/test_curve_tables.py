"""The universal curve against integration of the laws of motion, and its inverse tables against the curve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from bonspiel.curling.ice.engines import board, curve, curve_tables
from bonspiel.curling.ice.engines.analytic import shoot
from bonspiel.curling.ice.engines.curve_tables import PER_SINE, TOP_SPEED
from bonspiel.curling.ice.engines.rates import RATES
from bonspiel.curling.ice.physics import LAWS

EITHER_LAW = st.integers(0, 1)
SIDES = st.sampled_from([-1.0, 0.0, 1.0])
SHARE = st.floats(0.02, 1.0)


def stone_of(law, v, angle, side, x=0.0, y=0.0, time=0.0):
    stone = np.zeros(board.FIELDS)
    curve.start_path(law, stone, time, x, y, v * np.cos(angle), v * np.sin(angle), 1.5 * side)
    return stone


@pytest.mark.parametrize("law", [0, 1])
@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_path_is_the_integral_of_the_law(law, share):
    v0 = share * LAWS[law].max_speed

    def rates(_, state):
        speed = max(state[0], 1e-9)
        a, g, _ = RATES[LAWS[law].name](np.array([speed]))
        return [-a[0], g[0], speed * np.cos(state[1]), speed * np.sin(state[1])]

    duration = 0.98 * curve.tau_of_speed(law, v0)
    solved = solve_ivp(rates, (0.0, duration), [v0, 0.3, 1.0, 2.0], rtol=1e-10, atol=1e-12, dense_output=True)
    stone = stone_of(law, v0, 0.3, 1.0, 1.0, 2.0)
    for time in np.linspace(0.0, duration, 9):
        v, heading, x, y = solved.sol(time)
        got = curve.motion(law, stone, time)
        np.testing.assert_allclose(got[:2], [x, y], atol=1e-6)
        np.testing.assert_allclose(got[2:], [v * np.cos(heading), v * np.sin(heading)], rtol=1e-6, atol=2e-4)


@given(EITHER_LAW, SHARE, st.floats(-3.1, 3.1), SIDES, st.floats(0.0, 1.0))
def test_path_turns_and_mirrors_with_the_shot(law, share, angle, side, part):
    v = share * LAWS[law].max_speed
    time = part * curve.tau_of_speed(law, v)
    x, y = curve.place_of(law, stone_of(law, v, 0.0, side), time)
    turned = curve.place_of(law, stone_of(law, v, angle, side), time)
    rotated = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
    np.testing.assert_allclose(turned, rotated, atol=1e-9)
    np.testing.assert_allclose(curve.place_of(law, stone_of(law, v, 0.0, -side), time), (x, -y), atol=1e-12)


@given(EITHER_LAW, SHARE, st.floats(-3.1, 3.1), SIDES)
def test_a_stone_keeps_the_motion_at_the_start_of_its_path(law, share, angle, side):
    stone = stone_of(law, share * LAWS[law].max_speed, angle, side, 1.0, 2.0, 3.0)
    np.testing.assert_allclose(curve.motion_from(law, stone, 3.0), curve.motion(law, stone, 3.0), atol=1e-9)
    stone[[board.SPEED_X, board.SPEED_Y]] = 77.0
    np.testing.assert_array_equal(curve.motion_from(law, stone, 3.0)[2:], 77.0)
    np.testing.assert_array_equal(curve.motion_from(law, stone, 3.01), curve.motion(law, stone, 3.01))


@given(EITHER_LAW, SHARE, st.sampled_from([-1.0, 1.0]))
def test_a_path_interrupted_half_way_continues_unchanged(law, share, side):
    v = share * LAWS[law].max_speed
    stone = stone_of(law, v, 1.0, side)
    half = 0.5 * curve.tau_of_speed(law, v)
    x, y, vx, vy = curve.motion(law, stone, half)
    again = np.zeros(board.FIELDS)
    curve.start_path(law, again, half, x, y, vx, vy, curve.spin_at(law, stone, half))
    np.testing.assert_allclose(again[: curve.STOP_TIME + 1], stone[: curve.STOP_TIME + 1], atol=5e-5)
    assert again[curve.SPIN] == pytest.approx(stone[curve.SPIN], abs=1e-5)


@given(EITHER_LAW, SHARE, SIDES)
def test_inverse_tables(law, share, side):
    tau = share * curve.tau_of_speed(law, LAWS[law].max_speed)
    x, y, dx, dy = curve.motion_at(curve.curve_of(law, side), tau)
    assert curve.tau_of_speed(law, np.hypot(dx, dy)) == pytest.approx(tau, rel=1e-6)
    assert curve.graph_at(curve.curve_of(law, side), x) == pytest.approx((tau, y), rel=1e-6)
    if side:
        assert curve.tau_of_sine(law, dy / np.hypot(dx, dy)) == pytest.approx(tau, rel=1e-3)
        assert dy / np.hypot(dx, dy) < 512 / PER_SINE[law]
    if law == 0:
        assert curve.tau_of_spin_lost(law, curve.spin_lost(law, tau)) == pytest.approx(tau, rel=1e-4)


@given(EITHER_LAW, SIDES, st.floats(allow_nan=True, allow_infinity=True))
def test_any_float_finds_a_cell(law, side, value):
    assert np.isfinite(curve.motion_at(curve.curve_of(law, side), value)).all()
    assert np.isfinite(curve.graph_at(curve.curve_of(law, side), value)).all()
    assert np.isfinite(
        [
            curve.tau_of_speed(law, value),
            curve.tau_of_sine(law, value),
            curve.spin_lost(law, value),
            curve.tau_of_spin_lost(law, value),
        ]
    ).all()


def test_a_speed_beyond_the_tables_is_reduced():
    for law in (0, 1):
        stone = stone_of(law, 1e9, 0.5, 1.0)
        np.testing.assert_allclose(stone, stone_of(law, TOP_SPEED[law], 0.5, 1.0), atol=1e-9)


def test_compiled_curling_is_smaller_than_the_tables_that_it_reads():
    shoot.load()
    pattern = shoot._file(".*.nbc")
    (file,) = pattern.parent.glob(f"*{pattern.name}")
    assert file.stat().st_size < curve_tables.curve().nbytes
