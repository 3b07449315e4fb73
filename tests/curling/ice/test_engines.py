"""The interface of both engines; test_analytic.py and test_box2d.py compare each with recorded shots."""

import re

import numpy as np
import pytest

from bonspiel import curling
from bonspiel.curling.ice.engines import names
from bonspiel.curling.ice.physics import BY_NAME, law_index, physics_of
from bonspiel.curling.ice.sheet import no_stones, present
from bonspiel.curling.ice.shots import draw

ALL = [curling.make_engine(name, physics) for name in names() for physics in BY_NAME]
ENGINES = pytest.mark.parametrize("engine", ALL, ids=str)


def board(*places):
    stones = no_stones()
    stones[8 : 8 + len(places)] = places
    return stones


def test_unknown_names():
    with pytest.raises(ValueError, match="box2d"):
        curling.make_engine("boxd")
    with pytest.raises(ValueError, match="fcv1"):
        curling.make_engine("box2d", physics="fcv2")
    with pytest.raises(ValueError, match=r"None.*analytic, box2d"):
        curling.make_engine(None)


@ENGINES
def test_tee_draw_stops_on_the_tee(engine):
    law = engine.law
    final = engine.shot(no_stones(), 3, law.tee_draw, law.launch_spin)
    assert np.hypot(*(final[3] - (0.0, law.sheet.tee))) < 0.04
    assert np.isnan(np.delete(final, 3, 0)).all()


@ENGINES
def test_rotation_mirrors(engine):
    law = engine.law
    stones = board((0.1, law.sheet.tee), (-1.0, law.sheet.tee - 2.0))
    vx, vy = law.tee_draw
    final = engine.shot(stones, 0, (1.05 * vx, 1.1 * vy), law.launch_spin)
    mirrored = engine.shot(stones * (-1.0, 1.0), 0, (-1.05 * vx, 1.1 * vy), -law.launch_spin)
    np.testing.assert_allclose(mirrored, final * (-1.0, 1.0), atol=2e-3)


@ENGINES
def test_removals(engine):
    law = engine.law
    vx, vy = law.tee_draw
    for velocity in [(vx, 0.9 * vy), (vx, 1.2 * vy), (4.0 * vx, vy), (0.0, 1e-3 * vy)]:
        assert np.isnan(engine.shot(no_stones(), 0, velocity, law.launch_spin)).all()
    assert np.isnan(engine.unchecked(no_stones(), 0, np.array([vx, -vy]), law.launch_spin)).all()


@ENGINES
def test_the_hog_line_removes_all_stones_or_in_dc2_only_the_thrown_one(engine):
    law = engine.law
    stones = board((1.5, law.limits.hog - 0.001), (1.5, law.sheet.hog_line + 1.0))
    final = engine.shot(stones, 0, (law.tee_draw[0], 0.9 * law.tee_draw[1]), law.launch_spin)
    assert present(final).tolist() == [i == 9 or (i == 8 and law.name == "dc2") for i in range(16)]


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize(
    ("x", "y", "kept"),
    [
        (2.1, 38.4, ["fcv1"]),  # over dc4's side limit, but not over the line
        (-2.1, 38.4, ["fcv1"]),
        (0.5, 40.3, ["fcv1"]),  # behind the back line, but not wholly
        (0.5, 40.2, ["fcv1", "dc4"]),
        (0.5, 32.1, ["dc4"]),  # not wholly past the hog line
        (0.5, 31.9, []),
    ],
)
def test_the_limits_of_play_of_dc4(name, x, y, kept):
    """A draw that stops at (x, y) stays in play under these physics."""
    side = -np.sign(x)  # so that the stone curls outwards and was never farther out
    vx, vy = draw(law_index("fcv1"), x, y, side)
    for physics in ("fcv1", "dc4"):
        engine = curling.make_engine(name, physics)
        final = engine.shot(no_stones(), 0, (vx, vy), side * engine.law.launch_spin)
        assert present(final)[0] == (physics in kept)
        if physics in kept:
            assert np.hypot(*(final[0] - (x, y))) < 0.03


@pytest.mark.parametrize("name", names())
def test_the_side_limit_of_dc4_holds_while_stones_move(name):
    """A draw to x = 1.9 comes from beyond x = 2.085."""
    engine = curling.make_engine(name, "dc4")
    vx, vy = draw(law_index("fcv1"), 1.9, 38.4, 1.0)
    stones, path = curling.make_engine(name, "fcv1").shot(no_stones(), 0, (vx, vy), engine.law.launch_spin, True)
    assert stones[0, 0] < 2.0 and np.nanmax(path.positions[:, 0, 0]) > 2.1
    assert not present(engine.shot(no_stones(), 0, (vx, vy), engine.law.launch_spin)).any()


@pytest.mark.parametrize("name", names())
def test_a_stone_at_rest_is_lost_in_dc4_if_a_shot_leaves_it_behind_the_back_line(name):
    stones = board((0.0, 40.2))
    for physics, lost in (("dc4", True), ("fcv1", False)):
        assert present(curling.make_engine(name, physics).shot(stones, 0, (0.0, 2.449), 0.0))[8] != lost


@ENGINES
def test_the_argument_is_not_modified(engine):
    law = engine.law
    stones = board((0.0, law.sheet.tee))
    before = stones.copy()
    engine.shot(stones, 0, law.tee_draw, law.launch_spin)
    np.testing.assert_array_equal(stones, before)


@ENGINES
def test_path_leads_from_the_release_to_the_final_stones(engine):
    law = engine.law
    stones = board((0.0, law.sheet.tee), (1.5, law.sheet.tee))
    final = engine.shot(stones, 2, law.tee_draw, law.launch_spin)
    again, path = engine.shot(stones, 2, law.tee_draw, law.launch_spin, trajectory=True)
    np.testing.assert_array_equal(again, final)
    assert path.positions.shape == (len(path.times), 16, 2)
    np.testing.assert_allclose(path.positions[0, 2], (0.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(path.positions[-1], final, atol=1e-9)
    np.testing.assert_allclose(np.diff(path.times)[:-1], engine.path_interval, rtol=1e-6)
    thrown = path.positions[:, 2]
    speeds = np.hypot(*np.diff(thrown, axis=0)[:-1].T) / engine.path_interval
    assert speeds.max() <= np.hypot(*law.tee_draw) * 1.001


@ENGINES
def test_many_shots_equal_single_shots(engine):
    law = engine.law
    stones = board((0.0, law.sheet.tee), (0.5, law.sheet.tee - 3.0))
    velocities = law.tee_draw + np.linspace((-0.02, -0.02), (0.02, 0.3), 4) * law.max_speed / 4.0
    spins = law.launch_spin * np.array([1.0, -1.0, 1.0, -1.0])
    many = engine.shots(stones, 1, velocities, spins, threads=2)
    for velocity, spin, final in zip(velocities, spins, many, strict=True):
        np.testing.assert_array_equal(engine.shot(stones, 1, velocity, spin), final)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"stones": np.zeros((15, 2))}, "stones"),
        ({"stones": board((0.0, np.nan))}, "stones"),
        ({"stones": board((2.3, 36.0))}, r"stones\[8\].*on the sheet"),
        ({"stones": board((0.0, 45.0))}, "on the sheet"),
        ({"stones": board((np.inf, 36.0))}, "on the sheet"),
        ({"stones": board((0.0, 36.0), (0.1, 36.2))}, r"stones\[8\].*clear of"),
        ({"index": 8}, "index"),
        ({"index": 16}, "index"),
        ({"index": -1}, "index"),
        ({"index": 1.5}, "index"),
        ({"velocity": (0.0, np.nan)}, "velocity"),
        ({"velocity": (0.0, 0.0)}, "velocity"),
        ({"velocity": (0.0, -2.0)}, "velocity.*house"),
        ({"velocity": (2.0, 0.0)}, "velocity.*house"),
        ({"velocity": (0.0, 1e9)}, "velocity.*cap"),
        ({"velocity": (1.0, 2.0, 3.0)}, "velocity"),
        ({"velocity": ("0", "2.4")}, "velocity.*real numbers"),
        ({"velocity": (0.0, 2.4j)}, "velocity.*real numbers"),
        ({"velocity": (0.0, (1.0, 2.0))}, "velocity.*same length"),
        ({"stones": "none"}, "stones.*real numbers"),
        ({"stones": [[1.0, 2.0], [3.0]]}, "stones.*same length"),
        ({"spin": np.nan}, "spin"),
        ({"spin": "ccw"}, "spin.*real numbers"),
        ({"spin": 1e9}, "spin"),
        ({"spin": -1e9}, "spin"),
    ],
)
def test_bad_arguments_are_named(change, named):
    engine = curling.make_engine()
    given = {"stones": board((0.0, 36.0)), "index": 0, "velocity": engine.law.tee_draw, "spin": engine.law.launch_spin}
    with pytest.raises(ValueError, match=named) as refused:
        engine.shot(**given | change)
    assert "np.float64" not in str(refused.value)


@ENGINES
def test_all_engines_check_their_arguments(engine):
    with pytest.raises(ValueError, match=f"velocity.*cap of {engine.law.max_speed}"):
        engine.shot(no_stones(), 0, (0.0, 1.03 * engine.law.max_speed), engine.law.launch_spin)
    with pytest.raises(ValueError, match="index"):
        engine.shot(no_stones(), 16, engine.law.tee_draw, engine.law.launch_spin)


@pytest.mark.parametrize("threads", [0, 1.5, True, 10**9])
def test_bad_numbers_of_threads_are_named(threads):
    engine = curling.make_engine()
    with pytest.raises(ValueError, match="threads="):
        engine.shots(no_stones(), 0, [engine.law.tee_draw], [0.1], threads=threads)


def test_the_first_bad_throw_of_many_is_shown():
    with pytest.raises(ValueError, match=re.escape("velocities=[0.0, 9.0]")):
        curling.make_engine().shots(no_stones(), 0, [(0.1, 2.4), (0.0, 9.0), (0.0, 0.0)], [1.0, 1.0, 1.0])


@ENGINES
def test_unchecked_shots_accept_any_throw_and_stones(engine):
    """Throws above the cap or without motion, and overlapping stones."""
    law, index = engine.law, 2
    stones = board((0.0, law.sheet.tee), (0.0, law.sheet.tee + 0.28))
    for vy in (0.0, np.nan, 1.5 * law.max_speed):
        velocity = np.array([0.0, vy])
        final = engine.unchecked(stones, index, velocity, law.launch_spin)
        again, path = engine.unchecked_path(stones, index, velocity, law.launch_spin)
        np.testing.assert_array_equal(again, final)
        np.testing.assert_array_equal(path.positions[-1], final)
        assert not present(final)[index]


@ENGINES
@pytest.mark.parametrize("side", [-1.0, 0.0])
def test_turning_a_shot_turns_its_path(engine, side):
    angle = 0.04
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    velocity, spin = engine.law.tee_draw * np.array([side, 1.0]), side * engine.law.launch_spin
    _, path = engine.shot(no_stones(), 0, velocity, spin, trajectory=True)
    _, turned = engine.shot(no_stones(), 0, velocity @ turn, spin, trajectory=True)
    assert len(path.times) > 20
    exact = engine == curling.make_engine("analytic", engine.physics)
    np.testing.assert_allclose(turned.times, path.times, atol=1e-9 if exact else 5e-3)
    np.testing.assert_allclose(turned.positions[:, 0], path.positions[:, 0] @ turn, atol=1e-9 if exact else 3e-3)


def test_cap_leaves_room_for_noise_above_the_largest_aim():
    for name in ("fcv1", "dc2"):
        engine = curling.make_engine("analytic", name)
        engine.shot(no_stones(), 0, (0.0, physics_of(name).max_speed * 1.02), 0.1)
