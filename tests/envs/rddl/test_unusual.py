"""Constructs that few domains have: compiled steps are pyRDDLGym's, bounds those of the file, or it is refused."""

import numpy as np
import pytest

pytest.importorskip("pyRDDLGym")

from bonspiel.envs import from_rddl

DOMAIN = """domain d {
    types { obj : object; it : object; m : {@u, @v, @w}; };
    pvariables { s : {state-fluent, real, default = 0.0}; %s };
    cpfs { s' = s; %s };
    reward = %s;
    action-preconditions { %s };
}"""
INSTANCE = """non-fluents n { domain = d; objects { obj : {o1, o2, o3}; it : {i1, i2}; }; %s }
instance i { domain = d; non-fluents = n; %s max-nondef-actions = %s; horizon = 3; discount = 1.0; }"""
FLAG = "a : {action-fluent, bool, default = false};"
PAIRS = "a(obj, obj) : {action-fluent, real, default = 0.0}; CAP(obj, obj) : {non-fluent, real, default = 5.0};"
CAPS = "non-fluents { CAP(o1, o2) = 1.0; CAP(o2, o1) = 9.0; };"
NOT_NEGATIVE = "forall_{?x : obj, ?y : obj} [a(?x, ?y) >= 0];"


@pytest.fixture
def make(tmp_path):
    """A function that makes the model of a small domain."""

    def of(fluents, cpfs="", reward="s", preconditions="", constants="", init="", most="pos-inf", interpreted=False):
        files = tmp_path / "d.rddl", tmp_path / "i.rddl"
        files[0].write_text(DOMAIN % (fluents, cpfs, reward, preconditions), encoding="utf-8")
        files[1].write_text(INSTANCE % (constants, init, most), encoding="utf-8")
        return from_rddl(*map(str, files), interpreted=interpreted)

    return of


def stepped(model, action=None, seed=0):
    """Reward, end and next state of one step from the start."""
    rng, following = np.random.default_rng(seed), np.empty(model.state_dim)
    given = model.null_action if action is None else np.array(action)
    reward, over = model.step(model.initial_state(rng), given, following, model.params, rng)
    return [reward, float(over), *following]


@pytest.mark.parametrize("action", [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [2.0, 1.0, 2.0]])
def test_a_choice_whose_row_depends_on_the_object_summed_over(make, action):
    given = {
        "fluents": "x(obj, it) : {action-fluent, bool, default = false}; p(it) : {state-fluent, obj};"
        "W(it) : {non-fluent, real, default = 1.0};",
        "cpfs": "p'(?i) = p(?i);",
        "reward": "sum_{?i : it} [x(p(?i), ?i) * W(?i)]",
        "preconditions": "forall_{?c : obj} [(sum_{?i : it} [x(?c, ?i)]) <= 1];",
        "constants": "non-fluents { W(i1) = 2.0; W(i2) = 5.0; };",
        "init": "init-state { p(i1) = o1; p(i2) = o2; };",
    }
    assert stepped(make(**given), action) == stepped(make(**given, interpreted=True), action)


def test_random_weights_of_a_choice_are_drawn_once(make):
    given = (FLAG + "p : {state-fluent, m, default = @u};", "p' = UnnormDiscrete_{?k : m} [Exponential(1.0)];")
    ours, theirs = make(*given), make(*given, interpreted=True)
    assert [stepped(ours, seed=k) for k in range(200)] == [stepped(theirs, seed=k) for k in range(200)]


@pytest.mark.parametrize("distribution", ["Geometric(s)", "NegativeBinomial(2, s)"])
def test_a_success_that_is_impossible_makes_the_step_invalid(make, distribution):
    reward, over, *_ = stepped(make(FLAG, reward=distribution))
    assert np.isnan(reward) and over


@pytest.mark.parametrize(
    ("precondition", "high"),
    [
        ("forall_{?x : obj, ?y : obj} [a(?x, ?y) <= CAP(?x, ?y)];", [1.0, 9.0]),
        ("forall_{?x : obj, ?y : obj} [a(?x, ?y) >= -1 ^ a(?x, ?y) <= CAP(?x, ?y)];", [1.0, 9.0]),
        ("forall_{?y : obj, ?x : obj} [a(?x, ?y) <= CAP(?x, ?y)];", [100.0, 100.0]),  # not enforced, as a line says
        ("forall_{?x : obj, ?y : obj} [a(?x, ?y) <= 8]; forall_{?x : obj} [a(?x, ?x) <= 1];", [8.0, 8.0]),
    ],
)
def test_a_bound_holds_for_the_actions_that_it_names_or_for_none(make, precondition, high):
    model = make(PAIRS, preconditions=NOT_NEGATIVE + precondition, constants=CAPS)
    assert model.layout.not_enforced() == ([] if high[0] == 1.0 else [len(precondition.split(";"))])
    assert (model.action_low == 0.0).all()
    assert model.action_high[[1, 3]].tolist() == high  # a(o1, o2) and a(o2, o1)


def test_of_several_limits_of_a_choice_the_strictest_holds(make):
    all_of_them, each = (
        "(sum_{?x : obj, ?y : it} [b(?x, ?y)]) <= 1;",
        "forall_{?x : obj} [(sum_{?y : it} [b(?x, ?y)]) <= 1];",
    )
    for limits in (all_of_them + each, each + all_of_them):
        model = make("b(obj, it) : {action-fluent, bool, default = false};", preconditions=limits)
        assert model.action_high.tolist() == [6.0] and model.layout.not_enforced() == []


@pytest.mark.parametrize(
    ("cpfs", "reward"),
    [("n' = n * 0.5; b' = b;", "s"), ("n' = n; b' = b + 1;", "s"), ("n' = n; b' = b;", "if (n) then 1.0 else 2.0")],
)
def test_types_that_rddl_does_not_allow_are_refused(make, cpfs, reward):
    fluents = FLAG + "n : {state-fluent, int, default = 5}; b : {state-fluent, bool, default = true};"
    with pytest.raises(ValueError, match="a type that RDDL does not allow"):
        make(fluents, cpfs, reward)


def test_a_number_set_by_a_boolean_has_the_precision_of_numbers(make):
    fluents = FLAG + "b : {state-fluent, bool, default = true}; f : {interm-fluent, real};"
    assert stepped(make(fluents, "f = b; b' = b;", "exp[f]"))[0] == pytest.approx(np.e, rel=1e-15)


def test_numbers_beside_a_limit_of_actions_count_which_is_said(make, capsys):
    fluents = "b(obj) : {action-fluent, bool, default = false}; k : {action-fluent, int, default = 0};"
    model = make(fluents, preconditions="k >= 0; k <= 3;", most="2")
    assert model.action_names == ("k", "choice 1")
    assert "numbers always count, so at most 1 of the other actions differ" in capsys.readouterr().err


def test_a_problem_without_actions_or_that_is_over_at_once_is_refused(make, monkeypatch):
    with pytest.raises(ValueError, match="it has no action-fluents, so there is nothing to plan"):
        make("x : {state-fluent, real, default = 0.0};", cpfs="x' = x;")
    monkeypatch.setattr(
        "tests.envs.rddl.test_unusual.DOMAIN", DOMAIN.replace("reward", "termination { s <= 0; }; reward")
    )
    with pytest.raises(ValueError, match="a termination condition holds in the initial state"):
        make(FLAG)


def test_no_action_that_differs_is_refused_in_words_that_fit(make):
    with pytest.raises(ValueError, match="max-nondef-actions = 0: must be at least 1"):
        make(FLAG, most="0")


def test_what_is_not_enforced_is_a_remark_for_reports(make):
    number = "b : {action-fluent, real, default = 0.0};"
    assert make(number, preconditions="b * b <= 3;").remark.endswith("are not enforced: number 1")
    assert make(number, preconditions="(b <= 3) & (b >= 0);").remark == ""
    skipped = make(number, preconditions="b <= 3; }; state-action-constraints { b >= 0;").remark
    assert skipped == "state-action-constraints are not read, as by pyRDDLGym: write action-preconditions"
    flags = "x(obj) : {action-fluent, bool, default = false};"
    chosen = "(sum_{?o : obj} [x(?o)]) <= 1;"
    assert [make(flags, preconditions=chosen, most=most).remark for most in ("1", "pos-inf")] == ["", ""]
