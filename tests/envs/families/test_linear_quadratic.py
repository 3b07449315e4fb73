"""Linear-quadratic instances: optima against simulated policies, each other and the model's own steps."""

import numpy as np
import pytest
from scipy import stats

from bonspiel import envs
from bonspiel.envs import baselines
from bonspiel.envs.families.linear_quadratic.bounded import BoundedOptimum
from bonspiel.envs.families.linear_quadratic.optimum import RiccatiOptimum
from bonspiel.envs.optimal import do_nothing_value, optimal_value, random_value, solve, upper_bound
from bonspiel.runs.statistics.scale import BOUND, OPTIMUM, known


def of(**parameters):
    return envs.parse("family:linear_quadratic:" + ",".join(f"{key}={value}" for key, value in parameters.items()))


def returns(reference, episodes, seed=1):
    """Returns of a reference's policy in the model."""
    model, rng, found = reference.model, np.random.default_rng(seed), []
    for _ in range(episodes):
        state, total = model.initial_state(rng), 0.0
        while state[model.time_index] < model.horizon:
            following = np.empty(model.state_dim)
            reward, _ = model.step(state, reference.policy(state), following, model.params, rng)
            state, total = following, total + reward
        found.append(total)
    return np.array(found)


@pytest.mark.parametrize(
    "parameters",
    [
        {"instance": 1, "dim": 1},
        {"instance": 2, "dim": 3, "sparsity": 3, "offset": 2.0, "factor": 5.0},
        {"instance": 3, "dim": 6, "curvature": 100},
        {"instance": 4, "dim": 1, "width": 0.1, "sparsity": 2, "factor": 3.0, "offset": -1.0},
    ],
)
def test_the_optimum_is_what_its_policy_attains(parameters):
    reference = solve(of(**parameters))
    assert isinstance(reference, BoundedOptimum if "width" in parameters else RiccatiOptimum)
    found = returns(reference, 150)
    assert found.mean() == pytest.approx(reference.mean_value(), abs=4.0 * stats.sem(found))
    assert stats.sem(found) < 0.1 * abs(reference.mean_value() - random_value(reference.model))


def test_where_bounds_do_not_bind_riccati_and_dynamic_programming_agree():
    for instance in range(3):
        model = of(instance=instance, dim=1, sparsity=2, offset=0.5, factor=2.0)
        riccati, grid = RiccatiOptimum(model), BoundedOptimum(model)
        assert grid.mean_value() == pytest.approx(riccati.mean_value(), rel=1e-4)
        state = model.initial_state(np.random.default_rng(1))
        np.testing.assert_allclose(grid.policy(state), riccati.policy(state), atol=1e-3)
        actions = model.system.rest + np.linspace(-1.0, 1.0, 5)[:, None]
        np.testing.assert_allclose(grid.q_values(state, actions), riccati.q_values(state, actions), rtol=1e-3)


def test_bounds_that_bind_cost_what_dynamic_programming_says():
    model = of(instance=1, dim=1, width=0.1)
    grid, riccati = solve(model), RiccatiOptimum(model)
    free, clipped = riccati.simulated_costs(20000)
    assert free.mean() == pytest.approx(-riccati.mean_value(), abs=4.0 * stats.sem(free))
    assert riccati.mean_value() > grid.mean_value() + 0.1
    assert grid.mean_value() > -clipped.mean() - 4.0 * stats.sem(clipped)


def test_binding_bounds_in_several_dimensions_leave_an_upper_bound_on_which_scores_are_measured():
    text = "family:linear_quadratic:instance=1,dim=2,width=0.05"
    with pytest.raises(TypeError, match="the bounds of actions bind"):
        solve(envs.parse(text))
    found = known(text)
    assert (found.optimum, found.top, found.bound) == (None, BOUND, upper_bound(envs.parse(text)))
    assert found.scale.name == "normalised score (upper bound)"
    clipped = returns(RiccatiOptimum(envs.parse(text)), 200)
    assert clipped.mean() < found.bound - 4.0 * stats.sem(clipped)
    exact = known("family:linear_quadratic:instance=1,dim=2")
    assert (exact.top, exact.bound) == (OPTIMUM, None)


def test_by_default_no_bound_binds_in_the_suite():
    cases = [(instance, dim) for instance in range(1, 16) for dim in (1, 3, 8)]
    assert [(i, dim) for i, dim in cases if RiccatiOptimum(of(instance=i, dim=dim)).bound] == []


def test_baselines_are_those_of_simulation(monkeypatch):
    monkeypatch.setattr(baselines, "STEPS", 400_000)
    model = of(instance=5, dim=2, sparsity=2, offset=1.0, factor=2.0)
    starts = baselines._starts(model, 20000, np.random.default_rng(1))
    random = baselines.random_returns(model, 20000, np.random.default_rng(1))
    nothing = baselines._returns(model, starts, np.random.default_rng(2), np.zeros(2))
    for found, exact in ((random, random_value(model)), (nothing, do_nothing_value(model))):
        assert found.mean() == pytest.approx(exact, abs=4.0 * stats.sem(found))


def test_the_state_costs_in_every_third_step_three_times_as_much():
    sparse, dense, after = of(sparsity=3, noise=0), of(noise=0), np.empty(3)
    rest, start = dense.system.rest, np.append(dense.system.centre + 1.0, 0.0)
    rewards = [
        [model.step(np.append(start[:2], t), rest, after, model.params, np.random.default_rng(0))[0] for t in range(6)]
        for model in (sparse, dense)
    ]
    assert rewards[0] == pytest.approx([0.0, 0.0, 3 * rewards[1][2], 0.0, 0.0, 3 * rewards[1][5]])


def test_level_and_scale_of_rewards_change_nothing_else():
    plain, other = of(dim=3), of(dim=3, offset=7.0, factor=0.25)
    assert optimal_value(other) == pytest.approx(20 * 7.0 + 0.25 * optimal_value(plain))
    np.testing.assert_array_equal(plain.params[4:], other.params[4:])


def test_matrices_are_as_the_page_says():
    for instance in range(10):
        system = of(instance=instance, dim=5, curvature=50).system
        eigenvalues = np.sort(np.linalg.eigvals(system.dynamics).real)
        assert 0.6 <= eigenvalues[0] and eigenvalues[-1] <= 1.05
        gains = np.linalg.svd(system.push)[1]
        assert 0.2 <= gains[-1] and gains[0] <= 0.6  # invertible, so that every state can be reached
        costs = np.linalg.eigvalsh(system.state_cost)
        np.testing.assert_allclose([costs[0], costs[-1]], [1 / 50, 1.0])
        for matrix in system[:4]:
            assert (np.abs(matrix[~np.eye(5, dtype=bool)]) > 1e-6).all(), "no axis is special"
        assert (np.abs((system.low + system.high) / 2.0 - system.rest) > 1e-3).any(), "nor the middle of the box"
