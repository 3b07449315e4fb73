import math

import pytest

from bonspiel.curling.replay.judgement import Judged, Judgement

CHOICE = (0.1, 2.4, 1.0)


def one(loss, loss_error=0.01, luck=0.0, luck_error=0.02, before=0.6):
    aimed = before - loss
    return Judgement(CHOICE, "draw", "guard", before, aimed, aimed + luck, loss_error, luck_error)


@pytest.mark.parametrize(
    "loss, error, blunder",
    [(0.051, 0.0, True), (0.049, 0.0, False), (0.09, 0.04, True), (0.09, 0.05, False), (-0.2, 0.0, False)],
)
def test_a_blunder_is_a_large_loss_beyond_its_error(loss, error, blunder):
    assert one(loss, error).is_blunder == blunder


def test_the_summary_of_a_team(played):
    losses = {0: 0.1, 1: 0.9, 2: -0.05, 4: 0.01, 6: 0.02, 8: 0.0}
    judged = Judged("judge", played.shots, {number: one(loss, luck=0.01) for number, loss in losses.items()})
    found = judged.summary(played.shots[0].team)
    assert (found.shots, found.blunders, found.costliest) == (5, 1, (0, 6, 4))
    assert found.loss == pytest.approx(0.08 / 5) and found.loss_error == pytest.approx(0.01 * math.sqrt(5) / 5)
    assert found.luck == pytest.approx(0.05) and found.luck_error == pytest.approx(0.02 * math.sqrt(5))
    assert Judged("judge", played.shots, {1: one(0.1)}).summary(played.shots[0].team) is None
