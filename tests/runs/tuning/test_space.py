import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.spaces import Choice, Range
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.tuning.samplers import draw
from bonspiel.runs.tuning.space import Space, returns_spread

NAMES = [name for name in planners.names() if hasattr(planners.REGISTRY.cls(name), "tuning")]


def space(start, env="trap", spread=1.0):
    return Space(start, envs.parse(env), spread)


def parameters(text):
    return dict(item.split("=") for item in text.partition(":")[2].split(","))


def drawn(start, n=40):
    fits = planners.unsupported(planners.parse(start), envs.parse("pendulum")) is None
    env = "pendulum" if fits else "tests.planners.trees.rave_uct.claims:Claims"
    rng, of = np.random.default_rng(1), space(start, env)
    return [of.text({key: draw(values, rng) for key, values in of.parameters.items()}) for _ in range(n)]


@pytest.mark.parametrize("name", NAMES)
def test_every_draw_is_a_planner_within_its_space_and_all_values_are_drawn(name):
    declared, texts = planners.REGISTRY.cls(name).tuning, drawn(name)
    for text in texts:
        planners.parse(text)
    for key, values in declared.items():
        found = [parameters(text)[key] for text in texts]
        if isinstance(values, Choice):
            assert set(found) == {str(value) for value in values.values}
        else:
            assert len(set(found)) > 10
            for value in map(float, found):
                assert values.low <= value <= values.high
                assert value == float(f"{value:.2g}")


def test_every_planner_but_the_baselines_can_be_tuned():
    assert set(NAMES) == set(planners.names()) - {*planners.BASELINES, "presearch", "root", "threads", "valued"}


def test_searches_of_ucb_are_tuned_with_each_bonus_and_where_they_widen_with_blind_values():
    for name in ("uct", "pw", "dpw"):
        assert {parameters(text)["bonus"] for text in drawn(name)} == {"ucb1", "ucb_v", "ucb1_tuned"}
    for name in ("pw", "dpw"):
        assert len({parameters(text)["blind_values"] for text in drawn(name)}) > 1


def test_values_that_a_planner_does_not_support_on_the_model_are_left_out(monkeypatch):
    monkeypatch.setattr(
        planners, "unsupported", lambda planner, model: "needs `rollout`" if planner.leaf == "rollout" else None
    )
    assert {parameters(text)["leaf"] for text in drawn("dpw")} == {"tree"}


def test_plans_as_long_as_an_episode_are_one_choice():
    assert "lookahead" not in space("uct").parameters
    assert "lookahead" not in space("icem").parameters
    assert space("uct", "pendulum").parameters["lookahead"] == Choice((10, 20, 30, 50, None))
    assert space("icem", "pendulum:lookahead=25").parameters["lookahead"] == Choice((10, 20, None))


def test_what_the_start_gives_stays():
    for text in drawn("dpw:leaf=tree,exploration=0.5"):
        assert text.startswith("dpw:leaf=tree,exploration=0.5,")
        assert parameters(text).keys() == planners.REGISTRY.cls("dpw").tuning.keys()
    assert "bandwidth=" in drawn("wuct")[0]


def test_ranges_of_returns_are_in_units_of_their_spread():
    parameters = space("hoot", spread=80.0).parameters
    assert parameters["exploration"] == Range(4.0, 400.0, log=True, of_returns=True)
    assert parameters["nu"] == Range(8.0, 320.0, log=True, of_returns=True)
    assert parameters["rho"] == planners.REGISTRY.cls("hoot").tuning["rho"]


def test_the_spread_of_returns_is_that_of_random_plans():
    assert returns_spread(envs.parse("trap")) == pytest.approx(0.4, abs=0.05)  # docs/problems.md: 0.41
    assert 50.0 < returns_spread(envs.parse("pendulum:lookahead=50")) < 110.0 < returns_spread(envs.parse("pendulum"))


def test_plans_in_plain_python_have_a_spread_and_equal_returns_count_as_one():
    class Plain(type(envs.parse("trap"))):
        compiled = False

    class Paid(Plain):
        @staticmethod
        def step(state, action, next_state, params, rng):
            next_state[:] = state
            return 0.1, False

    assert returns_spread(Plain()) == returns_spread(envs.parse("trap"))
    assert returns_spread(Paid()) == 0.0


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("random", r"RandomPlanner a class attribute such as tuning = .*planners\.spaces"),
        ("presearch", "presearch cannot search Trap: needs `aim_grid`"),
        ("dwp", "Did you mean 'dpw'"),
        ("uct:exploration=-1", "exploration=-1"),
        ("uct:exploration=1,bonus=ucb1,n_actions=8,leaf=tree", "leaves nothing to tune"),
    ],
)
def test_what_cannot_be_tuned_is_refused(start, words):
    with pytest.raises(UsageError, match=words):
        space(start)


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"speed": Range(0.0, 1.0)}, "unknown parameter of constant 'speed'"),
        ({"action": Choice((0.5, "a,b"))}, "its `tuning` says action: .*'b' is not key=value"),
        ({}, "does not say what to tune"),
    ],
)
def test_a_wrong_declaration_is_refused_before_anything_is_played(tunable, declared, words):
    tunable(**declared)
    with pytest.raises(UsageError, match=words):
        space("constant")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Range(2.0, 1.0), "high=1.0: must be above low=2"),
        (lambda: Range(0.0, 1.0, log=True), "above 0"),
        (lambda: Choice(()), "values"),
    ],
)
def test_ranges_and_choices_of_nothing_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_invalid_plans_do_not_count_in_the_spread():
    class Steep(type(envs.parse("trap"))):
        compiled = False

        @staticmethod
        def step(state, action, next_state, params, rng):
            next_state[:] = state
            return (np.nan if action[0] < params[0] else 1_000.0 * action[0]), True

        params = np.array([0.05])

    assert 200.0 < returns_spread(Steep()) < 350.0
    Steep.params = np.array([2.0])
    with pytest.raises(UsageError, match="Steep: 0 of 100 random plans have a finite return"):
        returns_spread(Steep())


def test_rounding_leaves_no_range():
    of = space("uct")
    of.parameters = {"a": Range(0.95, 0.999), "b": Range(0.101, 0.149), "c": Choice((1, 2))}
    assert of.text({"a": 0.998, "b": 0.1487, "c": 2}) == "uct:a=0.998,b=0.149,c=2"
    assert of.text({"a": 0.9612, "b": 0.1312, "c": 1}) == "uct:a=0.96,b=0.13,c=1"
