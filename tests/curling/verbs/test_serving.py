from dataclasses import replace

import pytest

from bonspiel.curling.benchmarks import practice, serving, serving_dc4
from bonspiel.runs.experiment import RunError


def test_figures_of_matches_that_all_end():
    check(list(serving.figures_of(serving.measure(matches=2, ends=1), matches=2, ends=1)))


def test_figures_of_matches_over_http_that_all_end(monkeypatch):
    monkeypatch.setattr(serving_dc4, "MATCHES", 2)
    monkeypatch.setattr(serving_dc4, "ENDS", 1)
    found = list(serving_dc4.serving_dc4([]))
    check(found)
    assert {m.what for m in found} == {"serving_dc4"}


def check(found):
    assert [m.unit for m in found] == ["moves/s", "ms", "ms", "MB"]
    assert all(m.value > 0.0 for m in found) and found[1].value <= found[2].value


@pytest.mark.parametrize("loss", [{"finished": 3}, {"updates": 67}])
def test_a_match_without_an_end_or_a_lost_move_is_an_error(loss):
    load = serving.Load([0.001] * 32, 68, 4, 1.0, 100.0, 2)
    with pytest.raises(RunError, match="of 2 matches"):
        list(serving.figures_of(replace(load, **loss), 2, 1))


def test_a_server_that_does_not_start_is_an_error(tmp_path):
    with pytest.raises(RunError, match=r"does not start: bonspiel.*ends"):
        with practice.server(tmp_path / "output.txt", "dc3", "--ends", "-1"):
            pass
