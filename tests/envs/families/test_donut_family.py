"""Squares with rings: rules, and optima against simulation and Donut's own solution."""

import numpy as np
import pytest
from scipy import stats

from bonspiel import envs
from bonspiel.envs import Donut, baselines
from bonspiel.envs.families.donut import optimum
from bonspiel.envs.families.donut.model import Rings
from bonspiel.envs.optimal import do_nothing_value, optimal_value, random_value, solve

OF_DONUT = [1.0, 0.0, 0.0, -0.1, -0.1, 0.1, 0.1, 0.5, 0.5, 0.3, 1.0]  # the block of the square with Donut's ring


def test_the_square_of_donut_has_its_values():
    drawn, donut, after = Rings(rings=1), Donut(), (np.empty(3), np.empty(3))
    vars(drawn)["squares"] = np.array([OF_DONUT])
    ours = optimum.RingsOptimum(drawn)  # `solve` would remember it for the instance
    assert ours.mean_value() == pytest.approx(solve(donut).mean_value(), abs=1e-3)
    assert optimum.random_value(drawn) == pytest.approx(random_value(donut), abs=5e-3)
    assert optimum.do_nothing_value(drawn) == pytest.approx(do_nothing_value(donut), abs=0.02)  # simulated
    rng = np.random.default_rng(1)
    for _ in range(30):
        state, action = np.append(rng.random(2), 3.0), rng.uniform(-0.1, 0.1, 2)
        assert ours.q(state, action) == pytest.approx(solve(donut).q(state, action), abs=1e-4)
        rewards = [
            model.step(state, action, following, model.params, np.random.default_rng(2))[0]
            for model, following in zip((drawn, donut), after, strict=True)
        ]
        assert rewards[0] == pytest.approx(rewards[1], abs=1e-12)
        np.testing.assert_allclose(*after, atol=1e-12)


@pytest.mark.parametrize(
    "parameters",
    [
        {"instance": 2, "dim": 4},
        {"instance": 3, "rings": 5, "horizon": 8, "sparsity": 2, "offset": 1.0, "factor": 2.0, "width": 0.5}
        | {"curvature": 0.5, "ring_width": 0.05, "noise": 0.03},
    ],
)
def test_optimum_and_baselines_are_those_of_simulation(parameters):
    model, rng, lost = envs.make_model("family:donut", **parameters), np.random.default_rng(1), []
    best = solve(model)
    for _ in range(100):
        state, total = model.initial_state(rng), 0.0
        value = best.value(state)
        while state[-1] < model.horizon:
            following = np.empty(model.state_dim)
            reward, _ = model.step(state, best.policy(state), following, model.params, rng)
            state, total = following, total + reward
        lost.append(value - total)
    assert np.mean(lost) == pytest.approx(0.0, abs=4.0 * stats.sem(lost))
    starts = np.array([model.initial_state(rng) for _ in range(40000)])
    random, nothing = (baselines._returns(model, starts.copy(), rng, action) for action in (None, np.zeros(model.dim)))
    for found, exact in ((random, random_value(model)), (nothing, do_nothing_value(model))):
        assert found.mean() == pytest.approx(exact, abs=4.0 * stats.sem(found))
    values = [best.value(start) for start in starts[:100]]
    assert best.mean_value() == pytest.approx(np.mean(values), abs=4.0 * stats.sem(values))


def test_a_place_earns_what_the_best_ring_pays_there():
    blunt, sharp = Rings(instance=7, curvature=1.0, noise=0.004), Rings(instance=7, noise=0.004)
    (square,) = optimum.RingsOptimum(sharp).squares
    assert square.reward.max() == pytest.approx(1.0, abs=0.03)
    assert (optimum.RingsOptimum(blunt).squares[0].reward >= square.reward).all()
    alone = Rings(instance=7, rings=1, noise=0.004)
    assert (optimum.RingsOptimum(alone).squares[0].reward <= square.reward).all()
    assert optimal_value(alone) < optimal_value(sharp) < optimal_value(blunt)


def test_rings_lie_inside_their_squares_and_moves_are_asymmetric():
    for instance in range(20):
        model = Rings(instance=instance, dim=4, rings=5)
        for block in model.squares:
            rings = block[7:].reshape(5, 4)
            assert (rings[:, :2] - rings[:, 2:3] > 0.04).all() and (rings[:, :2] + rings[:, 2:3] < 0.96).all()
            assert rings[0, 3] == 1.0 and (rings[1:, 3] <= 0.8).all()
        assert (model.action_high != -model.action_low).any()


def test_what_cannot_be_solved_is_refused():
    for width in (0.01, 100):
        with pytest.raises(TypeError, match="too narrow or too wide"):
            solve(Rings(width=width, horizon=200))
    with pytest.raises(ValueError, match="dim=3: must be an even number from 2 to 16"):
        Rings(dim=3)
