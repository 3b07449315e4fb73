import os
import tempfile
import time

import pytest

from bonspiel.planners.core.code.cache import SAID, UNUSED_SECONDS, _temporary, code_folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BONSPIEL_CACHE", str(tmp_path))
    code_folder.cache_clear()
    yield tmp_path
    code_folder.cache_clear()


def make(folder, days):
    (folder / "compiled").mkdir(parents=True)
    (folder / "compiled" / "code.nbi").write_text("")
    then = time.time() - days * 86_400.0
    os.utime(folder, (then, then))


def test_code_of_sources_long_gone_is_removed_and_nothing_else(folder):
    old, recent, values = folder / ("a" * 16), folder / ("b" * 16), folder / "values"
    for place, days in ((old, 31), (recent, 29), (values, 1000)):
        make(place, days)
    used = code_folder("c" * 16)
    assert sorted(folder.iterdir()) == [recent, used, values]
    assert (recent / "compiled" / "code.nbi").exists()


def test_code_that_is_used_stays(folder):
    old = folder / ("a" * 16)
    make(old, 31)
    assert code_folder(old.name) == old
    assert (old / "compiled" / "code.nbi").exists()
    assert time.time() - old.stat().st_mtime < UNUSED_SECONDS


def test_where_no_folder_can_be_written_there_is_none_and_it_is_said_once(folder, monkeypatch, capfd):
    file = folder / "file"
    file.write_text("")
    monkeypatch.setenv("BONSPIEL_CACHE", str(file))
    monkeypatch.setenv(SAID, "")

    def no_room(prefix):
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr(tempfile, "mkdtemp", no_room)
    _temporary.cache_clear()
    for digest in ("d" * 16, "e" * 16):
        assert code_folder(digest) is None
    assert capfd.readouterr().err.count("the cache cannot be written") == 1
