"""Problems in RDDL as models: their layout, their bounds, their names and what is refused."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.envs.rddl import from_rddl
from bonspiel.envs.rddl.domain import Refused
from bonspiel.runs import cli

HERE = "tests/envs/rddl/"
CORRIDOR = (f"{HERE}corridor.rddl", f"{HERE}corridor_1.rddl")


@pytest.fixture
def write(tmp_path):
    """Write a changed corridor; the paths of the domain and of the instance."""

    def write(old, new, instance=("", "")):
        domain, other = tmp_path / "corridor.rddl", tmp_path / "corridor_1.rddl"
        for source, target, (before, after) in zip(CORRIDOR, (domain, other), ((old, new), instance), strict=True):
            text = Path(source).read_text()
            assert before in text
            target.write_text(text.replace(before, after))
        return str(domain), str(other)

    return write


def test_the_layout_of_states_and_actions():
    model = from_rddl(*CORRIDOR)
    assert model.action_names == ("switch-on(room)", "push", "shift", "count")
    assert model.action_kinds == ("categorical", "real", "categorical", "integer")
    assert model.action_low.tolist() == [0, -1, 0, 0] and model.action_high.tolist() == [3, 1, 1, 3]
    assert model.null_action.tolist() == [0, 0, 0, 1]
    assert (model.horizon, model.discount, model.time_index) == (12, 0.95, 6)
    assert model.initial_state(np.random.default_rng(0)).tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert model.state_high[1:].tolist() == [1, 1, 1, 1, 40, 12] and np.isinf(model.state_high[0])


def test_a_step_by_hand():
    """Room 3's light comes on, gear 1 pushes twice as far, the light of room 2 has no prize."""
    model, new = from_rddl(*CORRIDOR), np.full(7, np.nan)
    state = np.array([1.5, 0.0, 1.0, 0.0, 1.0, 39.0, 5.0])
    reward, over = model.step(state, np.array([3.0, 0.5, 0.0, 2.0]), new, model.params, np.random.default_rng(3))
    assert reward == pytest.approx(-0.5 + max(1.0, 1.5, 3.0 + 1.5))
    assert new[0] == pytest.approx(2.5, abs=0.5) and new[1:].tolist() == [0, 1, 1, 0, 41, 6]
    assert over  # 41 is more than the invariant allows


def test_actions_that_the_instance_limits_become_choices(write):
    paths = write("(sum_{?r : room} [switch-on(?r)]) <= 1;", "", instance=("pos-inf", "5"))
    model, new = from_rddl(*paths), np.empty(7)
    assert model.action_names == ("push", "shift", "count", "choice 1", "choice 2")
    assert model.action_high.tolist() == [1, 1, 3, 3, 3]
    lit = np.zeros(3)
    for seed in range(20):
        model.step(
            model.initial_state(None), np.array([0, 0, 0, 3, 1.0]), new, model.params, np.random.default_rng(seed)
        )
        lit += new[1:4]
    assert lit[0] > 10 and lit[1] == 20 and lit[2] > 10  # room 2 was lit before


def test_a_limit_of_numbers_is_refused(write):
    with pytest.raises(Refused, match=r"max-nondef-actions = 2: a limit of actions that are not boolean"):
        from_rddl(*write("", "", instance=("pos-inf", "2")))


def test_an_action_without_bounds_gets_one_and_a_line_says_so(write, capfd, monkeypatch):
    monkeypatch.delenv("BONSPIEL_SAID", raising=False)
    model = from_rddl(*write("push >= -1.0; push <= 1.0;", "push <= 1.0;"), bound=7.5)
    assert model.action_low.tolist() == [0, -7.5, 0, 0]
    assert (
        "action push has no lower bound: -7.5 is used; bound=NUMBER or bound=(push=NUMBER) sets"
        in capfd.readouterr().err
    )


def test_bounds_of_single_actions():
    text = "rddl:HVAC_ippc2023:instance=1,bound=(heat-input=1000)"
    model = envs.parse(text)
    assert set(model.action_high) == {100.0, 1000.0}
    assert set(model.action_low) == {0.05, -1000.0} and model == envs.parse(text)
    assert from_rddl("HVAC_ippc2023", 1, bound={"heat-input": 1000.0}).action_low.tolist() == model.action_low.tolist()
    wrong = {"heat-inputs=3": "Did you mean 'heat-input'", "heat-input": "FLUENT=NUMBER", "fan-in=-1": "fan-in"}
    for text, words in wrong.items():
        with pytest.raises(ValueError, match=words):
            from_rddl("HVAC_ippc2023", 1, bound=text)


def test_preconditions_that_are_not_enforced_are_named(capfd, monkeypatch):
    monkeypatch.delenv("BONSPIEL_SAID", raising=False)
    from_rddl(*CORRIDOR)
    assert "action preconditions that are no bounds are not enforced: number 6" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Normal(0.0, 0.01)", "Dirichlet(1.0)", "pyRDDLGym cannot read it"),
        ("termination { place", "termination { nowhere", "pyRDDLGym cannot read it"),
    ],
    ids=["vector", "unknown"],
)
def test_what_cannot_be_compiled_is_refused(write, old, new, words):
    with pytest.raises(Refused, match=words):
        from_rddl(*write(old, new))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Option_or", r"cholesky in price' cannot be compiled \(line 79 of the domain: cov-factor"),
        ("PropDBN_rddlsim", r"observ-fluent in pvariables cannot be compiled \(line 32 of the domain: o1 "),
        ("Sudoku_arcade", r"max-nondef-actions = 1: a limit of actions that are not boolean"),
    ],
)
def test_a_construct_is_refused_with_its_line(name, words):
    with pytest.raises(Refused, match=words):
        from_rddl(name, "0")


def test_a_probability_out_of_range_makes_the_step_invalid(write):
    model = from_rddl(*write("Bernoulli(0.9)", "Bernoulli(0.5 + place)"))
    rng, new, lit = np.random.default_rng(0), np.empty(7), np.array([1.0, 0, 0, 0])
    assert not np.isnan(model.step(model.initial_state(rng), lit, new, model.params, rng)[0])
    far = model.initial_state(rng)
    far[0] = 3.0
    assert np.isnan(model.step(far, lit, new, model.params, rng)[0])


def test_the_same_problem_interpreted(write):
    model, compiled = from_rddl(*CORRIDOR, interpreted=True), from_rddl(*CORRIDOR)
    assert not model.compiled and model.source == "" and compiled.source
    state, action = compiled.initial_state(None), np.array([2.0, -0.5, 1.0, 3.0])
    ends = []
    for one in (model, compiled):
        new = np.empty(7)
        reward, over = one.step(state, action, new, one.params, np.random.default_rng(1))
        ends.append([reward, over, *new[1:]])
    assert ends[0] == ends[1]


def test_what_cannot_be_compiled_can_be_interpreted():
    model, rng = from_rddl("Option_or", "0", interpreted=True), np.random.default_rng(0)
    state, action, new = model.initial_state(rng), np.empty(1), np.full(model.state_dim, np.nan)
    model.sample_action(state, action, model.params, rng)
    assert np.isfinite(model.step(state, action, new, model.params, rng)[0]) and np.isfinite(new).all()


def stepped(tmp_path, fluents, cpfs, reward="s", state=2.0, noise=1.0):
    """(next s, reward) of a small domain with two objects, in ours and in pyRDDLGym's simulator."""
    domain, instance = tmp_path / "d.rddl", tmp_path / "i.rddl"
    domain.write_text(
        "domain d { types { obj : object; }; pvariables { s : { state-fluent, real, default = 0.0 }; "
        f"a(obj) : {{ action-fluent, real, default = 0.0 }}; {fluents} }}; cpfs {{ {cpfs} }}; reward = {reward}; "
        "action-preconditions { forall_{?x : obj} [a(?x) >= -1.0 ^ a(?x) <= 1.0]; }; }"
    )
    instance.write_text(
        "non-fluents n { domain = d; objects { obj : {o1, o2}; }; }"
        "instance i { domain = d; non-fluents = n; max-nondef-actions = pos-inf; horizon = 5; discount = 1.0; }"
    )
    found = []
    for interpreted in (False, True):
        model = from_rddl(str(domain), str(instance), interpreted=interpreted)
        start, new = model.initial_state(None), np.full(model.state_dim, np.nan)
        start[0] = state
        with np.errstate(all="ignore"):
            reward, _ = model.step(start, np.array([0.25, -0.5]), new, model.params, np.random.default_rng(0))
        found.append([reward, *new])
    return found


@pytest.mark.parametrize(
    ("fluents", "cpfs", "reward"),
    [
        (
            "f(obj) : { interm-fluent, real }; g(obj, obj) : { non-fluent, real, default = 2.0 };",
            "f(?x) = sum_{?y : obj} [g(?x, ?y) * a(?y)]; s' = sum_{?y : obj} [f(?y) * a(?y)];",
            "s",
        ),
        ("time : { state-fluent, real, default = 3.0 };", "time' = time * 2.0; s' = s + time;", "s"),
        ("n_obj : { non-fluent, real, default = 9.0 };", "s' = s + n_obj + (sum_{?x : obj} [a(?x)]);", "s"),
        ("step : { interm-fluent, real };", "step = s * 3.0; s' = step;", "s"),
        ("", "s' = s;", "max_{?x : obj} [ln[a(?x)]]"),
        ("", "s' = s;", "min[1.0, ln[-s]]"),
    ],
    ids=["inlined", "time", "count", "step", "max", "min"],
)
def test_names_and_nan_are_as_in_pyrddlgym(tmp_path, fluents, cpfs, reward):
    ours, theirs = stepped(tmp_path, fluents, cpfs, reward)
    np.testing.assert_allclose(ours, theirs)


@pytest.mark.parametrize("draw", ["Bernoulli(P)", "Uniform(2.0, P)", "Exponential(-P)"])
def test_constant_arguments_out_of_range_are_refused(tmp_path, draw):
    with pytest.raises(Refused, match="with arguments out of range"):
        stepped(tmp_path, "P : { non-fluent, real, default = 1.2 };", f"s' = s + {draw};")


def test_models_are_equal_by_their_arguments_and_survive_a_pickle():
    model = from_rddl(*CORRIDOR)
    again = pickle.loads(pickle.dumps(model))
    assert again == model and hash(again) == hash(model) and again.source == model.source
    assert model != from_rddl(*CORRIDOR, bound=5.0)


def test_names_on_the_command_line():
    model = envs.parse("rddl:Reservoir_ippc2023:instance=2,lookahead=20")
    assert model.lookahead == 20 and model.name == "Reservoir_ippc2023:instance=2"
    assert envs.parse(":".join(("rddl", *CORRIDOR))) == envs.from_rddl(*CORRIDOR)
    assert envs.modules("rddl:Reservoir_ippc2023") == ["pyRDDLGym", "rddlrepository"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rddl:Reservoir_ipc2023", "did you mean Reservoir_ippc2023"),
        ("rddl:Reservoir_ippc2023:instance=9", "instance=9: must be one of 1, 2, 3, 4, 5"),
        ("rddl:Reservoir_ippc2023:boun=9", "Did you mean 'bound'"),
        ("rddl:Reservoir_ippc2023:bound=-1", "bound"),
        ("rddl:nowhere.rddl:instance.rddl", "there is no file nowhere.rddl"),
    ],
)
def test_errors_in_names(text, words):
    with pytest.raises(ValueError, match=words):
        envs.parse(text)


def test_a_planner_plans_in_it():
    model = from_rddl("Reservoir_ippc2023", "1")
    rng = np.random.default_rng(0)
    budget = planners.Budget(simulations=30)
    decision = planners.make("icem").plan(model, model.initial_state(rng), budget, rng)
    assert np.all(model.action_low <= decision.action) and np.all(decision.action <= model.action_high)


def test_an_edited_file_is_another_problem(write):
    paths = write("", "")
    model = from_rddl(*paths)
    write("real, default = 4.0", "real, default = 5.0")
    assert from_rddl(*paths) != model and repr(from_rddl(*paths)) != repr(model)


def test_problems_of_one_process_keep_their_own_steps():
    def value(model):
        rng = np.random.default_rng(0)
        budget = planners.Budget(simulations=20)
        return planners.make("icem").plan(model, model.initial_state(rng), budget, rng).value

    wet, dry = from_rddl("Reservoir_ippc2023", "1"), from_rddl("Navigation_Continuous", "0")
    first, other = value(wet), value(dry)
    assert value(wet) == first
    assert value(from_rddl("Navigation_Continuous", "0", interpreted=True)) == pytest.approx(other, rel=0.2)


def test_the_list_shows_coordinates_and_source(capsys):
    text = ":".join(("rddl", *CORRIDOR))
    listed = "switch-on(room)  categorical  0        0 to 3"
    assert cli.main(["list", text]) == 0 and listed in capsys.readouterr().out
    assert cli.main(["list", text, "--source"]) == 0
    assert capsys.readouterr().out == from_rddl(*CORRIDOR).source
    assert cli.main(["list", "--rddl"]) == 0 and "  Reservoir_ippc2023 " in capsys.readouterr().out
    assert cli.main(["list", "trap", "--source"]) == 2 and "rddl:DOMAIN" in capsys.readouterr().err
