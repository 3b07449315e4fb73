"""The plan of a decision, a search that starts from one, and the steps by which memory is shifted."""

import dataclasses

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.testing import Walk
from tests.planners.kinds_models import MANY
from tests.planners.tiny_models import Chain

SEQUENCES = ["cem", "icem", "mppi"]
ONE = Budget(simulations=1)  # rolls out the mean sequence alone, whose first action is played


def decide(search, state, budget=ONE):
    return search.plan(np.asarray(state, float), budget, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["do_nothing", "random", "constant", *planners.names_for(envs.make_model("pendulum"))])
def test_a_plan_begins_with_the_action_and_keeps_to_the_bounds(name):
    model = envs.make_model("pendulum")
    state = model.initial_state(np.random.default_rng(0))
    decision = planners.make(name).plan(model, state, Budget(200), np.random.default_rng(0))
    assert decision.plan[0].tolist() == decision.action.tolist()
    assert ((model.action_low <= decision.plan) & (decision.plan <= model.action_high)).all()


@pytest.mark.parametrize("name", [*SEQUENCES, "random_shooting", "constant"])
def test_the_value_of_a_decision_is_the_return_of_its_plan(name):
    model = envs.make_model("pendulum")
    rng = np.random.default_rng(0)
    state = model.initial_state(rng)
    decision = planners.make(name, lookahead=20).plan(model, state, Budget(100), rng)
    total = 0.0
    for action in decision.plan:
        after = np.empty_like(state)
        total += model.step(state, action, after, model.params, rng)[0]
        state = after
    assert len(decision.plan) == 20 and total == pytest.approx(decision.value)


@pytest.mark.parametrize("name", ["uct", "dpw", "open_loop", "sequential_halving", "crave", "adaptive"])
def test_a_tree_plans_as_far_as_it_knows(name):
    """Three steps to the right are the best in Chain."""
    decision = planners.make(name).plan(Chain(), np.zeros(1), Budget(2000), np.random.default_rng(0))
    assert (decision.plan[:3] >= 0.5).all() and len(decision.plan) >= 3


@pytest.mark.parametrize("name", ["uct", "pw", "sequential_halving"])
def test_a_tree_plans_no_further_than_it_knows(name):
    """Each of its noisy outcomes was met once, so that it knows nothing of the second step."""
    decision = planners.make(name).plan(Walk(), np.zeros(2), Budget(500), np.random.default_rng(0))
    assert decision.plan.tolist() == [decision.action.tolist()]


def test_root_plans_as_the_worker_whose_action_it_plays():
    planner = planners.parse("root:inner=(icem:lookahead=4),workers=2,combine=max,run=one")
    decision = planner.plan(Walk(), np.zeros(2), Budget(20), np.random.default_rng(0))
    assert decision.plan.shape == (4, 1)


def test_a_decision_with_another_action_plans_that_alone():
    decision = planners.make("icem").plan(Chain(), np.zeros(1), Budget(20), np.random.default_rng(0))
    other = dataclasses.replace(decision, action=np.array([0.123]))
    assert len(decision.plan) == 5 and other.plan.tolist() == [[0.123]]


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_search_starts_from_a_plan(name):
    plan = np.array([[0.1], [0.9], [0.3]])
    search = planners.begin_episode(planners.make(name, memory=1.0), Chain(), plan=plan)
    plan[:] = 0.5
    assert [decide(search, [k]).action.tolist() for k in range(4)] == [[0.1], [0.9], [0.3], [0.3]]
    half = planners.begin_episode(planners.make(name, memory=0.5), Chain(), plan=np.array([[0.1]]))
    assert decide(half, [0.0]).action == pytest.approx(0.3)  # between it and the middle


def test_adaptive_starts_from_a_plan():
    """No other sequence of HillCar reaches the goal by few simulations."""
    model, rng = envs.HillCar(noise=0.0), np.random.default_rng(1)
    state = model.initial_state(rng)
    planner = planners.make("adaptive")
    first = planner.plan(model, state, Budget(4000), rng)
    warm = planners.begin_episode(planner, model, plan=first.plan).plan(state, Budget(40), rng)
    cold = planners.begin_episode(planner, model).plan(state, Budget(40), rng)
    assert np.array_equal(warm.plan, first.plan) and not np.array_equal(cold.plan, first.plan)


def test_a_plan_of_values_without_an_order_is_started_from():
    model, rng = MANY, np.random.default_rng(0)
    plan = planners.make("icem").plan(model, model.initial_state(rng), Budget(50), rng).plan
    search = planners.begin_episode(planners.make("cem", memory=1.0), model, plan=plan)
    assert np.array_equal(search.plan(model.initial_state(rng), ONE, rng).plan, plan)


@pytest.mark.parametrize("text", ["uct", "icem", "mppi:memory=0", "random_shooting", "constant"])
def test_others_refuse_a_plan(text):
    with pytest.raises(ValueError, match=r"^plan='given': must be None for .*cem, icem, mppi and adaptive with a mem"):
        planners.begin_episode(planners.parse(text), Chain(), plan=np.zeros((2, 1)))


@pytest.mark.parametrize("plan", [np.zeros(1), np.zeros((0, 1)), np.full((2, 1), 1.5), np.zeros((2, 2))])
def test_a_plan_of_no_actions_of_the_model_is_refused(plan):
    with pytest.raises(ValueError, match=r"^plan="):
        planners.begin_episode(planners.make("icem", memory=1.0), Chain(), plan=plan)


PLAN = np.linspace(0.1, 0.5, 5)[:, None]


@pytest.mark.parametrize("name", SEQUENCES)
@pytest.mark.parametrize(
    ("model", "states", "expected"),
    [
        (Chain(), [[0], [0], [1], [1], [2]], [0, 0, 1, 1, 2]),  # the same state is the same step
        (Walk(), [[0.1, 0], [0.1, 0], [0.2, 1], [0.25, 1], [0.3, 3]], [0, 0, 1, 1, 3]),  # a late measurement; a skip
        (Walk(), [[0.1, 0], [0.2, 0], [0.3, 0]], [0, 1, 2]),  # nobody counts, as `observe(env, seen)`
    ],
)
def test_memory_is_shifted_by_the_steps_that_passed(name, model, states, expected):
    search = planners.begin_episode(planners.make(name, memory=1.0), model, plan=PLAN)
    assert [decide(search, state).action.tolist() for state in states] == PLAN[expected].tolist()


class Failing:
    """Fails while it is told to; counts no steps."""

    state_dim, horizon, discount, compiled, fails = 1, 5, 1.0, False, False
    action_low, action_high, params = np.zeros(1), np.ones(1), np.zeros(1)

    def sample_action(self, state, action, params, rng):
        action[0] = rng.random()

    def step(self, state, action, next_state, params, rng):
        if self.fails:
            raise RuntimeError("sensor lost")
        next_state[:] = state
        return 0.0, False


def test_a_decision_that_failed_was_a_step():
    model = Failing()
    search = planners.begin_episode(planners.make("mppi", memory=1.0), model, plan=PLAN)
    played = []
    for k in range(4):
        model.fails = k == 2
        try:
            played.append(decide(search, [k]).action.tolist())
        except ValueError:
            played.append("sensor lost")
    assert played == [*PLAN[:2].tolist(), "sensor lost", PLAN[3].tolist()]
