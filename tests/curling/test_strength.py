"""`bonspiel strength`: win rate against time from the folders of matches."""

import json
from pathlib import Path

import pytest

from bonspiel.curling.records.record import Match, Record, Result, write
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.games import strength
from bonspiel.runs.games.ratings import wilson

MATCH = {"ends": 2, "physics": "fcv1", "noise": "normal_dist"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Writes a match's folder: the values of each opponent's games for the first planner."""
    monkeypatch.chdir(tmp_path)

    def make(name, milliseconds, opponents, first="abstraction", unit="ms", game=None, **match):
        path = tmp_path / name
        (path / "records").mkdir(parents=True)
        sides = [[first, milliseconds, unit]]
        for number, (planner, other, values) in enumerate(opponents, 2):
            sides.append([planner, other, unit])
            for index, value in values.items():
                winner = None if value == 0.5 else index % 2 if value else 1 - index % 2
                team0 = value if index % 2 == 0 else 1.0 - value
                result = Result((0, 0), winner, team0, "score")
                record = Record(
                    Match(players=(first, planner), physics="fcv1", rule=None, noise=None, ends=2), (), (), result
                )
                write(path / "records" / f"1-{number}-{index:05d}.jsonl", record)
        said = {"format": 2, "game": game, "seed": 0} if game else {"match": MATCH | match}
        (path / "match.json").write_text(json.dumps({"sides": sides} | said))
        return path

    return make


def games(*values):
    return dict(enumerate(values))


def test_curves_are_win_rates_with_wilson_s_interval(folder):
    found = strength.panel(
        [
            folder("b", 200, [("dpw", 200, games(1, 1, 1, 0)), ("uct", 200, games(1, 0.5))]),
            folder("a", 50, [("dpw", 50, games(0, 0, 1, 0.5))]),
            folder("c", 500, [("abstraction", 50, games(1, 1))]),
        ]
    )
    assert found.env == "abstraction, 2 ends, fcv1, normal_dist noise" and found.unit == "ms"
    assert list(found.curves) == ["dpw", "uct", "abstraction, 50 ms"]
    dpw = found.curves["dpw"]
    assert [budget for budget, _ in dpw] == [50, 200]
    for (_, summary), total in zip(dpw, (1.5, 3.0), strict=True):
        assert (summary.n, summary.mean, summary.low, summary.high) == (4, *wilson(total, 4))


def test_a_game_without_its_pair_does_not_count(folder):
    found = strength.panel([folder("a", 50, [("dpw", 50, {0: 1, 1: 0, 3: 1, 4: 1, 5: 1})])])
    ((_, summary),) = found.curves["dpw"]
    assert (summary.n, summary.mean) == (4, 0.75)


def test_kinds_of_matches_are_lines_of_their_own(folder):
    found = strength.panel(
        [
            folder("a", 50, [("dpw", 50, games(1, 0))]),
            folder("b", 50, [("dpw", 50, games(1, 1))], physics="dc2", noise="gat"),
        ]
    )
    assert list(found.curves) == ["dpw (2 ends, fcv1, normal_dist noise)", "dpw (2 ends, dc2, gat noise)"]


@pytest.mark.parametrize(
    ("other", "words"),
    [("ties=thesis", "ties thesis"), ("extra_ends=1", "at most 1 extra end"), ("rule=no_tick", "rule no_tick")],
)
def test_matches_that_count_a_draw_otherwise_are_not_joined(folder, other, words):
    changed = folder("b", 500, [("dpw", 500, games(1, 1))], game=f"curling:ends=2,{other}")
    folders = [folder("a", 50, [("dpw", 50, games(1, 0))]), changed]
    usual = "2 ends, fcv1, normal_dist noise"
    assert list(strength.panel(folders).curves) == [f"dpw ({usual})", f"dpw ({usual}, {words})"]


def test_the_chart_has_a_line_an_opponent_and_one_at_a_half(folder, capsys):
    folders = [
        folder("a", 50, [("dpw", 50, games(1, 0)), ("uct", 50, games(1, 1))]),
        folder("b", 500, [("dpw", 500, games(1, 1))]),
    ]
    figure = strength.draw(strength.panel(folders))
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in figure.legends[0].get_texts()] == ["dpw", "uct"]
    half, *lines = axes.lines
    assert set(half.get_ydata()) == {0.5}
    assert [list(line.get_ydata()) for line in lines if line.get_linestyle() == "-"] == [[0.5, 1.0], [1.0]]
    assert strength.main(folders, Path("s.png")) == 0
    text = capsys.readouterr().out
    assert "| against" in text and "1.000 [0.342, 1.000]" in text and text.endswith("s.png\ns.svg\n")
    assert Path("s.png").read_bytes()[:4] == b"\x89PNG" and "milliseconds per decision" in Path("s.svg").read_text()


def test_what_does_not_belong_together_is_refused(folder):
    a = folder("a", 50, [("dpw", 50, games(1, 0))])
    for other, message in (
        (folder("b", 50, [("dpw", 50, games(1, 0))]), "second match against dpw at 50 ms"),
        (folder("c", 50, [("dpw", 50, games(1, 0))], first="uct"), "is about uct by ms"),
        (folder("d", 50, [("dpw", 50, games(1, 0))], unit="simulations"), "by simulations"),
    ):
        with pytest.raises(UsageError, match=message):
            strength.panel([a, other])


def test_wrong_folders_are_refused_in_one_line(run, folder):
    empty = folder("empty", 50, [("dpw", 50, {})])
    damaged = folder("damaged", 50, [("dpw", 50, games(1, 0))])
    (damaged / "records" / "1-2-00001.jsonl").write_text("{}\n")
    for path, message in (
        ("nowhere", "nowhere holds no match (no match.json)"),
        (empty, "holds no finished pair of games"),
        (damaged, "1-2-00001.jsonl, line 1: not a line of a record"),
    ):
        status, out, err = run("strength", path)
        assert (status, out) == (2, "") and message in err and err.count("\n") == 1
    assert not Path("strength.png").exists()


@pytest.mark.parametrize("name, words", [("s.xyz", "must end in .png or .svg"), ("no/s.png", "no folder no")])
def test_a_chart_that_cannot_be_written_is_refused(refused, name, words):
    err = refused("strength", "nowhere", "--out", name)
    assert words in err


def test_real_matches(run):
    for budget in (1, 2):
        assert (
            run(
                "match",
                "random",
                "uct",
                "--ends",
                1,
                "--budget",
                budget,
                "--games",
                2,
                "--jobs",
                1,
                "--out",
                f"m{budget}",
            )[0]
            == 0
        )
    status, out, _ = run("strength", "m1", "m2", "--out", "s.png")
    assert status == 0 and "uct" in out and "2 simulations" in out and Path("s.svg").exists()


def test_without_a_name_no_file_is_replaced(run, folder):
    played = folder("a", 50, [("dpw", 50, games(1, 0))])
    Path("strength.svg").write_text("mine")
    status, out, err = run("strength", played)
    assert status == 0, err
    assert out.endswith("strength-2.png\nstrength-2.svg\n")
    assert Path("strength.svg").read_text() == "mine" and not Path("strength.png").exists()
