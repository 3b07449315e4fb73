"""The contract of every registered planner on every registered model that it can search; none is named here.

A planner is chosen for a test by what it says of itself: the models it supports, and the parameters it has.
"""

import pickle
import re
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.checks import check_actions, check_state
from bonspiel.planners.core.search import CLOSING_SECONDS
from bonspiel.planners.planner import traits_of
from bonspiel.planners.wrappers.root.planner import Root
from tests.planners.tiny_models import (
    MODELS,
    SOLVED,
    Bandit,
    Chain,
    Diamond,
    Duel,
    Handover,
    SpoiltDuel,
    SpoiltTarget,
    Target,
    python_twin,
)

REGISTERED = [envs.parse(name) for name in envs.names()]
MADE = {name: planners.make(name) for name in planners.names() if name not in ("random", "do_nothing")}


def each_planner(
    *models, root_actions=False, reproducible=False, python=False, converges=False, once=False, parameter=None
):
    """Parametrises a test over the planners that search these models, and over the models.

    With `root_actions`, over those that take the only actions to consider at the root; with `reproducible`, over
    those that decide the same with the same seed; with `converges`, over those that find optima in the limit; with
    `python`, over those that search models in plain Python as well; with `once`, each with the first model that it
    searches; with a `parameter`, over those that have it.
    """
    pairs = [
        (name, model)
        for model in models
        for name, planner in MADE.items()
        if planners.unsupported(planner, model) is None
        if traits_of(planner).takes_root_actions or not root_actions
        if traits_of(planner).reproducible or not reproducible
        if traits_of(planner).converges or not converges
        if parameter is None or parameter in parameters_of(planner)
        if not python or planners.unsupported(planner, python_twin(model)) is None
    ]
    if once:
        pairs = list({name: (name, model) for name, model in reversed(pairs)}.values())
    ids = [f"{name}-{type(model).__name__}" for name, model in pairs]
    return pytest.mark.parametrize(("name", "model"), pairs, ids=ids)


def with_parameter(parameter):
    """Names of the planners that have this parameter."""
    return [name for name in planners.names() if parameter in parameters_of(planners.REGISTRY.cls(name))]


def parameters_of(planner):
    return [field.name for field in fields(planner)]


def plan(name, model, simulations=2_000, seed=0, **parameters):
    """Plan with those of the parameters that the planner has."""
    known = parameters_of(planners.make(name))
    planner = planners.make(name, **{key: value for key, value in parameters.items() if key in known})
    return planner.plan(model, model.initial_state(None), Budget(simulations), np.random.default_rng(seed))


NARROW = {name: {"k_action": 1.0} for name in ("pw", "dpw")}  # fewer replies of the opponent to sort out


def enough(name, simulations):
    """More simulations where threads share them: one that waits for a processor keeps others from adding outcomes."""
    return simulations if traits_of(MADE[name]).reproducible else 50 * simulations


@each_planner(*SOLVED, converges=True)
def test_finds_the_best_action(name, model):
    assert model.is_best(plan(name, model, enough(name, 2_000), **NARROW.get(name, {})).action)


@each_planner(*SOLVED, converges=True)
def test_finds_the_best_action_and_its_value_tends_to_the_known_optimum(name, model):
    """The mean includes the exploration of worse actions, which fades as ln N / N."""
    decision = plan(name, model, enough(name, 20_000), 2, exploration=0.3, **NARROW.get(name, {}))
    assert model.is_best(decision.action)
    assert decision.value == pytest.approx(model.best, abs=0.03)


@pytest.mark.parametrize("name", NARROW)
def test_wide_trees_find_the_replies_with_more_simulations(name):
    for seed in range(2):
        assert Diamond().is_best(plan(name, Diamond(), 8_000, seed).action)


@each_planner(Handover(), converges=True)
def test_players_do_not_share_statistics_of_a_place(name, model):
    """Else the place would be worth the same whoever moves there, and the first move best that earns something."""
    for seed in range(2):
        assert model.is_best(plan(name, model, 8_000, seed).action)


@each_planner(Chain(), Target(), Duel())
def test_decision_is_consistent(name, model):
    decision, simulations = plan(name, model), 2_000 * traits_of(planners.make(name)).budget_multiple
    assert decision.simulations == simulations
    assert 0 < decision.visits.sum() <= simulations
    assert decision.seconds > 0
    assert decision.actions.shape == (len(decision.visits), 1)
    assert decision.values.shape == decision.visits.shape
    chosen = int(np.flatnonzero((decision.actions == decision.action).all(1))[0])
    assert decision.visits[chosen] > 0
    assert decision.value == decision.values[chosen]
    assert (decision.actions >= 0).all() and (decision.actions <= 1).all()


@each_planner(envs.Trap(), Target(), reproducible=True, once=True)
def test_same_seed_same_decision_and_another_seed_another(name, model):
    first, again, other = (plan(name, model, 500, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.visits, again.visits)
    np.testing.assert_array_equal(first.values, again.values)
    assert first.values.tolist() != other.values.tolist()


def decisions(plan, model, simulations=60):
    """The first decisions of an episode by plan(state, budget, rng), and the generator's state after them."""
    rng, noise = np.random.default_rng(7), np.random.default_rng(8)
    state, found, over = model.initial_state(noise), [], False
    while not over and len(found) < min(4, model.horizon):
        found.append(plan(state, Budget(simulations), rng))
        next_state = np.empty_like(state)
        _, over = model.step(state, found[-1].action, next_state, model.params, noise)
        state = next_state
    rows = [(one.action.tolist(), one.visits.tolist(), np.nan_to_num(one.values).tolist()) for one in found]
    return rows, rng.bit_generator.state


@each_planner(Duel(), envs.Trap(), Target(), reproducible=True, once=True)
def test_an_episode_without_memory_is_decided_as_by_plan(name, model):
    planner = planners.make(name, memory=0.0) if name in with_parameter("memory") else planners.make(name)
    by_plan = decisions(partial(planner.plan, model), model)
    assert decisions(planners.begin_episode(planner, model).plan, model) == by_plan


@each_planner(envs.TreasureHunt(), envs.parse("double_integrator"), parameter="memory")
def test_a_memory_changes_the_second_decision_and_no_other_episode(name, model):
    grown = {"leaf": "tree"} if "leaf" in parameters_of(planners.make(name)) else {}  # noise leaves no tree to rollouts
    planner = planners.make(name, memory=1.0, **grown)
    simulations = 300  # with few, the action played has no outcome to keep
    (first, second, *_), _ = decisions(partial(planner.plan, model), model, simulations)
    (same, other, *_), _ = remembered = decisions(planners.begin_episode(planner, model).plan, model, simulations)
    assert first == same and second != other
    assert decisions(planners.begin_episode(planner, model).plan, model, simulations) == remembered


# in plain Python numpy warns where the hashes of a model overflow, as they are meant to
overflowing = pytest.mark.filterwarnings("ignore:overflow encountered in scalar")


def check_twins(planner, model, searched, simulations):
    """The same search compiled and interpreted: equal decisions, trees and random draws."""
    simulations = max(2, simulations // traits_of(planner).budget_multiple)
    generators = np.random.default_rng(5), np.random.default_rng(5)
    state = model.initial_state(np.random.default_rng(5))
    (compiled, tree), (interpreted, twin_tree) = (
        searched(planner, either, state, Budget(simulations), rng)
        for either, rng in zip((model, python_twin(model)), generators, strict=True)
    )
    assert compiled.action.tolist() == interpreted.action.tolist()
    assert compiled.visits.tolist() == interpreted.visits.tolist()
    np.testing.assert_array_equal(compiled.values, interpreted.values)
    if not isinstance(planner, Root):  # whose workers on threads keep no trees
        assert tree == twin_tree
    assert generators[0].bit_generator.state == generators[1].bit_generator.state


@each_planner(Target(), Handover(), Duel(), python=True)
def test_compiled_and_interpreted_searches_are_identical(name, model, searched):
    check_twins(planners.make(name), model, searched, 150)


def registered_pairs():
    """Each planner with a small registered model and the largest that it searches; `dpw` with every one."""
    for name, planner in MADE.items():
        known = [one for one in REGISTERED if not planners.unsupported(planner, one)]
        known = [one for one in known if not planners.unsupported(planner, python_twin(one))]
        largest = max((one.state_dim for one in known), default=0)
        for model in known:
            if name == "dpw" or model.state_dim == largest or isinstance(model, envs.TreasureHunt):
                yield pytest.param(name, model, id=f"{name}-{type(model).__name__}")


@overflowing
@pytest.mark.parametrize(("name", "model"), list(registered_pairs()))
def test_compiled_and_interpreted_searches_are_identical_on_registered_models(name, model, searched):
    check_twins(planners.make(name), model, searched, 12 if model.horizon <= 200 else 3)


def variants():
    """(name, parameter, value) of every choice that is not a planner's default."""
    for name in planners.names():
        cls = planners.REGISTRY.cls(name)
        hints = get_type_hints(cls)
        for field in fields(cls):
            if get_origin(hints[field.name]) is Literal:
                yield from ((name, field.name, c) for c in get_args(hints[field.name]) if c != field.default)


@pytest.mark.parametrize(("name", "parameter", "choice"), list(variants()))
def test_variants_are_identical_too(name, parameter, choice, searched):
    planner = planners.make(name, **{parameter: choice})
    tiny = Chain() if planners.unsupported(planner, Handover()) else Handover()
    for model, simulations in ((envs.TreasureHunt(), 12), (tiny, 150)):
        if reason := planners.unsupported(planner, model):
            with pytest.raises(TypeError, match=re.escape(reason)):
                check_twins(planner, model, searched, 1)
        else:
            check_twins(planner, model, searched, simulations)


@each_planner(envs.TreasureHunt(), Target(), reproducible=True, once=True)
def test_result_does_not_depend_on_the_kind_of_budget(name, model, ticking):
    """Under a time budget a search has less room at first, grows often, and runs in pieces of other lengths."""
    plan(name, model, 1, 0)  # loads compiled code
    ticking(0.0001)
    planner, state = planners.make(name), model.initial_state(None)
    if traits_of(planner).divides_budget:
        pytest.skip("divides its budget, by the clock if it is one of seconds")
    # with these a planner within a planner has the whole budget
    actions = np.array([[0.1], [0.2], [0.7]]) if traits_of(planner).takes_root_actions else None
    enough = 4 * getattr(planner, "population", 0)  # with a smaller number of simulations rounds are smaller
    for seconds in (0.0012, 0.0024, 0.0048):
        by_time, by_count = np.random.default_rng(3), np.random.default_rng(3)
        timed = planner.plan(model, state, Budget(seconds=seconds), by_time, actions)
        if timed.simulations >= enough:
            break
    counted = planner.plan(model, state, Budget(timed.simulations), by_count, actions)
    np.testing.assert_array_equal(timed.visits, counted.visits)
    np.testing.assert_array_equal(timed.values, counted.values)
    assert by_time.bit_generator.state == by_count.bit_generator.state


ROOM = {
    "bonspiel.planners.core.search": "MOST_NODES_AT_FIRST",
    "bonspiel.planners.abstraction.fixed.episode": "FIRST_NODES",
    "bonspiel.planners.abstraction.adaptive.episode": "FIRST_NODES",
    "bonspiel.planners.cells.hoot.planner": "FIRST_NODES",
    "bonspiel.planners.cells.cmcgs.planner": "FIRST_LAYERS",
    "bonspiel.planners.cells.weighted_uct.planner": "FIRST_EXPERIENCES",
}


@each_planner(envs.TreasureHunt(), Target(), Duel(), reproducible=True, once=True)
def test_result_does_not_depend_on_the_room_at_first(name, model, monkeypatch):
    roomy = plan(name, model, 300)
    for module, constant in ROOM.items():
        monkeypatch.setattr(f"{module}.{constant}", 1)
    narrow = plan(name, model, 300)
    np.testing.assert_array_equal(roomy.values, narrow.values)


@each_planner(Chain(), Target(), Duel(), root_actions=True)
def test_root_actions_are_the_only_ones(name, model):
    actions = np.array([[0.1], [0.2], [0.7]])
    planner = planners.make(name)
    if "exploration" in parameters_of(planner):
        planner = replace(planner, exploration=1.0)  # since in Chain the others are worth only 0.03 less
    decision = planner.plan(
        model, model.initial_state(None), Budget(2_000), np.random.default_rng(0), root_actions=actions
    )
    np.testing.assert_array_equal(decision.actions, actions)
    assert decision.visits.sum() == decision.simulations == 2_000 * traits_of(planner).budget_multiple
    assert (decision.visits > 0).all()
    assert decision.action == [0.7] or not traits_of(planner).converges


@each_planner(Bandit(), root_actions=True)
def test_root_actions_of_one_simulation_leave_the_rest_untried(name, model):
    actions = np.array([[0.1], [0.2], [0.9]])
    planner = planners.make(name)
    decision = planner.plan(model, np.zeros(1), Budget(1), np.random.default_rng(0), root_actions=actions)
    workers = traits_of(planner).budget_multiple  # each of which tries one at random
    assert decision.visits.sum() == workers
    np.testing.assert_array_equal(np.isnan(decision.values), decision.visits == 0)
    assert (decision.visits == 0).sum() == 2 or workers > 1
    assert np.isfinite(decision.value)


@each_planner(*MODELS, python=True, once=True)
def test_time_budget_runs_at_least_one_simulation(name, model):
    for either in (model, python_twin(model)):
        decision = planners.make(name).plan(
            either, model.initial_state(None), Budget(seconds=1e-6), np.random.default_rng(0)
        )
        assert decision.simulations >= 1


@each_planner(envs.Trap(), Target(), once=True)
def test_time_budget_is_spent(name, model, ticking):
    plan(name, model, 1, 0)  # loads compiled code
    planner = planners.make(name)
    ticking(0.0002)
    decision = planner.plan(model, model.initial_state(None), Budget(seconds=0.02), np.random.default_rng(0))
    assert decision.seconds >= 0.02 - 1.01 * CLOSING_SECONDS
    assert decision.seconds < 0.021 or traits_of(planner).budget_multiple > 1  # workers that read one clock
    assert decision.simulations > 100


@each_planner(envs.Trap(noise_range=0.01), root_actions=True)
def test_planning_from_the_last_step_looks_one_step_ahead(name, model):
    actions = np.array([[0.05], [0.9]])
    decision = planners.make(name).plan(
        model, np.array([0.85, 1.0]), Budget(400), np.random.default_rng(0), root_actions=actions
    )
    np.testing.assert_allclose(decision.values, [0.7, 1.0])


@pytest.mark.parametrize("name", planners.names())
def test_is_nothing_but_its_parameters(name):
    planner = planners.make(name)
    assert pickle.loads(pickle.dumps(planner)) == planner
    assert planners.make(name) == planner
    classes = {cls.__name__: cls for cls in map(planners.REGISTRY.cls, planners.names())}
    assert eval(repr(planner), classes) == planner
    with pytest.raises(FrozenInstanceError):
        planner.anything = 2.0


@pytest.mark.parametrize("name", planners.names())
def test_parameters_out_of_range_are_named(name):
    planner = planners.make(name)
    for parameter in parameters_of(planner):
        for bad in (float("nan"), float("inf"), -1e301, "much"):
            with pytest.raises((ValueError, TypeError), match=f"(?s){parameter}.*must be"):
                replace(planner, **{parameter: bad})
        value = getattr(planner, parameter)
        if isinstance(value, int | float) and value > 0:
            with pytest.raises(ValueError, match=f"{parameter}=.*must be"):
                replace(planner, **{parameter: -value})
    if "memory" in parameters_of(planner):
        with pytest.raises(ValueError, match=r"memory=.*(in \[0, 1\]|0 or 1)"):
            replace(planner, memory=1.1)


@pytest.mark.parametrize(
    ("state", "problem"),
    [([np.nan, 0.0], "finite"), ([0.0], "vector of 2"), ([[0.0, 0.0]], "vector of 2"), ([np.inf, 0.0], "finite")],
)
def test_bad_states_are_refused(state, problem):
    with pytest.raises(ValueError, match=f"state=.*{problem}"):
        check_state(envs.Trap(), np.array(state))


@each_planner(envs.Trap(), Target(), root_actions=True, once=True)
def test_root_actions_are_checked(name, model):
    with pytest.raises(ValueError, match="root_actions="):
        planners.make(name).plan(model, np.zeros(2), Budget(10), np.random.default_rng(0), np.array([[2.0]]))


@pytest.mark.parametrize("actions", [[[2.0]], [[np.nan]], [[0.5, 0.5]], [], [0.5]])
def test_bad_root_actions_are_refused(actions):
    with pytest.raises(ValueError, match="root_actions="):
        check_actions(envs.Trap(), np.array(actions))


@pytest.mark.parametrize(
    "name", [name for name in planners.names() if not traits_of(planners.make(name)).takes_root_actions]
)
def test_a_planner_that_takes_no_root_actions_refuses_them(name):
    with pytest.raises(ValueError, match=r"root_actions=.*None"):
        planners.make(name).plan(
            envs.Trap(), np.zeros(2), Budget(10), np.random.default_rng(0), root_actions=np.array([[0.5]])
        )


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"simulations": 1, "seconds": 1.0},
        {"simulations": 0},
        {"simulations": -5},
        {"simulations": 1.5},
        {"simulations": True},
        {"seconds": 0.0},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
    ],
)
def test_bad_budgets_are_refused(given):
    with pytest.raises(ValueError, match="must be"):
        Budget(**given)


@pytest.mark.parametrize("name", with_parameter("leaf"))
def test_rollouts_value_new_leaves(name):
    decision = plan(name, Chain(), 1, leaf="rollout")
    moved_right = decision.action[0] >= 0.5
    assert decision.value == pytest.approx((0.0 if moved_right else 0.05) + 0.9 * 0.1 * 4)


@pytest.mark.parametrize("name", ["uct", "icem"])
def test_an_uncompiled_function_of_a_compiled_model_is_named(name):
    class Careless(Bandit):
        step = staticmethod(lambda state, action, next_state, params, rng: (0.0, True))

    with pytest.raises(TypeError, match=r"Careless.step is not compiled: decorate it with @compiled"):
        plan(name, Careless())


@pytest.mark.parametrize("name", ["uct", "icem"])
def test_params_of_another_type_are_refused(name):
    class Careless(Bandit):
        params = np.zeros(3, np.int64)

    with pytest.raises(TypeError, match="float64"):
        plan(name, Careless())


def each_form(name, model):
    """The model compiled, and as plain Python where the planner searches such a one."""
    yield model
    twin = python_twin(model)
    if planners.unsupported(planners.make(name), twin) is None:
        yield twin


@each_planner(SpoiltDuel(), SpoiltTarget(), once=True)
def test_rewards_that_are_not_numbers_are_refused(name, model):
    for form in each_form(name, model):
        with pytest.raises(ValueError, match=r"^all rollouts of the model are invalid: .* state=.* gives reward="):
            plan(name, form, 1)


@each_planner(SpoiltDuel(), SpoiltTarget(), once=True)
def test_rewards_of_which_some_are_not_numbers_lead_to_no_such_action(name, model):
    for form in each_form(name, replace(model, threshold=0.5)):
        decision = plan(name, form, 200)
        assert np.isfinite(decision.value) and decision.invalid > 0
        assert decision.action[0] < 0.5


@each_planner(Bandit())
def test_a_long_horizon(name, model):
    stretched = Bandit()
    object.__setattr__(stretched, "horizon", 100_000)
    assert plan(name, stretched, 20).simulations == 20 * traits_of(planners.make(name)).budget_multiple


@each_planner(Chain(), Duel(), parameter="lookahead", once=True)
def test_a_planner_looks_ahead_as_far_as_the_shorter_limit_says(name, model):
    """As with an environment's limit, so that both are one."""
    limited = type(model)()
    object.__setattr__(limited, "lookahead", 2)

    def decision(model, lookahead):
        return plan(name, model, 60, lookahead=lookahead)

    own, theirs, both, whole = decision(model, 2), decision(limited, None), decision(limited, 1), decision(model, 1)
    assert own.value == theirs.value and own.action.tolist() == theirs.action.tolist()
    assert own.visits.tolist() == theirs.visits.tolist()
    assert both.value == whole.value and both.visits.tolist() == whole.visits.tolist()
    with pytest.raises(ValueError, match=r"^lookahead=0: must be a whole number of at least 1"):
        planners.make(name, lookahead=0)
