"""The quadrotor's mechanics, its wind, and the linear controller that holds it in place."""

import math

import numpy as np
import pytest
from scipy import linalg, stats

from bonspiel.envs import Hovering

HALF = 9.81 / 2  # N


def after(model, state, action, seed=1):
    following = np.full(8, np.nan)
    result = model.step(
        np.array(state, float), np.array(action, float), following, model.params, np.random.default_rng(seed)
    )
    return following, *result


def oracle(state, action):
    """One step by Newton's laws with vectors and rotation matrices; the wind itself is left out."""
    place, tilt, velocity, turn, wind = state[:2], state[2], state[3:5], state[5], np.array([state[6], 0.0])
    rotation = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
    force = rotation @ [0.0, sum(action)] + 0.25 * (wind - velocity) + [0.0, -9.81]
    arms = np.array([[-0.25, 0.0], [0.25, 0.0]])
    torque = sum(np.cross([*arm, 0.0], [0.0, thrust, 0.0])[2] for arm, thrust in zip(arms, action, strict=True))
    velocity, turn = velocity + 0.05 * force, turn + 0.05 * torque / 0.05
    return np.array([*(place + 0.05 * velocity), tilt + 0.05 * turn, *velocity, turn])


def test_step_by_newton_s_laws():
    rng, model = np.random.default_rng(1), Hovering()
    for _ in range(200):
        state = np.append(rng.uniform(-1.0, 1.0, 7) * [1.5, 1.5, 1.2, 3.0, 3.0, 3.0, 8.0], 5.0)
        thrusts = rng.uniform(0.0, 9.81, 2)
        following, reward, terminated = after(model, state, thrusts)
        np.testing.assert_allclose(following[:6], oracle(state, thrusts), rtol=0, atol=1e-12)
        x, z, tilt = state[:3]
        expected = -(0.1 * (x**2 + z**2) + 0.05 * tilt**2 + 0.01 * ((thrusts / HALF - 1.0) ** 2).sum())
        assert terminated or reward == pytest.approx(expected)


def test_it_falls_freely_at_first_and_at_most_as_fast_as_drag_allows():
    state = np.array([0.0, 1.9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    for step in range(1, 12):
        state, _, terminated = after(Hovering(wind=0.0), state, [0.0, 0.0])
        decay = 1.0 - 0.05 * 0.25
        assert state[4] == pytest.approx(-9.81 / 0.25 * (1.0 - decay**step)) and not terminated
    assert state[[0, 2, 3, 5]].tolist() == [0.0, 0.0, 0.0, 0.0]


def test_half_the_weight_on_each_rotor_holds_it_at_no_cost():
    state = np.zeros(8)
    for step in range(1, 50):
        state, reward, terminated = after(Hovering(wind=0.0), state, [HALF, HALF])
        np.testing.assert_allclose(state, [0, 0, 0, 0, 0, 0, 0, step], atol=1e-12)
        assert reward == pytest.approx(0.0) and not terminated


@pytest.mark.parametrize("place", [[2.1, 0, 0], [-2.1, 0, 0], [0, 2.1, 0], [0, -2.1, 0], [0, 0, 1.6], [0, 0, -1.6]])
def test_a_crash_costs_the_steps_that_are_left(place):
    _, reward, terminated = after(Hovering(), [*place, 0, 0, 0, 0, 30.0], [HALF, HALF])
    assert (reward, terminated) == (-70.0, True)


def test_no_step_costs_as_much_as_a_crash():
    _, reward, terminated = after(Hovering(wind=0.0), [1.99, 1.99, 1.57, 0, 0, 0, 0, 30.0], [0.0, 0.0])
    assert -1.0 < reward < -0.9 and not terminated


def test_wind_is_an_ornstein_uhlenbeck_process():
    model, rng, following, winds = Hovering(wind=1.5, persistence=0.4), np.random.default_rng(1), np.empty(8), [0.0]
    for _ in range(20_000):
        state = np.array([0, 0, 0, 0, 0, 0, winds[-1], 0.0])
        model.step(state, np.full(2, HALF), following, model.params, rng)
        winds.append(following[6])
    winds = np.array(winds[100:])
    assert winds.std() == pytest.approx(1.5, rel=0.05) and np.abs(winds).max() <= 6.0
    for lag in (1, 4, 8):
        assert np.corrcoef(winds[:-lag], winds[lag:])[0, 1] == pytest.approx(math.exp(-lag * 0.05 / 0.4), abs=0.04)


def linear_controller():
    """The gain of the infinite horizon, from finite differences of the oracle about hovering."""
    point, hover, size = np.zeros(8), np.full(2, HALF), 1e-5
    steps = np.eye(8)[:6] * size
    a = np.column_stack([(oracle(point + s, hover) - oracle(point - s, hover)) / (2 * size) for s in steps])
    b = np.column_stack([(oracle(point, hover + s) - oracle(point, hover - s)) / (2 * size) for s in np.eye(2) * size])
    q, r = np.diag([0.1, 0.1, 0.05, 0.0, 0.0, 0.0]), np.eye(2) * 0.01 / HALF**2
    p = linalg.solve_discrete_are(a, b, q, r)
    return np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a), p


def returns(model, policy, episodes):
    found = []
    for seed in range(episodes):
        rng, total, terminated = np.random.default_rng(seed), 0.0, False
        state, following = model.initial_state(rng), np.empty(8)
        while not terminated and state[7] < 100.0:
            reward, terminated = model.step(state, policy(state, rng), following, model.params, rng)
            total, state = total + reward, following.copy()
        found.append(total)
    return np.array(found)


def test_linear_controller_attains_what_the_riccati_equation_says_near_hovering():
    gain, p = linear_controller()
    state, total = np.array([0.02, -0.03, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.0
    start = state[:6]
    for _ in range(99):
        state, reward, _ = after(Hovering(wind=0.0), state, HALF - gain @ state[:6])
        total += reward
    assert total == pytest.approx(-start @ p @ start, rel=0.02)


def test_linear_controller_never_crashes_and_random_thrusts_always_do():
    gain, _ = linear_controller()
    held = returns(Hovering(), lambda state, rng: np.clip(HALF - gain @ state[:6], 0.0, 9.81), 50)
    assert held.min() > -30.0
    thrown = returns(Hovering(), lambda state, rng: rng.uniform(0.0, 9.81, 2), 50)
    assert thrown.max() < -30.0 and stats.sem(thrown) < 3.0


def test_states_stay_within_the_bounds_whatever_is_done():
    model = Hovering(wind=5.0)
    for left, right in [(9.81, 9.81), (0.0, 0.0), (9.81, 0.0), (0.0, 9.81), (9.81, 9.0), (5.5, 5.0)]:
        for seed in range(5):
            state, terminated = model.initial_state(np.random.default_rng(seed)), False
            while not terminated and state[7] < 100.0:
                state, _, terminated = after(model, state, [left, right], seed=int(1000 * seed + state[7]))
                assert (model.state_low <= state).all() and (state <= model.state_high).all()
