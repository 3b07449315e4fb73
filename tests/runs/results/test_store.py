import sqlite3
from contextlib import closing

import numpy as np
import pytest

from bonspiel.runs.experiment import Entrant, Experiment, Setting, UsageError
from bonspiel.runs.results import run_folder, schema, store
from bonspiel.runs.results.rows import Batch, Episode, Failure
from bonspiel.runs.suite import Suite

SUITE = Suite("mine", (Experiment("trap", (Entrant("random"), Entrant("dpw")), (10, 100), (0.5,), episodes=3),))
FIRST = next(SUITE.settings())
TIMED = Setting("trap", "dpw", 0.5, "ms", 0)
FULL = Episode(1, 0.1 + 0.2, 2, 0.25, 20, np.array([0.5, -1.0]).tobytes(), np.array([0.125, 0.25], "<f4").tobytes())
RESOLVED = {"trap": "Trap()", "random": "RandomPlanner()", "dpw": "DPW()"}


def write(folder, suite=SUITE, resume=False, resolved=RESOLVED):
    return run_folder.write(folder, suite, resolved, {"version": "test"}, resume)


def test_what_is_added_is_read_again(tmp_path):
    with write(tmp_path / "run") as results:
        results.add(Batch(FIRST, [FULL, Episode(0, 1.4, 2, 0.5)], 1.0))
    with store.read(tmp_path / "run") as results:
        assert list(results.episodes(FIRST)) == [Episode(0, 1.4, 2, 0.5), FULL]
        assert results.returns()[FIRST].tolist() == [1.4, 0.1 + 0.2]
        assert results.suite == SUITE
        assert results.provenance == {"version": "test"}
        assert results.pending()[FIRST] == [2]
        assert sum(map(len, results.pending().values())) == 6 * 3 - 2


def test_columns_align_with_the_episodes_where_nothing_was_kept(tmp_path):
    with write(tmp_path) as results:
        results.add(Batch(TIMED, [Episode(0, 1.0, 2, 0.5), FULL], 1.0))
        np.testing.assert_array_equal(results.values("simulations")[TIMED], [np.nan, 20.0])
        np.testing.assert_array_equal(results.values("steps")[TIMED], [2.0, 2.0])
        np.testing.assert_array_equal(dict(results.first_actions())[TIMED], [[np.nan, np.nan], [0.5, -1.0]])
        assert dict(results.first_actions())[FIRST].shape == (0, 0)
        assert {setting: times.tolist() for setting, times in results.times() if len(times)} == {TIMED: [0.125, 0.25]}


@pytest.fixture
def old_file(tmp_path, monkeypatch):
    """A folder with results as schema 1 kept them."""
    with monkeypatch.context() as before:
        before.setattr(schema, "SCHEMA", 1)
        before.setattr(schema, "MIGRATIONS", ())
        with write(tmp_path):
            pass
    with closing(sqlite3.connect(tmp_path / store.FILE)) as connection, connection:
        connection.execute("INSERT INTO episode VALUES (1, 0, 1.4, 2, 0.5)")
        connection.execute("INSERT INTO failure VALUES (1, 1, 'no')")
    return tmp_path


def kept(folder):
    with store.read(folder) as results:
        return list(results.episodes(FIRST)), results.failures()


KEPT = [Episode(0, 1.4, 2, 0.5)], [("trap", "random", 10, "simulations", 1, "no")]


def test_an_old_file_is_read_as_it_is(old_file):
    before = (old_file / store.FILE).read_bytes()
    assert kept(old_file) == KEPT
    assert (old_file / store.FILE).read_bytes() == before


def test_an_old_file_is_brought_up_to_date_to_be_written(old_file):
    with write(old_file, resume=True) as results:
        results.add(Batch(FIRST, [FULL], 1.0))
    assert kept(old_file) == ([*KEPT[0], FULL], [])
    with (
        write(old_file / "new"),
        closing(sqlite3.connect(old_file / "new" / store.FILE)) as fresh,
        closing(sqlite3.connect(old_file / store.FILE)) as migrated,
    ):
        look = "SELECT name, sql, (SELECT user_version FROM pragma_user_version) FROM sqlite_master"
        assert migrated.execute(look).fetchall() == fresh.execute(look).fetchall()


def test_a_migration_that_breaks_off_leaves_the_old_file(old_file, monkeypatch):
    before = (old_file / store.FILE).read_bytes()
    monkeypatch.setattr(schema, "MIGRATIONS", (schema.MIGRATIONS[0] + "INSERT INTO nowhere VALUES (1);",))
    with pytest.raises(UsageError, match="nothing was changed"), write(old_file, resume=True):
        pass
    assert (old_file / store.FILE).read_bytes() == before


def test_an_episode_is_kept_once_and_a_batch_all_or_nothing(tmp_path):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [Episode(1, 1.0, 2, 0.1)], 1.0))
        with pytest.raises(sqlite3.IntegrityError):
            results.add(Batch(FIRST, [Episode(0, 5.0, 2, 0.1), Episode(1, 5.0, 2, 0.1)], 1.0))
        assert results.returns()[FIRST].tolist() == [1.0]


def test_a_failed_episode_stays_to_be_played_and_is_forgotten_when_it_was(tmp_path):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [Failure(0, "ValueError: no")], 1.0))
        assert results.failures() == [("trap", "random", 10, "simulations", 0, "ValueError: no")]
        assert results.pending()[FIRST] == [0, 1, 2]
    with write(tmp_path, resume=True) as results:
        results.add(Batch(FIRST, [Episode(0, 1.0, 2, 0.1)], 1.0))
        assert results.failures() == []


def test_a_second_driver_is_refused_while_the_first_runs(tmp_path):
    with write(tmp_path), pytest.raises(UsageError, match="is in use by another"), write(tmp_path, resume=True):
        pass
    with write(tmp_path, resume=True):
        pass


def test_who_reads_while_a_run_goes_on_sees_one_moment_of_it(tmp_path):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [Episode(1, 1.0, 2, 0.1)], 1.0))
        with store.read(tmp_path) as reader:
            results.add(Batch(FIRST, [Episode(0, 2.0, 2, 0.1)], 1.0))
            assert reader.values("episode")[FIRST].tolist() == [1.0]
            results.add(Batch(FIRST, [Episode(2, 3.0, 2, 0.1)], 1.0))
            assert reader.returns()[FIRST].tolist() == [1.0]
        with store.read(tmp_path) as reader:
            assert reader.returns()[FIRST].tolist() == [2.0, 1.0, 3.0]


@pytest.mark.parametrize(
    ("suite", "resume", "resolved", "words"),
    [
        (SUITE, False, RESOLVED, "add --resume"),
        (SUITE.override(episodes=4), False, RESOLVED, "add --resume"),
        (SUITE.override(seed=1), True, RESOLVED, "its seed is 0, not 1"),
        (SUITE.override(episodes=2), True, RESOLVED, "it has 3 episodes of random in trap with 10 simulations, not 2"),
        (SUITE.override(["random"]), True, RESOLVED, "dpw in trap with 10 simulations is not in the new one"),
        (SUITE, True, RESOLVED | {"dpw": "DPW(new=1)"}, "dpw was DPW() when the run began and is DPW(new=1) now"),
    ],
)
def test_a_folder_with_something_else_is_refused_and_left_alone(tmp_path, suite, resume, resolved, words):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [Episode(0, 1.0, 2, 0.1)], 1.0))
    before = (tmp_path / store.FILE).read_bytes()
    with pytest.raises(UsageError) as refused, write(tmp_path, suite, resume, resolved):
        pass
    assert words in str(refused.value)
    assert (tmp_path / store.FILE).read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [{"episodes": 5}, {"planners": ["random", "dpw", "uct"]}, {"simulations": [10, 100, 1000], "milliseconds": [0.5]}],
)
def test_a_suite_that_plays_more_extends_the_run(tmp_path, change):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [FULL], 1.0))
    suite = SUITE.override(**change)
    with write(tmp_path, suite, True, RESOLVED | {"uct": "UCT()"}) as results:
        assert results.pending() == {
            setting: [i for i in range(count) if (setting, i) != (FIRST, 1)]
            for setting, count in suite.episodes().items()
        }
        setting = next(setting for setting in list(results.pending())[::-1])
        results.add(Batch(setting, [Episode(suite.episodes()[setting] - 1, 1.0, 2, 0.1)], 1.0))
    with store.read(tmp_path) as results:
        assert (results.suite, results.resolved["uct"]) == (suite, "UCT()")
        assert list(results.episodes(FIRST)) == [FULL]
        assert len(results.returns()[setting]) == 1 and results.provenance == {"version": "test"}


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
        file.write_bytes(
            {
                "empty": b"",
                "text": b"env,planner\n" * 500,
                "cut": content[:5000],
                "zeroed page": content[:8192] + bytes(len(content) - 8192),
            }[damage]
        )
    before = file.read_bytes()
    with pytest.raises(UsageError) as refused, write(tmp_path, resume=resume):
        pass
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert file.read_bytes() == before


@pytest.mark.parametrize("leftover", [None, "results.sqlite-wal", "notes.txt"])
def test_a_damaged_file_that_is_moved_away_makes_room_for_a_new_run(tmp_path, leftover):
    """Reports are made again; a log would be taken for the new file's, and what else is there is none of ours."""
    with write(tmp_path):
        pass
    file = tmp_path / store.FILE
    file.write_bytes(b"env,planner\n" * 500)
    for name in ("chart.png", "chart.svg", "report.html", "report.md", "leaderboard.md", "leaderboard-ranks.svg"):
        (tmp_path / name).write_text("old")
    with pytest.raises(UsageError, match=r"move it away \(results.sqlite\*\) and run again"), write(tmp_path):
        pass
    file.rename(tmp_path.parent / "spoiled")
    if leftover is None:
        with write(tmp_path) as results:
            assert store.Count.of(results.counts()).done == 0
    else:
        (tmp_path / leftover).write_text("x")
        with pytest.raises(UsageError, match=f"holds no run but other files .{leftover}"), write(tmp_path):
            pass


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("DELETE FROM setting WHERE id = 2", "its settings are not those of its suite"),
        ("UPDATE setting SET episodes = 9 WHERE id = 2", "its settings are not those of its suite"),
        ("DROP TABLE episode", "its table episode is missing or changed"),
        ("ALTER TABLE failure DROP COLUMN error", "its table failure is missing or changed"),
        ("UPDATE meta SET value = '{}' WHERE key = 'suite'", "its suite is damaged"),
        ("UPDATE meta SET value = '[]' WHERE key = 'suite'", "not a readable results file"),
        ("DELETE FROM meta WHERE key = 'provenance'", "not a readable results file"),
    ],
)
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


@pytest.mark.parametrize("column", ["total", "steps", "seconds", "simulations", "invalid"])
def test_a_text_in_place_of_a_number_is_named(tmp_path, column):
    with write(tmp_path) as results:
        results.add(Batch(FIRST, [Episode(0, 1.0, 2, 0.1)], 1.0))
    with closing(sqlite3.connect(tmp_path / store.FILE)) as connection, connection:
        connection.execute(f"UPDATE episode SET {column} = 'abc'")
    with pytest.raises(UsageError, match=f"an episode's {column} is 'abc', not a number"), store.read(tmp_path):
        pass


@pytest.mark.parametrize("results", [[], [Episode(0, 1.0, 2, 0.1)]])
def test_a_run_by_other_sources_is_refused_and_left_alone(tmp_path, results):
    with run_folder.write(tmp_path, SUITE, RESOLVED, {"sources": "old", "commit": "abc"}, False) as begun:
        begun.add(Batch(FIRST, results, 1.0))
    before = (tmp_path / store.FILE).read_bytes()
    with (
        pytest.raises(UsageError, match=r"begun with other sources \(commit abc\).*choose another --out"),
        run_folder.write(tmp_path, SUITE, RESOLVED, {"sources": "new"}, True),
    ):
        pass
    assert (tmp_path / store.FILE).read_bytes() == before
    with run_folder.write(tmp_path, SUITE, RESOLVED, {"sources": "old"}, True) as resumed:
        assert len(resumed.returns()[FIRST]) == len(results)


def test_a_run_with_other_packages_is_refused_and_left_alone(tmp_path):
    def begun(**packages):
        return run_folder.write(tmp_path, SUITE, RESOLVED, {"packages": {"scipy": "3", **packages}}, True)

    with begun(numpy="1", numba="2"):
        pass
    with (
        pytest.raises(UsageError, match=r"begun with numba 2, not 2.1, and results of two versions do not mix"),
        begun(numpy="1", numba="2.1"),
    ):
        pass
    with begun(numpy="1", scipy="4"):
        pass


def test_a_file_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / run_folder.DRAFT).mkdir()
    with pytest.raises(UsageError, match="cannot be written"), write(tmp_path):
        pass


def test_a_draft_gets_its_name_when_all_of_it_is_in_the_file(tmp_path):
    with run_folder.drafted(tmp_path, SUITE, RESOLVED, {}) as results:
        results.add(Batch(FIRST, [FULL], 1.0))
        looking = sqlite3.connect(tmp_path / run_folder.DRAFT)  # so that closing the draft leaves its write-ahead log
        looking.execute("SELECT * FROM episode")
    looking.close()
    assert [path.name for path in tmp_path.iterdir()] == [store.FILE]
    with store.read(tmp_path) as results:
        assert list(results.episodes(FIRST)) == [FULL]


def test_a_draft_that_does_not_get_into_its_file_is_given_up(tmp_path):
    with (
        pytest.raises(UsageError, match=r"cannot be written \(another process is reading it\)"),
        run_folder.drafted(tmp_path, SUITE, RESOLVED, {}) as results,
        closing(sqlite3.connect(tmp_path / run_folder.DRAFT, isolation_level=None)) as looking,
    ):
        results._connection.execute("PRAGMA busy_timeout = 0")
        results.settle()
        looking.execute("BEGIN")
        looking.execute("SELECT * FROM episode").fetchall()
        results.add(Batch(FIRST, [FULL], 1.0))
        results.settle()
    assert not list(tmp_path.iterdir())


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
