import math

import numpy as np
import pytest

from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.replay.tracks import stone_tracks

PHYSICS = {"fcv1": ((0.1, 2.9), 1.5708, 1.0), "dc2": ((0.9, 33.0), 0.066696, 10.0)}


def shown(track, times):
    """Where the page shows a stone at these times, ms: [len(times), 2], m."""
    t, x, y = (np.cumsum(track[name]) for name in "txy")
    return np.column_stack([np.interp(times, t, x), np.interp(times, t, y)]) / 1000.0


def shot(physics, engine="analytic"):
    moves = make_engine(engine, physics=physics)
    stones, velocity = no_stones(), PHYSICS[physics][0]
    tee = moves.law.sheet.tee
    for row, place in enumerate([(0.0, tee), (0.05, tee + 0.5), (-0.4, tee - 1.0), (2.0, tee - 3.0)], 8):
        stones[row] = place
    return stones, moves.shot(stones, 0, velocity, PHYSICS[physics][1], trajectory=True)[1]


@pytest.mark.parametrize("engine", ["analytic", "box2d"])
@pytest.mark.parametrize("physics", PHYSICS)
def test_tracks_follow_the_engine_at_the_pace_of_a_real_clock(physics, engine):
    stones, path = shot(physics, engine)
    pace = PHYSICS[physics][2]
    found = {track["stone"]: track for track in stone_tracks(path, pace)}
    assert 0 in found and len(found) >= 2  # there was a contact
    times = 1000.0 * pace * path.times
    assert 8_000 < times[-1] < 40_000
    for row, track in found.items():
        there = ~np.isnan(path.positions[:, row, 0])
        apart = np.hypot(*(shown(track, times[there]) - path.positions[there, row]).T)
        assert apart.max() < 0.005
        assert track["out"] == (not there[-1])
        assert math.isclose(sum(track["t"]), times[there][-1], abs_tol=1.0)
        assert len(track["t"]) < len(path.times)  # that is what key frames are for
    moved = [row for row in range(16) if not np.array_equal(path.positions[0, row], path.positions[-1, row], True)]
    assert sorted(found) == moved
    assert 11 not in found and not np.isnan(stones[11]).any()


def test_a_stone_that_leaves_the_sheet_is_out():
    engine = make_engine()
    path = engine.shot(no_stones(), 3, (0.1, 3.6), 1.57, trajectory=True)[1]
    (track,) = stone_tracks(path, 1.0)
    assert track["stone"] == 3 and track["out"] and sum(track["y"]) > 40_000


def test_a_stone_that_does_not_move_has_no_track():
    engine = make_engine()
    assert stone_tracks(engine.unchecked_path(no_stones(), 0, np.zeros(2), 1.57)[1], 1.0) == []
