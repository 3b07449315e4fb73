"""The analytic engine against recorded shots, a plain marching engine and physical laws."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel import curling
from bonspiel.curling.benchmarks.positions import random_board, random_shots
from bonspiel.curling.ice.engines.analytic import WORKSPACE, _release, shoot
from bonspiel.curling.ice.engines.board import MOVING, RESTING, SPEED_X, SPEED_Y, STATE, TURNING, X, Y
from bonspiel.curling.ice.engines.curve import motion, spin_at
from bonspiel.curling.ice.engines.events import process_events
from bonspiel.curling.ice.engines.impact import energy, impact, impact_of_many
from bonspiel.curling.ice.physics import DC2, DC2_SHEET, DC4, law_index
from bonspiel.curling.ice.sheet import DC3_SHEET, STONE_RADIUS, no_stones
from tests.curling.marching import march
from tests.curling.recorded import compare, dc2_shots, dc3_shots

FULL = bool(os.environ.get("BONSPIEL_FULL"))  # all 100,000 shots against the marching engine: about five minutes
DC2_TIME = 12.3  # a tee draw's speed in dc2 over that in fcv1

OVERLAP = {
    "fcv1": 1.0e-3,
    "dc2": 1.1e-3,
    "dc4": 1.0e-3,
}  # m, of stones at rest; an inelastic impact of dc2, below 1 m/s, leaves 1 mm

SEEDS = st.integers(0, 2**32 - 1)
PHYSICS = pytest.mark.parametrize("physics", ["fcv1", "dc2", "dc4"])


def position(physics, stones, shots, seed):
    """A random board, velocities [shots, 2] and spins [shots]."""
    rng = np.random.default_rng(seed)
    board, (velocities, spins) = random_board(stones, rng), random_shots(shots, rng)
    while physics == "dc4" and ((np.abs(board[:, 0]) > DC4.limits.side) | (board[:, 1] > DC4.limits.farthest)).any():
        board = random_board(stones, rng)
    if physics == "dc2":
        board[:, 1] -= DC3_SHEET.tee - DC2_SHEET.tee
        velocities, spins = DC2_TIME * velocities, np.sign(spins) * DC2.launch_spin
    return board, velocities, spins


def apart(one, other):
    """Largest distance between stones of the same rows, m; infinite if different stones are left."""
    if (np.isnan(one) != np.isnan(other)).any():
        return np.inf
    return np.hypot(*np.nan_to_num(one - other).T).max()


def test_fcv1_agrees_with_recorded_shots():
    errors = compare(curling.make_engine("analytic"), dc3_shots())
    assert max(errors["free"].millimetres) <= 8.0
    assert np.quantile(errors["1 stone"].millimetres, 0.9) <= 6.0
    assert np.quantile(errors["2-5 stones"].millimetres, 0.9) <= 20.0
    assert np.median(errors["6-15 stones"].millimetres) <= 5.0
    assert np.quantile(errors["6-15 stones"].millimetres, 0.9) <= 60.0
    assert np.median(errors["clusters"].millimetres) <= 5.0
    assert np.quantile(errors["clusters"].millimetres, 0.9) <= 20.0
    assert np.mean([same for kind in errors if kind != "free" for same in errors[kind].same]) >= 0.97


@pytest.mark.parametrize(
    ("kind", "median", "p90"),
    [("free", 0.1, 0.3), ("1 stone", 0.5, 2.0), ("2-5 stones", 0.5, 2.0), ("6-15 stones", 0.5, 3.0)],
)
def test_dc2_agrees_with_recorded_shots(kind, median, p90):
    errors = compare(curling.make_engine("analytic", "dc2"), dc2_shots())[kind]
    assert np.mean(errors.same) >= 0.95
    assert np.median(errors.millimetres) <= median
    assert np.quantile(errors.millimetres, 0.9) <= p90


@pytest.mark.parametrize(("physics", "count"), [("fcv1", 1_600), ("dc2", 8_000), ("dc4", 1_600)])
def test_agrees_with_the_marching_engine(physics, count):
    engine, law, errors = curling.make_engine("analytic", physics), law_index(physics), []
    for seed in range((100_000 if FULL else count) // 20):
        board, velocities, spins = position(physics, seed % 16, 20, seed)
        finals = engine.shots(board, 15, velocities, spins)
        for final, velocity, spin in zip(finals, velocities, spins, strict=True):
            errors.append(apart(final, march(board, 15, velocity, spin, law)))
    assert np.quantile(errors, 0.9) < 2e-5
    assert np.quantile(errors, 0.99) < 2e-4
    assert np.mean(np.array(errors) > 1e-2) < 1e-3


@PHYSICS
@given(stones=st.integers(0, 15), seed=SEEDS)
def test_mirror_image(physics, stones, seed):
    board, (velocity,), (spin,) = position(physics, stones, 1, seed)
    engine = curling.make_engine("analytic", physics)
    final = engine.shot(board, 15, velocity, spin)
    mirrored = engine.shot(board * (-1.0, 1.0), 15, velocity * (-1.0, 1.0), -spin)
    np.testing.assert_allclose(mirrored, final * (-1.0, 1.0), atol=1e-9)


@PHYSICS
@given(stones=st.integers(1, 15), seed=SEEDS)
def test_stones_at_rest_do_not_overlap(physics, stones, seed):
    board, (velocity,), (spin,) = position(physics, stones, 1, seed)
    final = curling.make_engine("analytic", physics).shot(board, 15, velocity, spin)
    here = final[~np.isnan(final[:, 0])]
    distances = np.hypot(*(here[:, None] - here[None]).T) + 10.0 * np.eye(len(here))
    assert (distances > 2.0 * STONE_RADIUS - OVERLAP[physics]).all()


@PHYSICS
@given(stones=st.integers(1, 15), seed=SEEDS)
def test_stones_move_only_after_contact(physics, stones, seed):
    board, (velocity,), (spin,) = position(physics, stones, 1, seed)
    final, path = curling.make_engine("analytic", physics).shot(board, 15, velocity, spin, trajectory=True)
    frame = np.nanmax(np.hypot(*np.diff(path.positions, axis=0).T), initial=0.0)
    for i in range(stones):
        others = np.delete(path.positions, i, 1)
        moving = (others != path.positions[0][np.arange(16) != i]) & ~np.isnan(others)
        moving[:, -1] = ~np.isnan(others[:, -1])
        nearest = np.hypot(*(others - board[i]).T)[moving.any(2).T].min(initial=np.inf)
        if nearest > 2.0 * STONE_RADIUS + frame:
            np.testing.assert_array_equal(final[i], board[i])


@PHYSICS
@given(stones=st.integers(0, 15), seed=SEEDS)
def test_energy_never_increases(physics, stones, seed):
    board, (velocity,), (spin,) = position(physics, stones, 1, seed)
    law, interval = int(physics == "dc2"), curling.make_engine("analytic", physics).path_interval
    workspace = np.empty(WORKSPACE)
    _release(law, workspace, board, 15, *velocity, spin)
    energies, time = [0.5 * (velocity**2).sum() + 0.25 * (STONE_RADIUS * spin) ** 2], 0.0
    while (workspace[:16, STATE] == MOVING).any():
        now = len(energies) * interval
        time, moment = process_events(law, workspace, time, now), workspace.copy()
        for stone in moment[:16]:
            moving = stone[STATE] == MOVING
            stone[[SPEED_X, SPEED_Y]] = motion(law, stone, max(time, now))[2:] if moving else 0.0
            stone[TURNING] = spin_at(law, stone, max(time, now)) if moving else 0.0
        energies.append(energy(moment))
    assert len(energies) > 20
    assert (np.diff(energies) <= 1e-9 * energies[0]).all()


def halted(rng, count, spread):
    """A workspace of `count` stones just before an impact."""
    board = np.zeros(WORKSPACE)
    board[:count, STATE] = RESTING
    board[0, STATE] = MOVING
    board[:count, [X, Y]] = rng.uniform(-spread, spread, (count, 2))
    board[:count, [SPEED_X, SPEED_Y]] = rng.normal(0.0, 2.0, (count, 2))
    board[:count, TURNING] = rng.normal(0.0, 5.0, count)
    return board


@given(law=st.integers(0, 1), seed=SEEDS)
def test_impact_conserves_momentum_and_adds_no_energy(law, seed):
    board = halted(np.random.default_rng(seed), 2, 0.1)
    before = board.copy()
    impact(law, board, 0, 1)
    np.testing.assert_allclose(board[:, [SPEED_X, SPEED_Y]].sum(0), before[:, [SPEED_X, SPEED_Y]].sum(0), atol=1e-12)
    assert energy(board) <= energy(before) * (1.0 + 1e-12)
    many = before.copy()
    impact_of_many(law, many)
    np.testing.assert_allclose(many[:16], board[:16], atol=1e-6)


@given(law=st.integers(0, 1), count=st.integers(3, 16), spread=st.floats(0.05, 0.5), seed=SEEDS)
def test_impact_of_many_conserves_momentum_and_adds_no_energy(law, count, spread, seed):
    board = halted(np.random.default_rng(seed), count, spread)
    before = board[:16].copy()
    impact_of_many(law, board)
    np.testing.assert_allclose(board[:16, [SPEED_X, SPEED_Y]].sum(0), before[:, [SPEED_X, SPEED_Y]].sum(0), atol=1e-9)
    assert energy(board) <= energy(before) * (1.0 + 1e-8)


@PHYSICS
def test_three_in_a_row(physics):
    """A stone against two that touch: Newton's cradle for discs whose contacts are solved together."""
    board = np.zeros(WORKSPACE)
    board[:3, STATE], board[:3, Y] = RESTING, (0.0, 2.0 * STONE_RADIUS, 4.0 * STONE_RADIUS)
    board[0, SPEED_Y] = 3.0
    impact_of_many(int(physics == "dc2"), board)
    np.testing.assert_allclose(board[:3, SPEED_Y], (-1.0, 2.0, 2.0), atol=1e-3)


@PHYSICS
def test_frontal_impact_transfers_the_speed(physics):
    engine = curling.make_engine("analytic", physics)
    stones, (vx, vy) = no_stones(), engine.law.tee_draw
    stones[3] = 0.0, engine.law.sheet.tee - 2.0
    final = engine.shot(stones, 8, (0.0, np.hypot(vx, vy)), 0.0)
    free = engine.shot(no_stones(), 8, (0.0, np.hypot(vx, vy)), 0.0)
    assert final[8, 1] == pytest.approx(stones[3, 1] - 2.0 * STONE_RADIUS, abs=0.03)
    assert final[3, 1] == pytest.approx(free[8, 1] + 2.0 * STONE_RADIUS, abs=0.06)
    assert np.nanmax(np.abs(final[:, 0])) < 1e-9


@PHYSICS
def test_touching_stones_leave_together(physics):
    engine = curling.make_engine("analytic", physics)
    stones, (vx, vy) = no_stones(), engine.law.tee_draw
    stones[:2, 0], stones[:2, 1] = 0.0, engine.law.sheet.tee + np.array([-3.0, -3.0 + 2.0 * STONE_RADIUS - 1e-6])
    final = engine.shot(stones, 8, (0.0, np.hypot(vx, vy)), 0.0)
    assert (final[:2, 1] - stones[:2, 1] > 0.5).all()
    assert final[8, 1] < stones[0, 1] - 2.0 * STONE_RADIUS - 0.1


@PHYSICS
@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-6, 1e-3])
def test_fast_shot_into_touching_stones(physics, gap):
    """A hexagonal pack of 15 in front of the tee: it bursts and comes to rest."""
    engine = curling.make_engine("analytic", physics)
    pitch = 2.0 * STONE_RADIUS + gap
    pack = [
        (pitch * (i + 0.5 * (row % 2) - 1.0), engine.law.sheet.tee - 1.0 + pitch * np.sqrt(0.75) * row)
        for row in range(5)
        for i in range(3)
    ]
    stones = no_stones()
    stones[:15] = pack
    for aim in (0.0, 0.07, 0.3):
        velocity = np.array([aim / stones[0, 1], 1.0]) * 0.95 * engine.law.max_speed
        final = engine.shot(stones, 15, velocity, 0.0)
        assert (np.isnan(final) | (np.abs(final) < 50.0)).all()
        assert not np.array_equal(final[:15], stones[:15], equal_nan=True)


ANY = st.floats(allow_nan=True, allow_infinity=True)
NEAR = st.floats(-3.0, 42.0)


@settings(max_examples=300)
@given(
    places=st.lists(st.tuples(ANY | NEAR, ANY | NEAR), min_size=1, max_size=16),
    index=st.integers(-3, 20),
    vx=ANY | NEAR,
    vy=ANY | NEAR,
    spin=ANY | NEAR,
    law=st.integers(-2, 3),
    trash=ANY,
)
def test_any_float_is_allowed(places, index, vx, vy, spin, law, trash):
    stones, workspace = no_stones(), np.full(WORKSPACE, trash)
    stones[: len(places)] = places
    before = stones.copy()
    shoot(stones, index, vx, vy, spin, law, workspace)
    if 0 <= index < 16:
        assert (np.isnan(stones[:, 0]) == np.isnan(stones[:, 1])).all()
        assert not np.isinf(stones).any()
    else:
        np.testing.assert_array_equal(stones, before)


@given(seed=SEEDS)
def test_overlapping_stones_come_to_rest(seed):
    rng = np.random.default_rng(seed)
    stones = rng.uniform((-0.3, 37.0), (0.3, 38.0), (16, 2))
    shoot(stones, 15, 0.1, 3.5, 1.5, 0, np.empty(WORKSPACE))
    assert not np.isinf(stones).any()


SCRIPT = """
import hashlib, numpy as np
from bonspiel import curling
from bonspiel.curling.benchmarks.positions import random_board, random_shots
rng = np.random.default_rng(7)
board, (velocities, spins) = random_board(12, rng), random_shots(500, rng)
finals = curling.make_engine("analytic").shots(board, 15, velocities, spins, threads=3)
print(hashlib.sha256(finals.tobytes()).hexdigest())
"""


def test_same_output_in_other_processes_and_on_threads():
    out = [
        subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout.strip()
        for _ in range(2)
    ]
    board, velocities, spins = position("fcv1", 12, 500, 7)
    engine = curling.make_engine("analytic")
    one = engine.shots(board, 15, velocities, spins)
    np.testing.assert_array_equal(engine.shots(board, 15, velocities, spins, threads=4), one)
    assert out == [hashlib.sha256(one.tobytes()).hexdigest()] * 2
