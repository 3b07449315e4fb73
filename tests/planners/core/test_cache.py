"""The folder on disk: compiled code, and results of long computations."""

import os
import tempfile
import time

import numpy as np
import pytest

from bonspiel.planners.core import values
from bonspiel.planners.core.code.cache import SAID, UNUSED_SECONDS, _temporary, code_folder
from bonspiel.planners.core.values import cached


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


def test_values_are_computed_once_and_damaged_ones_again(tmp_path, monkeypatch):
    monkeypatch.setenv("BONSPIEL_CACHE", str(tmp_path))
    calls = []

    def compute():
        calls.append(1)
        return {"few": np.arange(3.0), "one": np.array(7.0)}

    def check(name, times):
        found = cached(name, [values], compute)
        assert {key: array.tolist() for key, array in found.items()} == {"few": [0.0, 1.0, 2.0], "one": 7.0}
        assert len(calls) == times

    check("x", 1)
    check("x", 1)
    (file,) = (tmp_path / "values").iterdir()
    file.write_bytes(file.read_bytes()[:-30])
    check("x", 2)
    check("x", 2)
    file.write_bytes(b"")
    check("x", 3)
    check("y", 4)
    assert len(list(file.parent.iterdir())) == 2


def test_values_are_computed_where_they_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BONSPIEL_CACHE", str(tmp_path / "file"))
    assert cached("x", [values], lambda: {"one": np.ones(1)})["one"].tolist() == [1.0]


def test_values_that_were_not_read_for_longest_make_room(tmp_path, monkeypatch):
    monkeypatch.setenv("BONSPIEL_CACHE", str(tmp_path))
    monkeypatch.setattr(values, "MOST_BYTES", 3_000)
    computed = []

    def ask(name):
        cached(name, [values], lambda: computed.append(name) or {"some": np.ones(100)})  # a file of about 1,100 bytes
        for place, file in enumerate(sorted((tmp_path / "values").iterdir(), key=lambda file: file.stat().st_mtime)):
            os.utime(file, (place, place))  # clocks of file systems are coarse

    for name in "abacab":
        ask(name)
    assert computed == ["a", "b", "c", "b"] and len(list((tmp_path / "values").iterdir())) == 2
