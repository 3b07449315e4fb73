"""Optima of the classic problems: known answers, what their policies attain, and finer grids."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs import CartPole, DoubleIntegrator, MountainCar, Pendulum, baselines
from bonspiel.envs.classic.double_integrator import optimum as double_integrator_optimum
from bonspiel.envs.classic.double_integrator.optimum import COST, DYNAMICS, PUSH, DoubleIntegratorOptimum
from bonspiel.envs.classic.mountain_car import optimum as mountain_car_optimum
from bonspiel.envs.classic.pendulum import optimum as pendulum_optimum
from bonspiel.envs.optimal import optimal_value, random_value, solve

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def pendulums(own_cache):
    """The pendulum solved on two grids, each finer than the one before."""
    return [pendulum_optimum.solve(Pendulum(), None, nodes) for nodes in (61, 121)]


@pytest.fixture(scope="module")
def car(own_cache):
    return mountain_car_optimum.solve(MountainCar(), None, 61)


def starts(model, count):
    rng = np.random.default_rng(2)
    return [model.initial_state(rng) for _ in range(count)]


def play(reference, state, rng=None):
    """The return of a policy, step by step, and the largest action that it took."""
    model, total, terminated, largest = reference.model, 0.0, False, 0.0
    while not terminated and state[model.time_index] < model.horizon:
        action, following = reference.policy(state), np.empty(model.state_dim)
        reward, terminated = model.step(state, action, following, model.params, rng or np.random.default_rng(0))
        state, total, largest = following, total + reward, max(largest, abs(action[0]))
    return total, largest


def on_the_grid(reference, state):
    """The value that dynamic programming found at the node next to a state, with all steps left."""
    plane = reference.plane
    row, column = np.rint((state[:2] - plane.low) / plane.spacing).astype(int)
    return reference.solution.values[-1][row * plane.nodes[1] + column]


@pytest.mark.parametrize("which", ["pendulum", "mountain_car"])
def test_value_is_what_the_policy_attains(which, pendulums, car):
    reference = car if which == "mountain_car" else pendulums[0]
    for state in starts(reference.model, 3):
        assert play(reference, state)[0] == pytest.approx(reference.value(state), abs=1e-9)


def test_finer_grids_of_the_pendulum_converge(pendulums):
    """Errors of interpolation have either sign from start to start, and fade."""
    attained = [np.mean([reference.value(state) for state in starts(Pendulum(), 100)]) for reference in pendulums]
    assert attained[0] < attained[1] < attained[0] + 10.0
    for reference, error in zip(pendulums, (3.0, 1.5), strict=True):
        plane = reference.plane
        nodes = plane.low + plane.spacing * np.rint(
            [(s[:2] - plane.low) / plane.spacing for s in starts(Pendulum(), 100)]
        )
        differences = [on_the_grid(reference, np.array([*node, 0.0])) - reference.value([*node, 0.0]) for node in nodes]
        assert abs(np.mean(differences)) < error


def test_known_values_of_the_pendulum(pendulums):
    reference = pendulums[0]
    assert reference.value([0.0, 0.0, 0.0]) == 0.0
    assert reference.value([math.pi, 0.0, 199.0]) == pytest.approx(-(math.pi**2))
    assert reference.value([1.0, 2.0, 200.0]) == 0.0
    assert reference.value([2.0, 0.5, 30.0]) == pytest.approx(
        reference.value([2.0 - 2.0 * math.pi, 0.5, 30.0]), abs=0.5
    )
    one, two = reference.q_values(np.array([3.0, 1.0, 198.0]), np.array([[0.0], [2.0]]))
    speed = 1.0 + 15.0 * math.sin(3.0) * 0.05
    assert one == pytest.approx(-(9.0 + 0.1) - ((3.0 + 0.05 * speed) ** 2 + 0.1 * speed**2))
    assert two < one - 0.004


def test_policy_with_few_actions_keeps_to_them():
    few = np.array([[-2.0], [0.0], [2.0]])
    reference = pendulum_optimum.solve(Pendulum(), few, 61)
    assert {float(reference.policy(state)[0]) for state in starts(Pendulum(), 20)} <= {-2.0, 0.0, 2.0}


def test_known_values_of_the_mountain_car(car):
    assert car.value([0.44, 0.05, 0.0]) == pytest.approx(100.0, abs=1e-3), "one step from the goal, without a push"
    assert car.value([-0.5, 0.0, 990.0]) == pytest.approx(0.0, abs=1e-3), "too late: better stand still"
    assert car.value([0.5, 0.0, 5.0]) == 0.0, "beyond the goal"
    assert all(99.0 < car.value(state) < 100.0 for state in starts(MountainCar(), 10))
    assert car.mean_value() == pytest.approx(99.5, abs=0.2)


def test_pole_is_held_up_from_every_start():
    reference = solve(CartPole())
    assert optimal_value(CartPole()) == 200.0
    assert [reference.value([*state[:4], 150.0]) for state in starts(CartPole(), 5)] == [50.0] * 5
    assert reference.value([0.0, 0.0, 0.2, 3.0, 0.0]) == 1.0, "falling already"
    assert reference.value([0.0, 0.0, 0.3, 0.0, 0.0]) == 0.0, "fallen"


def test_pole_in_noise_is_valued_as_far_as_the_policy_holds_it():
    assert 196.0 < optimal_value(CartPole(noise=10.0)) < 200.0
    with pytest.raises(TypeError, match="linear policy lasts"):
        solve(CartPole(noise=20.0))


def test_riccati_equals_least_squares_over_all_actions_without_noise():
    model = DoubleIntegrator(noise=0.0)
    state, reference = np.array([0.8, -0.4, 10.0]), solve(model)
    count = model.horizon - 10
    rows, free, push = [], state[:2], np.zeros((2, count))
    for step in range(count):
        rows += [np.sqrt(COST) @ np.column_stack([push, free]), np.eye(count + 1)[step : step + 1]]
        push = DYNAMICS @ push
        push[:, step] += PUSH
        free = DYNAMICS @ free
    system = np.vstack(rows)
    best, (loss,), *_ = np.linalg.lstsq(system[:, :-1], -system[:, -1])
    assert reference.value(state) == pytest.approx(-loss, abs=1e-9)
    assert reference.policy(state) == pytest.approx(best[:1])


def test_policy_of_the_double_integrator_earns_its_value_and_meets_no_bound():
    reference, rng = solve(DoubleIntegrator()), np.random.default_rng(3)
    returns, largest = zip(*(play(reference, state, rng) for state in starts(reference.model, 500)), strict=True)
    expected = [reference.value(state) for state in starts(reference.model, 500)]
    differences = np.subtract(returns, expected)
    assert abs(differences.mean()) < 4.0 * differences.std() / math.sqrt(500)
    assert np.mean(expected) == pytest.approx(optimal_value(reference.model), rel=0.1)
    assert max(largest) < reference.widest_action() < 2.0


def test_double_integrator_whose_bounds_bind_has_no_reference():
    assert DoubleIntegratorOptimum(DoubleIntegrator(noise=1.0)).widest_action() > 2.0
    with pytest.raises(TypeError, match="out of bounds"):
        solve(DoubleIntegrator(noise=1.0))
    with pytest.raises(TypeError, match="fixed set"):
        solve(DoubleIntegrator(), [[0.0], [1.0]])


def test_a_wider_box_leaves_the_optimum_of_the_double_integrator():
    narrow, wide = DoubleIntegrator(), DoubleIntegrator(bound=20.0)
    assert optimal_value(narrow) == optimal_value(wide)
    assert random_value(wide) < 50.0 * random_value(narrow)
    assert DoubleIntegratorOptimum(DoubleIntegrator(noise=1.0)).widest_action() < 20.0
    solve(DoubleIntegrator(noise=1.0, bound=20.0))


@pytest.mark.parametrize("name", ["pendulum", "mountain_car", "cart_pole", "double_integrator"])
def test_random_value_agrees_with_rollouts(name, monkeypatch):
    model, rng = envs.parse(name), np.random.default_rng(4)
    monkeypatch.setattr(baselines, "STEPS", 2_000_000)
    value = double_integrator_optimum.random_value if name == "double_integrator" else baselines.random_value
    scratch = np.empty(model.state_dim)
    returns = [model.rollout(model.initial_state(rng), scratch, model.horizon, model.params, rng) for _ in range(2000)]
    assert abs(np.mean(returns) - value(model)) < 4.0 * np.std(returns) / math.sqrt(2000)


def test_the_value_of_the_random_policy_needs_a_compiled_model_with_one_player():
    for model in (SimpleNamespace(compiled=False), SimpleNamespace(compiled=True, player=lambda state, params: 1.0)):
        with pytest.raises(TypeError, match="one player"):
            baselines.random_value(model)


def test_the_values_that_charts_show(monkeypatch):
    monkeypatch.setattr(baselines, "STEPS", 200_000)
    model = DoubleIntegrator(noise=0.5)
    assert optimal_value(model) == pytest.approx(-7.5636, abs=1e-4)
    assert random_value(model) == pytest.approx(-198.561, abs=1e-3)
    assert random_value(CartPole(noise=2.0)) == pytest.approx(27.0, abs=2.0)


def test_values_are_of_whole_episodes_however_far_plans_look():
    short = envs.parse("double_integrator:lookahead=3")
    state = short.initial_state(np.random.default_rng(1))
    assert solve(short).value(state) == solve(DoubleIntegrator()).value(state)
    assert random_value(short) == random_value(DoubleIntegrator())
    assert optimal_value(envs.parse("cart_pole:lookahead=3")) == 200.0


@pytest.mark.parametrize("changed", [{"mass": 0.01}, {"length": 0.1}])
def test_a_pole_too_light_for_the_grid_of_torques_has_no_reference(changed):
    with pytest.raises(TypeError, match="changes the speed by"):
        solve(Pendulum(**changed))
