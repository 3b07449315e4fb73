"""Problems of papers: known transitions, rewards and ends, and their optima by other ways."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import solve_ivp

from bonspiel.envs import HillCar, LunarLander, Navigation, NoisyMountainCar
from bonspiel.envs.classic.hill_car import optimum as hill_car_optimum
from bonspiel.envs.classic.navigation import optimum as navigation_optimum
from bonspiel.envs.optimal import solve

pytestmark = pytest.mark.usefixtures("own_cache")


def after(model, state, action, seed=1):
    following = np.full(model.state_dim, np.nan)
    given = np.array(state, float), np.array(action, float), following, model.params
    return following, *model.step(*given, np.random.default_rng(seed))


def play(model, policy, start, rng):
    """The discounted return of a policy, and the length of the episode."""
    state, total, weight, terminated = start, 0.0, 1.0, False
    while not terminated and state[model.time_index] < model.horizon:
        following = np.empty(model.state_dim)
        reward, terminated = model.step(state, policy(state), following, model.params, rng)
        state, total, weight = following, total + weight * reward, weight * model.discount
    return total, state[model.time_index]


def test_a_step_of_the_noisy_mountain_car():
    following, reward, terminated = after(NoisyMountainCar(noise=0.0), [-0.4, 0.01, 7.0], [0.5])
    speed = 0.01 + 0.001 * 0.5 - 0.0025 * math.cos(-1.2)
    assert following.tolist() == pytest.approx([-0.4 + speed, speed, 8.0], abs=1e-12)
    assert (reward, terminated) == (-0.1, False)


@pytest.mark.parametrize(
    ("place", "speed", "reward"), [(0.48, 0.04, 100.0), (-1.48, -0.04, -100.0), (-0.5, 0.051, -100.0)]
)
def test_ends_of_the_noisy_mountain_car(place, speed, reward):
    assert after(NoisyMountainCar(noise=0.0), [place, speed, 0.0], [0.0])[1:] == (reward, True)


def test_noise_of_the_force_is_cut_at_its_bounds():
    model, base = NoisyMountainCar(noise=0.4), after(NoisyMountainCar(noise=0.0), [0.0, 0.0, 0.0], [0.0])[0][1]
    forces = [(after(model, [0.0, 0.0, 0.0], [0.8], seed)[0][1] - base) / 0.001 for seed in range(2000)]
    assert max(forces) == pytest.approx(1.0) and np.mean(np.isclose(forces, 1.0)) == pytest.approx(0.31, abs=0.04)
    assert np.median(forces) == pytest.approx(0.8, abs=0.04)


def hill(x):
    """First and second derivative of the hill, by difference quotients."""
    height = np.poly1d([1.0, 1.0, 0.0]) if x < 0.0 else lambda at: at / math.sqrt(1.0 + 5.0 * at * at)
    d = 1e-4
    return (height(x + d) - height(x - d)) / (2.0 * d), (height(x + d) - 2.0 * height(x) + height(x - d)) / d**2


@pytest.mark.parametrize(("place", "speed", "force"), [(-0.6, -0.5, -4.0), (-0.3, 1.5, 3.0), (0.3, 1.2, 4.0)])
def test_a_step_of_the_hill_car_by_the_equation_of_motion(place, speed, force):
    def motion(_, state):
        slope, curvature = hill(state[0])
        return [state[1], (force - 9.81 * slope - state[1] ** 2 * slope * curvature) / (1.0 + slope**2)]

    exact = solve_ivp(motion, (0.0, 0.1), [place, speed], rtol=1e-9, atol=1e-9).y[:, -1]
    following, reward, terminated = after(HillCar(noise=0.0), [place, speed, 3.0], [force])
    assert following.tolist() == pytest.approx([*exact, 4.0], abs=1e-5)
    assert (reward, terminated) == (-1.0, False)


def test_ends_of_the_hill_car():
    exact = HillCar(noise=0.0)
    assert after(exact, [0.9, 2.0, 0.0], [4.0])[1:] == (100.0, True)
    assert after(exact, [-0.95, -2.0, 0.0], [-4.0])[1:] == (-100.0, True)
    assert after(exact, [-0.9, 2.4, 0.0], [4.0])[1:] == (-100.0, True), "too fast"


def test_a_step_of_the_lander_by_rotation():
    state, (lateral, thrust, offset) = np.array([1.0, 20.0, 0.3, -2.0, -5.0, 0.1, 4.0]), (3.0, 12.0, -0.5)
    rotation = np.array([[math.cos(0.3), -math.sin(0.3)], [math.sin(0.3), math.cos(0.3)]])
    speeds = state[3:5] + 0.4 * (rotation @ [lateral, thrust] - [0.0, 9.0])
    following, reward, terminated = after(LunarLander(noise=0.0), state, [lateral, thrust, offset])
    places = state[:3] + 0.4 * state[3:6]
    assert following.tolist() == pytest.approx([*places, *speeds, 0.1 + 0.4 * 0.5 * 3.0 / 10.0, 5.0])
    assert (reward, terminated) == (-1.0, False)


def test_ends_of_the_lander():
    exact, hover = LunarLander(noise=0.0), [0.0, 9.0, 0.0]
    assert after(exact, [2.0, 1.5, 0.0, 0.0, -2.0, 0.0, 0.0], hover)[1:] == (pytest.approx(100.0 - 2.0 - 4.0), True)
    assert after(exact, [14.0, 20.0, 0.0, 3.0, 0.0, 0.0, 0.0], hover)[1:] == (-1000.0, True)
    assert after(exact, [0.0, 0.9, 0.49, 0.0, 0.0, 0.1, 0.0], hover)[1:] == (-1000.0, True), "upside down on the ground"


def test_noise_and_starts_of_the_lander():
    model, rng = LunarLander(), np.random.default_rng(1)
    starts = np.array([model.initial_state(rng) for _ in range(4000)])
    assert starts.mean(axis=0) == pytest.approx([0.0, 50.0, 0.0, 0.0, -10.0, 0.0, 0.0], abs=0.03)
    assert starts.std(axis=0) ** 2 == pytest.approx([0.1, 0.1, 0.01, 0.1, 0.1, 0.01, 0.0], abs=0.01)
    level = np.array([0.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    speeds = [after(model, level, [0.0, 9.0, 0.0], seed)[0][3:6] for seed in range(2000)]
    assert np.std(speeds, axis=0) == pytest.approx([0.1, 0.1, 0.01], rel=0.06)


def test_steps_of_the_navigation():
    following, reward, terminated = after(Navigation(), [0.0, 0.0, 0.0], [0.2])
    assert following.tolist() == pytest.approx([1.25 * 0.2 * 0.02**2 * 50 * 51 / 2, 0.2, 1.0])
    assert (reward, terminated) == (pytest.approx(0.01 + 0.02 * math.exp(-0.4)), False)
    following, reward, terminated = after(Navigation(), [0.0, 0.0, 1.0], [0.0])
    assert (reward, terminated) == (pytest.approx(0.02 - 1.0), True), "the first circle"
    following, reward, terminated = after(Navigation(), [0.216, 0.159, 8.0], [0.05])
    assert (reward, terminated) == (pytest.approx(0.98 + 0.02 * math.exp(-0.025)), True), "the goal"
    following, reward, terminated = after(Navigation(), [0.99, 1.0, 3.0], [1.0])
    assert following[:2].tolist() == [1.0, 0.0] and not terminated, "the upper border"


@pytest.mark.parametrize("model", [NoisyMountainCar(), HillCar(), LunarLander()], ids=repr)
def test_rollouts_are_discounted_returns_of_the_default_policy(model):
    def policy(state):
        if isinstance(model, LunarLander):
            return np.array([-0.1 * state[3], min(max(-0.1 * state[4], 0.0), 15.0), 0.0])
        return model.action_low if state[1] < 0.0 else model.action_high

    start, scratch = model.initial_state(np.random.default_rng(3)), np.empty(model.state_dim)
    expected, steps = play(model, policy, start, np.random.default_rng(4))
    found = model.rollout(start.copy(), scratch, model.horizon, model.params, np.random.default_rng(4))
    assert found == pytest.approx(expected) and steps > 5


def test_optimum_of_the_noisy_mountain_car_is_the_known_one_and_its_policy_attains_it():
    best, rng = solve(NoisyMountainCar()), np.random.default_rng(5)
    assert np.mean(best.returns(2000)) == pytest.approx(40.85, abs=0.06)
    start = np.array([-0.1, 0.0, 0.0])
    assert best.value(start) == pytest.approx(40.7, abs=0.3)
    assert best.value([0.6, 0.01, 3.0]) == best.value([0.0, 0.0, 200.0]) == 0.0
    found = [play(best.model, best.policy, start, rng)[0] for _ in range(10)]
    assert np.mean(found) == pytest.approx(best.value(start), abs=4.0 * stats.sem(found) + 0.3)


def test_optimum_of_the_hill_car_is_what_its_policy_attains():
    best = hill_car_optimum.solve(HillCar(), None, (201, 101))
    found = best.returns(3000)
    assert np.mean(found) == pytest.approx(67.6, abs=0.3)
    values = [best.value(best.model.initial_state(np.random.default_rng(seed))) for seed in range(50)]
    assert np.mean(values) == pytest.approx(np.mean(found), abs=0.3)


def test_last_step_to_the_top_by_the_distribution_of_the_noise():
    """Q of the last step: the goal for forces above the one that just reaches it."""
    best, state = hill_car_optimum.solve(HillCar(), None, (21, 11)), np.array([0.8, 1.945, 29.0])
    exact = HillCar(noise=0.0)
    rng, forces = np.random.default_rng(0), np.linspace(-4.0, 4.0, 801)
    reaches = [exact.step(state, np.array([force]), np.empty(3), exact.params, rng)[1] for force in forces]
    least = forces[int(np.argmax(reaches))]
    action = least + 0.05
    chance = stats.norm.cdf((action - least) / 0.1)
    assert -3.5 < least < 3.5
    assert best.q(state, [action]) == pytest.approx(100.0 * chance - (1.0 - chance), abs=20.0)
    assert best.q(state, [least + 0.6]) == pytest.approx(100.0) and best.q(state, [least - 0.6]) == pytest.approx(-1.0)


def test_optimum_of_the_navigation_passes_all_circles():
    best = navigation_optimum.solve(Navigation(), None, (101, 51))
    assert best.mean_value() == pytest.approx(1.2239, abs=2e-3)
    assert play(best.model, best.policy, np.zeros(3), np.random.default_rng(0)) == (pytest.approx(best.mean_value()), 9)


@pytest.mark.parametrize("model", [NoisyMountainCar(), HillCar()], ids=repr)
def test_a_fixed_set_of_actions_has_no_optimum(model):
    with pytest.raises(TypeError, match="fixed set"):
        solve(model, [[0.0]])


@pytest.mark.parametrize("cls", [NoisyMountainCar, HillCar, LunarLander])
def test_noise_below_zero_is_refused(cls):
    with pytest.raises(ValueError, match=r"^noise=-1"):
        cls(noise=-1.0)
