"""Actions that are not all real: who takes them, and what is played."""

from dataclasses import replace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget, kinds
from bonspiel.planners.checks import check_action, check_actions
from bonspiel.planners.core.actions import action_set, fixed_set, inverse_widths, nearest
from bonspiel.planners.core.code.cache import SAID
from bonspiel.planners.core.tree.voronoi import distance
from bonspiel.planners.kinds import KINDS, kind_codes
from bonspiel.planners.planner import traits_of
from tests.planners.kinds_models import FEW, MANY, TAKERS, WHOLE, Dials

PLANNERS = [
    *TAKERS,
    "pw:blind_values=4",
    "voot:sampling=gaussian",
    "abstraction:memory=0.5",
    "cem:memory=0.5",
    "icem:memory=1",
    "random_shooting:hold=2",
]


def plan(text, model, simulations=200, seed=0):
    state = model.initial_state(np.random.default_rng(seed))
    return planners.parse(text).plan(model, state, Budget(simulations), np.random.default_rng(seed))


def test_the_planners_that_say_so_are_those_that_are_named():
    takers = [name for name in planners.names() if traits_of(planners.make(name)).action_kinds == KINDS]
    assert sorted(takers) == sorted({*TAKERS, *planners.BASELINES})


@pytest.mark.parametrize("name", [name for name in planners.names() if name not in {*TAKERS, *planners.BASELINES}])
def test_others_refuse_in_one_line_that_says_where_the_planners_that_do_are_found(name):
    assert planners.unsupported(planners.make(name), FEW) == "takes no categorical actions"
    with pytest.raises(TypeError, match=r"no categorical actions; planners.names_for\(model\) names those"):
        planners.make(name).plan(FEW, np.zeros(1), Budget(10), np.random.default_rng(0))


@pytest.mark.parametrize("text", ["root:workers=2,inner=uct", "threads:threads=1,inner=uct"])
def test_planners_around_a_planner_that_takes_them_refuse(text):
    assert "takes no categorical" in planners.unsupported(planners.parse(text), FEW)


def test_all_real_coordinates_are_as_none_declared():
    real = replace(FEW, kinds=("real", "real"))
    assert len(kind_codes(real)) == 0
    assert planners.unsupported(planners.make("mppi"), real) is None
    assert np.array_equal(fixed_set(real, np.zeros(1), 8, None), action_set(real, 8))


@pytest.mark.parametrize("model", [FEW, MANY, WHOLE], ids=["few", "many", "whole"])
@pytest.mark.parametrize("text", PLANNERS)
def test_every_action_of_an_episode_is_valid_and_better_than_chance(text, model):
    """`check_actions` refuses what is not whole; random actions lose 0.52, 0.51 and 0.33 on average."""
    losses = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        search, state = planners.begin_episode(planners.parse(text), model), np.zeros(1)
        for _ in range(model.horizon):
            decision = search.plan(state, Budget(200), rng)
            check_action(model, decision.action)
            check_actions(model, decision.actions)
            losses.append(model.loss(decision.action))
            state = state + 1.0
    rng, action, random = np.random.default_rng(0), np.empty(len(model.low)), []
    for _ in range(1_000):
        model.sample_action(state, action, model.params, rng)
        random.append(model.loss(action))
    assert np.mean(losses) < np.mean(random) - 0.05


@pytest.mark.parametrize("text", ["scaled_abstraction", "adaptive", "sequential_halving", "cem", "icem"])
def test_the_best_choice_is_found_among_few(text):
    for seed in range(5):
        action = plan(text, FEW, 1_000, seed).action
        assert action[1] == 1.0 and abs(action[0] - 0.4) < 0.2


@pytest.mark.parametrize("text", ["cem", "icem", "adaptive"])
def test_choices_are_searched_one_coordinate_at_a_time_among_many(text):
    """A set of 16 drawn actions of 70 choices is refined: their best loses 0.23 on average."""
    assert np.mean([MANY.loss(plan(text, MANY, 1_000, seed).action) for seed in range(6)]) < 0.12


@pytest.mark.parametrize("text", PLANNERS)
def test_a_python_model_gives_the_same_decisions(text):
    """Compiled and interpreted searches draw alike."""
    members = {name: staticmethod(getattr(MANY, name).py_func) for name in ("step", "sample_action")}
    twin = type("Twin", (Dials,), {**members, "compiled": False})(*vars(MANY).values())
    one, other = plan(text, MANY, 40), plan(text, twin, 40)
    assert np.array_equal(one.action, other.action) and one.value == pytest.approx(other.value)


@pytest.mark.parametrize("text", PLANNERS)
def test_no_value_of_a_categorical_is_preferred_by_its_number(text):
    """All values but one are equal: those that are equal are played equally often, wherever the bad one is."""
    five = Dials(("categorical",), (0.0,), (4.0,), (0.0,), horizon=1)
    played = np.zeros(5)
    for seed in range(60):
        action = plan(text, replace(five, best=(9.0,)), 10, seed).action
        played[int(action[0])] += 1
    expected = played.sum() / 5
    assert ((played - expected) ** 2).sum() / expected < 18.5, played  # chi squared of 4 degrees, 0.1 %


@pytest.mark.parametrize("text", PLANNERS)
def test_permuted_values_give_alike_results(text):
    model = Dials(("categorical", "real"), (0.0, 0.0), (4.0, 1.0), (0.0, 0.7))
    losses = np.array(
        [
            [(of := replace(model, best=(best, 0.7))).loss(plan(text, of, 60, s).action) for s in range(40)]
            for best in (0, 2, 4)
        ]
    )
    means, errors = losses.mean(1), losses.std(1) / np.sqrt(losses.shape[1]) + 0.002
    for one in range(3):
        for other in range(one):
            assert abs(means[one] - means[other]) < 4.0 * np.hypot(errors[one], errors[other])


@pytest.mark.parametrize("text", ["pw", "dpw", "voot", "open_loop"])
def test_a_node_tries_no_action_twice(text):
    model = Dials(("categorical", "boolean"), (0.0, 0.0), (2.0, 1.0), (1.0, 1.0))
    decision = plan(f"{text}:alpha_action=1.0,k_action=5", model, 100)
    assert len(np.unique(decision.actions, axis=0)) == len(decision.actions) == 6


def test_a_model_that_draws_always_the_same_is_searched():
    class Stubborn(Dials):
        compiled = False
        step = staticmethod(Dials.step.py_func)

        @staticmethod
        def sample_action(state, action, params, rng):
            action[:] = 1.0, 1.0

    model = Stubborn(("categorical", "boolean"), (0.0, 0.0), (2.0, 1.0), (1.0, 1.0))
    for text in ("pw:k_action=5", "open_loop:k_action=5"):
        assert plan(text, model, 100).actions.tolist() == [[1.0, 1.0]]


def test_sets_of_actions():
    rng = np.random.default_rng(0)
    assert fixed_set(WHOLE, np.zeros(1), 8, rng).shape == (22, 3)
    few = fixed_set(FEW, np.zeros(1), 8, rng)
    assert np.unique(few[:, 1], return_counts=True)[1].tolist() == [3, 3, 3]
    assert few[:, 0].mean() == pytest.approx(0.0)
    many = fixed_set(MANY, np.zeros(1), 8, rng)
    assert len(check_actions(MANY, many)) == 8
    assert not np.array_equal(many, fixed_set(MANY, np.zeros(1), 8, rng))
    same = [planners.make("uct").same_actions(model) for model in (FEW, MANY, WHOLE)]
    assert same == [True, False, True]


def test_places_and_valid_actions():
    places = np.array([[0.0] * 4, [0.5] * 4, [np.nextafter(1.0, 0.0)] * 4])
    placed = kinds.placed(MANY, places)
    assert placed[:2].tolist() == [[0.0, -1.0, 2.0, 0.0], [2.0, 0.0, 5.0, 1.0]]
    assert placed[2, [0, 2, 3]].tolist() == [4.0, 8.0, 1.0]
    assert kinds.valid(MANY, np.array([2.5, 0.3, 9.9, -0.7])).tolist() == [3.0, 0.3, 8.0, 0.0]
    assert (kinds.distinct_count(MANY), kinds.distinct_count(WHOLE)) == (0, 22)


def test_distances_of_a_categorical_are_0_or_1():
    box = np.array([[0.0, 0.0], [4.0, 2.0], [3.0, 0.0]])
    assert distance(np.array([0.0, 0.0]), np.array([4.0, 1.0]), box) == distance(
        np.array([2.0, 0.0]), np.array([1.0, 1.0]), box
    )
    rng = np.random.default_rng(0)
    known = np.array([[0.0, 0.0, 5.0, 0.0], [4.0, 1.0, 5.0, 0.0]])
    assert nearest(MANY, known, np.array([[3.0, 0.9, 5.0, 0.0], [1.0, 0.1, 5.0, 0.0]]), rng).tolist() == [1, 0]
    assert inverse_widths(WHOLE).tolist() == [0.1, 1.0, 1.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kinds": ("real",)}, r"^action_kinds=\('real',\): must be 4 names"),
        ({"kinds": ("real", "whole", "real", "real")}, r"^action_kinds=.*each one of real, integer, boolean, categor"),
        ({"low": (0.0, -1.0, 2.5, 0.0)}, r"^bounds of coordinate 2.*whole where action_kinds\[2\]='integer'"),
        ({"high": (4.0, 1.0, 8.0, 2.0)}, r"^bounds of boolean coordinate 3.*0 and 1"),
        ({"low": (1.0, -1.0, 2.0, 0.0)}, r"^action_low\[0\].*0, the first value of a categorical"),
        ({"high": (4.0, -1.0, 8.0, 1.0)}, r"^action_low=.*below action_high"),
    ],
)
def test_check_model_names_wrong_kinds_and_bounds(changes, message):
    with pytest.raises(ValueError, match=message):
        envs.check_model(replace(MANY, **changes), np.random.default_rng(0))


@pytest.mark.parametrize("model", [FEW, MANY, WHOLE])
def test_check_model_takes_right_ones(model):
    envs.check_model(model, np.random.default_rng(0))


def test_check_model_finds_a_draw_that_is_not_whole():
    class Halves(Dials):
        compiled = False
        step = staticmethod(Dials.step.py_func)

        @staticmethod
        def sample_action(state, action, params, rng):
            action[:] = 0.5 if rng.random() < 0.1 else 1.0

    model = Halves(("integer", "real"), (0.0, 0.0), (3.0, 1.0), (1.0, 1.0))
    with pytest.raises(ValueError, match=r"^sample_action\(\.\.\.\).*0\.5.*whole numbers except where action_kinds"):
        envs.check_model(model, np.random.default_rng(0))


def test_an_action_that_is_not_whole_is_refused():
    env = envs.ModelEnv(WHOLE)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"^action=.*whole numbers except where action_kinds=.*says real"):
        env.step(np.array([0.5, 1.0, 0.0]))
    env.step(np.array([3.0, 1.0, 0.0]))


def test_a_planner_of_others_that_breaks_the_kinds_is_named():
    from bonspiel.planners.contract.decisions import BrokenContract, checked_plan
    from bonspiel.planners.planner import Decision, Traits

    class Halfway:
        traits = Traits(action_kinds=KINDS)

        def plan(self, model, state, budget, rng, root_actions=None):
            action = np.array([0.5, 1.0, 0.0])
            return Decision(action, 0.0, 1, 0.0, action[None], np.ones(1, np.int64), np.zeros(1))

    with pytest.raises(BrokenContract, match=r"Halfway breaks the contract.*whole numbers"):
        checked_plan(Halfway(), WHOLE, np.zeros(1), Budget(1), np.random.default_rng(0))


def test_a_planner_that_knows_nothing_of_kinds_still_searches_models_without():
    class Old:
        def plan(self, model, state, budget, rng, root_actions=None):
            raise AssertionError

    assert planners.unsupported(Old(), envs.Trap()) is None
    assert planners.unsupported(Old(), WHOLE).startswith("takes no integer or boolean or categorical actions")


@pytest.mark.parametrize("name", ["uct", "abstraction", "sequential_halving"])
def test_a_fixed_set_lists_as_many_actions_as_it_has_room_for_and_says_once_that_it_draws(name, capfd, monkeypatch):
    monkeypatch.delenv(SAID, raising=False)
    model = Dials(("integer",), (0.0,), (99.0,), (37.0,), horizon=1)
    all_of = replace(planners.make(name), n_actions=100)
    root = {"n_root_actions": 100} if name == "sequential_halving" else {}
    decision = replace(all_of, **root).plan(model, np.zeros(1), Budget(2_000), np.random.default_rng(0))
    assert len(decision.actions) == 100
    assert decision.action == 37.0
    assert "actions" not in capfd.readouterr().err
    for seed in range(2):
        decision = planners.make(name).plan(model, np.zeros(1), Budget(200), np.random.default_rng(seed))
        assert len(decision.actions) < 64
    said = [line for line in capfd.readouterr().err.splitlines() if "of 100 actions, drawn once a search" in line]
    assert said
    assert len(set(said)) == len(said)


class Listed:
    """One throw with one of five listed actions and no others, the last of which is the best."""

    compiled, discrete, state_dim, horizon, discount, max_actions = False, True, 1, 1, 1.0, 5
    params, action_low, action_high = np.zeros(1), np.zeros(1), np.full(1, 4.0)

    def initial_state(self, rng):
        return np.zeros(1)

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state
        return 0.25 * action[0] + 0.3 * rng.standard_normal(), True

    def sample_action(self, state, action, params, rng):
        action[0] = rng.integers(5)

    def actions(self, state, params, out, keys):
        out[:, 0] = keys[:] = np.arange(5)
        return 5


@pytest.mark.parametrize("name", ["pw", "dpw", "crave"])
def test_listed_actions_are_tried_once_each(name):
    decisions = [plan(name, Listed(), seed=seed) for seed in range(30)]
    assert all(len(np.unique(decision.actions)) == len(decision.actions) >= 4 for decision in decisions)
    assert sum(decision.action[0] == 4.0 for decision in decisions) >= 15


def test_a_model_of_listed_actions_that_lacks_their_number_is_searched():
    model = Listed()
    model.max_actions = None
    assert plan("pw", model).simulations == 200
