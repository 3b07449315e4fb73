import math

import numpy as np
import pytest

from bonspiel.runs.statistics.regret import simple_regret

WIDE = "trap:noise_range=0.1"


def test_with_all_actions_a_first_one_a_little_too_short_loses_little():
    # landing at 0.6875 + u / 10 with u uniform, the second step of 1 fails if it lands short of 1.7 twice: never, but
    # for first landings below 0.7, where it needs a noise above 0.7 - x: a loss of that over 0.1, on average 1/128
    assert simple_regret(WIDE, [[0.6875]]) == pytest.approx([1.0 / 128.0], abs=1e-4)


def test_every_first_action_between_the_edges_is_optimal():
    actions = np.linspace(0.7, 0.99, 30)[:, None]
    assert simple_regret("trap:noise_range=0.01", actions) == pytest.approx(np.zeros(30), abs=1e-9)


def test_centred_noise_has_one_optimal_action():
    centred = "trap:noise_range=0.1,noise=centred"
    assert simple_regret(centred, [[0.9]])[0] == pytest.approx(0.0, abs=1e-9)
    assert (simple_regret(centred, [[0.88], [0.92]]) > 0.004).all()


def test_treasure_hunt_is_symmetric_and_worst_towards_the_hole():
    hunt = "treasure_hunt:size=5"
    right, up, hole, away = simple_regret(hunt, [[0.0], [0.5 * math.pi], [0.25 * math.pi], [-0.75 * math.pi]])
    assert right == pytest.approx(up, abs=1e-4)
    assert 0.0005 < away < 0.003  # about the cost of a step
    everywhere = simple_regret(hunt, np.linspace(-math.pi, math.pi, 41)[:, None])
    assert everywhere.min() < 1e-4
    assert everywhere.max() == pytest.approx(hole)
    assert hole > 0.02


def test_no_first_action_has_no_regret():
    assert simple_regret(WIDE, np.zeros((0, 1))).shape == (0,)


@pytest.mark.parametrize(("actions", "words"), [([[1.5]], "within"), ([0.5], "matrix"), ([[np.nan]], "within")])
def test_actions_that_do_not_fit_are_refused(actions, words):
    with pytest.raises(ValueError, match=f"first_actions.*{words}"):
        simple_regret(WIDE, actions)


def test_an_environment_without_known_values_is_refused():
    with pytest.raises(TypeError, match="no optimum of Bicycle is known"):
        simple_regret("bicycle", [[0.0]])


def test_an_environment_with_many_starts_is_refused_before_it_is_solved():
    with pytest.raises(TypeError, match="start in different states"):
        simple_regret("pendulum", [[0.0]])
