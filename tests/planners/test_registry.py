import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bonspiel import planners
from bonspiel.planners.registry import parse_value


@pytest.mark.parametrize("text", ["planners.dpw:DPW", "envs.trap:Trap"])
def test_an_old_import_name_is_answered_with_the_new_one(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path and not (Path(path) / "planners").is_dir()])
    with pytest.raises(ValueError, match=f"write bonspiel.{text.partition(':')[0]}$"):
        planners.parse(text)


def test_the_line_of_an_author_is_named_where_our_code_raises(tmp_path, monkeypatch):
    (tmp_path / "theirs.py").write_text("from bonspiel.planners.checks import require_positive\nrequire_positive(1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=r"theirs\.py, line 2: require_positive"):
        planners.parse("theirs:Planner")


def test_a_parameter_that_is_true_or_false_is_nothing_else(tmp_path, monkeypatch):
    (tmp_path / "flagged.py").write_text(
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Flagged:\n    flag: bool = False\n"
        "    def plan(self, model, state, budget, rng, root_actions=None):\n        raise NotImplementedError\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert planners.parse("flagged:Flagged:flag=true").flag is True
    with pytest.raises(ValueError, match="flag='no': must be true or false"):
        planners.parse("flagged:Flagged:flag=no")


def test_parse_makes_what_make_makes():
    assert planners.parse("dpw:exploration=0.5,outcome=least_visited") == planners.make(
        "dpw", exploration=0.5, outcome="least_visited"
    )
    assert planners.parse("wuct") == planners.make("weighted_uct")


@pytest.mark.parametrize(
    "text",
    [
        "dpw",
        "dpw:exploration=0.5,outcome=least_visited",
        "presearch:inner=dpw",
        "uct:n_actions=5",
        "presearch:inner=(dpw:leaf=rollout,exploration=0.25)",
    ],
)
def test_a_planner_in_writing_reads_as_the_planner(text):
    written = planners.REGISTRY.text(planners.parse(text))
    assert planners.parse(written) == planners.parse(text)
    assert set(re.split("[:,()]", written)) == set(re.split("[:,()]", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abstracton", r"unknown planner 'abstracton'. Did you mean 'abstraction'\? Known: random, uct"),
        ("dpw:exploraton=1", r"unknown parameter of dpw 'exploraton'. Did you mean 'exploration'\?"),
        ("dpw:exploration", "'exploration' is not key=value"),
        ("dpw:exploration=1,exploration=2", "'exploration' is given twice"),
        ("dpw:exploration=-1", "exploration=-1: must be finite and at least 0"),
        ("uct:n_actions=0", "n_actions=0: must be a whole number from 1"),
        ("uct:leaf=root", "leaf='root': must be 'auto' or 'tree' or 'rollout'"),
        ("", "unknown planner ''"),
        ("refined_abstraction", "unknown planner 'refined_abstraction': it was removed; take 'adaptive' instead"),
        ("root:inner=(refined_abstraction:spread=1)", "'refined_abstraction': it was removed; take 'adaptive' instead"),
    ],
)
def test_bad_text_is_answered_with_what_is_allowed(text, message):
    with pytest.raises(ValueError, match=message):
        planners.parse(text)


def test_a_removed_name_has_a_successor_and_is_listed_nowhere():
    removed = planners.REGISTRY.removed
    assert removed and {*removed.values()} <= {*planners.names()}
    assert not {*removed} & {*planners.REGISTRY.everything()}


@pytest.mark.parametrize("name", [None, 0.1, ["uct"], ("uct",)])
def test_a_name_that_is_no_text_is_answered_with_what_is_allowed(name):
    with pytest.raises(ValueError, match=r"unknown planner .* Known: random, uct"):
        planners.make(name)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("0.5", 0.5),
        ("1e-3", 1e-3),
        ("true", True),
        ("none", None),
        ("tree", "tree"),
        ("(dpw)", "dpw"),
        ("(dpw:leaf=tree)", "dpw:leaf=tree"),
        ("(0.5,1)", (0.5, 1)),
    ],
)
def test_values(text, value):
    assert parse_value(text) == value


ALONE = """import sys
from bonspiel import planners
names = list(planners.REGISTRY.everything())
try:
    planners.make("presaerch")
except ValueError as error:
    print(error)
print(sorted({"bonspiel.curling", "bonspiel.envs", "bonspiel.runs", "gymnasium"} & {*sys.modules}))
print(*names)
print(planners.parse("presearch"))
print([name for name in names if not planners.REGISTRY.cls(name).plan])"""


def test_planners_alone_knows_every_name_and_imports_what_is_asked_for():
    """Those for one game alone too, before anything of the game is imported."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", ALONE], env=environment, capture_output=True, text=True, check=True)
    error, imported, names, made, without_plan = done.stdout.splitlines()
    assert "Did you mean 'presearch'?" in error
    assert imported == without_plan == "[]"
    assert {"random", "dpw", "presearch", *planners.REGISTRY.guests()} <= set(names.split())
    assert "Presearch(" in made


def test_parameters_by_name_alone_are_written_last():
    """As in 0.1, whose texts label results."""
    assert planners.REGISTRY.text(planners.parse("dpw:leaf=rollout,k_action=2")) == "dpw:k_action=2,leaf=rollout"


def test_every_planner_that_searches_itself_has_a_lookahead():
    without = {name for name in planners.names() if not hasattr(planners.REGISTRY.cls(name), "lookahead")}
    assert without == {"random", "do_nothing", "presearch", "root", "threads", "valued"}
