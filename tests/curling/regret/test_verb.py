"""`bonspiel regret`: its page, its folder, and its refusals."""

import json
import sys
from pathlib import Path

import pytest

from bonspiel.curling.regret import sources
from tests.curling.regret.places import file_of, last_stone
from tests.curling.regret.test_clients import seeing

FEW = ("--simulations", 20, "--jobs", 1)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Few playouts, which are what takes long."""
    monkeypatch.setattr(sources.PlayoutSource, "budget", 30_000)


@pytest.fixture
def own(run, tmp_path):
    """A file of two positions with the last stone."""
    return file_of(tmp_path / "own.json", last_stone(1, red1=(0.0, 0.0)), last_stone(0, yellow1=(0.5, 1.0)))


def lines(folder):
    found = [json.loads(line) for line in (Path(folder) / "judged.jsonl").read_text().splitlines()]
    for one in found:
        del one["seconds"]
        for answer in one["answers"].values():
            del answer["seconds"]
    return sorted(found, key=lambda one: one["number"])


def test_the_page_tells_of_each_client_and_draws_the_costliest_shots(run):
    line = (
        "regret",
        "--client",
        "random",
        "--client",
        "champion:threads=1",
        "--positions",
        2,
        "--out",
        "r",
        *FEW,
        "--json",
    )
    status, out, err = run(*line)
    assert status == 0
    found, page = json.loads(out), Path("r/regret.md").read_text()
    assert found["clients"]["random"]["referee"] == "network" and found["clients"]["random"]["positions"] == 2
    assert found["clients"]["champion:threads=1"]["referee"] == "playouts"
    assert "| random less champion:threads=1 | " in err and "| random less champion:threads=1 | " in page
    for part in (
        "## Where the referees disagree",
        "## random",
        "first third",
        "with the hammer",
        "## The costliest shots",
    ):
        assert part in page
    pictures = sorted(Path("r").glob("costly-*.png"))
    assert len(pictures) == 4 and all(f"({file.name})" in page for file in pictures)
    assert len(json.loads(Path("r/positions.json").read_text())["positions"]) == 2
    regrets = [one["verdicts"]["random"][0]["regret"] for one in lines("r")]
    assert found["clients"]["random"]["network"]["regret"]["value"] == pytest.approx(sum(regrets) / 2)


def test_the_results_are_the_same_with_any_number_of_jobs_and_by_parts(run, own, monkeypatch):
    monkeypatch.undo()
    monkeypatch.chdir(own.parent)
    line = ("regret", "--client", "rulebased", "--client", "random", "--file", own, "--simulations", 20)
    assert run(*line, "--out", "one", "--jobs", 1)[0] == run(*line, "--out", "two", "--jobs", 2)[0] == 0
    assert lines("one") == lines("two") and len(lines("one")) == 2
    assert run(*line, "--out", "part", "--jobs", 1, "--positions", 1)[0] == 0
    with Path("part/judged.jsonl").open("a") as file:
        file.write('{"number": 1, "cut')
    assert run(*line, "--out", "part", "--jobs", 1, "--resume")[0] == 0
    assert lines("part") == lines("one")


def test_a_client_that_fails_is_named_and_the_others_are_judged(run, own):
    line = ("regret", "--client", seeing("crash"), "--client", "random", "--file", own, "--out", "r", *FEW)
    status, out, err = run(*line)
    assert status == 1 and "bonspiel regret: seeing gave no shot in any position" in err
    failure = "left the match (exit status 1; its last output: ZeroDivisionError: dropped the stone)"
    assert f"seeing: no shot in 2 positions, first in position 1: {failure}" in out
    assert f"seeing fails in position 1: {failure}" in err
    assert [list(one["verdicts"]) for one in lines("r")] == [["random"], ["random"]]


def test_a_command_of_digital_curling_3_is_judged(run, own):
    status, out, _ = run("regret", "--client", seeing(), "--file", own, "--out", "r", *FEW)
    assert status == 0 and "| seeing | 2 " in out
    assert [one["answers"]["seeing"]["shot"] for one in lines("r")] == [[0.1317, 2.3997, 1.0]] * 2


def test_a_client_is_compared_with_its_earlier_version_in_the_same_positions(run, own):
    line = ("regret", "--client", "random", "--file", own, *FEW, "--out")
    assert run(*line, "old", "--seed", 1)[0] == run(*line, "new", "--seed", 2, "--against-last", "old")[0] == 0
    status, out, _ = run(*line, "new", "--seed", 2, "--resume", "--against-last", "old")
    new, old = (sum(one["verdicts"]["random"][0]["regret"] for one in lines(folder)) / 2 for folder in ("new", "old"))
    assert (
        status == 0
        and f"since old, in the same positions\n  random: regret {new:.3f}, was {old:.3f}, by network" in out
    )
    other = ("regret", "--client", "rulebased", "--file", own, *FEW, "--out", "new", "--against-last")
    assert "its clients are random; name at least one as there" in run(*other, "old")[2]
    assert "no results of bonspiel regret in any of these positions" in run(*other, "none")[2]
    more = (
        "regret",
        "--client",
        "random",
        "--file",
        own,
        "--simulations",
        7,
        "--out",
        "other",
        "--against-last",
        "old",
    )
    assert "its a shot is" in run(*more)[2]


def test_other_settings_and_other_folders_are_refused(run, own):
    line = ("regret", "--client", "random", "--file", own, "--positions", 1, *FEW, "--out", "r")
    assert run(*line)[0] == 0
    assert "continue with --resume" in run(*line)[2]
    assert "seed was 1, and is 2 now" in run(*line, "--resume", "--seed", 2)[2]
    file_of(own, last_stone(3))
    assert "position 1 was another one" in run(*line, "--resume")[2]
    Path("full").mkdir()
    Path("full/notes.txt").touch()
    assert "but other files" in run(*line[:-1], "full")[2]


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("--positions", 0), "positions"),
        (("--positions", 501), "from 1 to 500"),
        (("--file", "none.json"), "none.json cannot be read"),
        (("--file", "a", "--draw", 3), "give one of them"),
        (("--client", "champ"), "champ"),
        (("--seconds", 0), "--seconds"),
        (("--client", f"mine={sys.executable} x"), "needs {port}"),
    ],
)
def test_options_out_of_range_are_refused_before_work(refused, words, refusal):
    err = refused("regret", "--client", "random", "--out", "r", *words)
    assert refusal in err and not Path("r").exists()


def test_planners_by_name_play_mixed_doubles(run, tmp_path):
    mixed = {"pattern": 2, "decider": 0, "power_plays": [True, False], "throwers": None}
    given = last_stone(0, red3=(0.0, 0.5), yellow3=(0.0, -3.0)) | {"physics": "dc4", "shot": 15, "mixed_doubles": mixed}
    file = file_of(tmp_path / "mixed.json", given)
    line = ("regret", "--client", "random", "--client", "champion:threads=1", "--file", file, *FEW, "--out", "r")
    assert run(*line)[0] == 0
    worst, best = (one["verdicts"][name][0] for one in lines("r") for name in ("random", "champion:threads=1"))
    assert worst["regret"] > best["regret"] > -0.01 and "shot 10 of 10" in Path("r/regret.md").read_text()
    line = ("regret", "--client", seeing(), "--file", file, "--out", "s", *FEW)
    assert "mixed doubles is put to commands by --protocol dc4 alone" in run(*line)[2]
