"""What every registered planner must do; a new planner is tested by being registered."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

import envs
import planners
from planners import Budget


def plan(name, model, simulations=2_000, seed=0, **parameters):
    state = model.initial_state(np.random.default_rng(0))
    return planners.make(name, **parameters).plan(model, state, Budget(simulations), np.random.default_rng(seed))


def test_finds_the_best_action(planner_name, tiny_model):
    decision = plan(planner_name, tiny_model)
    assert decision.action[0] >= 0.5


def test_value_tends_to_the_known_optimum(planner_name, tiny_model):
    """The mean includes the exploration of worse actions, which fades as ln N / N."""
    assert plan(planner_name, tiny_model, 20_000, exploration=0.3).value == pytest.approx(tiny_model.best, abs=0.03)


def test_decision_is_consistent(planner_name, tiny_model):
    decision = plan(planner_name, tiny_model)
    assert decision.simulations == decision.visits.sum() == 2_000
    assert decision.seconds > 0
    assert decision.actions.shape == (len(decision.visits), 1)
    assert decision.values.shape == decision.visits.shape
    chosen = int(np.flatnonzero((decision.actions == decision.action).all(1))[0])
    if planner_name != "kr_uct":  # which chooses by a lower bound of what neighbours tell too
        assert decision.visits[chosen] == decision.visits.max()
    assert decision.value == decision.values[chosen]
    assert (decision.actions >= 0).all() and (decision.actions <= 1).all()


def test_same_seed_same_decision_and_another_seed_another(planner_name):
    model = envs.Trap()
    first, again, other = (plan(planner_name, model, 500, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.visits, again.visits)
    np.testing.assert_array_equal(first.values, again.values)
    assert first.values.tolist() != other.values.tolist()


def test_compiled_and_interpreted_searches_are_identical(planner_name, tiny_model, twin, searched):
    check_twins(planners.make(planner_name), tiny_model, twin(tiny_model), searched)


@pytest.mark.parametrize("make", [envs.Trap, envs.TreasureHunt])
def test_compiled_and_interpreted_searches_are_identical_on_benchmarks(planner_name, make, twin, searched):
    model = make()
    check_twins(planners.make(planner_name), model, twin(model), searched, 12 if model.horizon > 2 else 150)


@pytest.mark.parametrize(
    "text",
    [
        "uct:n_actions=3",
        "dpw:outcome=least_visited,alpha_state=0.5",
        "weighted_uct:neighbours=all",
        "weighted_uct:action_bandwidth=0.2,bandwidth=0.1",
        "abstraction:root=trie",
        "abstraction:threshold=0.5,threshold_base=1,max_depth=20",
        "abstraction:max_depth=0",
    ],
)
@pytest.mark.parametrize("make", [envs.Trap, envs.TreasureHunt])
def test_variants_are_identical_too(text, make, twin, searched):
    model = make()
    check_twins(planners.parse(text), model, twin(model), searched, 12 if model.horizon > 2 else 150)


def check_twins(planner, compiled, interpreted, searched, simulations=150):
    generators = np.random.default_rng(5), np.random.default_rng(5)
    state = compiled.initial_state(generators[0])
    decisions, trees = zip(
        *(
            searched(planner, model, state, Budget(simulations), rng)
            for model, rng in zip((compiled, interpreted), generators, strict=True)
        ),
        strict=True,
    )
    assert trees[0] == trees[1]
    assert decisions[0].visits.tolist() == decisions[1].visits.tolist()
    assert generators[0].bit_generator.state == generators[1].bit_generator.state


def test_result_does_not_depend_on_the_room_at_first(planner_name, monkeypatch):
    import planners.abstraction.planner
    import planners.core.search
    import planners.weighted_uct.planner

    model = envs.TreasureHunt()
    roomy = plan(planner_name, model, 300)
    monkeypatch.setattr(planners.core.search, "MOST_NODES_AT_FIRST", 1)
    monkeypatch.setattr(planners.abstraction.planner, "FIRST_NODES", 1)
    monkeypatch.setattr(planners.weighted_uct.planner, "FIRST_EXPERIENCES", 1)
    narrow = plan(planner_name, model, 300)
    np.testing.assert_array_equal(roomy.values, narrow.values)


def test_root_actions_are_the_only_ones(planner_name, models):
    actions = np.array([[0.1], [0.2], [0.9]])
    model = models["chain"]
    decision = planners.make(planner_name).plan(
        model, np.zeros(1), Budget(500), np.random.default_rng(0), root_actions=actions
    )
    np.testing.assert_array_equal(decision.actions, actions)
    assert decision.action == [0.9]
    assert (decision.visits > 0).all()


def test_root_actions_of_one_simulation_leave_the_rest_untried(planner_name, models):
    actions = np.array([[0.1], [0.2], [0.9]])
    decision = planners.make(planner_name).plan(
        models["bandit"], np.zeros(1), Budget(1), np.random.default_rng(0), root_actions=actions
    )
    assert decision.visits.sum() == 1
    assert np.isnan(decision.values).sum() == 2
    assert np.isfinite(decision.value)


def test_time_budget_runs_at_least_one_simulation(planner_name, tiny_model, twin):
    for model in (tiny_model, twin(tiny_model)):
        decision = planners.make(planner_name).plan(
            model, model.initial_state(None), Budget(seconds=1e-6), np.random.default_rng(0)
        )
        assert decision.simulations >= 1


def test_time_budget_is_spent(planner_name):
    model = envs.Trap()
    decision = planners.make(planner_name).plan(
        model, model.initial_state(None), Budget(seconds=0.02), np.random.default_rng(0)
    )
    assert decision.seconds >= 0.02
    assert decision.simulations > 100


def test_planning_from_the_last_step_looks_one_step_ahead(planner_name):
    model = envs.Trap(noise_range=0.01)
    decision = planners.make(planner_name).plan(
        model, np.array([0.85, 1.0]), Budget(400), np.random.default_rng(0), root_actions=np.array([[0.05], [0.9]])
    )
    np.testing.assert_allclose(decision.values, [0.7, 1.0])


def test_is_nothing_but_its_parameters(planner_name):
    planner = planners.make(planner_name)
    assert pickle.loads(pickle.dumps(planner)) == planner
    assert planners.make(planner_name) == planner
    assert eval(repr(planner), vars(__import__(type(planner).__module__, fromlist=["*"]))) == planner
    with pytest.raises(AttributeError):
        planner.exploration = 2.0


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0, "much"])
def test_parameters_out_of_range_are_named(planner_name, bad):
    planner = planners.make(planner_name)
    for parameter in fields(planner):
        if parameter.name == "prior_value" and bad == -1.0:
            continue
        with pytest.raises((ValueError, TypeError), match=f"(?s){parameter.name}.*must be"):
            replace(planner, **{parameter.name: bad})


@pytest.mark.parametrize(
    ("state", "problem"),
    [([np.nan, 0.0], "finite"), ([0.0], "vector of 2"), ([[0.0, 0.0]], "vector of 2"), ([np.inf, 0.0], "finite")],
)
def test_bad_states_are_refused(state, problem):
    model = envs.Trap()
    for name in planners.names():
        with pytest.raises(ValueError, match=f"state=.*{problem}"):
            planners.make(name).plan(model, np.array(state), Budget(10), np.random.default_rng(0))


@pytest.mark.parametrize("actions", [[[2.0]], [[np.nan]], [[0.5, 0.5]], [], [0.5]])
def test_bad_root_actions_are_refused(actions):
    model = envs.Trap()
    for name in planners.names():
        with pytest.raises(ValueError, match="root_actions="):
            planners.make(name).plan(model, np.zeros(2), Budget(10), np.random.default_rng(0), np.array(actions))


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


def test_a_missing_rollout_is_named(models):
    with pytest.raises(TypeError, match="Bandit has no `rollout`"):
        plan("uct", models["bandit"], leaf="rollout")


@pytest.mark.parametrize("name", ["uct", "pw", "dpw"])
def test_rollouts_value_new_leaves(name, models, twin, searched):
    model = models["chain"]
    decision = plan(name, model, 1, leaf="rollout")
    moved_right = decision.action[0] >= 0.5
    assert decision.value == pytest.approx((0.0 if moved_right else 0.05) + 0.9 * 0.1 * 4)
    check_twins(planners.make(name, leaf="rollout"), model, twin(model), searched)


def test_an_uncompiled_function_of_a_compiled_model_is_named(models):
    class Careless(type(models["bandit"])):
        step = staticmethod(lambda state, action, next_state, params, rng: (0.0, True))

    with pytest.raises(TypeError, match=r"Careless.step is not compiled: decorate it with @compiled"):
        plan("uct", Careless())


def test_params_of_another_type_are_refused(models):
    class Careless(type(models["bandit"])):
        params = np.zeros(3, np.int64)

    with pytest.raises(TypeError, match="float64"):
        plan("uct", Careless())


def test_an_error_in_a_python_model_comes_through(models, twin):
    def broken(state, action, next_state, params, rng):
        raise RuntimeError("lost the stone")

    model = twin(models["bandit"])
    type(model).step = staticmethod(broken)
    with pytest.raises(RuntimeError, match="lost the stone"):
        plan("dpw", model)


def test_rewards_that_are_not_numbers_are_refused(planner_name, models, twin):
    model = twin(models["bandit"])
    type(model).step = staticmethod(lambda state, action, next_state, params, rng: (float("nan"), True))
    with pytest.raises(ValueError, match="rewards that are not numbers"):
        plan(planner_name, model, 10)


@pytest.mark.parametrize("horizon", [1, 100_000])
def test_short_and_long_horizons(planner_name, horizon, models):
    class Stretched(type(models["bandit"])):
        pass

    Stretched.horizon = horizon
    assert plan(planner_name, Stretched(), 20).visits.sum() == 20


def test_actions_without_bounds_are_refused_by_fixed_sets(models):
    class Unbounded(type(models["bandit"])):
        action_high = np.array([np.inf])

    for name in ("uct", "weighted_uct", "abstraction"):
        with pytest.raises(ValueError, match=r"action bounds=.*finite"):
            plan(name, Unbounded())


def test_players_do_not_share_statistics_of_a_place(models):
    """A place reached by either player to move: without time in the state only the mover tells them apart."""

    class Blind(type(models["diamond"])):
        distance_weights = np.zeros(2)

        @staticmethod
        def cells(state, first, last, params, out):
            out[:] = 0

        compiled = False
        step = staticmethod(models["diamond"].step.py_func)
        sample_action = staticmethod(models["diamond"].sample_action.py_func)
        player = staticmethod(lambda state, params: 1.0 if state[1] != 1.0 else -1.0)
        horizon = 3

    for name in ("abstraction", "weighted_uct"):
        decision = plan(name, Blind(), 300)
        assert decision.visits.sum() == 300
