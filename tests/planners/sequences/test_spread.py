"""Where sequences from a Gaussian begin, and how widely they spread, in boxes of actions of any width."""

from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs.classic.double_integrator import model as double_integrator
from bonspiel.planners import Budget
from bonspiel.planners.sequences.gaussians import Gaussian
from bonspiel.planners.sequences.mixed import Mixed
from tests.planners.tiny_models import Bandit

GAUSSIANS = ["cem", "icem", "mppi"]


@dataclass(frozen=True)
class Boxed:
    """The double integrator in a box of actions of any width."""

    width: float

    state_dim = 3
    time_index = 2
    horizon = 50
    discount = 1.0
    compiled = True
    state_low = np.array([-3.0, -3.0, 0.0])
    state_high = np.array([3.0, 3.0, 50.0])
    params = np.array([0.0])
    step = staticmethod(double_integrator.step)
    sample_action = staticmethod(double_integrator.sample_action)

    def initial_state(self, rng):
        return np.array([1.0, 0.5, 0.0])

    @property
    def action_low(self):
        return np.array([-self.width])

    @property
    def action_high(self):
        return np.array([self.width])


def mean_cost(text, model):
    """Mean cost of the plans of 20 first decisions."""
    planner, state = planners.parse(text), model.initial_state(None)
    return -np.mean([planner.plan(model, state, Budget(300), np.random.default_rng(k)).value for k in range(20)])


@pytest.mark.parametrize("name", ["cem", "icem"])
def test_with_octaves_a_box_ten_times_wider_costs_less_than_twice_as_much(name):
    narrow, wide = Boxed(2.0), Boxed(20.0)
    assert mean_cost(f"{name}:octaves=8", wide) < 2.0 * mean_cost(f"{name}:octaves=8", narrow)
    assert mean_cost(name, wide) > 4.0 * mean_cost(name, narrow)


@pytest.mark.parametrize("octaves", [3.0, 8.0])
def test_half_of_the_scales_are_log_uniform_and_have_the_fitted_deviation(octaves):
    gaussian = Gaussian(Bandit(), 1, 0.5, 0.0, np.random.default_rng(0), octaves)
    before = gaussian.scales(20_000).ravel()
    assert (before == 1.0).mean() == pytest.approx(0.5, abs=0.01)
    narrower = np.log2(before[before < 1.0]) / octaves
    assert np.quantile(narrower, [0.0, 0.25, 0.5, 0.75, 1.0]) == pytest.approx(
        [-1.0, -0.75, -0.5, -0.25, 0.0], abs=0.02
    )
    gaussian.fit(np.array([[[0.2]], [[0.4]]]), 0.0, 0.0)
    after = gaussian.scales(20_000).ravel()
    assert np.mean(after[after < after.max()] ** 2) == pytest.approx(1.0, abs=0.05)


@dataclass(frozen=True)
class WithSwitch(Bandit):
    """A second coordinate of the action is a boolean."""

    action_low = np.zeros(2)
    action_high = np.ones(2)
    action_kinds = ("real", "boolean")


@pytest.mark.parametrize(("made", "model"), [(Gaussian, Bandit()), (Mixed, WithSwitch())])
def test_draws_have_the_deviation_of_their_scale(made, model):
    """The deviation over the 40 steps of each sequence, far from the bounds; of the narrower half 10 and 50 % are below
    2^-3.6 and 2^-2.
    """
    gaussian = made(model, 40, 1e-3, 0.0, np.random.default_rng(0), 4.0)
    spread = gaussian.draw(4_000)[:, :, 0].std(1) * 1e3
    assert np.quantile(spread, [0.05, 0.25, 0.75]) == pytest.approx([2**-3.6, 0.25, 1.0], rel=0.2)
    gaussian.octaves = 0.0
    assert gaussian.draw(4_000)[:, :, 0].std(1).min() > 0.5e-3


def test_the_least_deviation_is_narrower_by_all_octaves():
    for octaves, least in ((0.0, 0.02), (3.0, 0.0025)):
        gaussian = Gaussian(Bandit(), 1, 0.5, 0.0, np.random.default_rng(0), octaves)
        gaussian.fit(np.full((4, 1, 1), 0.3), 0.0, 0.02)
        assert gaussian.sd.item() == pytest.approx(least)


@pytest.mark.parametrize("name", GAUSSIANS)
def test_the_mean_begins_with_the_action_of_start(name):
    """A single rollout is that of the mean; hovering has a `null_action` in the middle of its box."""
    for model, middle, null in ((Bandit(), 0.5, 0.0), (envs.make_model("hovering"), 4.905, 4.905)):
        for start, action in (("middle", middle), ("null", null)):
            planner = planners.make(name, start=start)
            rng = np.random.default_rng(0)
            decision = planner.plan(model, model.initial_state(rng), Budget(1), rng)
            assert decision.action == pytest.approx(action)


def test_a_spread_or_start_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"octaves=-1.0"):
        planners.make("cem", octaves=-1.0)
    with pytest.raises(ValueError, match=r"start='zero'"):
        planners.make("cem", start="zero")
