"""Smooth plans: by knots, and by a cost and a limit of the change between consecutive actions."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.sequences.gaussians import Gaussian
from bonspiel.planners.sequences.mixed import Mixed
from bonspiel.planners.sequences.smooth import Knots, Rates
from bonspiel.planners.testing import Walk, check_planner
from tests.planners.kinds_models import MANY

GAUSSIANS = ["cem", "icem", "mppi"]


@dataclass(frozen=True)
class Cart:
    """Pushed to a place; with a weight, the last two coordinates are the action before, and its change costs."""

    weight: float = 0.0

    state_dim, time_index, horizon, discount, compiled = 5, 2, 12, 0.9, False
    action_low, action_high, params = np.array([-1.0, 0.0]), np.array([1.0, 6.0]), np.zeros(1)

    def initial_state(self, rng):
        return np.array([2.0, 0.0, 0.0, np.nan, np.nan]) if self.weight else np.array([2.0, 0.0, 0.0, 0.0, 0.0])

    def step(self, state, action, next_state, params, rng):
        next_state[1] = state[1] + 0.3 * action[0] + 0.02 * (action[1] - 3.0)
        next_state[0] = state[0] + next_state[1]
        next_state[2:] = state[2] + 1.0, *action
        change = (action - state[3:]) / (2.0, 6.0) if self.weight and state[2] > 0.0 else np.zeros(2)
        return -(next_state[0] ** 2) - self.weight * (change**2).sum(), False

    def sample_action(self, state, action, params, rng):
        action[:] = rng.uniform(self.action_low, self.action_high)


def episode(text, model, simulations=120, steps=4, seed=0):
    """The decisions of the first steps."""
    search, rng = planners.begin_episode(planners.parse(text), model), np.random.default_rng(seed)
    state, decisions = np.nan_to_num(model.initial_state(rng)), []
    for _ in range(min(steps, model.horizon)):
        decisions.append(search.plan(state, Budget(simulations), rng))
        following = np.empty(model.state_dim)
        model.step(state, decisions[-1].action, following, model.params, rng)
        state = following
    return decisions


OTHERS = ("cem", ",memory=1"), ("mppi", ",knots=4")
COSTS = "", ",memory=1", ",sight=4", ",knots=4,memory=0.5", ",repeats=2"
LIMITS = "", ",memory=1", ",knots=4", ",knots=4,interpolation=cubic,memory=1", ",octaves=4"


@pytest.mark.parametrize(("name", "more"), [*(("icem", more) for more in COSTS), *OTHERS])
def test_a_cost_of_change_decides_as_a_model_that_pays_it_and_leaves_the_values_alone(name, more):
    plain, paying = (
        episode(f"{name}:lookahead=8{part}", Cart(w)) for w, part in ((0.0, f"{more},rate_cost=3"), (3.0, more))
    )
    assert all(np.allclose(one.plan, other.plan, rtol=0.0, atol=1e-9) for one, other in zip(plain, paying, strict=True))
    before = None
    for one, other in zip(plain, paying, strict=True):
        changes = np.diff(one.plan if before is None else np.concatenate([[before], one.plan]), axis=0) / (2.0, 6.0)
        discounts = 0.9 ** np.arange(len(one.plan))[-len(changes) :]
        assert one.value - other.value == pytest.approx(3.0 * (changes**2).sum(1) @ discounts)
        before = one.action
    unsmoothed = episode(f"{name}:lookahead=8{more}", Cart())
    assert not np.allclose(plain[0].plan, unsmoothed[0].plan)


def changes_of(model, decisions):
    """The largest changes of each coordinate, as parts of its range, from the action played before and within plans."""
    found, before = [], decisions[0].plan[:1]
    for decision in decisions:
        found.append(abs(np.diff(np.concatenate([before, decision.plan]), axis=0)).max(0))
        before = decision.action[None]
    return np.max(found, axis=0) / (model.action_high - model.action_low)


@pytest.mark.parametrize(("name", "more"), [*(("icem", more) for more in LIMITS), *OTHERS])
def test_plans_obey_the_limit_of_change_from_the_action_played_before(name, more):
    model = Cart()
    decisions = episode(f"{name}:rate_limit=0.1{more}", model, steps=12)
    assert changes_of(model, decisions).max() <= 0.1 + 1e-12
    assert changes_of(model, episode(f"{name}{more.replace(',', ':', 1)}", model, steps=12)).max() > 0.1
    for decision in decisions:
        assert (decision.plan >= model.action_low).all() and (decision.plan <= model.action_high).all()


@pytest.mark.parametrize("name", GAUSSIANS)
def test_what_is_rolled_out_obeys_the_limit(name):
    rolled = []

    class Watched(Cart):
        def step(self, state, action, next_state, params, rng):
            if state[2] > 1.0:
                rolled.append(abs(action - state[3:]) / (2.0, 6.0))
            return super().step(state, action, next_state, params, rng)

    episode(f"{name}:rate_limit=0.2,memory=1", Watched(), steps=3)
    assert 0.19 < np.max(rolled) <= 0.2 + 1e-12


@pytest.mark.parametrize(
    "text", ["cem:rate_limit=0.2", "icem:knots=3,rate_limit=0.2,memory=1", "cem:knots=3,memory=0.5"]
)
def test_other_kinds_of_actions_stay_valid_and_integers_keep_the_limit(text):
    """Of six integers 0.2 is one; booleans and categoricals change as they like, but hold between knots."""
    model = replace(MANY, horizon=9)
    decisions = episode(text, model, steps=9)
    if "rate_limit" in text:
        assert (changes_of(model, decisions)[1:3] <= (0.2 + 1e-12, 1 / 6 + 1e-12)).all()
    for decision in decisions:
        whole = decision.plan[:, [0, 2, 3]]
        assert (whole == np.round(whole)).all()
        assert (decision.plan >= model.action_low).all() and (decision.plan <= model.action_high).all()
    if "knots" in text:
        first = decisions[0].plan.reshape(3, 3, 4)[:, :, [0, 3]]
        assert (first == first[:, :1]).all()


def test_least_limit_of_integers_is_1():
    rates = Rates(MANY, 0.0, 0.01, 1.0, np.array([0.0, 0.0, 2.0, 0.0]))
    assert rates.limited(np.array([[3.0, 1.0, 8.0, 1.0]])).tolist() == [[3.0, 0.02, 3.0, 1.0]]


def test_cost_of_categoricals_does_not_depend_on_their_numbers():
    rates = Rates(MANY, 2.0, None, 0.5, np.array([0.0, 0.0, 2.0, 0.0]))
    assert rates.costs(np.array([[[4.0, 1.0, 8.0, 1.0], [3.0, 1.0, 5.0, 1.0]]])) == pytest.approx(
        2.0 * (1.0 + 0.25 + 1.0 + 1.0 + 0.5 * (1.0 + 0.25))
    )


@pytest.mark.parametrize("interpolation", ["hold", "linear", "cubic"])
@pytest.mark.parametrize(("steps", "count"), [(7, 3), (5, 2), (50, 6)])
def test_sequences_are_those_of_other_programs(interpolation, steps, count):
    values = np.random.default_rng(0).standard_normal((3, count, 2))
    places = np.linspace(0, steps - 1, count)
    expected = {
        "hold": lambda: values[:, np.arange(steps) * count // steps],
        "linear": lambda: (
            np.stack([np.interp(np.arange(steps), places, one) for one in np.rollaxis(values, 1, 3).reshape(-1, count)])
            .reshape(3, 2, steps)
            .swapaxes(1, 2)
        ),
        "cubic": lambda: CubicSpline(places, values, axis=1, bc_type="natural")(np.arange(steps)),
    }[interpolation]()
    knots = Knots(steps, count, interpolation)
    np.testing.assert_allclose(knots.spread(values), expected, atol=1e-12)
    np.testing.assert_allclose(knots.nearest(expected), values, atol=1e-12)


@pytest.mark.parametrize("interpolation", ["hold", "linear", "cubic"])
def test_plans_are_interpolated_between_their_knots(interpolation):
    """Also with the mean of elites and with what is left of the last plan, as long as no action is at a bound."""
    decisions = episode(f"cem:knots=4,interpolation={interpolation},sd=0.02,memory=1", Cart())
    for decision, steps in zip(decisions, (12, 11, 10, 9), strict=True):
        knots = Knots(steps, 4, interpolation)
        np.testing.assert_allclose(knots.spread(knots.nearest(decision.plan)), decision.plan, atol=1e-9)
        assert len(np.unique(decision.plan[:, 0].round(9))) > 1


@pytest.mark.parametrize("name", GAUSSIANS)
def test_a_plan_to_start_from_becomes_one_by_knots(name):
    """A single rollout is that of the mean, here the plan."""
    planner, plan = planners.make(name, knots=4, memory=1.0), np.random.default_rng(0).uniform(0.0, 1.0, (12, 2))
    search = planners.begin_episode(planner, Cart(), plan=plan)
    decision = search.plan(np.zeros(5), Budget(1), np.random.default_rng(0))
    knots = Knots(12, 4, "linear")
    np.testing.assert_allclose(decision.plan, np.clip(knots.spread(knots.nearest(plan)), (-1.0, 0.0), (1.0, 6.0)))


def test_elites_are_fitted_at_the_knots():
    knots, model = Knots(12, 4, "linear"), Cart()
    gaussian = Gaussian(model, 12, 0.5, 0.0, np.random.default_rng(0), knots=knots)
    assert gaussian.sd.shape == (4, 2)
    values = np.random.default_rng(1).uniform(model.action_low, model.action_high, (50, 4, 2))
    gaussian.fit(knots.spread(values), 0.0, 0.0)
    np.testing.assert_allclose(gaussian.mean, knots.spread(values.mean(0)))
    np.testing.assert_allclose(gaussian.sd, values.std(0))


@pytest.mark.parametrize("beta", [0.0, 3.0])
def test_knots_have_the_deviation(beta):
    knots = Knots(30, 5, "linear")
    gaussian = Gaussian(Cart(), 30, 0.01, beta, np.random.default_rng(0), knots=knots)
    values = knots.nearest(gaussian.draw(20_000))
    np.testing.assert_allclose(values.std(0), np.tile([0.02, 0.06], (5, 1)), rtol=0.03)


@pytest.mark.parametrize("name", GAUSSIANS)
def test_as_many_knots_as_steps_are_none(name):
    for lookahead in (1, 2, 8):
        one, other = (episode(f"{name}:lookahead={lookahead},memory=1{more}", Cart()) for more in ("", ",knots=8"))
        assert [d.plan.tolist() for d in one] == [d.plan.tolist() for d in other]
    assert episode(f"{name}:knots=7,lookahead=8", Cart())[0].plan.tolist() != one[0].plan.tolist()


@pytest.mark.parametrize(("name", "simulations"), [("icem", 1), ("icem", 2), ("icem", 7), ("cem", 1), ("mppi", 1)])
def test_the_smallest_budgets_and_those_of_time(name, simulations):
    planner = planners.parse(f"{name}:knots=3,interpolation=cubic,rate_cost=1,rate_limit=0.1,memory=1")
    for budget in (Budget(simulations), Budget(seconds=0.002 * simulations)):
        search, rng = planners.begin_episode(planner, Cart()), np.random.default_rng(0)
        for t in range(3):
            decision = search.plan(np.array([1.0, 0.0, t, 0.0, 0.0]), budget, rng)
            assert decision.simulations == simulations or budget.simulations is None


class Line(Walk):
    """A longer line without noise, where 1 is worth most."""

    params, horizon = np.zeros(1), 30


def begun(memory=0):
    planner = planners.parse(f"cem:rate_limit=0.05,memory={memory}")
    return planners.begin_episode(planner, Line())


def test_a_step_decided_again_follows_the_action_before_it_and_a_step_left_out_the_plan():
    """A limit of 0.05 of the range of 2, in an episode with the steps 0, 1, 1 again and 4."""
    search, rng, decisions = begun(), np.random.default_rng(0), []
    for state in ([0.0, 0.0], [0.9, 1.0], [0.9, 1.0], [-0.9, 4.0]):
        decisions.append(search.plan(np.array(state), Budget(60), rng))
    one, two, again, late = decisions
    for before, after in ((one.action, two.action), (one.action, again.action), (again.plan[2], late.action)):
        assert abs(after - before) <= 0.1 + 1e-12


class Blocked(Line):
    """A line that a wall ends at 1, whose state does not tell the step: pushing on changes nothing."""

    state_dim, state_low, state_high = 1, np.array([-1.0]), np.array([1.0])
    time_index = None

    @staticmethod
    def step(state, action, next_state, params, rng):
        next_state[0] = min(max(state[0] + 0.1 * action[0], -1.0), 1.0)
        return action[0] * rng.standard_normal(), False


@pytest.mark.parametrize("text", ["cem:rate_limit=0.1", "icem:rate_limit=0.1,memory=1", "mppi:rate_limit=0.1,knots=5"])
def test_the_limit_holds_where_the_state_does_not_change(text):
    search, rng, actions = planners.begin_episode(planners.parse(text), Blocked()), np.random.default_rng(0), []
    for _ in range(12):
        actions.append(search.plan(np.ones(1), Budget(30), rng).action)
    assert np.abs(np.diff(actions, axis=0)).max() <= 0.2 + 1e-12


@pytest.mark.parametrize("memory", [0, 1])
def test_the_action_played_can_be_told(memory):
    search, rng = begun(memory), np.random.default_rng(0)
    search.played(np.array([-1.0]))
    assert search.plan(np.array([-5.0, 0.0]), Budget(60), rng).action == pytest.approx(-0.9)
    assert -0.9 < search.plan(np.array([-5.0, 1.0]), Budget(60), rng).action <= -0.8 + 1e-12
    search.played(np.array([5.0]))  # by a safeguard that knows no bounds
    assert search.plan(np.array([0.0, 2.0]), Budget(60), rng).action >= 0.9 - 1e-12


def test_a_plan_to_start_from_leaves_the_first_action_free():
    """A single rollout is that of the mean, here the plan."""
    search, rng = begun(memory=1), np.random.default_rng(0)
    search.plan(np.zeros(2), Budget(60), rng)
    assert abs(search.plan(np.array([0.0, 1.0]), Budget(60), rng).action) < 0.8
    search.start_from(np.full((20, 1), 0.99))
    assert search.plan(np.array([0.0, 2.0]), Budget(1), rng).action == 0.99


@pytest.mark.parametrize("text", ["cem:rate_limit=0.1", "icem:rate_cost=1,memory=1", "mppi:knots=3,rate_limit=0.2"])
def test_smooth_planners_keep_the_contract(text):
    check_planner(planners.parse(text), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("knots", 1),
        ("knots", 2.5),
        ("interpolation", "quintic"),
        ("rate_cost", -1.0),
        ("rate_limit", 0.0),
        ("rate_limit", 2.0),
    ],
)
def test_parameters_out_of_range_are_refused(key, value):
    with pytest.raises(ValueError, match=f"{key}={value!r}: must be"):
        planners.make("cem", **{key: value})


def test_shares_of_values_are_those_of_each_part():
    model = replace(MANY, horizon=12)
    mixed = Mixed(model, 12, 0.5, 0.0, np.random.default_rng(0), knots=Knots(12, 3, "linear"))
    elites = mixed.draw(10)
    mixed.fit(elites, 0.0, 0.0)
    parts = elites[:, ::4, 0]
    expected = np.stack([(parts == value).mean(0) for value in range(5)], axis=1)
    np.testing.assert_allclose(mixed.shares[0], expected)


def test_draws_and_means_of_other_kinds_obey_the_limit():
    last, rng = np.array([0.0, 0.0, 2.0, 0.0]), np.random.default_rng(0)
    mixed = Mixed(MANY, 12, 0.5, 0.0, rng, rates=Rates(MANY, 0.0, 0.2, 1.0, last))
    mixed.mean = rng.uniform(MANY.action_low, MANY.action_high, (12, 4))
    for sequences in (mixed.draw(50), mixed.sequence()[None]):
        before = np.concatenate([np.broadcast_to(last, (len(sequences), 1, 4)), sequences], axis=1)
        assert abs(np.diff(before, axis=1))[..., 1:3].max((0, 1)) == pytest.approx([0.4, 1.0])
        assert abs(np.diff(before, axis=1))[..., 0].max() > 1.0
