"""Aims between those of a grid: errors, the best of the aims that they value, and what the champion gains."""

import math

import numpy as np
import pytest

from bonspiel.curling.dynamics import velocity_of
from bonspiel.curling.ice.execution import velocity_with_errors
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players import reply_search
from bonspiel.curling.players.champion import Champion
from bonspiel.curling.players.lookahead import expect, new_scratch
from bonspiel.curling.players.quasi_random import quasi_random_errors
from bonspiel.curling.players.refinement import ErrorGrid
from bonspiel.planners import Budget

GRID = ErrorGrid(0.25, 1.0)
NOISES = [Noise(speed=0.0076, angle=0.0018), Noise(vx=0.004, vy=0.007), Noise(0.0076, 0.0018, 0.004, 0.007)]
NOISES += [Noise(speed=0.0195, angle=0.0045, freedom=3.0)]
STATE = state_of(no_stones(), 15)


def apart(noise, speed):
    """Standard deviations of the velocity along and across an aim of this speed straight down the sheet, m/s."""
    return math.hypot(noise.speed, noise.vy), math.hypot(noise.angle * speed, noise.vx)


@pytest.mark.parametrize("noise", NOISES)
def test_errors_are_as_far_along_and_across_as_the_grid_says(noise):
    model = Curling(noise=noise)
    aim = model.aim(0.0, 2.4, 1.0)
    errors = GRID.errors(model, STATE, aim).reshape(33, 33, 4)
    along, across = apart(noise, 2.4)
    for row, column in ((16, 16), (0, 32), (20, 4)):
        vx, vy = velocity_with_errors(0.0, 2.4, 4.0, noise.params, *errors[row, column])
        assert vy - 2.4 == pytest.approx(GRID.offsets[row] * along, abs=1e-3 * 2.4)
        assert vx == pytest.approx(-GRID.offsets[column] * across, abs=1e-3 * 2.4)
    assert GRID.size == 33 * 33 and GRID.offsets[[0, 16, 32]].tolist() == [-4.0, 0.0, 4.0]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(
    ("low", "high", "best"), [(-1.5, 0.5, -0.5), (0.0, 1.5, 0.75), (-1.0, 1.0, 0.0), (1.5, 9.0, 1.0)]
)
def test_the_best_aim_is_in_the_middle_of_the_throws_that_score(noise, low, high, best):
    model = Curling(noise=noise)
    aim, (along, across) = model.aim(0.0, 2.4, -1.0), apart(noise, 2.4)
    rows, columns = np.meshgrid(GRID.offsets, GRID.offsets, indexing="ij")
    for places, shift in ((rows, (0.0, best * along)), (columns, (-best * across, 0.0))):
        values = ((places >= low) & (places <= high)).astype(float).ravel()
        vx, vy, spin = GRID.best(model, STATE, aim, values)
        half = 0.5 * GRID.step * max(along, across) + 1e-9
        assert vx == pytest.approx(shift[0], abs=half) or places is rows
        assert vy - 2.4 == pytest.approx(shift[1], abs=half) or places is columns
        assert spin == -1.0


def test_the_best_aim_can_be_thrown():
    model = Curling(max_speed=3.9)
    aim = model.aim(0.4, 4.0, 1.0)
    found = GRID.best(model, STATE, aim, np.arange(float(GRID.size)))
    assert (found >= model.action_low).all() and (found <= model.action_high).all()
    assert math.hypot(*velocity_of(found, model.params)) <= 4.02


def test_last_stones_gain_by_aims_between_those_of_the_grid(monkeypatch):
    model, planner, budget = Curling(reward="win"), Champion(threads=1), Budget(simulations=8_000)
    rng, scratch, gains = np.random.default_rng(3), new_scratch(), []
    errors = quasi_random_errors(rng.random(4), 0, 4096)
    for _ in range(8):
        stones = no_stones()
        stones[:5] = rng.normal((0.0, 38.4), (0.9, 0.9), (5, 2))
        stones[8:12] = rng.normal((0.0, 38.4), (0.9, 0.9), (4, 2))
        state, shots = state_of(stones, 15), []
        for steps in ((), reply_search.STEPS):
            monkeypatch.setattr(reply_search, "STEPS", steps)
            shots.append(planner.plan(model.planning(), state, budget, np.random.default_rng(1)).action)
        values = np.empty((2, len(errors)))
        expect(state, np.array(shots), errors, model.planning().params, rng, values, scratch)
        gains.append(values[1].mean() - values[0].mean())
    assert np.mean(gains) > 0.005
    assert min(gains) > -0.005
