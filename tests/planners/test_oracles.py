"""Tree planners against the plain recursions of `oracles`: equal visits, values, actions and random draws."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.argmax import argmax_by
from tests.planners.oracles import TreeOracle, best_of, fixed_actions, kr_uct, proposed_actions, weighted_uct
from tests.planners.tiny_models import Bandit, Chain, Diamond, Duel, Handover, Target, python_twin

MODELS = [Bandit(), Chain(), Diamond(), Handover(), Target(), envs.Trap(), envs.TreasureHunt()]
FEW = [Handover(), Target(), envs.TreasureHunt()]
ONE_PLAYER = [model for model in MODELS if not hasattr(model, "player")]
WITH_ROLLOUT = [model for model in MODELS if hasattr(model, "rollout")]


def by_name(model):
    return type(model).__name__


def check(text, model, simulations, **rule):
    """Plan and search by the oracle from equal generators, at two budgets."""
    for budget in (simulations // 10, simulations):
        rng, oracle_rng = np.random.default_rng(11), np.random.default_rng(11)
        state = model.initial_state(None)
        decision = planners.parse(text).plan(model, state, Budget(budget), rng)
        edges = TreeOracle(model, oracle_rng, **rule).search(state, model.horizon, budget)
        assert decision.visits.tolist() == [edge.visits for edge in edges]
        assert decision.actions.tolist() == [edge.action.tolist() for edge in edges]
        assert decision.values.tolist() == [edge.mean for edge in edges]
        most = edges[best_of([(edge.visits, edge.mean) for edge in edges], oracle_rng)]
        assert (decision.action.tolist(), decision.value) == (most.action.tolist(), most.mean)
        assert rng.bit_generator.state == oracle_rng.bit_generator.state


@pytest.mark.parametrize("model", FEW, ids=by_name)
def test_uct_is_ucb1_on_fixed_actions(model):
    check("uct:leaf=tree", model, 400, choices=fixed_actions(model, 8))
    check("uct:n_actions=3,exploration=0.3,leaf=tree", model, 400, choices=fixed_actions(model, 3), exploration=0.3)


def test_uct_is_ucb1_on_the_actions_of_each_state():
    check("uct:leaf=tree", Duel(), 400, choices=proposed_actions(Duel()))


@pytest.mark.parametrize("model", FEW, ids=by_name)
def test_pw_is_ucb1_with_widening_actions(model):
    check("pw:leaf=tree,k_action=1", model, 400)
    check(
        "pw:alpha_action=0.5,k_action=1.5,exploration=0.3,leaf=tree", model, 400, actions=("1.5", 0.5), exploration=0.3
    )


@pytest.mark.parametrize("model", FEW, ids=by_name)
def test_dpw_widens_actions_and_outcomes(model):
    check("dpw:leaf=tree,k_action=1", model, 400, outcomes=(1, 0.25))
    check(
        "dpw:outcome=least_visited,alpha_state=0.5,k_state=0.5,k_action=2,leaf=tree",
        model,
        400,
        actions=(2, 0.3),
        outcomes=(0.5, 0.5),
        least_visited=True,
    )


@pytest.mark.parametrize("model", ONE_PLAYER, ids=by_name)
def test_voot_draws_from_the_voronoi_cell_of_the_best_action(model):
    few = {"actions": (3, 0.3), "outcomes": (1, 0.25), "omega": 0.2}
    many = {"actions": (1, 0.8), "outcomes": (1, 0.25), "omega": 0.0, "exploration": 0.3}
    for sampling, uniform in (("uniform", 100), ("gaussian", 0)):
        check(f"voot:omega=0.2,sampling={sampling},leaf=tree", model, 400, uniform=uniform, **few)
        text = f"voot:omega=0,alpha_action=0.8,k_action=1,exploration=0.3,sampling={sampling},leaf=tree"
        check(text, model, 400, uniform=uniform, **many)


def ucb_v(mean, c, total, n, variance):
    """Audibert, Munos, Szepesvari 2009, with w^2 = 2 ln N / n."""
    w = math.sqrt(2.0 * math.log(total)) * (1.0 / math.sqrt(n))
    return mean + math.sqrt(variance) * w + 1.5 * c * w * w


def ucb1_tuned(mean, c, total, n, variance):
    """Auer, Cesa-Bianchi, Fischer 2002, for returns in a range of c, with w^2 = 2 ln N / n."""
    w = math.sqrt(2.0 * math.log(total)) * (1.0 / math.sqrt(n))
    return mean + w * math.sqrt(0.5 * min(0.25 * c * c, variance + c * c * w))


OPTIONS = {
    "bonus=ucb_v": {"bonus": ucb_v},
    "bonus=ucb1_tuned": {"bonus": ucb1_tuned},
    "first_play=0.7": {"first_play": 0.7},
    "scale_exploration=true": {"scaled": True},
    "bonus=ucb_v,first_play=0.5,scale_exploration=true": {"bonus": ucb_v, "first_play": 0.5, "scaled": True},
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("model", FEW, ids=by_name)
def test_options_of_the_selection(model, option):
    check(f"uct:{option},leaf=tree", model, 150, choices=fixed_actions(model, 8), **OPTIONS[option])
    check(f"pw:alpha_action=0.5,{option},leaf=tree,k_action=1", model, 150, actions=(1, 0.5), **OPTIONS[option])
    check(
        f"dpw:alpha_action=0.5,{option},leaf=tree,k_action=1",
        model,
        150,
        actions=(1, 0.5),
        outcomes=(1, 0.25),
        **OPTIONS[option],
    )


@pytest.mark.parametrize("option", OPTIONS)
def test_voot_has_the_options_of_the_selection_too(option):
    rule = {"actions": (3, 0.3), "outcomes": (1, 0.25), "omega": 0.2, "uniform": 100} | OPTIONS[option]
    for model in (Target(), envs.TreasureHunt()):
        check(f"voot:omega=0.2,{option},leaf=tree", model, 150, **rule)


@pytest.mark.parametrize("model", FEW, ids=by_name)
def test_blind_values_choose_new_actions(model):
    check("pw:blind_values=4,alpha_action=0.5,leaf=tree,k_action=1", model, 150, actions=(1, 0.5), blind_values=4)
    check(
        "dpw:blind_values=3,exploration=0.3,leaf=tree,k_action=1",
        model,
        150,
        outcomes=(1, 0.25),
        blind_values=3,
        exploration=0.3,
    )


@pytest.mark.parametrize("model", WITH_ROLLOUT, ids=by_name)
def test_rollouts_value_new_leaves(model):
    check("uct:leaf=rollout", model, 300, choices=fixed_actions(model, 8), rollout=1)
    check("pw:leaf=rollout,k_action=1", model, 300, rollout=1)
    check("dpw:leaf=rollout,k_action=1", model, 300, outcomes=(1, 0.25), rollout=1)


@pytest.mark.parametrize("model", WITH_ROLLOUT, ids=by_name)
def test_several_rollouts_value_a_new_leaf(model):
    check("uct:leaf=rollout,playouts=4", model, 310, choices=fixed_actions(model, 8), rollout=4)
    check("pw:leaf=rollout,playouts=3,bonus=ucb_v,k_action=1", model, 310, rollout=3, bonus=ucb_v)
    check("dpw:leaf=rollout,playouts=4,k_action=1", model, 310, outcomes=(1, 0.25), rollout=4)
    least = {"outcomes": (1, 0.25), "least_visited": True}
    check("dpw:leaf=rollout,playouts=7,outcome=least_visited,k_action=1", model, 310, rollout=7, **least)
    if model in ONE_PLAYER:
        voronoi = {"actions": (3, 0.3), "outcomes": (1, 0.25), "omega": 0.2, "uniform": 100}
        check("voot:omega=0.2,leaf=rollout,playouts=4", model, 310, rollout=4, **voronoi)


@pytest.mark.parametrize(
    ("model", "simulations"),
    [(Bandit(), 3_000), (Chain(), 60), (Diamond(), 100), (Handover(), 100), (Target(), 100), (envs.Trap(), 100)],
    ids=repr,
)
@pytest.mark.parametrize("given", [{}, {"action_bandwidth": 0.2, "bandwidth": 0.1, "exploration": 0.3}])
def test_weighted_uct_is_algorithm_4(model, simulations, given):
    rng, oracle_rng = np.random.default_rng(11), np.random.default_rng(11)
    planner = planners.make("weighted_uct", neighbours="all", **given)
    decision = planner.plan(model, model.initial_state(None), Budget(simulations), rng)
    actions = fixed_actions(model, 8)(None)
    visits, means = weighted_uct(model, actions, model.horizon, simulations, oracle_rng, **given)
    assert decision.visits.tolist() == visits
    np.testing.assert_allclose(decision.values, means, rtol=1e-12)
    best_of(list(zip(visits, means, strict=True)), oracle_rng)  # the last choice draws too
    assert rng.bit_generator.state == oracle_rng.bit_generator.state


@dataclass(frozen=True)
class DiscountedTarget(Target):
    """With a known noise and a discount."""

    discount = 0.7
    action_sd = np.array([0.05])


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (Bandit(), {}),
        (Chain(), {}),
        (Diamond(), {"exploration": 0.3}),
        (Handover(), {"tau": 0.5, "n_initial": 3}),
        (DiscountedTarget(), {}),
        (Duel(), {}),
        (envs.Trap(), {"k_action": 2.0}),
        (python_twin(envs.TreasureHunt(size=4.0)), {"k_state": 2.0, "alpha_state": 0.5}),
    ],
    ids=repr,
)
def test_kr_uct_is_kernel_regression(model, given):
    rng, oracle_rng = np.random.default_rng(11), np.random.default_rng(11)
    decision = planners.make("kr_uct", **given).plan(model, model.initial_state(None), Budget(300), rng)
    rule = {name: value for name, value in given.items() if name in ("exploration", "tau", "n_initial")}
    rule["widening"] = given.get("k_action", 1), 0.5
    rule["outcomes"] = given.get("k_state", 1), given.get("alpha_state", 0.25)
    sd = getattr(model, "action_sd", 0.05 * (model.action_high - model.action_low))
    edges = kr_uct(model, sd, model.horizon, 300, oracle_rng, exact=hasattr(model, "step_exact"), **rule)
    assert decision.visits.tolist() == [edge.visits for edge in edges]
    np.testing.assert_allclose(decision.actions, [edge.action for edge in edges], rtol=1e-12)
    values = [edge.mean if edge.visits else np.nan for edge in edges]
    np.testing.assert_allclose(decision.values, values, rtol=1e-9)
    bonus = given.get("exploration", 1.0) * np.sqrt(2.0 * np.log(sum(edge.weight for edge in edges)))
    lowest = [edge.mean - bonus / np.sqrt(edge.weight) if edge.visits else -np.inf for edge in edges]
    played = edges[argmax_by(oracle_rng, np.array(lowest))].action  # of equals one is drawn
    np.testing.assert_allclose(decision.action, played, rtol=1e-12)
    assert rng.bit_generator.state == oracle_rng.bit_generator.state


def test_dpw_is_trapped_by_the_thesis_parameters_and_freed_by_the_budget():
    value = planners.make("dpw").plan(envs.Trap(), np.zeros(2), Budget(200_000), np.random.default_rng(3)).value
    assert value == pytest.approx(1.7, abs=0.05)
