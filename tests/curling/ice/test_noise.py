import numpy as np
import pytest
from scipy import stats

from bonspiel import curling
from bonspiel.curling.ice.execution import MOST_DEVIATE, deviates_of, noisy_velocity, students
from bonspiel.curling.ice.noise import NOISES, Noise, Thrower, mean_noise, noise_of
from bonspiel.curling.ice.physics import DC2, FCV1
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.state import THROWERS
from bonspiel.curling.model import Curling


def throws(noise, velocity, cap, n=4000, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([noisy_velocity(*velocity, cap, noise_of(noise).params, rng) for _ in range(n)])


def stops(law, noise, n):
    engine = curling.make_engine("analytic", law.name)
    shots = engine.shots(no_stones(), 0, throws(noise, law.tee_draw, law.max_speed, n), np.full(n, law.launch_spin))
    return shots[:, 0]


def test_spread_of_tee_draws_is_as_measured():
    places = stops(FCV1, "normal_dist", 3000)
    np.testing.assert_allclose(np.nanmean(places, 0), (0.0, FCV1.sheet.tee), atol=0.02)
    np.testing.assert_allclose(np.nanstd(places, 0), (0.070, 0.261), rtol=0.05)


@pytest.mark.parametrize(("noise", "spread"), [("dc2", (0.145, 0.145)), ("gat", (0.0725, 0.29))])
def test_dc2_noise_is_gaussian_at_the_tee(noise, spread):
    np.testing.assert_allclose(np.nanstd(stops(DC2, noise, 3000), 0), spread, rtol=0.06)


def test_normal_dist_is_on_speed_and_angle():
    v = throws("normal_dist", (0.3, 3.0), 4.0)
    speed, angle = np.hypot(*v.T), np.arctan2(v[:, 1], v[:, 0])
    np.testing.assert_allclose((speed.mean(), speed.std()), (np.hypot(0.3, 3.0), 0.0076), rtol=0.03)
    np.testing.assert_allclose((angle.mean(), angle.std()), (np.arctan2(3.0, 0.3), 0.0018), rtol=0.03)


def test_the_aim_is_capped_before_the_noise():
    v = throws("normal_dist", (0.0, 9.0), 4.0)
    assert abs(np.hypot(*v.T).mean() - 4.0) < 0.001
    assert np.hypot(*v.T).max() > 4.0
    np.testing.assert_allclose(throws("none", (3.0, 4.0), 4.0, 1), [(2.4, 3.2)])


def test_no_noise_is_exact_and_draws_nothing():
    rng = np.random.default_rng(1)
    np.testing.assert_allclose(noisy_velocity(0.1, 2.4, 4.0, NOISES["none"].params, rng), (0.1, 2.4), rtol=1e-15)
    assert rng.random() == np.random.default_rng(1).random()


def test_an_aim_without_speed_is_thrown_to_the_right():
    v = throws(Noise(speed=0.1), (0.0, 0.0), 4.0, 10)
    assert (v[:, 0] != 0.0).all()
    assert (v[:, 1] == 0.0).all()
    assert np.isnan(throws("normal_dist", (np.nan, 2.4), 4.0, 1)).all()


def test_custom_noise():
    v = throws(Noise(vy=0.5), (0.1, 2.4), 4.0)
    assert np.ptp(v[:, 0]) < 1e-12
    assert abs(v[:, 1].std() - 0.5) < 0.02


@pytest.mark.parametrize("freedom", [3.0, 5.0, 20.0])
def test_deviates_become_errors_of_students_t_of_standard_deviation_1(freedom):
    deviates = np.linspace(-MOST_DEVIATE, MOST_DEVIATE, 81)
    errors = np.array([students(deviate, freedom) for deviate in deviates])
    exact = stats.t.ppf(stats.norm.cdf(deviates), freedom) * np.sqrt((freedom - 2.0) / freedom)
    np.testing.assert_allclose(errors, exact, rtol=0.12, atol=1e-9)
    near = np.abs(deviates) <= 2.5
    np.testing.assert_allclose(errors[near], exact[near], rtol=0.04, atol=1e-9)
    np.testing.assert_allclose(deviates_of(errors, freedom), deviates, atol=1e-9)
    assert students(9.0, freedom) == students(MOST_DEVIATE, freedom)
    assert students(1.5, 0.0) == 1.5 == deviates_of(np.array([1.5]), 0.0)[0]


def test_people_throw_worse_than_normal_dist_and_seldom_far_worse():
    v = throws("human", (0.0, 2.4), 4.0, 20_000)
    speed, angle = np.hypot(*v.T) - 2.4, np.arctan2(v[:, 0], v[:, 1])
    human = noise_of("human")
    for errors, sd in ((speed, human.speed), (angle, human.angle)):
        exact = stats.t(3.0, scale=sd / np.sqrt(3.0))
        for share in (0.5, 0.9, 0.99):
            assert np.quantile(np.abs(errors), share) == pytest.approx(exact.ppf(0.5 + share / 2.0), rel=0.06)
    assert 2.0 * NOISES["normal_dist"].speed < human.speed
    sigmas = np.random.default_rng(1).standard_normal(20_000) * human.speed
    assert np.quantile(np.abs(speed), 0.5) < 0.8 * np.quantile(np.abs(sigmas), 0.5)


def test_a_factor_and_a_mean_keep_the_freedom():
    doubled = noise_of("2*human")
    assert doubled == Noise(speed=0.039, angle=0.009, freedom=3.0)
    human, gaussian = Thrower(4.0, noise_of("human")), Thrower(4.0, noise_of("normal_dist"))
    assert mean_noise([human, human]) == human.noise
    assert mean_noise([human, gaussian]).freedom == 0.0
    assert Curling(noise="human").thrower(Curling().initial_state(np.random.default_rng(1))).noise == human.noise


@pytest.mark.parametrize(
    "bad", [{"speed": -1.0}, {"angle": float("nan")}, {"vx": float("inf")}, {"freedom": 2.0}, {"freedom": 1e308}]
)
def test_bad_noise_is_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Noise(**bad)


def test_unknown_noise():
    with pytest.raises(ValueError, match="gat"):
        noise_of("gatt")


def test_a_factor_multiplies_all_errors_of_a_name():
    assert noise_of("2*normal_dist") == Noise(speed=0.0152, angle=0.0036)
    assert noise_of("0.5*dc2") == noise_of("dc2").times(0.5) and noise_of("dc2").vx > 0.0
    assert Curling(noise="2*normal_dist").params[THROWERS + 1] == 0.0152
    for text, words in (("2*gatt", "gatt"), ("0*dc2", "above 0"), ("x*dc2", "above 0"), ("inf*dc2", "above 0")):
        with pytest.raises(ValueError, match=words):
            noise_of(text)
    with pytest.raises(ValueError, match="one of these with a factor"):
        Curling(noise="2*dc2")
