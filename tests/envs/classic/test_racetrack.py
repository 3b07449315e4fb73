"""The race track's walls against a fine sampling of each move, its rewards and its rules."""

import numpy as np
import pytest
from scipy import stats

from bonspiel.envs import Racetrack
from bonspiel.envs.classic.racetrack import tracks

QUIET = {"slip": 0.0, "noise": 0.0}
START = [5.5, 1.5, 0.0, 0.0]  # a cell of the start line of both tracks


def after(model, state, action=(0.0, 0.0), seed=1):
    following = np.full(5, np.nan)
    result = model.step(
        np.array(state, float), np.array(action, float), following, model.params, np.random.default_rng(seed)
    )
    return following, *result


def signs(name):
    return [list(row) for row in tracks.MAPS[name].split()[::-1]]


def first_met(name, place, move):
    """What a move meets first, by looking at 20,000 points of it, and where."""
    grid = np.pad(signs(name), ((0, 6), (0, 6)), constant_values="#")
    points = np.asarray(place) + np.linspace(0.0, 1.0, 20_001)[:, None] * np.asarray(move)
    found = grid[tuple(points.astype(int).T[::-1])]
    met = np.flatnonzero((found == "#") | (found == "F"))
    return (found[met[0]], points[met[0]]) if len(met) else (".", points[-1])


@pytest.mark.parametrize("name", tracks.MAPS)
def test_nothing_is_jumped_over(name):
    model, rng, met = Racetrack(name, **QUIET, crash="end"), np.random.default_rng(1), []
    rows, columns = model.map.ways.shape
    while len(met) < 300:
        place, speed = rng.uniform([0, 0], [columns, rows]), rng.uniform(-5, 5, 2)
        if signs(name)[int(place[1])][int(place[0])] in "#F":
            continue
        expected, where = first_met(name, place, speed)
        following, reward, terminated = after(model, [*place, *speed, 10.0])
        np.testing.assert_allclose(following[:2], where, rtol=0, atol=1e-3)
        assert terminated == (expected != ".") and (reward < -30.0) == (expected == "#")
        assert following[2:].tolist() == [*speed, 11.0]
        met.append(expected)
    assert min(met.count(sign) for sign in "#F.") >= 5


def test_moves_along_an_axis_and_along_the_edge_of_a_cell():
    model = Racetrack(**QUIET, crash="end")
    for place, speed, end in [
        ([5.5, 3.0], [0.0, 2.0], [5.5, 5.0]),
        ([5.0, 3.0], [0.0, 2.0], [5.0, 5.0]),
        ([5.5, 3.0], [-5.0, 0.0], [3.0, 3.0]),
        ([5.5, 3.0], [5.0, 0.0], [9.0, 3.0]),
        ([5.5, 3.0], [0.0, -5.0], [5.5, 1.0]),
        ([5.5, 3.0], [0.0, 0.0], [5.5, 3.0]),
    ]:
        following, *_ = after(model, [*place, *speed, 0.0])
        assert following[:2].tolist() == pytest.approx(end)


def test_speed_changes_by_the_acceleration_and_is_bounded():
    following, reward, terminated = after(Racetrack(**QUIET), [5.5, 2.5, 0.5, 1.0, 3.0], [-0.25, 1.0])
    assert following.tolist() == [5.75, 4.5, 0.25, 2.0, 4.0] and not terminated
    assert reward == pytest.approx(-1.0 + 2.0, abs=0.2)  # nearly straight on towards the curve
    following, *_ = after(Racetrack(**QUIET), [5.5, 2.5, 0.0, 4.9, 3.0], [0.0, 1.0])
    assert following[3] == 5.0


def test_crash_leads_back_to_the_start_line():
    model, rng, places = Racetrack(), np.random.default_rng(1), set()
    for _ in range(200):
        following = np.empty(5)
        _, terminated = model.step(np.array([5.5, 8.5, -5, 0, 20.0]), np.zeros(2), following, model.params, rng)
        assert not terminated and following[2:].tolist() == [0.0, 0.0, 21.0]
        places.add((following[0], following[1]))
    assert places == {(column + 0.5, 1.5) for column in range(3, 9)}
    assert {tuple(model.initial_state(rng)[:2]) for _ in range(200)} == places


def test_crash_that_ends_the_episode_charges_the_steps_left():
    _, reward, terminated = after(Racetrack(**QUIET, crash="end", progress=False), [5.5, 8.5, -5, 0, 20.0])
    assert (reward, terminated) == (-30.0, True)


@pytest.mark.parametrize("progress", [False, True])
def test_return_to_the_finish_is_the_length_of_the_track_less_the_steps(progress):
    """A lap by hand: up, to the right, and through the finish."""
    model, state, total, steps = Racetrack(**QUIET, progress=progress), np.array([*START, 0.0]), 0.0, 0
    terminated = False
    while not terminated:
        aim = np.array([0.0, 1.0] if state[1] < 11.4 else [1.5, 0.0]) - state[2:4]
        state, reward, terminated = after(model, state, np.clip(aim, -1, 1))
        total, steps = total + reward, steps + 1
    assert steps < 30 and state[0] == 24.0
    length = model.map.ways[1, 5]
    assert total == pytest.approx(length * progress - steps)


@pytest.mark.parametrize("name", tracks.MAPS)
def test_ways_to_the_finish_are_consistent(name):
    """Each is the nearest neighbour's and the step to it: Bellman's equation, and 0 at the finish alone."""
    ways, grid = tracks.load(name).ways, signs(name)
    for row, line in enumerate(grid):
        for column, sign in enumerate(line):
            if sign == "#":
                assert ways[row, column] == tracks.WALL
            elif sign == "F":
                assert ways[row, column] == 0.0
            else:
                around = ways[row - 1 : row + 2, column - 1 : column + 2].copy()
                around[1, 1] = tracks.WALL
                steps = np.hypot(*np.mgrid[-1:2, -1:2])
                best = np.where(around == tracks.WALL, np.inf, around + steps).min()
                straight = min(np.where(around == tracks.WALL, np.inf, around + steps)[[0, 1, 1, 2], [1, 0, 2, 1]])
                assert best <= ways[row, column] + 1e-9 and ways[row, column] <= straight + 1e-9


def test_slips_as_often_as_said_and_noise_is_gaussian():
    model, rng = Racetrack(slip=0.3, noise=0.05), np.random.default_rng(1)
    speeds, following = [], np.empty(5)
    for _ in range(4000):
        model.step(np.array([5.5, 5.5, 0, 0, 0.0]), np.array([0.0, 1.0]), following, model.params, rng)
        speeds.append(following[2:4].copy())
    sideways, up = np.array(speeds).T
    assert stats.binomtest(int((up < 0.5).sum()), 4000, 0.3).pvalue > 0.01
    assert stats.kstest(sideways, stats.norm(0.0, 0.05).cdf).pvalue > 0.01
    assert stats.kstest(up[up > 0.5], stats.norm(1.0, 0.05).cdf).pvalue > 0.01


def test_rollout_brakes():
    """From speed 2 it still moves 1 and stands, and keeps what it gained."""
    model = Racetrack(**QUIET)
    state = np.array([5.5, 4.5, 0.0, 2.0, 0.0])
    found = model.rollout(state, state.copy(), 10, model.params, np.random.default_rng(1))
    assert found == pytest.approx(-10.0 + 1.0, abs=0.2)
