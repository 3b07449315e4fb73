import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bonspiel.runs.results import store

pytestmark = pytest.mark.usefixtures("undrawn")

OLD = "run", "trap", "--planner", "random", "--planner", "dpw", "--budget", "3,30", "--episodes", "5", "--jobs", "1"


def found(folder, planner, budget):
    """The returns of one planner's episodes by number."""
    with store.read(folder) as results:
        (setting,) = (one for one in results.suite.settings() if one[1:3] == (planner, budget))
        return {one.number: one.total for one in results.episodes(setting)}


def change(folder, statement, *values):
    with closing(sqlite3.connect(folder / "results.sqlite")) as connection, connection:
        connection.execute(statement, values)
        connection.execute("DELETE FROM meta WHERE key = 'seal'")  # else the change would be refused


@pytest.fixture
def old(run, tmp_path):
    """A run in which every return is 7, by other sources and with another default of dpw, so that kept ones show."""
    folder = tmp_path / "old"
    assert run(*OLD, "--out", folder)[0] == 0
    change(folder, "UPDATE episode SET total = 7")
    with store.read(folder) as results:
        facts, resolved = results.provenance | {"sources": "other"}, results.resolved | {"dpw": "DPW(other=1)"}
    for key, value in ("provenance", facts), ("resolved", resolved):
        change(folder, "UPDATE meta SET value = ? WHERE key = ?", json.dumps(value), key)
    return folder


def test_a_run_keeps_what_it_has_in_common_with_another_and_plays_the_rest(run, refused, old, tmp_path):
    new = tmp_path / "new"
    line = "run", "trap", "--planner", "random", "--planner", "dpw", "--budget", "30,100", "--episodes", "8"
    code, _, progress = run(*line, "--jobs", "1", "--out", new, "--keep", old)
    assert code == 0 and "27 of 32 episodes to play" in progress
    assert f"note: {old} was played by other sources; this shows whether its planners have changed since" in progress
    same = found(new, "random", 30)
    assert [same[number] for number in range(5)] == [7.0] * 5
    assert len(same) == 8 and 7.0 not in [same[number] for number in range(5, 8)]
    for changed in (found(new, "random", 100), found(new, "dpw", 30), found(new, "dpw", 100)):
        assert len(changed) == 8 and 7.0 not in changed.values()
    with store.read(new) as results:
        facts = results.provenance
    assert facts["sources"] != "other"
    assert [(one["run"], one["sources"]) for one in facts["merged"]] == [(f"episodes kept of {old}", "other")]
    again = tmp_path / "again"
    assert run(*line, "--jobs", "1", "--out", again, "--keep", new)[0] == 0
    with store.read(again) as results:
        runs = [f"episodes kept of {folder}" for folder in (new, old)]
        assert [(one["run"], one["sources"]) for one in results.provenance["merged"]] == [
            (runs[0], facts["sources"]),
            (runs[1], "other"),
        ]
    assert run(*line, "--jobs", "1", "--out", new, "--keep", old, "--resume")[0] == 0
    assert found(new, "random", 30) == same
    error = refused(*line, "--jobs", "1", "--out", new, "--keep", again, "--resume")
    assert f"--keep {again}: episodes are kept when a run begins" in error


def test_rows_of_several_commits_are_exported_without_one(run, old, tmp_path):
    with store.read(old) as results:
        facts = results.provenance
    change(old, "UPDATE meta SET value = ? WHERE key = 'provenance'", json.dumps(facts | {"commit": "another"}))
    new = tmp_path / "new"
    assert run(*OLD, "--out", new, "--keep", old)[0] == 0
    for folder, commit in (old, "another"), (new, ""):
        rows = list(csv.DictReader(run("export", folder)[1].splitlines()))
        assert {row["commit"] for row in rows} == {commit}


def test_a_seed_or_a_part_that_differs_keeps_no_episode_of_it(run, old, tmp_path):
    assert "20 of 20" in run(*OLD, "--seed", "1", "--out", tmp_path / "seed", "--keep", old)[2]
    part = run(*OLD, "--part", "1/2", "--out", tmp_path / "part", "--keep", old)[2]
    assert "6 of 12 episodes to play" in part
    assert sorted(found(tmp_path / "part", "random", 3)) == [0, 2, 4]


def test_of_several_runs_to_keep_the_first_that_has_an_episode_counts(run, old, tmp_path):
    more = tmp_path / "more"
    assert run(*OLD[:4], "--budget", "3,30", "--episodes", "7", "--jobs", "1", "--out", more)[0] == 0
    change(more, "UPDATE episode SET total = 8")
    new = tmp_path / "new"
    line = *OLD[:4], "--budget", "3", "--episodes", "8", "--jobs", "1", "--out", new, "--keep", old, "--keep", more
    assert "1 of 8 episodes to play" in run(*line)[2]
    assert [*found(new, "random", 3).values()][:7] == [7.0] * 5 + [8.0] * 2
    with store.read(new) as results:
        runs = [one["run"] for one in results.provenance["merged"]]
    assert runs == [f"episodes kept of {folder}" for folder in (old, more)]


def test_a_run_to_keep_is_refused_with_words(run, tmp_path):
    assert "not shipped with bonspiel (peers)" in run(*OLD, "--keep", "x/nowhere")[2]
    assert "leave --keep out" in run(*OLD, "--keep", "peers", "--dry-run")[2]
    assert not Path("results").exists()
