"""The verb `solve`."""

import json
import re

import pytest

from bonspiel.go.tsumego import solve
from bonspiel.go.tsumego.problem_file import _points, read_problem, write_problem
from bonspiel.runs.experiment import UsageError
from tests.go.shapes import UNSETTLED, enclosed


@pytest.fixture
def problem(tmp_path):
    file = tmp_path / "problem.sgf"
    file.write_text(write_problem(enclosed(UNSETTLED["bulky five"])))
    return file


def test_a_problem_is_read_as_it_was_written(problem):
    assert read_problem(problem) == enclosed(UNSETTLED["bulky five"])


def test_the_verdict_the_work_and_the_main_line_are_printed(run, problem):
    status, out, _ = run("solve", problem)
    assert status == 0
    assert out.startswith("Black to move: wins\nwork   ")
    assert "\nproof  2 positions\nline   " in out


@pytest.mark.parametrize("switches", ["none", "all", "forced,simulation"])
def test_json_pictures_and_solutions(run, problem, tmp_path, switches):
    picture, solution = tmp_path / "x.png", tmp_path / "x.sgf"
    line = "solve", problem, "--switches", switches, "--json", "--picture", picture, "--out", solution
    status, out, _ = run(*line)
    found = json.loads(out)
    assert status == 0 and (found["verdict"], found["mover"], len(found["line"]) % 2) == ("won", "Black", 1)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "C[won]" in solution.read_text() and ";B[" in solution.read_text()
    assert read_problem(solution) == read_problem(problem)


def test_a_limit_leaves_the_verdict_open(run, problem):
    attack = problem.read_text().replace("PL[B]", "PL[W]")
    problem.write_text(attack)
    status, out, _ = run("solve", problem, "--nodes", 5, "--switches", "none")
    assert status == 0 and "open (5 nodes; left to prove" in out


def test_progress_is_told_while_it_works(run, problem, monkeypatch):
    monkeypatch.setattr(solve, "LINE_SECONDS", 0.0)
    status, _, err = run("solve", problem)
    assert status == 0 and re.fullmatch(r"(\d+ nodes; left to prove \S+, to disprove \S+\n)+", err)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text[:40], "is not a complete game"),
        (lambda text: "rubbish", "no problem"),
        (lambda text: text.replace("PL[B]", ""), "PL=''"),
        (lambda text: text.replace("TR", "CR"), "crucial stones"),
        (lambda text: text.replace("SL", "CR"), "region has 0 points"),
        (lambda text: text.replace("SZ[10]", "SZ[99]"), "SZ='99'"),
        (lambda text: text.replace("AW", "XW"), "region is open"),
        (lambda text: text.replace("AB[", "AB[cc][dc][cd][dd][ce]["), "liberty"),
        (lambda text: text.replace("AB[", "AB[tt]["), "no point"),
    ],
)
def test_each_mistake_is_a_line(refused, problem, change, words):
    problem.write_text(change(problem.read_text()))
    err = refused("solve", problem)
    assert words in err


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--switches", "magic"], "magic"), (["--memory", "0"], "memory"), (["--picture", "x.doc"], "x.doc")],
)
def test_options_out_of_range_are_refused(refused, problem, options, words):
    err = refused("solve", problem, *options)
    assert words in err


def test_stones_after_the_first_node_belong_to_the_problem(problem):
    text, whole = problem.read_text(), read_problem(problem)
    for later in ("AB", "AW", "SL", "TR", "PL"):
        problem.write_text(text.replace(later + "[", ";" + later + "["))
        assert read_problem(problem) == whole
    corner = "AB[aa]AE[aa]"
    problem.write_text(text.replace("(;", "(;AB[jj];AE[jj]"))
    assert read_problem(problem) == whole
    problem.write_text(text.replace("(;", f"(;{corner}"))
    with pytest.raises(UsageError, match="two stones on the point aa"):
        read_problem(problem)


def test_a_rectangle_may_be_named_by_any_two_corners():
    assert (
        {*_points(["bc:ca"], 9)}
        == {*_points(["ba:cc"], 9)}
        == {row * 9 + column for row in range(3) for column in (1, 2)}
    )


def test_further_problems_of_a_file_are_counted(run, problem):
    problem.write_text(problem.read_text() * 3)
    status, out, err = run("solve", problem)
    assert status == 0 and "Black to move: wins" in out
    assert err == f"{problem} has 3 games: the first is read, 2 left out\n"


@pytest.mark.parametrize("text", ["", "\n", "\ufeff"])
def test_an_empty_file_is_no_problem(refused, problem, text):
    problem.write_text(text, "utf-8")
    err = refused("solve", problem)
    assert "is no game" in err
