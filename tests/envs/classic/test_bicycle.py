"""The bicycle against the equations of Ernst, Geurts, Wehenkel (2005), written with radii, and by physics."""

import math

import numpy as np
import pytest

from bonspiel.envs import Bicycle


class Fixed:
    """A generator whose uniform number is given."""

    def __init__(self, number):
        self.number = number

    def random(self):
        return self.number


def after(model, state, action, number=0.5):
    following = np.full(6, np.nan)
    result = model.step.py_func(np.array(state, float), np.array(action, float), following, model.params, Fixed(number))
    return following, *result


def oracle(state, action, w):
    """The appendix's equations as printed: radii, absolute values and signs, all in plain Python."""
    omega, omega_dot, theta, theta_dot, psi, t = state
    torque, d = action
    delta, v, g, d_cm, c, h, m_c, m_d, m_p, r, l = 0.01, 10 / 3.6, 9.82, 0.3, 0.66, 0.94, 15, 1.7, 60, 0.34, 1.11  # noqa: E741
    m, sigma_dot = m_c + m_p, v / r
    i_bc = 13 / 3 * m_c * h**2 + m_p * (h + d_cm) ** 2
    i_dc, i_dv, i_dl = m_d * r**2, 3 / 2 * m_d * r**2, 1 / 2 * m_d * r**2
    phi = omega + math.atan(d + w) / h
    inv_rf, inv_rb = abs(math.sin(theta)) / l, abs(math.tan(theta)) / l
    inv_cm = 0.0 if theta == 0 else 1 / math.sqrt((l - c) ** 2 + 1 / inv_rb**2)
    sign = math.copysign(1.0, theta) if theta else 0.0
    centrifugal = sign * v**2 * (m_d * r * (inv_rf + inv_rb) + m * h * inv_cm)
    omega_dd = (m * h * g * math.sin(phi) - math.cos(phi) * (i_dc * sigma_dot * theta_dot + centrifugal)) / i_bc
    theta_dd = (torque - i_dv * sigma_dot * omega_dot) / i_dl
    new_theta, new_theta_dot = theta + delta * theta_dot, theta_dot + delta * theta_dd
    if abs(new_theta) > math.radians(80):
        new_theta, new_theta_dot = math.copysign(math.radians(80), new_theta), 0.0
    new_psi = psi + delta * sign * v * inv_rb
    return [omega + delta * omega_dot, omega_dot + delta * omega_dd, new_theta, new_theta_dot, new_psi, t + 1]


def test_step_by_the_published_equations():
    rng, model, ends = np.random.default_rng(1), Bicycle(), []
    for _ in range(500):
        state = [*rng.uniform(-1, 1, 5) * [0.22, 2.0, 1.39, 8.0, 3.0], 7.0]
        action, number = rng.uniform(-1, 1, 2) * [2.0, 0.02], rng.random()
        following, reward, terminated = after(model, state, action, number)
        np.testing.assert_allclose(following, oracle(state, action, 0.04 * number - 0.02), rtol=0, atol=1e-12)
        assert terminated == (abs(following[0]) > math.radians(12)) and reward == 1.0 - terminated
        ends.append(terminated)
    assert 0 < sum(ends) < len(ends)


def test_it_rides_straight_ahead_when_nothing_disturbs_it():
    state = np.zeros(6)
    for step in range(1, 300):
        state, reward, terminated = after(Bicycle(noise=0.0), state, [0.0, 0.0])
        assert state.tolist() == [0, 0, 0, 0, 0, step] and reward == 1.0 and not terminated


def test_left_and_right_are_alike():
    state, mirrored, model = np.zeros(6), np.zeros(6), Bicycle()
    rng = np.random.default_rng(1)
    for _ in range(60):
        action, number = rng.uniform(-1, 1, 2) * [2.0, 0.02], rng.random()
        state, *_ = after(model, state, action, number)
        mirrored, *_ = after(model, mirrored, -action, 1.0 - number)
        np.testing.assert_allclose(mirrored[:5], -state[:5], rtol=0, atol=1e-12)
    assert abs(state[4]) > 1e-3


def test_a_lean_grows_as_that_of_an_inverted_pendulum():
    """At first, with the handlebars held straight: omega = omega_0 cosh(t sqrt(M h g / I))."""
    rate = math.sqrt(75 * 0.94 * 9.82 / (13 / 3 * 15 * 0.94**2 + 60 * 1.24**2))
    state = np.array([0.01, 0, 0, 0, 0, 0])
    for _ in range(50):
        hold = 1.5 * 1.7 * 0.34**2 * (10 / 3.6 / 0.34) * state[1]  # against the spin of the wheel
        state, *_ = after(Bicycle(noise=0.0), state, [hold, 0.0])
    assert state[0] == pytest.approx(0.01 * math.cosh(0.5 * rate), rel=0.03) and abs(state[2]) < 1e-9


def test_turning_into_the_lean_rights_the_bicycle():
    for steer, falls in ((0.3, False), (-0.3, True)):
        (_, speed, *_), *_ = after(Bicycle(noise=0.0), [0.1, 0, steer, 0, 0, 0], [0, 0])
        assert (speed > 0) == falls


@pytest.mark.parametrize(("heading", "reward"), [(0.0, 1.0), (math.pi / 2, 0.5), (math.pi, 0.0), (2 * math.pi, 1.0)])
def test_the_goal_pays_for_the_direction(heading, reward):
    _, earned, terminated = after(Bicycle("goal"), [0, 0, 0, 0, heading, 0], [0, 0])
    assert (earned, terminated) == (pytest.approx(reward), False)
    _, earned, terminated = after(Bicycle("goal"), [0.209, 0.1, 0, 0, heading, 0], [0, 0])
    assert (earned, terminated) == (0.0, True)


def test_starts_upright_in_any_direction():
    rng = np.random.default_rng(1)
    assert not Bicycle().initial_state(rng).any()
    starts = np.array([Bicycle("goal").initial_state(rng) for _ in range(200)])
    assert not np.delete(starts, 4, axis=1).any() and np.ptp(starts[:, 4]) > 6.0


def test_cells_know_the_heading_towards_a_goal_alone():
    def hashes(task, heading):
        out, model = np.empty(8, np.uint64), Bicycle(task)
        model.cells(np.array([0.05, 0.1, 0.2, 0.3, heading, 4.0]), 0, 8, model.params, out)
        return out.tolist()

    assert hashes("balance", 0.5) == hashes("balance", 2.0)
    assert hashes("goal", 0.5) == hashes("goal", 0.5 + 4 * math.pi) != hashes("goal", 2.0)


def test_states_stay_within_the_bounds_whatever_is_done():
    model = Bicycle(noise=0.1)
    for torque in (-2.0, 0.0, 2.0):
        for number in (0.0, 0.3, 0.9):
            state, terminated = np.zeros(6), False
            while not terminated and state[5] < 300.0:
                torque = -torque if state[5] % 40 == 39 else torque
                state, _, terminated = after(model, state, [torque, 0.02], number)
                assert (model.state_low <= state).all() and (state <= model.state_high).all()
