"""The benchmark of playouts."""

from envs.go import bench
from runs.go.benchmark import go_playouts


def test_both_playouts_are_measured_on_every_size(monkeypatch):
    monkeypatch.setattr(bench, "SIZES", {5: 200, 6: 100})
    found = list(go_playouts([]))
    names = ["light playouts, 5 x 5", "mogo playouts, 5 x 5", "light playouts, 6 x 6", "mogo playouts, 6 x 6"]
    assert [one.env for one in found] == names
    assert all(one.value > 0.0 and one.unit == "playouts/s" for one in found)
