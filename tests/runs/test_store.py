import sqlite3

import pytest

from runs import store
from runs.episode import Batch, Episode, Failure
from runs.experiment import Entrant, Experiment, UsageError
from runs.suite import Suite

SUITE = Suite("mine", (Experiment("trap", (Entrant("random"), Entrant("dpw")), (10, 100), (0.5,), episodes=3),))
FIRST = next(SUITE.settings())
RESOLVED = {"trap": "Trap()", "random": "RandomPlanner()", "dpw": "DPW()"}


def write(folder, suite=SUITE, resume=False, resolved=RESOLVED):
    return store.write(folder, suite, resolved, {"version": "test"}, resume)


def test_what_is_added_is_read_again(tmp_path):
    with write(tmp_path / "run") as results:
        results.add(Batch(FIRST, [Episode(1, 0.1 + 0.2, 2, 0.25), Episode(0, 1.4, 2, 0.5)], 1.0))
    with store.read(tmp_path / "run") as results:
        assert list(results.rows()) == [("trap", "random", 10, "simulations", 0, 1.4, 2, 0.5),
                                        ("trap", "random", 10, "simulations", 1, 0.1 + 0.2, 2, 0.25)]
        assert results.returns()[FIRST] == [1.4, 0.1 + 0.2]
        assert results.suite == SUITE
        assert results.provenance == {"version": "test"}
        assert results.pending()[FIRST] == [2]
        assert sum(map(len, results.pending().values())) == 6 * 3 - 2


def test_an_episode_is_kept_once_and_a_batch_all_or_nothing(tmp_path):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [Episode(1, 1.0, 2, 0.1)], 1.0))
        with pytest.raises(sqlite3.IntegrityError):
            results.add(Batch(FIRST, [Episode(0, 5.0, 2, 0.1), Episode(1, 5.0, 2, 0.1)], 1.0))
        assert results.returns()[FIRST] == [1.0]


def test_a_failed_episode_stays_to_be_played_and_is_forgotten_when_it_was(tmp_path):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [Failure(0, "ValueError: no")], 1.0))
        assert results.failures() == [("trap", "random", 10, "simulations", 0, "ValueError: no")]
        assert results.pending()[FIRST] == [0, 1, 2]
    with write(tmp_path, resume=True) as results:
        results.add(Batch(FIRST, [Episode(0, 1.0, 2, 0.1)], 1.0))
        assert results.failures() == []


def test_a_second_driver_is_refused_while_the_first_runs(tmp_path):
    with write(tmp_path) as results:
        with pytest.raises(UsageError, match="is in use by another"), write(tmp_path, resume=True):
            pass
        with store.read(tmp_path) as reader:
            results.add(Batch(FIRST, [Episode(0, 1.0, 2, 0.1)], 1.0))
            assert len(list(reader.rows())) == 1
    with write(tmp_path, resume=True):
        pass


@pytest.mark.parametrize(("suite", "resume", "resolved", "words"), [
    (SUITE, False, RESOLVED, "add --resume"),
    (SUITE.override(seed=1), True, RESOLVED, "another experiment"),
    (SUITE.override(episodes=4), False, RESOLVED, "another experiment"),
    (SUITE, True, RESOLVED | {"dpw": "DPW(new=1)"}, "dpw was DPW() when the run began and is DPW(new=1) now"),
])
def test_a_folder_with_something_else_is_refused_and_left_alone(tmp_path, suite, resume, resolved, words):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [Episode(0, 1.0, 2, 0.1)], 1.0))
    before = (tmp_path / store.FILE).read_bytes()
    with pytest.raises(UsageError) as refused, write(tmp_path, suite, resume, resolved):
        pass
    assert words in str(refused.value)
    assert (tmp_path / store.FILE).read_bytes() == before


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "zeroed page", "other database", "other schema"])
@pytest.mark.parametrize("resume", [False, True])
def test_a_damaged_file_is_refused_and_left_alone(tmp_path, damage, resume):
    with write(tmp_path) as results:
        for setting in SUITE.settings():
            results.add(Batch(setting, [Episode(i, 1.0, 2, 0.1) for i in range(3)], 1.0))
    file = tmp_path / store.FILE
    content = file.read_bytes()
    if damage in ("other database", "other schema"):
        connection = sqlite3.connect(file)
        connection.execute("PRAGMA application_id = 3" if damage == "other database" else "PRAGMA user_version = 99")
        connection.close()
    else:
        file.write_bytes({"empty": b"", "text": b"env,planner\n" * 500, "cut": content[:5000],
                          "zeroed page": content[:8192] + bytes(len(content) - 8192)}[damage])
    before = file.read_bytes()
    with pytest.raises(UsageError) as refused, write(tmp_path, resume=resume):
        pass
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert file.read_bytes() == before


@pytest.mark.parametrize(("damage", "words"), [
    ("DELETE FROM setting WHERE id = 2", "its settings are not those of its suite"),
    ("UPDATE setting SET episodes = 9 WHERE id = 2", "its settings are not those of its suite"),
    ("DROP TABLE episode", "its table episode is missing or changed"),
    ("ALTER TABLE failure DROP COLUMN error", "its table failure is missing or changed"),
    ("UPDATE meta SET value = '{}' WHERE key = 'suite'", "its suite is damaged"),
    ("UPDATE meta SET value = '[]' WHERE key = 'suite'", "not a readable results file"),
    ("DELETE FROM meta WHERE key = 'provenance'", "not a readable results file"),
])
@pytest.mark.parametrize("resume", [False, True])
def test_a_file_whose_parts_do_not_fit_is_refused_and_left_alone(tmp_path, damage, words, resume):
    with write(tmp_path):
        pass
    file = tmp_path / store.FILE
    connection = sqlite3.connect(file)
    connection.execute(damage)
    connection.commit()
    connection.close()
    before = file.read_bytes()
    with pytest.raises(UsageError) as refused, write(tmp_path, resume=resume):
        pass
    assert str(file) in str(refused.value) and words in str(refused.value)
    assert file.read_bytes() == before


@pytest.mark.parametrize("results", [[], [Episode(0, 1.0, 2, 0.1)]])
def test_a_run_by_other_sources_is_refused_and_left_alone(tmp_path, results):
    with store.write(tmp_path, SUITE, RESOLVED, {"sources": "old", "commit": "abc"}, False) as begun:
        begun.add(Batch(FIRST, results, 1.0))
    before = (tmp_path / store.FILE).read_bytes()
    with (pytest.raises(UsageError, match=r"begun by other sources \(commit abc\).*choose another --out"),
          store.write(tmp_path, SUITE, RESOLVED, {"sources": "new"}, True)):
        pass
    assert (tmp_path / store.FILE).read_bytes() == before
    with store.write(tmp_path, SUITE, RESOLVED, {"sources": "old"}, True) as resumed:
        assert len(resumed.returns()[FIRST]) == len(results)


def test_a_file_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / store.DRAFT).mkdir()
    with pytest.raises(UsageError, match="cannot be written"), write(tmp_path):
        pass


def test_other_peoples_files_are_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match=r"holds no run but other files \(thesis.tex"), write(tmp_path):
        pass
    assert not (tmp_path / store.FILE).exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"), write(tmp_path / "file" / "run"):
        pass


def test_reading_where_nothing_is(tmp_path):
    with pytest.raises(UsageError, match="holds no run"), store.read(tmp_path / "nowhere"):
        pass
    assert not (tmp_path / "nowhere").exists()
