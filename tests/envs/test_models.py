"""The rules and the noise of Trap and Treasure Hunt, and the parameters that models refuse."""

import math

import numpy as np
import pytest
from scipy import stats

from bonspiel.envs import (
    Bicycle,
    CartPole,
    Donut,
    DoubleIntegrator,
    Hovering,
    MountainCar,
    Pendulum,
    Racetrack,
    Trap,
    TreasureHunt,
)


class Fixed:
    """A generator whose uniform numbers are given."""

    def __init__(self, *numbers):
        self.numbers = iter(numbers)

    def random(self):
        return next(self.numbers)


def step(model, state, action, rng):
    after = np.full(model.state_dim, np.nan)
    function = model.step.py_func if isinstance(rng, Fixed) else model.step
    reward, terminated = function(np.array(state, float), np.array([action], float), after, model.params, rng)
    return after, reward, terminated


@pytest.mark.parametrize(
    ("x", "reward"),
    [(0.0, 0.7), (math.nextafter(1.0, 0.0), 0.7), (1.0, 0.0), (math.nextafter(1.7, 0.0), 0.0), (1.7, 1.0), (2.0, 1.0)],
)
def test_trap_rewards_at_the_borders(x, reward):
    after, earned, terminated = step(Trap(), [x, 1.0], 0.0, Fixed(0.0))
    assert (after.tolist(), earned, terminated) == ([x, 2.0], reward, False)


@pytest.mark.parametrize(("noise", "low"), [("positive", 0.0), ("centred", -0.2)])
def test_trap_noise_is_uniform(noise, low):
    model, rng = Trap(noise_range=0.2, noise=noise), np.random.default_rng(1)
    places = [step(model, [0.0, 0.0], 0.3, rng)[0][0] - 0.3 for _ in range(5000)]
    assert stats.kstest(places, stats.uniform(low, 0.2 - low).cdf).pvalue > 0.01


def test_treasure_hunt_noise_is_uniform_on_the_disc():
    model, rng = TreasureHunt(size=100.0), np.random.default_rng(1)
    shift = np.array([step(model, [10.0, 10.0, 0.0], 0.5, rng)[0][:2] for _ in range(5000)])
    shift -= [10.0 + math.cos(0.5), 10.0 + math.sin(0.5)]
    radius, angle = np.hypot(*shift.T), np.arctan2(*shift.T)
    assert radius.max() <= 1.0
    assert stats.kstest(radius**2, stats.uniform(0, 1).cdf).pvalue > 0.01
    assert stats.kstest(angle, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > 0.01


def test_places_are_clamped_to_the_square():
    model = TreasureHunt()
    after, *_ = step(model, [0.1, 0.2, 3.0], -3 * math.pi / 4, Fixed(0.0, 0.0))
    np.testing.assert_array_equal(after, [0.0, 0.0, 4.0])
    after, *_ = step(model, [4.9, 0.5, 0.0], 0.0, Fixed(0.0, 0.0))
    np.testing.assert_array_equal(after, [5.0, 0.5, 1.0])
    after, *_ = step(model, [0.5, 4.9, 0.0], math.pi / 2, Fixed(0.0, 0.0))
    np.testing.assert_allclose(after, [0.5, 5.0, 1.0], atol=1e-15)


@pytest.mark.parametrize(
    ("place", "reward", "ends"),
    [
        ((4.0, 4.0), 0.999, True),
        ((5.0, 5.0), 0.999, True),
        ((3.99, 4.5), -0.001, False),
        ((1.25, 1.25), -0.501, True),
        ((3.75, 3.75), -0.501, True),
        ((1.24, 2.0), -0.001, False),
        ((3.76, 2.0), -0.001, False),
    ],
)
def test_treasure_and_hole_with_their_borders(place, reward, ends):
    start = (place[0] - 1.0, place[1], 0.0)
    after, earned, terminated = step(TreasureHunt(), start, 0.0, Fixed(0.0, 0.0))
    assert (after[:2].tolist(), earned, terminated) == (list(place), pytest.approx(reward), ends)


def test_hole_that_does_not_terminate_costs_every_step():
    for _ in range(2):
        _, reward, terminated = step(TreasureHunt(hole_terminates=False), [1.5, 2.0, 0.0], 0.0, Fixed(0.0, 0.0))
        assert (reward, terminated) == (pytest.approx(-0.501), False)


def test_half_turns_and_radians_mean_the_same():
    radian, half_turn = TreasureHunt(), TreasureHunt(angle_unit="half_turn")
    a, *_ = step(radian, [2.0, 0.0, 0.0], 0.3 * math.pi, np.random.default_rng(1))
    b, *_ = step(half_turn, [2.0, 0.0, 0.0], 0.3, np.random.default_rng(1))
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(radian.action_high, math.pi * half_turn.action_high)
    drawn = np.empty(1), np.empty(1)
    for model, action in zip((radian, half_turn), drawn, strict=True):
        model.sample_action(np.zeros(3), action, model.params, np.random.default_rng(2))
    np.testing.assert_allclose(drawn[0], math.pi * drawn[1])


@pytest.mark.parametrize("size", [5.0, 15.0])
def test_treasure_hunt_lasts_ten_sizes(size):
    assert TreasureHunt(size=size).horizon == 10 * size


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (Trap, {"noise_range": 0.0}),
        (Trap, {"noise_range": 1.5}),
        (Trap, {"noise_range": math.nan}),
        (Trap, {"noise_range": True}),
        (Trap, {"noise_range": "abc"}),
        (Trap, {"noise": "gauss"}),
        (TreasureHunt, {"size": 3.99}),
        (TreasureHunt, {"size": 1001}),
        (TreasureHunt, {"size": math.inf}),
        (TreasureHunt, {"size": "abc"}),
        (TreasureHunt, {"size": True}),
        (TreasureHunt, {"angle_unit": []}),
        (TreasureHunt, {"hole_terminates": "no"}),
        (TreasureHunt, {"angle_unit": "degree"}),
        (Pendulum, {"g": -1.0}),
        (Pendulum, {"g": "abc"}),
        (Pendulum, {"mass": 0.0}),
        (Pendulum, {"length": math.inf}),
        (MountainCar, {"goal_velocity": 0.08}),
        (MountainCar, {"goal_velocity": -0.01}),
        (CartPole, {"noise": -1.0}),
        (DoubleIntegrator, {"noise": math.nan}),
        (Bicycle, {"task": "ride"}),
        (Bicycle, {"noise": -0.1}),
        (Bicycle, {"noise": "abc"}),
        (Donut, {"radius": 0.0}),
        (Donut, {"radius": 0.6}),
        (Donut, {"width": 0.0}),
        (Donut, {"width": math.inf}),
        (Donut, {"noise": -0.1}),
        (Donut, {"noise": "abc"}),
        (Hovering, {"wind": -1.0}),
        (Hovering, {"wind": math.inf}),
        (Hovering, {"persistence": 0.0}),
        (Racetrack, {"track": "oval"}),
        (Racetrack, {"slip": 1.1}),
        (Racetrack, {"slip": -0.1}),
        (Racetrack, {"noise": -1.0}),
        (Racetrack, {"crash": "stop"}),
        (Racetrack, {"progress": 1}),
    ],
)
def test_parameters_out_of_range_are_named(make, parameters):
    ((name, _),) = parameters.items()
    with pytest.raises(ValueError, match=f"^{name}="):
        make(**parameters)
