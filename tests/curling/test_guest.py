"""Curling as a guest of the core: its players, options and games in the core's commands."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.state import state_of
from bonspiel.curling.model import Curling
from bonspiel.extensions import Extension, extensions
from bonspiel.planners import Budget
from bonspiel.runs import bench, cli
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.games import tournament
from bonspiel.runs.suites import lookup


def test_players_of_curling_run_like_any_planner_and_on_curling_alone():
    chosen = lookup.load("curling").override(["expectimax"], [1])
    assert chosen.resolve()["expectimax"].startswith("Expectimax(")
    with pytest.raises(UsageError, match="expectimax cannot play trap: curling only; these can: uct"):
        lookup.load("trap").override(["expectimax"], [1]).resolve()
    with pytest.raises(UsageError, match=r"icem cannot play curling: one player only; these can: uct, .*champion"):
        lookup.load("curling").override(["icem"], [1]).resolve()


def plan(name, model, state):
    return planners.make(name).plan(model, state, Budget(20), np.random.default_rng(0))


def test_a_finished_match_of_curling_is_refused():
    for match, end, lead in ((Curling(), 1, 1), (Curling(ends=2, extra_ends=1), 2, -1)):
        over = state_of(no_stones(), 0, end=end, lead=lead)
        for planned in (match, match.planning()):
            with pytest.raises(ValueError, match="over"):
                plan("dpw", planned, state=over)
    tie = state_of(no_stones(), 0, end=2)
    assert plan("dpw", Curling(ends=2, extra_ends=1), state=tie).simulations == 20


@pytest.mark.parametrize("name", ["expectimax", "rulebased"])
def test_its_players_refuse_other_models(name):
    assert "curling only" in planners.unsupported(planners.make(name), planners.Model)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mixed_doubles", ["game mixed_doubles: ", "\nextra_ends  0"]),
        ("gtp", ["command    (required)  the program"]),
        ("curling", ["environment curling: ", "\nvelocity_unit  m/s ", "\n\ngame curling: ", "\nties        half "]),
        ("go", ["environment go: ", "\n\ngame go: bonspiel.go.games.game.GoGame"]),
    ],
)
def test_list_shows_what_guests_add(run, name, words):
    status, out, _ = run("list", name)
    assert status == 0 and [word for word in words if word not in out] == []


def test_what_needs_an_extra_is_measured_by_name_alone():
    names = {place.rpartition(":")[2] for place in bench.BENCHMARKS} | {*extensions(bench.GROUP)}
    assert names - {name for name, _ in bench.chosen([])} == {"serving_dc4"}
    assert [name for name, _ in bench.chosen(["serving_dc4", "go_playouts"])] == ["serving_dc4", "go_playouts"]


def test_no_package_can_take_the_name_of_a_guest(monkeypatch):
    class Entry(NamedTuple):
        name: str
        value: str
        dist: None = None

    class Found(list):
        def select(self, group):
            return self

    entries = [Entry("mine", "mine:Mine"), Entry("champion", "a:Other"), Entry("champion", "bonspiel.curling.x:Own")]
    monkeypatch.setattr("bonspiel.extensions._entry_points", lambda: Found(entries))
    found = extensions.__wrapped__("any")
    assert [one.place for one in found["champion"]] == ["bonspiel.curling.x:Own"]
    assert [one.place for one in found["mine"]] == ["mine:Mine"]


def test_every_package_can_add_options_to_a_verb(monkeypatch):
    seen = []
    monkeypatch.setattr(cli, "add_installed", lambda kind, name, added, parser: seen.append((name, added[0].place)))
    others = (Extension("mine:add", "mine 1"), Extension("yours:add", "yours 1"))
    monkeypatch.setattr("bonspiel.extensions.extensions", lambda group: {"match": others})
    cli.parser("match")
    assert seen == [("match", "mine:add"), ("match", "yours:add")]


def test_a_match_of_version_0_1_is_one_of_curling(tmp_path):
    match = {"ends": 2, "physics": "dc2", "noise": "gat", "seed": 3}
    sides = [["uct", 10, "simulations"], ["dpw", 10, "simulations"]]
    (tmp_path / tournament.MATCH).write_text(json.dumps({"sides": sides, "match": match}))
    read = tournament.read_tournament(tmp_path)
    assert (read.name, read.seed) == ("curling:ends=2,physics=dc2,noise=gat", 3)


def test_all_verbs_are_listed_by_guest(run):
    status, out, _ = run("--help")
    assert status == 0
    assert out.index("\ncurling:\n") < out.index("  client ") < out.index("\ngo:\n") < out.index("  solve ")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("server dc2 --rule five_rock", "bonspiel server dc2: unrecognized arguments: "),
        ("client dc3 --stdio", "bonspiel client dc3: unrecognized arguments: "),
        (f"match random uct --games 2 --budget 1 --out {'a' * 300}", "name of a file or folder is too long"),
        ("match random random --game go --ends 2 --games 2 --budget 1", "unknown parameter of go 'ends'"),
        ("solve none.sgf --seconds soon", "argument --seconds: 'soon' must be a number (see bonspiel solve --help)"),
    ],
)
def test_bad_usage_of_a_guests_verb_is_one_line_and_writes_nothing(refused, tmp_path, line, words):
    err = refused(*line.split())
    assert words in err and not list(tmp_path.iterdir())


def test_bash_completes_the_protocols_of_a_client(complete):
    assert complete("bonspiel client dc") == ["dc2", "dc3", "dc4"]
