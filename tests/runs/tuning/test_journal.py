import json

import pytest

from bonspiel.runs.experiment import RunError, Setting, UsageError
from bonspiel.runs.results import work
from bonspiel.runs.tuning.search import Journal

SETTINGS = [Setting("trap", f"constant:action={action}", 1, "simulations", 0) for action in (0.1, 0.85)]


def played(folder, numbers, resume=False):
    """Play in a journal; returns what it says of progress, and the returns of the first setting."""
    said, episodes = [], Journal(1)
    with episodes.kept(folder, resume, ()):
        episodes.play(SETTINGS, numbers, lambda count, seconds: said.append((count, seconds > 0.0)))
        return said, episodes.returns(SETTINGS[0], numbers)


def lines(folder):
    return [json.loads(line) for line in (folder / Journal.file).read_text().splitlines()]


def test_every_episode_is_played_once_and_its_return_is_kept(fakes, tmp_path):
    said, first = played(tmp_path, range(2, 5))
    assert first == pytest.approx([1.4, 1.4, 1.4])
    assert sum(count for count, new in said if new) == 6
    said, again = played(tmp_path, range(2, 7), resume=True)
    assert list(again[:3]) == list(first)
    assert said[0] == (6, False) and sum(count for count, new in said if new) == 4
    entries = [entry for entry in lines(tmp_path) if isinstance(entry, list)]
    numbers = [(tuple(setting), row[0]) for setting, rows in entries for row in rows]
    assert len(numbers) == len(set(numbers)) == 10


def test_a_line_that_was_cut_off_is_played_again(fakes, tmp_path):
    _, whole = played(tmp_path, range(4))
    path = tmp_path / Journal.file
    path.write_bytes(path.read_bytes()[:-5])
    said, again = played(tmp_path, range(4), resume=True)
    assert list(again) == list(whole)
    assert 0 < sum(count for count, new in said if new) < 8
    played(tmp_path, range(4), resume=True)


def test_a_tuning_is_continued_only_if_asked_for_and_by_the_same_version(fakes, tmp_path, monkeypatch):
    played(tmp_path, range(1))
    with pytest.raises(UsageError, match="--resume"):
        played(tmp_path, range(1))
    monkeypatch.setattr(work.provenance, "identity", lambda modules: (("numpy", "1.0"), ("new_module", "digest")))
    with pytest.raises(UsageError, match=r"begun with numpy .*, not 1.0"):
        played(tmp_path, range(1), resume=True)


def test_a_damaged_file_is_refused_by_its_line(fakes, tmp_path):
    played(tmp_path, range(1))
    path = tmp_path / Journal.file
    path.write_text(path.read_text() + "[1]\n")
    with pytest.raises(UsageError, match=f"line {len(lines(tmp_path))} is damaged"):
        played(tmp_path, range(1), resume=True)


def test_a_folder_is_used_by_one_tuning_at_a_time(fakes, tmp_path):
    first, second = Journal(1), Journal(1)
    with first.kept(tmp_path, False, ()), pytest.raises(UsageError, match="in use"), second.kept(tmp_path, True, ()):
        pass


def test_episodes_after_the_block_are_kept_in_memory_alone(fakes, tmp_path):
    episodes = Journal(1)
    with episodes.kept(tmp_path, False, ()):
        pass
    before = lines(tmp_path)
    episodes.play(SETTINGS, range(2), lambda *seen: None)
    assert len(episodes.returns(SETTINGS[0], range(2))) == 2 and lines(tmp_path) == before


def test_a_failing_episode_is_named_and_the_others_are_kept(fakes, tmp_path):
    setting = Setting("trap", "clumsy", 1, "simulations", 0)
    episodes = Journal(1)
    with episodes.kept(tmp_path, False, ()), pytest.raises(RunError, match=r"clumsy, episode \d+.*dropped"):
        episodes.play([setting], range(50), lambda *seen: None)
    assert len(lines(tmp_path)) > 1


def test_a_file_of_an_earlier_version_is_continued(fakes, tmp_path):
    rows = [[number, 1.25, 2, 0.001, 2] for number in range(3)]
    (tmp_path / Journal.file).write_text(f"{{}}\n{json.dumps([SETTINGS[0], rows])}\n")
    said, returns = played(tmp_path, range(4), resume=True)
    assert said[0] == (3, False) and list(returns[:3]) == [1.25] * 3
    assert lines(tmp_path)[1] == [list(SETTINGS[0]), rows]
