"""Root pre-search on a target whose highest value is too narrow to be hit."""

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.core.search import progress_to
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import AimBlock
from bonspiel.planners.wrappers.presearch.sweep import Sweep, grid_size, peaks, smoothed
from tests.planners.tiny_models import Target, python_twin


@compiled("actions")
def target_actions(state, params, out, keys):
    out[0, 0], keys[0] = 0.1, np.uint64(1)
    return 1


class TargetWithSets(Target):
    max_actions = 1
    actions = staticmethod(target_actions)


@pytest.mark.parametrize("inner", ["abstraction", "uct", "dpw"])
@pytest.mark.parametrize("make", [Target, TargetWithSets])
def test_aims_where_the_noise_does_no_harm(inner, make):
    planner = planners.parse(f"presearch:inner={inner},size=101,candidates=4")
    decision, sweep = planner.plan_with_sweep(make(), np.zeros(2), Budget(2_000), np.random.default_rng(1))
    assert decision.simulations == 2_000
    places = sweep.blocks[0].actions[0, :, 0]
    assert abs(places[np.nanargmax(sweep.raw[0][0])] - Target.narrow) < 0.011
    assert abs(places[np.nanargmax(sweep.smooth[0][0])] - Target.broad) < 0.05
    assert abs(decision.action[0] - Target.broad) < 0.06


def test_actions_that_the_model_proposes_go_on_too():
    decision = planners.make("presearch", size=50).plan(
        TargetWithSets(), np.zeros(2), Budget(500), np.random.default_rng(0)
    )
    assert 0.1 in decision.actions


@pytest.mark.parametrize("budget", [Budget(1), Budget(2), Budget(seconds=0.001)])
def test_small_budgets(budget):
    decision = planners.make("presearch").plan(TargetWithSets(), np.zeros(2), budget, np.random.default_rng(0))
    assert 0.0 <= decision.action[0] <= 1.0
    assert decision.simulations >= 1


def test_the_search_has_the_time_that_the_sweep_leaves(ticking):
    planner = planners.make("presearch", size=50)
    planner.plan(TargetWithSets(), np.zeros(2), Budget(1), np.random.default_rng(0))  # loads compiled code
    ticking(0.0004)
    decision = planner.plan(TargetWithSets(), np.zeros(2), Budget(seconds=0.1), np.random.default_rng(0))
    assert 0.09 < decision.seconds < 0.11
    assert decision.visits.sum() / decision.simulations > 0.2


def test_seeds_and_interpreted_runs():
    for make in (Target, TargetWithSets):
        plan = planners.make("presearch", size=40).plan
        decisions = [
            plan(model, np.zeros(2), Budget(300), np.random.default_rng(seed))
            for model, seed in ((make(), 1), (make(), 1), (python_twin(make()), 1), (make(), 2))
        ]
        values = [decision.values.tolist() for decision in decisions]
        assert values[0] == values[1] == values[2] != values[3]


def test_a_model_without_a_grid_is_told():
    class Gridless(Target):
        aim_grid = None

    with pytest.raises(TypeError, match=r"Gridless.*`aim_grid`"):
        planners.make("presearch").plan(Gridless(), np.zeros(2), Budget(100), np.random.default_rng(0))


def test_root_actions_leave_nothing_to_sweep():
    own = np.array([[0.2], [0.71]])
    decision = planners.make("presearch").plan(Target(), np.zeros(2), Budget(500), np.random.default_rng(0), own)
    np.testing.assert_array_equal(decision.actions, own)
    assert decision.action[0] == 0.71


@compiled("player")
def second_player(state, params):
    return -1.0


@pytest.mark.parametrize("make", [Target, TargetWithSets])
@pytest.mark.parametrize(
    ("inner", "state"),
    [
        ("abstraction:lookahead=1", [0.0, 0.0]),
        ("root:workers=1,inner=(uct:lookahead=1)", [0.0, 0.0]),
        ("abstraction", [0.3, 1.0]),
    ],
)
def test_nothing_is_valued_after_the_last_step(make, inner, state):
    """Of the episode or of a short plan: the reward of a step of Target does not depend on the action."""
    planner = planners.parse(f"presearch:inner=({inner}),size=50")
    sweep = planner.sweep(make(), np.array(state), Budget(500), np.random.default_rng(0))
    assert sweep.simulations == 0
    assert np.ptp(sweep.raw[0]) == 0.0


class Opponent(Target):
    player = staticmethod(second_player)


def test_values_are_those_of_the_player_to_move():
    sweep = planners.make("presearch", size=50).sweep
    ours, theirs = (
        sweep(model, np.zeros(2), Budget(500), np.random.default_rng(0)) for model in (Target(), Opponent())
    )
    np.testing.assert_array_equal(ours.raw[0], -theirs.raw[0])
    np.testing.assert_array_equal(ours.smooth[0], -theirs.smooth[0])


@compiled("step")
def sloped_step(state, action, next_state, params, rng):
    next_state[1] = state[1] + 1.0
    if state[1] == 0.0:
        next_state[0] = action[0]
        return 0.0, False
    next_state[0] = state[0]
    return (params[0] if state[0] < params[1] else params[2]) + params[3] * state[0], True


@compiled("rollout")
def sloped_rollout(state, scratch, depth, params, rng):
    return params[0] if state[1] == 0.0 else sloped_step(state, state, scratch, params, rng)[0]


class Sloped(Target):
    """Returns `left` where the first action is below `edge`, as the policy's is, and else `right`; the second is x."""

    step = staticmethod(sloped_step)
    rollout = staticmethod(sloped_rollout)
    return_bounds = 0.0, 1.0
    indifference = 0.002

    def __init__(self, left, right=0.0, edge=2.0, slope=0.0):
        self.params = np.array([left, edge, right, slope])

    def tie_breaker(self, state):
        return type(self)(0.0, slope=1.0)


class SlopedWithSets(Sloped):
    max_actions = 1
    actions = staticmethod(target_actions)


class SlopedAgainst(SlopedWithSets):
    player = staticmethod(second_player)


def decided(model, simulations=800, seed=0):
    return planners.make("presearch", size=101).plan(
        model, np.zeros(2), Budget(simulations), np.random.default_rng(seed)
    )


@pytest.mark.parametrize("kind", [Sloped, SlopedWithSets])
@pytest.mark.parametrize("sure", [0.0, 0.001, 0.999, 1.0])
def test_where_all_returns_tie_the_second_reward_decides(kind, sure):
    decision = decided(kind(sure))
    assert decision.action[0] > 0.9
    assert decision.value == pytest.approx(sure) and np.nanmax(abs(decision.values - sure)) < 1e-9
    assert decision.simulations == 800


@pytest.mark.parametrize("right", [0.999, 0.95])
def test_what_is_reported_while_the_second_reward_decides_is_a_return(right):
    seen = []
    with progress_to(lambda decision: seen.append(decision.value)):
        decided(SlopedWithSets(0.999, right=right, edge=0.5), simulations=8_000)
    assert seen == pytest.approx([0.999] * len(seen)) and len(seen) > 0


def test_the_opponent_wants_least_of_the_second_reward():
    won, lost = (decided(SlopedAgainst(sure)) for sure in (0.0, 1.0))
    assert max(won.action[0], lost.action[0]) < 0.1
    assert (won.value, lost.value) == (0.0, -1.0)


def test_of_actions_with_the_best_return_the_second_reward_chooses():
    decision = decided(SlopedWithSets(1.0, right=0.95, edge=0.5))
    best = decision.actions[decision.actions < 0.5].max()
    assert decision.action[0] == best > 0.1 and decision.value == 1.0
    assert decision.simulations == 800


@pytest.mark.parametrize("given", [(0.5, 0.3, 0.6), (0.99, 0.3, 0.6), (0.01, 0.3, 0.6), (0.0, 0.0, 2.0, 0.05)])
def test_decisions_without_a_tie_stay_as_they_are(given):
    """In the last case the policy always has the worst return, and the model's own action has a better one."""

    class Without(SlopedWithSets):
        tie_breaker = None

    before, now = (decided(kind(*given), seed=3) for kind in (Without, SlopedWithSets))
    for name in ("action", "actions", "visits", "values", "value", "simulations"):
        np.testing.assert_array_equal(getattr(before, name), getattr(now, name))


def test_smoothing_leaves_out_what_is_not_known():
    values = np.array([[1.0, np.nan, 3.0]])
    even = smoothed(values, np.array([[1.0, 0.0, 1.0]]), (0.0, 1.0))
    assert even[0, 1] == pytest.approx(2.0)
    assert 1.0 < even[0, 0] < 2.0 < even[0, 2] < 3.0
    assert np.isnan(smoothed(values, np.zeros((1, 3)), (0.0, 1.0))).all()


def test_peaks_are_apart():
    values = np.zeros((3, 30))
    values[1, 5], values[1, 6], values[2, 20], values[0, 12] = 0.9, 0.8, 0.7, 0.95
    actions = np.stack(np.meshgrid(range(3), range(30), indexing="ij"), -1).astype(float)
    block = AimBlock(actions, (0.0, 2.0))
    found = peaks(Sweep([block], [values], [values], 0), 3, np.random.default_rng(0))
    assert found.tolist() == [[0.0, 12.0], [1.0, 5.0], [2.0, 20.0]]


def test_grids_come_in_few_sizes():
    assert [grid_size(n, 4_284) for n in (100_000, 4_284, 4_283, 2_142, 1_600)] == [4284, 4284, 3029, 2142, 1515]


def test_traits_are_those_of_the_inner_planner():
    traits = planners.parse("presearch:inner=(threads:inner=uct,threads=2)").traits
    assert not traits.reproducible and traits.divides_budget
    assert planners.parse("presearch:inner=(root:inner=uct,workers=3)").traits.budget_multiple == 3
