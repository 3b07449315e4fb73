import os

import numpy as np

from bonspiel.planners.core import values
from bonspiel.planners.core.values import cached


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
