"""`bonspiel analyse` from the command line."""

import json
import re
import signal
from pathlib import Path

import pytest

from bonspiel.curling.records import record

QUICK = ("--planner", "rulebased", "--simulations", 50, "--jobs", 1)


@pytest.fixture
def file(tmp_path, played, cut_after):
    """The record of a match that broke off after three shots."""
    record.write(tmp_path / "game.jsonl", cut_after(played, 3))
    return tmp_path / "game.jsonl"


def refused(result, message, status=2):
    """Told in one line; another may say that something is compiled."""
    found, out, err = result
    lines = [line for line in err.splitlines() if "compiling" not in line]
    assert (found, out, len(lines)) == (status, "", 1) and message in lines[0], result


def test_every_shot_has_a_line_and_the_page_its_judgements(run, file):
    status, out, _ = run("analyse", file, *QUICK, "--out", "page.html")
    assert status == 0
    assert len(re.findall(r"^ +\d+  (?:red|yellow) ", out, re.M)) == 3 and "judge: rulebased, 50 simulations" in out
    assert out.endswith("\npage.html\n") and "(unfinished)" in out
    (data,) = re.findall(
        r'<script type="application/json" id="match">(.*?)</script>', Path("page.html").read_text(), re.S
    )
    events = json.loads(data)["events"]
    judged = [event["judged"] for event in events if event["type"] == "shot"]
    assert len(judged) == 3 and all(one["choice"] and 0.0 <= one["aimed"] <= 1.0 for one in judged)
    assert events[0]["judge"]["name"] == "rulebased, 50 simulations"
    again = run("analyse", file, *QUICK)
    assert again[0] == 0 and out.startswith(again[1])


def test_the_shots_of_one_team(run, file, played):
    status, out, _ = run("analyse", file, *QUICK, "--team", "team1")
    own = sum(shot.team == 1 for shot in played.shots[:3])
    assert status == 0 and len(re.findall(r"^ +\d+  yellow ", out, re.M)) == own > 0 and "  red " not in out


def test_a_time_budget(run, file):
    status, out, _ = run(
        "analyse", file, "--planner", "rulebased", "--milliseconds", 50, "--jobs", 1, "--team", "team1"
    )
    assert status == 0 and "rulebased, 50 ms" in out


def damaged(file, **fields):
    lines = file.read_text().splitlines()
    lines[0] = json.dumps(json.loads(lines[0]) | fields)
    file.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    "fields, said",
    [
        ({"physics": "fcv2"}, "unknown physics 'fcv2'"),
        ({"rule": "six_rock"}, "unknown rule"),
        ({"engine": "bullet"}, "engine"),
        ({"noise": "gat"}, "noise='gat'"),
    ],
)
def test_rules_and_physics_that_are_not_known(run, file, fields, said):
    damaged(file, **fields)
    refused(run("analyse", file, *QUICK), said)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("missing.jsonl",), "cannot be read"),
        ((".",), "is a folder"),
        (("empty.jsonl",), "empty.jsonl is empty"),
        (("no.jsonl",), "line 1: not a line of a record"),
        (("first.jsonl",), "no shot of team0 or team1: nothing to judge"),
        (("game.jsonl", "--planner", "champ"), "unknown planner 'champ'"),
        (("game.jsonl", "--planner", "cem"), "cem cannot search curling: "),
        (("game.jsonl", "--simulations", 0), "simulations=0: must be"),
        (("game.jsonl", "--milliseconds", 0.1), "milliseconds=0.1: must be"),
        (("game.jsonl", "--seed", -1), "seed=-1: must be"),
        (("game.jsonl", "--jobs", 0), "jobs=0: must be"),
        (("game.jsonl", "--out", "page.txt"), "must end in .html"),
        (("game.jsonl", "--out", "no/page.html"), "no folder no"),
        (("game.jsonl", "--simulations", 5, "--milliseconds", 5), "not allowed with"),
    ],
)
def test_wrong_input_is_refused_in_one_line_before_the_work(run, file, arguments, said):
    Path("empty.jsonl").touch()
    Path("no.jsonl").write_text("nonsense\n")
    Path("first.jsonl").write_text(file.read_text().splitlines()[0] + "\n")
    refused(run("analyse", *arguments), said)


def test_ctrl_c_leaves_no_page(start, played, tmp_path):
    record.write(tmp_path / "game.jsonl", played)
    program = "from bonspiel.runs import progress\nprogress.LINE_SECONDS = 0.0\nfrom bonspiel.runs.cli import main"
    budget = "--milliseconds", 300, "--jobs", 1
    process = start("analyse", "game.jsonl", *budget, "--out", "page.html", program=program)
    said = next(line for line in process.stderr if "compiling" not in line)
    assert "1 of 32 shots, about" in said, said
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130 and out == "" and "Traceback" not in err
    assert not list(tmp_path.glob("page*"))
