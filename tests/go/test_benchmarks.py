"""The benchmarks of playouts and of proofs."""

from bonspiel.go import benchmarks
from bonspiel.go.benchmarks import go_playouts, go_proofs


def test_both_playouts_are_measured_on_every_size(monkeypatch):
    monkeypatch.setattr(benchmarks, "SIZES", {5: 200, 6: 100})
    found = list(go_playouts([]))
    names = ["light playouts, 5 x 5", "mogo playouts, 5 x 5", "light playouts, 6 x 6", "mogo playouts, 6 x 6"]
    assert [one.env for one in found] == names
    assert all(one.value > 0.0 and one.unit == "playouts/s" for one in found)


def test_proofs_are_measured_without_and_with_switches(monkeypatch):
    monkeypatch.setattr(benchmarks, "PROOF_POINTS", 7)
    found = list(go_proofs([]))
    assert [one.env for one in found] == ["life and death, plain", "life and death, all switches"]
    assert all(one.value > 0.0 and one.unit == "nodes/s" for one in found)
