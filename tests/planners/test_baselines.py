"""The baselines: doing nothing, and the best constant action."""

from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs import baselines
from bonspiel.planners import Budget
from bonspiel.planners.constant import Constant
from bonspiel.planners.do_nothing import DoNothing, null_action


class Slope:
    """Ten steps on a line, in plain Python: the reward is the action minus its cost, which grows with its square."""

    state_dim, horizon, discount, compiled, time_index = 1, 10, 0.9, False, 0
    params = np.zeros(1)
    action_low, action_high = np.array([-1.0]), np.array([1.0])

    def __init__(self, best=0.5):
        self.best = best

    def initial_state(self, rng):
        return np.zeros(1)

    def step(self, state, action, next_state, params, rng):
        next_state[0] = state[0] + 1.0
        return -((action[0] - self.best) ** 2), False

    def sample_action(self, state, action, params, rng):
        action[0] = rng.uniform(-1.0, 1.0)


def bounded(low, high, **parts):
    return SimpleNamespace(action_low=np.array(low, float), action_high=np.array(high, float), **parts)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (bounded([-1, 0], [1, 2]), [0, 0]),
        (bounded([0.5, -3], [2, -0.25]), [0.5, -0.25]),
        (bounded([-np.inf, 2], [np.inf, np.inf]), [0, 2]),
        (bounded([0.5, -3], [2, -0.25], action_kinds=("integer", "real")), [1, -0.25]),
        (bounded([0.5, -3], [2, -0.25], action_kinds=("real", "categorical")), [0.5, -1]),
        (bounded([0, 0], [1, 3], action_kinds=("boolean", "categorical")), [0, 0]),
        (bounded([0, 0], [9, 9], null_action=[4.5, 4.5]), [4.5, 4.5]),
    ],
)
def test_the_action_that_does_nothing(model, expected):
    assert null_action(model).tolist() == expected


def test_a_null_action_out_of_bounds_is_refused():
    with pytest.raises(ValueError, match="null_action"):
        null_action(bounded([0, 0], [1, 1], null_action=[0.5, 2.0]))


def test_doing_nothing_plays_the_null_action():
    model = envs.parse("hovering")
    state = model.initial_state(np.random.default_rng(1))
    decision = DoNothing().plan(model, state, Budget(7), np.random.default_rng(1))
    assert decision.action.tolist() == [4.905, 4.905] and decision.simulations == 0


def test_doing_nothing_in_a_model_of_listed_actions_needs_a_null_action():
    listed = SimpleNamespace(discrete=True, null_action=None)
    assert "only those of `actions`" in DoNothing().unsupported(listed)
    assert DoNothing().unsupported(SimpleNamespace(discrete=True, null_action=[0.0])) is None


@pytest.mark.parametrize("budget", [1, 2, 3, 10, 100, 1000])
def test_the_simulations_of_the_budget_are_spent_on_candidates_of_which_the_better_ones_have_more(budget):
    model = Slope()
    decision = Constant().plan(model, np.zeros(1), Budget(budget), np.random.default_rng(1))
    assert decision.simulations == decision.visits.sum() == budget
    assert decision.actions[0] == 0.0 and decision.visits.min() >= 1
    assert decision.action == decision.actions[decision.values.argmax()]
    if budget >= 100:
        nearest = np.abs(decision.actions[:, 0] - model.best).argmin()
        assert decision.visits[nearest] == decision.visits.max() > decision.visits.min()
        assert decision.value == pytest.approx(
            -((decision.action[0] - model.best) ** 2) * (1 - 0.9**10) / (1 - 0.9), rel=1e-9
        )


def test_doing_nothing_is_chosen_where_it_is_best():
    decision = Constant().plan(Slope(best=0.0), np.zeros(1), Budget(300), np.random.default_rng(1))
    assert decision.action == 0.0 and decision.value == 0.0


def test_a_time_budget_has_a_fixed_number_of_candidates_and_is_kept():
    model = envs.parse("trap")
    planner, rng = Constant(), np.random.default_rng(1)
    planner.plan(model, np.zeros(2), Budget(5), rng)
    decision = planner.plan(model, np.zeros(2), Budget(seconds=0.05), rng)
    assert len(decision.actions) == 64 and decision.simulations == decision.visits.sum() > 64
    assert decision.seconds < 1.0


def test_root_actions_are_the_candidates():
    given = np.array([[-0.5], [0.4], [0.9]])
    decision = Constant().plan(Slope(), np.zeros(1), Budget(20), np.random.default_rng(1), given)
    assert decision.actions.tolist() == given.tolist() and decision.action == 0.4


def test_one_action_is_held_for_the_whole_episode_and_found_by_the_first_decision():
    model, rng = Slope(), np.random.default_rng(3)
    search = planners.begin_episode(planners.make("constant"), model)
    first = search.plan(np.zeros(1), Budget(50), rng)
    drawn = rng.bit_generator.state
    model.best = -0.9  # another choice would see it
    later = search.plan(np.ones(1), Budget(50), rng)
    assert later.action.tolist() == first.action.tolist()
    assert (first.simulations, later.simulations) == (50, 0) and rng.bit_generator.state == drawn
    other = planners.begin_episode(planners.make("constant"), model).plan(np.zeros(1), Budget(50), rng)
    assert other.action < 0.0


def test_a_plan_length_limits_what_a_simulation_sees():
    short = Constant(lookahead=1).plan(Slope(), np.zeros(1), Budget(20), np.random.default_rng(1))
    assert short.value == pytest.approx(-((short.action[0] - 0.5) ** 2))


def test_values_of_the_baselines_are_those_of_their_episodes(monkeypatch, tmp_path):
    monkeypatch.setenv("BONSPIEL_CACHE", str(tmp_path))
    monkeypatch.setattr(baselines, "STEPS", 200_000)
    model, rng = envs.parse("double_integrator"), np.random.default_rng(2)

    def played(name):
        returns = []
        for _ in range(400):
            search = planners.begin_episode(planners.make(name), model)
            state, total = model.initial_state(rng), 0.0
            for _ in range(model.horizon):
                action, after = search.plan(state, Budget(1000), rng).action, np.empty(model.state_dim)
                total, state = total + model.step(state, action, after, model.params, rng)[0], after
            returns.append(total)
        return np.mean(returns), np.std(returns) / 20.0

    for name in ("do_nothing", "constant"):
        mean, error = played(name)
        assert abs(mean - getattr(baselines, f"{name}_value")(model)) < 6.0 * error, name


def test_a_model_in_python_has_no_values_without_episodes():
    for value in (baselines.random_value, baselines.do_nothing_value, baselines.constant_value):
        with pytest.raises(TypeError, match="needs a compiled model"):
            value(Slope())


def test_later_decisions_obey_root_actions_and_the_end_of_the_episode():
    model = Slope()
    search = planners.begin_episode(Constant(), model)
    first = search.plan(np.zeros(1), Budget(64), np.random.default_rng(0))
    held = search.plan(np.array([9.0]), Budget(64), np.random.default_rng(1))
    assert (held.action, held.simulations, len(held.plan)) == (first.action, 0, 1)
    others = np.array([[0.9], [0.95]])
    assert search.plan(np.array([1.0]), Budget(64), np.random.default_rng(1), others).action in others
    both = np.concatenate([others, first.action[None]])
    assert search.plan(np.array([1.0]), Budget(64), np.random.default_rng(1), both).action == first.action
    with pytest.raises(ValueError, match="root_actions"):
        search.plan(np.array([1.0]), Budget(64), np.random.default_rng(1), np.array([[5.0]]))
    with pytest.raises(ValueError, match="the episode is over"):
        search.plan(np.array([10.0]), Budget(64), np.random.default_rng(1))
