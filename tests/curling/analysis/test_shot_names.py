import numpy as np
import pytest

from bonspiel.curling.analysis.shot_names import shot_name
from bonspiel.curling.ice.physics import law_index
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.ice.shots import draw, freeze, hit, launched, peel
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling

LAW, TEE = law_index("fcv1"), 38.405
MODEL = Curling(ends=2)
ON_TEE, GUARD = (0.0, TEE), (0.0, 34.5)


def name(aim, lying, shot=9, side=1.0):
    """Of a shot of yellow, which throws the odd ones."""
    stones = no_stones()
    for row, place in lying.items():
        stones[row] = place
    return shot_name(MODEL, state_of(stones, shot, hammer=1), (*aim, side))


@pytest.mark.parametrize(
    "aim, lying, said",
    [
        (draw(LAW, 0.3, TEE, 1.0), {}, "draw"),
        (draw(LAW, 0.0, 35.0, 1.0), {}, "guard"),
        (draw(LAW, 1.9, 39.9, 1.0), {}, "draw behind the house"),
        (launched(LAW, 2.0, TEE, 3.6, 1.0), {}, "throw-away"),
        (freeze(LAW, *ON_TEE, 1.0), {0: ON_TEE}, "freeze to red 1"),
        (hit(LAW, *ON_TEE, 0.0, 3.2, 1.0), {0: ON_TEE}, "take-out of red 1"),
        (hit(LAW, *ON_TEE, 0.0, 3.2, 1.0), {8: ON_TEE}, "hit on yellow 1"),
        (hit(LAW, *GUARD, 0.0, 2.43, 1.0), {9: GUARD}, "raise of yellow 2"),
        (peel(LAW, *GUARD, 1.0), {2: GUARD}, "peel of red 3"),
    ],
)
def test_shots_are_named_by_what_they_do(aim, lying, said):
    assert not np.isnan(aim).any()
    assert name(aim, lying) == said


def test_two_stones_and_a_foul():
    near = (0.12, TEE + 0.5)
    assert name(hit(LAW, *ON_TEE, 0.0, 3.6, 1.0), {0: ON_TEE, 3: near}) == "double take-out of red 1 and red 4"
    assert name(peel(LAW, *GUARD, 1.0), {2: GUARD}, shot=3) == "foul"


def test_the_rotation_counts():
    aim = draw(LAW, 0.0, TEE, -1.0)
    assert name(aim, {0: ON_TEE}, side=-1.0) == "hit on red 1" and name(aim, {0: ON_TEE}, side=1.0) == "throw-away"
