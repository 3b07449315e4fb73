"""Aim grids: their range and sizes, and that the noise is the same Gaussian throughout a block."""

import math

import numpy as np
import pytest

from bonspiel import curling
from bonspiel.curling.choice.aim_grid import WIDEST, aim_grid
from bonspiel.curling.ice.noise import NOISES
from bonspiel.curling.ice.physics import DC2, FCV1
from bonspiel.curling.ice.sheet import no_stones
from tests.curling.ice.test_shots import path

SETTINGS = pytest.mark.parametrize(("law", "noise"), [(FCV1, "normal_dist"), (DC2, "dc2"), (DC2, "gat")])


def place(law, velocity, side):
    """x at which a throw crosses the tee line, or stops if short of it."""
    places, _ = path(int(law is DC2), velocity, side)
    beyond = places[:, 1] > law.sheet.tee
    if not beyond.any():
        return places[-1, 0]
    last = int(beyond.argmax())
    return np.interp(law.sheet.tee, places[last - 1 : last + 1, 1], places[last - 1 : last + 1, 0])


@SETTINGS
def test_full_grid(law, noise):
    blocks = aim_grid(law, NOISES[noise], 4_284)
    assert [block.velocities.shape for block in blocks] == [(26, 63, 2), (8, 63, 2)] * 2
    assert [block.side for block in blocks] == [1.0, 1.0, -1.0, -1.0]
    for draws, hits in (blocks[:2], blocks[2:]):
        speeds = [np.linalg.norm(block.velocities, axis=-1) for block in (draws, hits)]
        assert np.ptp(speeds[0], axis=1) == pytest.approx(0.0, abs=1e-6)
        rows = np.concatenate([speeds[0][:, 0], speeds[1][:, 0]])
        assert (np.diff(rows) > 0.0).all()
        assert np.diff(rows, 2)[:24] == pytest.approx(0.0, abs=1e-6)
        assert rows[-1] == pytest.approx(law.max_speed)
        for row, line in ((0, law.sheet.hog_line), (-1, law.sheet.back_line)):
            free = aim_grid(law, NOISES["none"], 4_284)[0].velocities[row, 31]
            engine = curling.make_engine("analytic", law.name)
            for faster in (0.999, 1.001):
                stays = not np.isnan(engine.shot(no_stones(), 0, faster * free, law.launch_spin)[0, 0])
                assert stays == ((faster > 1.0) == (row == 0)), line


@SETTINGS
def test_columns_are_places(law, noise):
    for block in aim_grid(law, NOISES[noise], 606):
        columns = block.velocities.shape[1]
        for row in (0, -1):
            for column in (0, columns // 3, columns - 1):
                expected = -WIDEST + 2.0 * WIDEST * column / (columns - 1)
                assert place(law, tuple(block.velocities[row, column]), block.side) == pytest.approx(expected, abs=1e-3)


def off_by_an_sd(velocity, noise):
    """For each kind of error the pair of throws one standard deviation to either side."""
    speed, angle = math.hypot(*velocity), math.atan2(velocity[1], velocity[0])
    for errors in np.diag(noise.params)[noise.params > 0.0]:
        yield [
            ((speed + e[0]) * math.cos(angle + e[1]) + e[2], (speed + e[0]) * math.sin(angle + e[1]) + e[3])
            for e in (errors, -errors)
        ]


@SETTINGS
def test_noise_is_the_same_everywhere(law, noise):
    for block in aim_grid(law, NOISES[noise], 4_284)[:2]:
        speeds = np.linalg.norm(block.velocities[:, 0], axis=-1)
        for row, column in ((0, 31), (len(speeds) // 2, 10), (-1, 60)):
            pairs = list(off_by_an_sd(block.velocities[row, column], NOISES[noise]))
            across = [place(law, one, block.side) - place(law, other, block.side) for one, other in pairs]
            along = [math.hypot(*one) - math.hypot(*other) for one, other in pairs]
            # a guard stops before its angle has taken it as far aside as a draw; the errors of dc2 shrink by a third
            # from the slowest hit to the fastest
            close = 0.25 if law is DC2 and block.sd[0] == 0.0 else 0.15
            assert np.linalg.norm(across) / 2.0 / (2.0 * WIDEST / 62) == pytest.approx(block.sd[1], rel=close)
            if block.sd[0] > 0.0:
                assert np.linalg.norm(along) / 2.0 / (speeds[1] - speeds[0]) == pytest.approx(block.sd[0], rel=0.02)


@SETTINGS
@pytest.mark.parametrize("size", [100, 303, 606, 1_312, 2_142, 3_029, 4_284, 20_000])
def test_sizes(law, noise, size):
    blocks = aim_grid(law, NOISES[noise], size)
    assert sum(block.velocities[..., 0].size for block in blocks) == pytest.approx(size, rel=0.3)
    for draws, hits in (blocks[:2], blocks[2:]):
        assert draws.velocities.shape[0] > hits.velocities.shape[0] >= 1
        for block in (draws, hits):
            assert np.isfinite(block.velocities).all()
            assert (np.abs(block.velocities[..., 0]) <= law.max_vx).all()
            assert (block.velocities[..., 1] >= law.min_vy).all()
            assert (np.linalg.norm(block.velocities, axis=-1) <= law.max_speed * (1.0 + 1e-9)).all()
            assert block.sd[1] > 0.0
        assert draws.sd[0] > 0.0
        assert hits.sd[0] == 0.0


def test_the_grid_of_1312_aims():
    assert [block.velocities.shape for block in aim_grid(FCV1, NOISES["normal_dist"], 1_312)][:2] == [
        (12, 41, 2),
        (4, 41, 2),
    ]


def test_small_and_impossible_sizes():
    assert sum(block.velocities[..., 0].size for block in aim_grid(FCV1, NOISES["none"], 1)) == 72
    with pytest.raises(ValueError, match="size=0"):
        aim_grid(FCV1, NOISES["none"], 0)


def test_without_noise_nothing_is_smoothed():
    assert all(block.sd == (0.0, 0.0) for block in aim_grid(DC2, NOISES["none"], 606))


def test_cached_grids_are_read_only():
    (block, *_) = aim_grid(FCV1, NOISES["none"], 606)
    with pytest.raises(ValueError, match="read-only"):
        block.velocities[0, 0, 0] = 0.0
