import sqlite3
from contextlib import closing

import pytest

from bonspiel.runs.experiment import Entrant, Experiment, UsageError
from bonspiel.runs.results import merge, packed, run_folder, seal, store
from bonspiel.runs.results.rows import Batch, Episode, Failure
from bonspiel.runs.results.seal import Seal
from bonspiel.runs.suite import Suite

SUITE = Suite("mine", (Experiment("trap", (Entrant("random"), Entrant("dpw", label="d")), (10,), episodes=3),))
RESOLVED = {"trap": "Trap()", "random": "RandomPlanner()", "dpw": "DPW()"}


def played(folder, suite=SUITE, resume=False, version="test", returns=(1.0, 2.0, 3.0), seconds=0.25):
    """Play what is missing; the folder."""
    with run_folder.write(folder, suite, RESOLVED, {"version": version}, resume) as results:
        for setting, numbers in results.pending().items():
            episodes = [Episode(n, returns[n], 2, seconds, 20, b"\0" * 8, None, 0) for n in numbers]
            results.add(Batch(setting, [*episodes], 1.0))
    return folder


def kept(folder):
    with store.read(folder) as results:
        return Seal.kept(results)


def changed(folder, statement):
    with closing(sqlite3.connect(folder / store.FILE)) as connection, connection:
        connection.execute(statement)
    return folder


A_RETURN = "UPDATE episode SET total = total + 0.1 WHERE setting = 1 AND episode = 2"


def test_a_run_is_sealed_when_it_is_complete_and_not_before(tmp_path):
    with run_folder.write(tmp_path, SUITE, RESOLVED, {}, False) as results:
        first = next(SUITE.settings())
        results.add(Batch(first, [Episode(0, 1.0, 2, 0.1), Failure(1, "no")], 1.0))
    assert kept(tmp_path) is None
    whole = kept(played(tmp_path, resume=True))
    assert whole is not None and kept(played(tmp_path, resume=True)) == whole


def test_a_run_that_is_extended_gets_a_new_seal(tmp_path):
    before = kept(played(tmp_path))
    with run_folder.write(tmp_path, SUITE.override(simulations=[10, 30]), RESOLVED, {}, True):
        pass
    assert kept(tmp_path) is None
    assert kept(played(tmp_path, SUITE.override(simulations=[10, 30]), True)) != before


def test_the_digest_of_results_is_that_of_the_same_results_elsewhere(tmp_path):
    """Whatever the time that they took, the order in which they came, and who played them."""
    one = kept(played(tmp_path / "one"))
    other = kept(played(tmp_path / "other", version="other", seconds=0.5))
    assert one.results == other.results and one.rest != other.rest
    assert kept(played(tmp_path / "third", returns=(1.0, 2.0, 3.1))).results != one.results
    with store.read(tmp_path / "one") as results:
        packed.pack(results, tmp_path / f"x{packed.ENDING}")
    with packed.read_any(tmp_path / f"x{packed.ENDING}") as copy:
        assert Seal.kept(copy).results == one.results and seal.broken(copy) is None
    merge.merge(tmp_path / "merged", [tmp_path / "one"], "")
    assert kept(tmp_path / "merged").results == one.results


def test_a_changed_run_is_neither_resumed_nor_merged_nor_kept_nor_packed(tmp_path):
    folder = changed(played(tmp_path / "x"), A_RETURN)
    words = r"its results were changed after it was complete \(their digest is \w+, not \w+\); restore the file"
    with pytest.raises(UsageError, match=words):
        played(folder, SUITE.override(episodes=4), True)
    with pytest.raises(UsageError, match=words):
        merge.merge(tmp_path / "y", [folder], "")
    with pytest.raises(UsageError, match=words), packed.read_any(folder):
        pass
    assert not (tmp_path / "y").exists()


@pytest.mark.parametrize("text", ["no json", '"text"', '{"results": "1"}'])
def test_a_seal_that_cannot_be_read_is_that_of_a_changed_run(tmp_path, text):
    folder = changed(played(tmp_path), f"UPDATE meta SET value = '{text}' WHERE key = 'seal'")
    with pytest.raises(UsageError, match="not unreadable"), packed.read_any(folder):
        pass


def test_a_run_without_a_seal_is_read_as_ever(tmp_path):
    """Those of older versions, and of a user who knows why the file was changed."""
    folder = changed(changed(played(tmp_path), A_RETURN), "DELETE FROM meta WHERE key = 'seal'")
    with packed.read_any(folder) as results:
        assert Seal.kept(results) is None and seal.broken(results) is None
    assert kept(played(folder, resume=True)) is not None


@pytest.mark.usefixtures("undrawn")
def test_a_report_says_the_digest_or_that_the_run_was_changed(run, refused, tmp_path):
    folder = tmp_path / "x"
    line = "run", "trap", "--planner", "random", "--planner", "dpw", "--budget", "5", "--episodes", "3", "--jobs", "1"
    status, out, _ = run(*line, "--out", folder)
    digest = kept(folder).results
    assert status == 0 and f"digest  {digest}\n" in out
    pages = [folder / "report.md", folder / "report.html"]
    assert all(digest in page.read_text(encoding="utf-8") for page in pages)
    changed(folder, A_RETURN)
    status, out, _ = run("report", folder)
    assert status == 1 and "note: this run is not to be trusted: its results were changed" in out
    assert all("not to be trusted" in page.read_text(encoding="utf-8") for page in pages)
    err = refused("report", folder, "--leaderboard")
    assert "its results were changed" in err


def test_the_progress_and_the_chart_of_a_shipped_run(run, refused, tmp_path):
    status, out, _ = run("status", "peers")
    assert status == 0 and "peers: 153,600 of 153,600 episodes" in out
    err = refused("chart", "peers")
    assert "give one for the pictures with --out" in err
