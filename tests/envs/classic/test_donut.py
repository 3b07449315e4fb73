"""The donut's rules, and its optimum against its own policy, quadrature and known answers."""

import numpy as np
import pytest
from scipy import stats

from bonspiel.envs import Donut
from bonspiel.envs.optimal import solve
from tests.envs.playing import return_of


def after(model, state, action, seed=1):
    following = np.full(3, np.nan)
    reward, terminated = model.step(
        np.array(state), np.array(action), following, model.params, np.random.default_rng(seed)
    )
    assert not terminated
    return following, reward


@pytest.mark.parametrize(
    ("place", "reward"),
    [((0.8, 0.5), 1.0), ((0.5, 0.15), 0.5), ((0.5, 0.5), 0.0), ((0.0, 0.0), 0.0), ((0.5, 0.88), 0.2)],
)
def test_only_the_ring_pays(place, reward):
    following, earned = after(Donut(noise=0.0), [*place, 4.0], [0.0, 0.0])
    assert (following.tolist(), earned) == ([*place, 5.0], pytest.approx(reward))


def test_moves_end_at_the_border_of_the_square():
    following, _ = after(Donut(noise=0.0), [0.05, 0.96, 0.0], [-0.1, 0.1])
    assert following.tolist() == [0.0, 1.0, 1.0]


def test_noise_is_gaussian_in_each_coordinate():
    model, rng, following = Donut(noise=0.05), np.random.default_rng(1), np.empty(3)
    moves = []
    for _ in range(3000):
        model.step(np.array([0.5, 0.5, 0.0]), np.array([0.1, -0.05]), following, model.params, rng)
        moves.append(following[:2] - [0.6, 0.45])
    for coordinate in np.array(moves).T:
        assert stats.kstest(coordinate, stats.norm(0.0, 0.05).cdf).pvalue > 0.01


def test_last_move_by_quadrature():
    model, aim, side = Donut(noise=0.02), np.array([0.77, 0.55]), np.linspace(-0.12, 0.12, 1201)
    weight = stats.norm.pdf(side, 0.0, 0.02)
    off = np.abs(np.hypot(aim[0] - 0.5 + side[:, None], aim[1] - 0.5 + side) - 0.3)
    expected = weight @ np.clip(1.0 - off / 0.1, 0.0, None) @ weight * (side[1] - side[0]) ** 2
    assert solve(model).q([0.7, 0.6, 9.0], [0.07, -0.05]) == pytest.approx(expected, abs=1e-3)


def test_without_noise_the_way_to_the_circle_is_what_is_lost():
    best = solve(Donut(noise=0.0))
    assert best.value([0.8, 0.5, 0.0]) == pytest.approx(10.0, abs=1e-3)
    assert best.value([0.5, 0.5, 0.0]) == pytest.approx(8.0 + (0.2 * 2**0.5 - 0.2) / 0.1, abs=1e-3)
    assert best.value([0.5, 0.5, 10.0]) == 0.0


def test_optimum_is_what_its_policy_attains():
    model = Donut()
    best, rng, start = solve(model), np.random.default_rng(1), np.array([0.1, 0.2, 6.0])
    returns = [return_of(model, best.policy, start, rng) for _ in range(200)]
    assert np.mean(returns) == pytest.approx(best.value(start), abs=4.0 * stats.sem(returns))
    assert stats.sem(returns) < 0.02


def test_mean_value_is_that_of_random_places():
    best = solve(Donut())
    places = np.random.default_rng(1).random((40, 2))
    values = [best.value([*place, 0.0]) for place in places]
    assert best.mean_value() == pytest.approx(np.mean(values), abs=3.0 * stats.sem(values))


def test_what_cannot_be_solved_is_refused():
    with pytest.raises(TypeError, match="fixed set"):
        solve(Donut(), [[0.0, 0.0]])
    with pytest.raises(TypeError, match="finer than the grid"):
        solve(Donut(noise=0.001))


def test_a_ring_finer_than_the_grid_has_no_optimum():
    with pytest.raises(TypeError, match="its ring is finer than the grid"):
        solve(Donut(width=0.002))
