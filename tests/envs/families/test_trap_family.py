"""Lines with traps: rules, and optima against simulation, each other and Trap's own solution."""

import numpy as np
import pytest
from scipy import stats

from bonspiel import envs
from bonspiel.envs import Trap, baselines
from bonspiel.envs.families.trap import optimum
from bonspiel.envs.families.trap.model import EDGES, HIGH, LOW, NOISE_HIGH, NOISE_LOW, Traps
from bonspiel.envs.optimal import do_nothing_value, optimal_value, random_value, solve


def test_the_line_of_trap_has_its_optimum_and_baselines():
    drawn, trap = Traps(dim=1, jumps=1, horizon=2), Trap()
    vars(drawn)["lines"] = np.zeros(1), np.array([[0.0, 1.0, 0.0, 0.1, 1.0, 1.7, 0.7, 1.0]])
    ours = optimum.TrapsOptimum(drawn)  # `solve` would remember it for the instance
    assert ours.mean_value() == pytest.approx(solve(trap).mean_value(), abs=1e-3)
    assert optimum.random_value(drawn) == pytest.approx(random_value(trap), abs=2e-3)
    assert optimum.do_nothing_value(drawn) == pytest.approx(1.4)
    actions = np.linspace(0.0, 1.0, 11)[:, None]
    for state in ([0.0, 0.0], [0.3, 1.0], [0.95, 1.0]):
        found, expected = (reference.q_values(np.array(state), actions) for reference in (ours, solve(trap)))
        np.testing.assert_allclose(found, expected, atol=2e-3)


@pytest.mark.parametrize(
    "parameters",
    [
        {"instance": 2, "dim": 3},
        {"instance": 3, "dim": 2, "jumps": 3, "horizon": 8, "sparsity": 2, "offset": 1.0, "factor": 2.0, "width": 1.5},
        {"instance": 5, "dim": 1, "noise": 0.5, "jumps": 1, "horizon": 3},
    ],
)
def test_optimum_and_baselines_are_those_of_simulation(parameters):
    model, rng, returns = envs.make_model("family:trap", **parameters), np.random.default_rng(1), []
    best = solve(model)
    for _ in range(400):
        state, total = model.initial_state(rng), 0.0
        while state[-1] < model.horizon:
            following = np.empty(model.state_dim)
            reward, _ = model.step(state, best.policy(state), following, model.params, rng)
            state, total = following, total + reward
        returns.append(total)
    assert np.mean(returns) == pytest.approx(best.mean_value(), abs=4.0 * stats.sem(returns) + 2e-3)
    starts = np.tile(model.initial_state(rng), (50000, 1))
    random = baselines.random_returns(model, 50000, rng)
    nothing = baselines._returns(model, starts, rng, np.zeros(model.dim))
    for found, exact in ((random, random_value(model)), (nothing, do_nothing_value(model))):
        assert found.mean() == pytest.approx(exact, abs=4.0 * stats.sem(found) + 1e-3)
    assert best.mean_value() > max(random.mean(), nothing.mean()) + 0.1


def test_rewards_of_platforms_and_traps_at_their_edges():
    model = Traps(instance=4, dim=1, jumps=2, noise=0.01)
    block, after = model.lines[1][0], np.empty(2)
    edges, earned = block[EDGES : EDGES + 4], block[EDGES + 4 :]
    for place, reward in zip(edges, [0.0, earned[1], 0.0, earned[2]], strict=True):
        for aim, expected in ((place - block[NOISE_LOW], reward), (place - block[NOISE_HIGH] - 1e-6, None)):
            got, terminated = model.step(
                np.array([aim, 0.0]), np.zeros(1), after, model.params, np.random.default_rng(0)
            )
            assert not terminated and after[1] == 1.0
            assert got == pytest.approx(expected) if expected is not None else got != pytest.approx(reward)
    assert earned[0] < earned[1] < earned[2] == 1.0


def test_every_trap_can_be_jumped_over_from_its_edge_but_not_in_one_step_with_the_platform():
    for instance in range(20):
        starts, blocks = Traps(instance=instance, dim=3, jumps=5).lines
        for start, block in zip(starts, blocks, strict=True):
            lengths = np.diff(np.concatenate([[start], block[EDGES : EDGES + 10]])) / block[HIGH]
            assert (lengths[1::2] < 0.8).all() and (lengths[::2] + lengths[1::2] > 1.15).all()
            assert -0.4 <= block[LOW] / block[HIGH] <= 0.0


def test_level_scale_and_more_lines():
    plain, other = Traps(dim=2), Traps(dim=2, offset=-1.0, factor=10.0)
    assert optimal_value(other) == pytest.approx(-4.0 + 10.0 * optimal_value(plain))


def test_what_cannot_be_solved_is_refused():
    with pytest.raises(TypeError, match="too many steps"):
        solve(Traps(noise=0.01, horizon=200))
    with pytest.raises(ValueError, match="jumps=6: must be a whole number from 1 to 5"):
        Traps(jumps=6)
