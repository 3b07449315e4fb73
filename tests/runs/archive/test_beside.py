import json

import pytest

from bonspiel.runs.results import packed, store
from bonspiel.runs.results.seal import Seal

pytestmark = pytest.mark.usefixtures("undrawn")

ELSEWHERE = {"commit": "f" * 40, "version": "9.9", "cpu": "Abacus, 3 cores", "sources": "other"}


@pytest.fixture
def mine(run, played, tmp_path):
    folder = tmp_path / "mine"
    planners = [text for name in ("dpw", "uct", "pw") for text in ("--planner", name)]
    line = "run", "trap", *planners, "--budget", "3,9", "--episodes", "3"
    assert run(*line, "--seed", "7", "--out", folder, "--jobs", "1")[0] == 0
    return folder


@pytest.fixture
def theirs(run, played, change, tmp_path):
    """The submission of a stranger: from another commit and machine, by a planner of the same name."""
    with store.read(played) as results:
        facts = json.dumps(results.provenance | ELSEWHERE)
    change(played, f"UPDATE meta SET value = '{facts}' WHERE key = 'provenance'", "DELETE FROM meta WHERE key = 'seal'")
    line = "--who", "A. Author", "--where", "https://example.org/a", "--licence", "MIT", "--jobs", "1"
    assert run("submit", played, *line, "--out", "theirs.tar.xz")[0] == 0
    return tmp_path / "theirs.tar.xz"


def planners(text):
    """The planners of the table of the first budget."""
    table = text.partition("## 9 simulations")[0].partition("## 3 simulations")[2].partition("\n\nModel")[0]
    named = (line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| "))
    return sorted(name for name in named if name not in ("planner", "-" * len(name)))


def test_a_run_of_a_stranger_is_ranked_in_one_command_and_says_where_it_is_from(run, mine, theirs, served, look):
    status, out, err = run("report", mine, "--leaderboard", "--beside", f"{served}/theirs.tar.xz")
    assert status == 0, err
    names = ["dpw (A. Author)", "dpw (mine)", "pw", "uct (A. Author)", "uct (mine)"]
    assert planners(out) == sorted(names)
    row = next(line for line in out.splitlines() if line.startswith("| A. Author "))
    for fact in ("https://example.org/a", "ffffffffff", "9.9", "Abacus, 3 cores", "MIT", "--seed 7"):
        assert fact in row
    with packed.read_any(theirs) as results:
        digest = Seal.kept(results).results
    assert digest in row
    assert f"{served}/theirs.tar.xz: " in err and f" bytes, 24 episodes, digest of the results {digest}\n" in err
    assert f"Made by `bonspiel report {mine} --leaderboard --beside {served}/theirs.tar.xz`, bonspiel " in out
    page = look((mine / "leaderboard.html").read_text(encoding="utf-8"))
    assert "Abacus, 3 cores" in page.locator("table[data-name=runs]").inner_text()


def test_planners_of_all_runs_are_chosen_by_name(run, refused, mine, theirs):
    line = "report", mine, "--leaderboard", "--beside", theirs, "--planner"
    assert planners(run(*line, "dpw")[1]) == ["dpw (A. Author)", "dpw (mine)"]
    assert planners(run(*line, "uct", "--planner", "pw")[1]) == ["pw", "uct (A. Author)", "uct (mine)"]
    assert planners(run(*line, "dpw:exploration=0.5", "--planner", "pw")[1]) == ["dpw (A. Author)", "pw"]
    err = refused(*line, "dwp")
    assert "--planner dwp: no run has it; they have dpw, uct, pw" in err
    assert "give --leaderboard too" in run("report", mine, "--planner", "uct")[2]


def test_two_runs_of_one_author_stay_apart(run, mine, theirs, tmp_path):
    second = tmp_path / "second.tar.xz"
    second.write_bytes(theirs.read_bytes())
    status, out, err = run("report", mine, "--leaderboard", "--beside", theirs, "--beside", second, "--planner", "uct")
    assert status == 0, err
    assert planners(out) == ["uct (A. Author, second.tar.xz)", "uct (A. Author, theirs.tar.xz)", "uct (mine)"]


def test_an_address_is_a_run_to_export_compare_verify_and_keep(run, mine, theirs, served, tmp_path):
    address = f"{served}/theirs.tar.xz"
    assert run("export", address)[1].count("\n") == 25
    assert "A: uct" in run("compare", address, "uct", "dpw")[1]
    assert run("verify", address, "--jobs", "1")[0] == 0
    assert "24 of 24" in run("status", address)[1]
    line = "run", "trap", "--planner", "uct", "--budget", "9", "--episodes", "4", "--seed", "7", "--jobs", "1"
    assert "0 of 4 episodes to play" in run(*line, "--out", "new", "--keep", address)[2]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none.tar.xz", "cannot be fetched: the server answers 404 "),
        ("theirs.zip", "its name must end in .sqlite.xz or .tar.xz"),
        ("bad.tar.xz", "is not a packed run ("),
        ("large.tar.xz", "has more than 100,000 bytes"),
    ],
)
def test_an_address_without_a_run_is_refused(run, served, tmp_path, monkeypatch, name, reason):
    monkeypatch.setattr(packed, "FETCHED", 100_000)
    (tmp_path / "bad.tar.xz").write_bytes(b"x")
    (tmp_path / "large.tar.xz").write_bytes(b"x" * 100_001)
    status, _, err = run("export", f"{served}/{name}")
    assert status == 2 and f"{served}/{name}" in err and reason in err


def test_a_server_that_does_not_answer_is_named(refused):
    err = refused("export", "http://127.0.0.1:9/x.tar.xz")
    assert "cannot be fetched (" in err and "Traceback" not in err


def test_a_place_that_is_none_says_what_is_allowed(refused):
    err = refused("export", "nowhere")
    assert "no file *.sqlite.xz or *.tar.xz, no address http(s)://..., and not shipped" in err
