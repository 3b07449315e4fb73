import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bonspiel.runs.experiment import Entrant, Experiment, RunPart, Setting, UsageError
from bonspiel.runs.results import merge as merging
from bonspiel.runs.results import run_folder, store
from bonspiel.runs.results.merge import merge
from bonspiel.runs.results.rows import Batch, Episode, Failure
from bonspiel.runs.suite import Suite

pytestmark = pytest.mark.usefixtures("undrawn")

LINE = "run trap-curves --planner random --planner dpw --budget 3,30 --episodes 7 --jobs 1".split()
SUITE = Suite("mine", (Experiment("trap", (Entrant("random"), Entrant("dpw")), (10,), (5,), episodes=4),))
FIRST, TIMED = Setting("trap", "random", 10, "simulations", 0), Setting("trap", "dpw", 5, "ms", 0)
FACTS = {"sources": "s", "commit": "abc", "cpu": "one", "packages": {"numba": "0.2", "scipy": "1"}}


def played(folder, *results, setting=FIRST, suite=SUITE, facts=FACTS, dpw="DPW()"):
    with run_folder.write(folder, suite, {"dpw": dpw}, facts, False) as opened:
        opened.add(Batch(setting, list(results), 1.0))
    return folder


def episode(number, total=1.0, seconds=0.1, **kept):
    return Episode(number, total, 2, seconds)._replace(**{"simulations": 20, "first_action": bytes(8), **kept})


def everything(folder):
    with store.read(folder) as results:
        return (
            {setting: list(results.episodes(setting)) for setting in results.suite.settings()},
            results.failures(),
            results.part,
            results.provenance,
        )


def test_a_part_beyond_the_episodes_is_no_failure(run):
    status, out, _ = run(*LINE, "--part", "8/8")
    assert status == 0 and "part 8/8 has no episodes" in out


def test_parts_of_a_run_together_are_the_run(run, rows):
    for part in ("1/3", "2/3", "3/3"):
        assert run(*LINE, "--part", part)[0] == 0
    assert run(*LINE, "--out", "whole")[0] == 0
    parts = sorted(Path("results").iterdir())
    assert [part.name for part in parts] == ["trap-curves-1-of-3", "trap-curves-2-of-3", "trap-curves-3-of-3"]
    assert [len(rows(part)) for part in parts] == [8 * 3, 8 * 2, 8 * 2]
    assert run("merge", "all", *parts)[:2] == (0, "56 of 56 episodes are in all; draw them with: bonspiel report all\n")
    assert rows(Path("all")) == rows(Path("whole"))
    assert run("report", "all")[0] == 0
    report = Path("all/report.md").read_text()
    assert "- command: bonspiel merge all " in report
    assert all(f"### {part}" in report for part in parts) and "--part 3/3" in report


def test_a_merged_run_goes_on_with_what_no_part_has(run, rows):
    assert run(*LINE, "--part", "2/3", "--out", "part")[0] == 0
    assert run(*LINE, "--part", "2/3", "--out", "part", "--resume")[0] == 0
    assert run("merge", "all", "part")[1].startswith("16 of 56 episodes are in all")
    assert run(*LINE, "--out", "all", "--resume")[0] == 0
    assert run(*LINE, "--out", "whole")[0] == 0
    assert rows(Path("all")) == rows(Path("whole"))


@pytest.mark.parametrize(("begun", "other"), [("1/3", "2/3"), ("1/3", None), (None, "1/3")])
def test_a_part_is_not_resumed_as_another(run, refused, rows, begun, other):
    lines = [[*LINE, "--out", "x", *(["--part", part] if part else [])] for part in (begun, other)]
    assert run(*lines[0])[0] == 0
    before = rows(Path("x"))
    err = refused(*lines[1], "--resume")
    assert f"x holds part {begun or '1/1'} of this run" in err
    assert rows(Path("x")) == before


@pytest.mark.parametrize("text", ["0/4", "5/4", "1/0", "1", "1/2/3", "a/b", "-1/4"])
def test_parts_that_are_none(refused, text):
    err = refused("run", "trap", f"--part={text}")
    assert "part" in err


def test_equal_episodes_are_one_and_an_episode_played_anywhere_has_not_failed(tmp_path):
    a = played(tmp_path / "a", episode(0), episode(2), Failure(1, "no"), Failure(3, "never"))
    other = {**FACTS, "cpu": "two", "packages": {"numba": "0.2", "scipy": "2"}}
    b = played(tmp_path / "b", episode(0, seconds=9.0), episode(1, total=2.0), facts=other)
    assert merge(tmp_path / "all", [a, b], "the command") == (3, 16)
    rows, failures, part, facts = everything(tmp_path / "all")
    assert rows.pop(FIRST) == [episode(0), episode(1, total=2.0), episode(2)]
    assert not any(rows.values())
    assert failures == [("trap", "random", 10, "simulations", 3, "never")]
    assert part == RunPart(1, 1)
    assert facts["sources"] == "s" and "cpu" not in facts and facts["command"] == "the command"
    assert facts["packages"] == {"numba": "0.2"}
    assert [(one["run"], one["cpu"]) for one in facts["merged"]] == [(str(a), "one"), (str(b), "two")]
    merge(tmp_path / "again", [tmp_path / "all", b], "")
    assert [one["run"] for one in everything(tmp_path / "again")[3]["merged"]] == [str(a), str(b), str(b)]


def test_what_was_not_kept_contradicts_nothing(tmp_path):
    a = played(tmp_path / "a", episode(0, simulations=None, first_action=None))
    b = played(tmp_path / "b", episode(0))
    assert merge(tmp_path / "all", [a, b], "") == (1, 16)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"total": 1.5}, "has another return in"),
        ({"steps": 3}, "has another steps in"),
        ({"simulations": 21}, "has another simulations in"),
        ({"first_action": b"12345678"}, "has another first action in"),
    ],
)
def test_contradictions_are_refused_naming_the_first(tmp_path, change, words):
    a = played(tmp_path / "a", *map(episode, range(4)))
    b = played(tmp_path / "b", episode(0), episode(1)._replace(**change), episode(2)._replace(**change))
    c = played(tmp_path / "c", episode(3))
    where = f"{tmp_path}/b than in {tmp_path}/a; nothing was merged"
    with pytest.raises(UsageError, match=f"^episode 1 of random in trap with 10 simulations {words} {where}$"):
        merge(tmp_path / "all", [a, b, c], "")
    assert [path.name for path in (tmp_path / "all").iterdir()] == []


def test_time_budgets_say_why_they_contradict(tmp_path):
    runs = [played(tmp_path / name, episode(0, total), setting=TIMED) for name, total in (("a", 1.0), ("b", 2.0))]
    with pytest.raises(UsageError, match="time budgets never come out the same"):
        merge(tmp_path / "all", runs, "")


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"suite": SUITE.override(seed=1)}, "holds another run"),
        ({"facts": {**FACTS, "sources": "t", "commit": "def"}}, r"other sources \(commit def\) than .* \(commit abc\)"),
        (
            {"facts": {**FACTS, "packages": {"numba": "0.1", "scipy": "2"}}},
            r"b was made with numba 0.1, not 0.2 as .*a,",
        ),
        ({"dpw": "DPW(new=1)"}, r"dpw was DPW\(new=1\) in .* and DPW\(\) in"),
    ],
)
def test_runs_that_do_not_go_together_are_refused(tmp_path, other, words):
    a = played(tmp_path / "a", episode(0))
    b = played(tmp_path / "b", **{"setting": next(other.get("suite", SUITE).settings()), **other})
    with pytest.raises(UsageError, match=words):
        merge(tmp_path / "all", [a, b], "")
    assert not (tmp_path / "all").exists()


def test_a_place_that_is_taken_is_left_alone(tmp_path):
    a, b = played(tmp_path / "a", episode(0)), played(tmp_path / "b", episode(1))
    before = (b / store.FILE).read_bytes()
    with pytest.raises(UsageError, match="holds a run already"):
        merge(b, [a, b], "")
    assert (b / store.FILE).read_bytes() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match="holds no run but other files"):
        merge(tmp_path / "mine", [a, b], "")


def test_a_run_that_begins_meanwhile_is_left_alone(tmp_path, monkeypatch):
    a, locked = played(tmp_path / "a", episode(0)), merging.locked

    def late(folder):
        played(folder, episode(1))
        return locked(folder)

    monkeypatch.setattr(merging, "locked", late)
    with pytest.raises(UsageError, match="holds a run already"):
        merge(tmp_path / "all", [a], "")
    assert everything(tmp_path / "all")[0][FIRST] == [episode(1)]


def test_a_damaged_run_is_named_and_not_merged(tmp_path):
    a, b = (played(tmp_path / name, *map(episode, range(4))) for name in "ab")
    with closing(sqlite3.connect(b / store.FILE)) as connection:
        ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'episode'")
    with (b / store.FILE).open("r+b") as file:
        file.seek(4096 * (page - 1))
        file.write(bytes(100))
    with pytest.raises(UsageError) as refused:
        merge(tmp_path / "all", [a, b], "")
    assert str(refused.value).startswith(f"{b / store.FILE} is not a readable results file (")
    assert "\n" not in str(refused.value) and not (tmp_path / "all").exists()


def test_a_merge_that_breaks_off_leaves_no_run(tmp_path, monkeypatch):
    a = played(tmp_path / "a", episode(0))

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store.Store, "add", full)
    with pytest.raises(UsageError, match=r"all cannot be written \(database or disk is full\)"):
        merge(tmp_path / "all", [a], "")
    assert [path.name for path in (tmp_path / "all").iterdir()] == []
