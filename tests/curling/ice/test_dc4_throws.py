"""Throws of a tournament of Digital Curling 4, by both engines.

Each line has the row of the thrown stone, its speed, m/s, its spin, positive for counter-clockwise, and its angle from
+x, rad, and the stones before and after by their rows, m; absent ones are missing.
"""

import math

import numpy as np
import pytest

from bonspiel.curling.ice.engines import make_engine, names
from bonspiel.curling.ice.sheet import no_stones
from tests.curling.recorded import records

USUAL, WORST = 0.005, 0.03  # m; the throws beyond the first hit several stones one after another
BEYOND_USUAL = 2


def places(listed):
    stones = no_stones()
    for row, place in listed.items():
        stones[int(row)] = place
    return stones


THROWS = [
    throw | {"before": places(throw["before"]), "after": places(throw["after"])}
    for throw in records("dc4_throws.jsonl")
]


def distances(name, faster=1.0, turned=0.0, spin=1.0):
    """The largest distance of a stone from its place in the tournament, of each throw with the same survivors, m.

    The throws may be changed: their speeds and spins by a factor, their angles by so many rad.
    """
    engine, found = make_engine(name, physics="dc4"), []
    for throw in THROWS:
        speed, angle, after = faster * throw["speed"], throw["angle"] + turned, throw["after"]
        velocity = speed * np.array([math.cos(angle), math.sin(angle)])
        stones = engine.unchecked(throw["before"].copy(), throw["stone"], velocity, spin * throw["spin"])
        if np.array_equal(np.isnan(stones), np.isnan(after)):
            found.append(np.nanmax(np.hypot(*(stones - after).T), initial=0.0))
    return np.array(found)


@pytest.mark.parametrize("name", names())
def test_the_same_stones_survive_and_rest_in_the_same_places(name):
    apart = distances(name)
    assert len(THROWS) == len(apart) == 28
    assert (apart > USUAL).sum() <= BEYOND_USUAL and apart.max() < WORST


@pytest.mark.parametrize("changes", [{"faster": 1.001}, {"faster": 0.999}, {"turned": 5e-4}, {"spin": -1.0}])
def test_slightly_other_throws_do_not(changes):
    """So the tolerance can fail; both engines are alike in that, and one is quick."""
    apart = distances("analytic", **changes)
    assert len(apart) < 28 or (apart > USUAL).sum() > 5 * BEYOND_USUAL
