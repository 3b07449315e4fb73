"""The dynamics of the classic problems against Gymnasium's own, and known answers."""

import math

import gymnasium
import numpy as np
import pytest
from scipy import stats

from bonspiel import envs
from bonspiel.envs import CartPole, DoubleIntegrator, MountainCar, Pendulum


def after(model, state, action):
    """The next state, the reward and whether the episode is over."""
    following = np.full(model.state_dim, np.nan)
    result = model.step(np.array(state), np.array(action), following, model.params, np.random.default_rng(1))
    return following, *result


@pytest.mark.parametrize("g", [10.0, 3.7])
def test_pendulum_steps_as_gymnasium_does(g):
    theirs, ours, rng = gymnasium.make("Pendulum-v1", g=g).unwrapped, Pendulum(g=g), np.random.default_rng(1)
    theirs.reset(seed=1)
    for _ in range(500):
        state, torque = rng.uniform([-20.0, -8.0], [20.0, 8.0]), rng.uniform(-2.0, 2.0, 1)
        theirs.state = state
        _, reward, *_ = theirs.step(torque)
        following, earned, terminated = after(ours, [*state, 5.0], torque)
        np.testing.assert_allclose(following, [*theirs.state, 6.0], rtol=0, atol=1e-9)
        assert abs(earned - reward) < 1e-9 and not terminated


def test_mass_and_length_of_a_pendulum_by_the_equation_of_motion():
    for mass, length in ((2.0, 1.0), (1.0, 0.5)):
        (_, speed, _), *_ = after(Pendulum(mass=mass, length=length), [math.pi / 2, 0.0, 0.0], [1.0])
        inertia = mass * length**2 / 3.0  # of a rod about its end
        assert speed == pytest.approx(0.05 * (mass * 10.0 * length / 2.0 + 1.0) / inertia)


def test_pendulum_starts_as_gymnasium_does():
    states = np.array([Pendulum().initial_state(np.random.default_rng(seed)) for seed in range(300)])
    theirs = np.array([start(gymnasium.make("Pendulum-v1").unwrapped, seed) for seed in range(300)])
    np.testing.assert_allclose(states[:, :2], theirs, rtol=0, atol=1e-9)


def start(env, seed):
    env.reset(seed=seed)
    return env.state


@pytest.mark.parametrize("goal_velocity", [0.0, 0.03])
def test_mountain_car_steps_as_gymnasium_does(goal_velocity):
    theirs = gymnasium.make("MountainCarContinuous-v0", goal_velocity=goal_velocity).unwrapped
    ours, rng, ends = MountainCar(goal_velocity=goal_velocity), np.random.default_rng(1), []
    for episode in range(100):
        theirs.reset(seed=1)
        state = rng.uniform([-1.2, -0.08], [0.6, 0.08]).astype(np.float32)
        theirs.state = np.clip(state, theirs.low_state, theirs.high_state)
        for step in range(30):
            before = np.array([*theirs.state, step], np.float64)
            force = rng.uniform(-1.0, 1.0, 1).astype(np.float32) if episode % 3 else np.float32([-1.0 + episode % 2])
            _, reward, ended, *_ = theirs.step(force)
            following, earned, terminated = after(ours, before, force.astype(np.float64))
            np.testing.assert_allclose(following, [*theirs.state, step + 1.0], rtol=0, atol=1e-9)
            assert abs(earned - reward) < 1e-9 and terminated == ended
            ends.append(terminated)
    assert 0 < sum(ends) < len(ends)


@pytest.mark.parametrize("force", [-10.0, 10.0])
def test_cart_pole_steps_as_gymnasium_does(force):
    theirs, rng, ends = gymnasium.make("CartPole-v1").unwrapped, np.random.default_rng(1), []
    for _ in range(300):
        theirs.reset(seed=1)
        theirs.state = rng.uniform([-2.5, -3.0, -0.22, -3.0], [2.5, 3.0, 0.22, 3.0])
        before = [*theirs.state, 7.0]
        _, reward, ended, *_ = theirs.step(int(force > 0.0))
        following, earned, terminated = after(CartPole(), before, [force])
        np.testing.assert_allclose(following, [*theirs.state, 8.0], rtol=0, atol=1e-9)
        assert earned == reward and terminated == ended
        ends.append(terminated)
    assert 0 < sum(ends) < len(ends)


@pytest.mark.parametrize(
    ("model", "speed", "change"), [(CartPole(noise=3.0), 1, 0.02 * 1.0), (DoubleIntegrator(noise=0.5), 1, 0.1)]
)
def test_noise_is_a_gaussian_force_of_this_size(model, speed, change):
    """An upright pole at rest leaves the cart an acceleration of the force over 1.1 - 0.075, by the equations."""
    mass = 1.1 - 0.1 * 0.75 if isinstance(model, CartPole) else 1.0
    rng, following, found = np.random.default_rng(1), np.empty(model.state_dim), []
    for _ in range(5000):
        model.step(np.zeros(model.state_dim), np.zeros(1), following, model.params, rng)
        found.append(following[speed] * mass / change)
    assert stats.kstest(found, stats.norm(0.0, model.noise).cdf).pvalue > 0.01


def test_double_integrator_by_hand():
    following, reward, terminated = after(DoubleIntegrator(noise=0.0), [1.0, 2.0, 3.0], [-1.5])
    assert following == pytest.approx([1.0 + 0.2 - 0.0075, 2.0 - 0.15, 4.0])
    assert (reward, terminated) == (pytest.approx(-(1.0 + 0.4 + 2.25)), False)


@pytest.mark.parametrize(
    ("model", "theirs"), [(MountainCar(), "MountainCarContinuous-v0"), (CartPole(), "CartPole-v1")], ids=["car", "pole"]
)
def test_episodes_start_as_gymnasium_s_do(model, theirs):
    states = np.array([model.initial_state(np.random.default_rng(seed)) for seed in range(100)])
    expected = np.array([start(gymnasium.make(theirs).unwrapped, seed) for seed in range(100)])
    np.testing.assert_allclose(states[:, :-1], expected, rtol=0, atol=1e-7)
    assert (states[:, -1] == 0.0).all()


@pytest.mark.parametrize("name", ["pendulum", "mountain_car", "cart_pole", "cart_pole:noise=10", "double_integrator"])
def test_states_stay_within_the_bounds_whatever_is_done(name):
    model, rng = envs.parse(name), np.random.default_rng(1)
    for push in (model.action_low, model.action_high, None):
        for _ in range(4):
            state, terminated = model.initial_state(rng), False
            while not terminated and state[model.time_index] < model.horizon:
                assert (model.state_low <= state).all() and (state <= model.state_high).all()
                action, following = np.empty(1), np.empty(model.state_dim)
                model.sample_action(state, action, model.params, rng)
                _, terminated = model.step(state, action if push is None else push, following, model.params, rng)
                state = following


def test_cells_of_a_pendulum_do_not_count_its_turns():
    model, hashes = Pendulum(), np.empty((3, 8), np.uint64)
    for row, angle in zip(hashes, (0.5, 0.5 + 4 * math.pi, 0.5 + math.pi), strict=True):
        model.cells(np.array([angle, 1.0, 3.0]), 0, 8, model.params, row)
    assert (hashes[0] == hashes[1]).all() and (hashes[0] != hashes[2]).sum() == 7
