import json

import pytest

from bonspiel.runs.experiment import Entrant, Experiment, Setting, UsageError, amount
from bonspiel.runs.suite import Suite
from bonspiel.runs.suites import lookup


def make(**changes):
    given = {
        "env": "trap",
        "planners": ["uct", {"planner": "dpw", "max_simulations": 10}],
        "simulations": [10, 100],
        "milliseconds": [1.0, 0.5],
        "episodes": 3,
        "seed": 7,
    }
    return Experiment.of(given | changes)


def test_settings_are_all_combinations_up_to_the_caps():
    assert list(make().settings()) == [
        Setting("trap", "uct", 10, "simulations", 7),
        Setting("trap", "uct", 100, "simulations", 7),
        Setting("trap", "uct", 1, "ms", 7),
        Setting("trap", "uct", 0.5, "ms", 7),
        Setting("trap", "dpw", 10, "simulations", 7),
        Setting("trap", "dpw", 1, "ms", 7),
        Setting("trap", "dpw", 0.5, "ms", 7),
    ]


def test_a_suite_survives_json():
    before = Suite("mine", (make(), make(env="trap:noise_range=0.01")), "two")
    assert Suite.of("mine", json.loads(before.to_json())) == before


def test_the_digest_is_stable_and_tells_what_is_played():
    base = Suite("a", (make(),))
    assert base.digest() == "2a1f743aca81e7ca"
    assert Suite("b", (make(),), "another name").digest() == base.digest()
    assert Suite("a", (make(simulations=[10.0, 100]),)).digest() == base.digest()
    for changes in ({"seed": 8}, {"episodes": 4}, {"env": "trap:noise_range=0.01"}, {"simulations": [10]}):
        assert Suite("a", (make(**changes),)).digest() != base.digest()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"simulations": [0]}, ["budget=0", "from 1"]),
        ({"simulations": [1.5]}, ["budget=1.5", "whole number"]),
        ({"simulations": ["10"]}, ["budget='10'"]),
        ({"simulations": [True]}, ["budget=True"]),
        ({"milliseconds": [float("nan")]}, ["milliseconds=nan"]),
        ({"milliseconds": [0]}, ["milliseconds=0"]),
        ({"simulations": 10}, ["simulations=10", "list"]),
        ({"episodes": 0}, ["episodes=0"]),
        ({"seed": -1}, ["seed=-1"]),
        ({"seed": 2**32}, ["seed=4294967296"]),
        ({"planners": []}, ["planner"]),
        ({"planners": [3]}, ["planner entry"]),
        ({"planners": [{"planner": "uct", "max_simulation": 3}]}, ["max_simulation", "Did you mean 'max_simulations'"]),
        ({"planners": [{"planner": "uct", "max_simulations": "x"}]}, ["max_simulations='x'"]),
        ({"planners": [{"planner": "uct", "label": 3}]}, ["label=3", "text"]),
        ({"planners": [{"planner": "uct", "label": ""}]}, ["label=''"]),
        ({"planners": [{"planner": "uct", "label": "a\nb"}]}, ["label='a\\nb'", "one line"]),
        ({"simulations": [], "milliseconds": []}, ["budget"]),
        ({"episode": 3}, ["'episode'", "Did you mean 'episodes'"]),
        ({"env": 3}, ["env=3", "text"]),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(changes, words):
    with pytest.raises(UsageError) as refused:
        make(**changes)
    for word in words:
        assert word in str(refused.value)


def test_a_label_may_have_any_letters_of_one_line():
    label = "日本\u3000語 \u00a0"
    assert make(planners=[{"planner": "uct", "label": label}]).planners[0].label == label


def test_labels_belong_to_an_environment_and_change_nothing_that_is_played():
    named = make(planners=[{"planner": "uct", "label": "mine"}, {"planner": "dpw", "max_simulations": 10}])
    both = Suite("x", (named, make(env="trap:noise_range=0.01")))
    assert both.labels("trap") == {"uct": "mine"}
    assert both.labels("trap:noise_range=0.01") == {}
    assert Suite.of("x", json.loads(both.to_json())) == both
    assert Suite("x", (named,)).digest() == Suite("x", (make(),)).digest()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([{"planner": "uct", "label": "x"}, {"planner": "dpw", "label": "x"}], ["pw"]),
        ([{"planner": "uct", "label": "x"}], [{"planner": "dpw", "label": "x"}]),
        ([{"planner": "dpw", "label": "x"}], ["x"]),
    ],
)
def test_one_name_for_two_planners_of_an_environment_is_refused(first, second):
    named, other = make(planners=first), {"planners": second, "simulations": [7], "milliseconds": []}
    with pytest.raises(UsageError, match=r"label='x' is used twice in trap, to .* and to (dpw|x);"):
        Suite("mine", (named, make(**other)))
    if len(first) == 1:
        Suite("mine", (named, make(env="trap:noise_range=0.01", **other)))


def test_the_same_thing_twice_is_refused():
    with pytest.raises(UsageError, match="uct in trap with 10 simulations is listed twice"):
        Suite("x", (make(), make(seed=8)))


def test_a_suite_without_anything_to_play_is_refused():
    nothing = Experiment("trap", (Entrant("uct", max_simulations=5),), (10,))
    with pytest.raises(UsageError, match="nothing to play"):
        Suite("x", (nothing,))


def test_every_suite_names_what_exists():
    for found in map(lookup.load, lookup.names()):
        assert found.description
        planners_of_it = {entrant.planner for experiment in found.experiment for entrant in experiment.planners}
        assert set(found.resolve()) == {experiment.env for experiment in found.experiment} | planners_of_it


def test_the_quick_suite_has_both_problems_and_the_five_planners():
    quick = lookup.load("quick")
    assert [experiment.env for experiment in quick.experiment] == ["trap:noise_range=0.1", "treasure_hunt:size=5"]
    for experiment in quick.experiment:
        names = {entrant.planner.partition(":")[0] for entrant in experiment.planners}
        assert names == {"uct", "pw", "dpw", "weighted_uct", "abstraction"}


def test_an_environment_makes_a_suite():
    found = lookup.load("trap:noise_range=0.05")
    assert {setting.env for setting in found.settings()} == {"trap:noise_range=0.05"}
    assert "random" not in {setting.planner for setting in found.settings()}


def test_a_file_makes_a_suite(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[[experiment]]\nenv = "trap"\nplanners = ["random"]\nsimulations = [5]\n')
    assert list(lookup.load(str(path)).settings()) == [Setting("trap", "random", 5, "simulations", 0)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("experiment = 3", "[[experiment]]"),
        ("[[experiment]\n", "not a TOML file"),
        ("[[experiments]]\n", "Did you mean 'experiment'"),
        ("[[experiment]]\nplanners = ['uct']\nsimulations = [1]", "needs an `env`"),
    ],
)
def test_a_file_that_is_no_suite_is_refused(tmp_path, content, words):
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(UsageError) as refused:
        lookup.load(str(path))
    assert words in str(refused.value)


def test_overriding_budgets_replaces_those_of_both_units():
    changed = Suite("x", (make(),)).override(["random"], [5], (), 2, 9)
    assert changed.episodes() == {Setting("trap", "random", 5, "simulations", 9): 2}
    assert Suite("x", (make(),)).override() == Suite("x", (make(),))


def test_other_budgets_are_played_once_by_a_planner_of_several_experiments():
    """As the suites give slow planners smaller budgets in an experiment of their own."""
    suite = Suite("x", (make(simulations=[5], milliseconds=[]), make(simulations=[7], milliseconds=[], episodes=9)))
    assert len(suite.override(episodes=3).episodes()) == 4
    assert suite.override((), [6]).episodes() == dict.fromkeys(make(simulations=[6], milliseconds=[]).settings(), 3)


@pytest.mark.parametrize(
    ("budget", "unit", "expected"),
    [
        (1, "simulations", "1 simulation"),
        (100, "simulations", "100 simulations"),
        (1, "ms", "1 ms"),
        (0.5, "ms", "0.5 ms"),
    ],
)
def test_a_budget_in_words(budget, unit, expected):
    assert amount(budget, unit) == expected
