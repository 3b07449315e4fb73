"""Expected win probabilities of aims, and their standard errors."""

import numpy as np
import pytest
from scipy.special import ndtr

from bonspiel.curling import players
from bonspiel.curling.analysis.valuation import PositionJudge, errors, estimate, throw
from bonspiel.curling.dynamics import release
from bonspiel.curling.ice.noise import Noise, noise_of
from bonspiel.curling.ice.physics import law_index, physics_of
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.ice.shots import draw, hit, launched
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.umpire import exact, outcome
from bonspiel.planners.planner import Budget

MODEL = Curling(ends=2).planning()
AIM = (0.13, 2.4, 1.0)
RULEBASED = players.parse("rulebased")


def last_stone(team=1):
    """The last stone of a level match, at the other team's stone on the tee."""
    stones = no_stones()
    stones[8 * (1 - team)] = 0.0, 38.405
    return state_of(stones, 15, hammer=team, end=1)


def judge(state, seed=1, simulations=100, planner=RULEBASED, model=MODEL):
    return PositionJudge(model, state, planner, Budget(simulations=simulations), seed)


@pytest.mark.parametrize("physics, parts", [("fcv1", slice(0, 2)), ("dc2", slice(2, 4))])
def test_two_throws_in_each_cell(physics, parts):
    found = errors(noise_of(physics_of(physics).noises[0]), 5, np.random.default_rng(0))
    assert found.shape == (2, 25, 4)
    for throws in found:
        cells = np.floor(5 * ndtr(throws[:, parts])).astype(int)
        assert {tuple(cell) for cell in cells} == {(i, j) for i in range(5) for j in range(5)}
    assert (found[0] != found[1]).all()


@pytest.mark.parametrize(
    "model, drawn",
    [
        (Curling(), [0, 1]),
        (Curling(noise="human"), [0, 1]),
        (Curling(physics="dc2"), [2, 3]),
        (Curling(noise=Noise(0.01, 0.002, 0.03, 0.04)), [0, 1, 2, 3]),
    ],
)
@pytest.mark.parametrize("aim", [AIM, (-0.2, 9.9, -1.0)])
def test_a_throw_is_the_model_s_with_the_same_deviates(model, drawn, aim):
    deviates = np.zeros(4)
    deviates[drawn] = np.random.default_rng(3).standard_normal(len(drawn))
    state = model.initial_state(np.random.default_rng(0))
    expected = release(state, model.aim(*aim), model.params, np.random.default_rng(3))
    assert throw(model, model.thrower(state), aim, deviates) == pytest.approx(expected, rel=1e-12)
    assert exact(model, aim)[2] == expected[2]


def test_the_standard_error_is_that_of_repeated_estimates():
    """Of a hit that succeeds within a band of errors; without cells the error would be more than twice as large."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(400):
        z = errors(MODEL.thrower(last_stone()).noise, 10, rng)
        found.append(estimate((z[..., 1] + 0.3 * z[..., 0] > 0.4).astype(float)))
    means, stated = np.array(found).T
    share = ndtr(-0.4 / np.hypot(1.0, 0.3))
    assert means.mean() == pytest.approx(share, abs=4 * means.std() / 20)
    assert means.std() == pytest.approx(np.sqrt((stated**2).mean()), rel=0.12)
    assert means.std() < 0.5 * np.sqrt(share * (1 - share) / 200)


def test_the_value_of_a_last_stone_is_that_of_many_throws():
    state, aim = last_stone(), (*hit(law_index("fcv1"), 0.0, 38.405, 0.1, 3.0, 1.0), 1.0)
    found, rng = estimate(judge(state).value_aim(aim)), np.random.default_rng(9)
    throws = [release(state, MODEL.aim(*aim), MODEL.params, rng) for _ in range(10_000)]
    plain = np.array([outcome(MODEL, state, thrown).reward for thrown in throws])
    assert abs(found.mean - plain.mean()) < 4.0 * np.hypot(found.error, plain.std() / 100.0)
    assert 0.1 < plain.mean() < 0.9 and found.error < 0.7 * plain.std() / np.sqrt(1_800)


def test_values_are_team_0_s_whichever_team_throws():
    aim = (*hit(law_index("fcv1"), 0.0, 38.405, 0.1, 3.0, 1.0), 1.0)
    own, other = (judge(last_stone(team)).value_aim(aim) for team in (0, 1))
    np.testing.assert_array_equal(own, 1.0 - other)


def test_equal_aims_meet_equal_errors_and_replies():
    state = state_of(no_stones(), 13, hammer=1, end=1)
    desk = judge(state)
    values = desk.value_aim(AIM)
    np.testing.assert_array_equal(values, desk.value_aim(AIM))
    np.testing.assert_array_equal(values, judge(state).value_aim(AIM))
    assert (values != judge(state, seed=2).value_aim(AIM)).any()


def test_the_reply_counts():
    """A stone on the tee before the other team's last one is worth little against a reply that knows to hit it."""
    law, state = law_index("fcv1"), state_of(no_stones(), 14, hammer=1, end=1)
    aim = (*draw(law, 0.0, 38.405, 1.0), 1.0)
    strong = estimate(judge(state, planner=players.parse("rulebased"), simulations=20_000).value_aim(aim))
    weak = estimate(judge(state, planner=players.parse("random")).value_aim(aim))
    assert strong.mean < 0.5 < weak.mean - 0.2


def test_without_noise_there_is_no_error_of_execution():
    model = Curling(ends=2, noise="none").planning()
    away = (*launched(law_index("fcv1"), 2.2, 38.405, 3.5, 1.0), 1.0)
    found = estimate(judge(last_stone(), model=model).value_aim(away))
    assert found == (1.0, 0.0)  # thrown away: red's stone counts


def test_the_value_of_a_position_and_its_error():
    state = state_of(no_stones(), 13, hammer=1, end=1)
    found = [judge(state, seed).value_position(state) for seed in range(8)]
    means, stated = np.array(found).T
    assert 0.0 < means.mean() < 0.5
    assert means.std(ddof=1) == pytest.approx(np.sqrt((stated**2).mean()), rel=0.6)
