"""The rounds of planners over action sequences, and the noise that they draw."""

import hashlib

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.sequences import mppi
from bonspiel.planners.sequences.gaussians import Gaussian, coloured_noise
from tests.planners.tiny_models import Bandit, Chain, python_twin

BY_SEQUENCES = ["random_shooting", "cem", "icem", "mppi"]


def counted(model):
    """A twin in plain Python that notes the states and actions of all its steps."""
    twin, steps = python_twin(model), []
    original = type(twin).step

    def step(state, action, next_state, params, rng):
        steps.append((state.copy(), action.copy()))
        return original(state, action, next_state, params, rng)

    type(twin).step = staticmethod(step)
    return twin, steps


@pytest.mark.parametrize("name", BY_SEQUENCES)
def test_every_simulation_is_one_rollout(name):
    for simulations, repeats in ((1, 1), (7, 1), (100, 1), (101, 3), (450, 2)):
        twin, steps = counted(Bandit())
        planner = planners.make(name, repeats=repeats)
        decision = planner.plan(twin, np.zeros(1), Budget(simulations), np.random.default_rng(0))
        assert decision.simulations == simulations == len(steps)


@pytest.mark.parametrize("name", BY_SEQUENCES)
def test_repeats_are_rollouts_of_one_sequence(name):
    twin, steps = counted(Bandit())
    planners.make(name, repeats=4).plan(twin, np.zeros(1), Budget(400), np.random.default_rng(0))
    actions = np.array([action[0] for _, action in steps]).reshape(100, 4)
    assert (actions == actions[:, :1]).all()


@pytest.mark.parametrize("name", BY_SEQUENCES)
def test_the_value_is_that_of_the_last_rollouts_alone(name):
    """With the highest of many returns, each with noise of up to 0.02, the value would be near 0.62."""
    values = [
        planners.make(name, repeats=5).plan(Bandit(), np.zeros(1), Budget(200), np.random.default_rng(seed)).value
        for seed in range(40)
    ]
    assert np.mean(values) == pytest.approx(0.6, abs=0.005)


@pytest.mark.parametrize("name", BY_SEQUENCES)
def test_rollouts_end_at_the_lookahead(name):
    """Chain pays after three steps, so that with two its small reward for steps back is all there is."""
    plan = planners.make(name, lookahead=2).plan
    decision = plan(Chain(), np.zeros(1), Budget(1_000), np.random.default_rng(0))
    assert decision.value == pytest.approx(0.05 + 0.9 * 0.05)
    assert planners.make(name, lookahead=None).plan(
        Chain(), np.zeros(1), Budget(1_000), np.random.default_rng(0)
    ).value == pytest.approx(0.81)


@pytest.mark.parametrize("name", BY_SEQUENCES)
def test_the_lookahead_may_be_given_by_its_earlier_name(name):
    assert planners.make(name, horizon=20) == planners.parse(f"{name}:horizon=20") == planners.make(name, lookahead=20)
    assert type(planners.make(name))(horizon=20) == planners.make(name, lookahead=20)
    assert planners.REGISTRY.text(planners.make(name, horizon=20)) == f"{name}:lookahead=20"
    with pytest.raises(ValueError, match=r"^horizon=20: .* lookahead"):
        planners.make(name, horizon=20, lookahead=20)


@pytest.mark.parametrize("name", ["cem", "icem", "mppi"])
def test_few_simulations_make_smaller_rounds(name):
    twin, steps = counted(Bandit())
    decision = planners.make(name, population=50).plan(twin, np.zeros(1), Budget(40), np.random.default_rng(0))
    assert len(decision.actions) <= 25 + 2
    assert len(steps) == 40


@pytest.mark.parametrize("beta", [0.0, 1.0, 2.0, 3.5])
def test_coloured_noise_has_variance_1_and_the_spectrum_of_its_colour(beta):
    for steps in (1, 2, 7, 64):
        noise = coloured_noise((20_000, steps, 2), beta, np.random.default_rng(0))
        assert noise.shape == (20_000, steps, 2)
        assert noise.mean((0, 2)) == pytest.approx(0.0, abs=0.03)
        assert noise.var((0, 2)) == pytest.approx(1.0, abs=0.03)
        if steps <= 2:
            continue
        power = (abs(np.fft.rfft(noise, axis=1)) ** 2).mean((0, 2))
        inner = np.arange(1, (steps + 1) // 2)
        np.testing.assert_allclose(power[inner] / power[1], inner**-beta, rtol=0.05)


def test_coloured_noise_is_the_same_on_every_processor():
    """numpy's power of fractions is not: where AVX-512 is there, it rounds differently."""
    found = {beta: coloured_noise((1, 30, 1), beta, np.random.default_rng(0)).tobytes() for beta in (0.28, 3.3, 3.6)}
    assert {beta: hashlib.blake2b(noise, digest_size=4).hexdigest() for beta, noise in found.items()} == {
        0.28: "1150e017",
        3.3: "c795a80b",
        3.6: "30f4246b",
    }


def test_draws_lie_within_the_bounds_and_fits_keep_a_part():
    model = envs.TreasureHunt()
    gaussian = Gaussian(model, 3, 0.5, 0.0, np.random.default_rng(0))
    drawn = gaussian.draw(1_000)
    assert (drawn >= model.action_low).all() and (drawn <= model.action_high).all()
    assert (drawn == model.action_high).any()
    elites = np.array([[[1.0], [2.0], [0.5]], [[3.0], [2.0], [0.5]]])
    gaussian.fit(elites, momentum=0.25, least_sd=0.2)
    assert gaussian.mean.ravel() == pytest.approx([1.5, 1.5, 0.375])
    assert gaussian.sd.ravel() == pytest.approx([0.25 * np.pi + 0.75, *[0.4 * np.pi] * 2])


def test_a_weighted_mean_of_actions_on_a_bound_stays_within_it():
    model, rng = Bandit(), np.random.default_rng(0)
    gaussian = Gaussian(model, 1, 0.5, 0.0, rng)
    gaussian.low, gaussian.high = np.full(1, -9.81), np.full(1, 9.81)
    rounds = mppi._Rounds(planners.make("mppi"), gaussian, 10)
    means = []
    for bound in (gaussian.low, gaussian.high):
        for _ in range(50):
            returns = rng.random(10)
            rounds.learn(np.full((10, 1, 1), bound), returns)
            means.append(abs(gaussian.mean[0, 0]))
            gaussian.fit(np.full((7, 1, 1), bound), 0.1, 0.0)
            means.append(abs(gaussian.mean[0, 0]))
    assert max(means) == 9.81
