"""Grids of planners, and parts of a suite."""

import pytest

from bonspiel import planners
from bonspiel.planners.core.text import expand
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.suite import Suite
from bonspiel.runs.suites import lookup


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dpw", ["dpw"]),
        ("dpw:exploration=0.1|1", ["dpw:exploration=0.1", "dpw:exploration=1"]),
        ("a:b=1|2,c=x,d=3|4", ["a:b=1,c=x,d=3", "a:b=1,c=x,d=4", "a:b=2,c=x,d=3", "a:b=2,c=x,d=4"]),
        ("p:inner=(q:c=1|2),share=0.3", ["p:inner=(q:c=1),share=0.3", "p:inner=(q:c=2),share=0.3"]),
        ("p:inner=q|(r:c=1|2)", ["p:inner=q", "p:inner=(r:c=1)", "p:inner=(r:c=2)"]),
        ("my_module:Mine:c=1|2", ["my_module:Mine:c=1", "my_module:Mine:c=2"]),
    ],
)
def test_a_grid_stands_for_the_product_of_its_values(text, expected):
    assert expand(text) == expected


def test_a_command_that_is_written_as_it_stands_is_no_grid():
    assert planners.REGISTRY.expand("process:cat a=1 | sort") == ["process:cat a=1 | sort"]


def test_grids_are_planners_of_suites_and_keep_their_caps():
    entry = {"planner": "dpw:exploration=0.1|1", "max_simulations": 10}
    suite = Suite.of("x", {"experiment": [{"env": "trap", "simulations": [10, 20], "planners": [entry, "uct"]}]})
    assert [(one.planner, one.budget) for one in suite.settings()] == [
        ("dpw:exploration=0.1", 10),
        ("dpw:exploration=1", 10),
        ("uct", 10),
        ("uct", 20),
    ]
    with pytest.raises(UsageError, match="label='mine' cannot name the 2 planners"):
        Suite.of("x", {"experiment": [{"env": "trap", "simulations": [1], "planners": [entry | {"label": "mine"}]}]})


def test_a_grid_on_the_command_line(run, refused, tmp_path):
    line = ("run", "trap", "--planner", "uct:exploration=0.1|1", "--with", "random", "--budget", 10, "--episodes", 2)
    status, out, _ = run(*line, "--jobs", 1, "--dry-run")
    assert status == 0
    assert [name for name in ("uct:exploration=0.1 ", "uct:exploration=1 ", "random ") if name in out]
    err = refused("run", "trap", "--planner", "uct:exploration=(0.1|1", "--dry-run")
    assert "a parenthesis without its other half" in err


GIVEN = {
    "experiment": [
        {"env": ["trap:noise_range=0.1", "donut"], "simulations": [10], "planners": ["uct", "dpw:exploration=1"]},
        {"env": "trap", "simulations": [10], "planners": [{"planner": "dpw:leaf=tree", "label": "mine"}, "random"]},
    ]
}


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["trap/dpw"], ["trap:noise_range=0.1/dpw:exploration=1", "trap/dpw:leaf=tree"]),
        (["donut"], ["donut/uct", "donut/dpw:exploration=1"]),
        (["*/mine", "trap:*/uct"], ["trap:noise_range=0.1/uct", "trap/dpw:leaf=tree"]),
        (["*/r*"], ["trap/random"]),
        (["donut/dpw:exploration=1"], ["donut/dpw:exploration=1"]),
    ],
)
def test_a_part_of_a_suite_by_patterns(patterns, expected):
    part = lookup.only(Suite.of("x", GIVEN), patterns)
    assert [f"{one.env}/{one.planner}" for one in part.settings()] == expected


def test_a_pattern_that_matches_nothing_is_refused_with_what_is_there(refused):
    with pytest.raises(UsageError, match=r"--only 'trap/cem' matches nothing: .* problems .*donut.* planners .*mine"):
        lookup.only(Suite.of("x", GIVEN), ["trap/uct", "trap/cem"])
    err = refused("run", "quick", "--only", "nowhere/dpw", "--dry-run")
    assert "'nowhere/dpw' matches nothing" in err
