"""The table of switches."""

from types import SimpleNamespace

from docs.studies import tsumego as study


def test_a_small_study_has_a_row_for_each_set_of_switches(monkeypatch, capsys):
    monkeypatch.setattr(study, "SMALLEST", 6)
    monkeypatch.setattr(study, "LARGEST", 7)
    assert study.main(["--problems", "2", "--seconds", "5"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 generated problems, 6 to 7 empty points, seed 1; 5 s a search\n")
    assert [line.count(" | 2 | 2 (100%) | ") for line in out.splitlines() if line.startswith("| (")] == [1] * 5
    assert "Different verdicts: 0." in out


def test_nodes_are_compared_on_problems_that_all_solved():
    problems = [SimpleNamespace(empty=10), SimpleNamespace(empty=20)]
    won, unsolved = [
        SimpleNamespace(verdict=verdict, nodes=n, seconds=1.0) for verdict, n in (("won", 7), ("open", 90))
    ]
    rows = study.table(problems, {"a": [won, won], "b": [won, unsolved]})
    assert "nodes on the 1 that all solved" in rows[0]
    assert rows[2] == "| a | 2 | 1 (100%) | 2 | 7 | 7 |"
    assert rows[3] == "| b | 1 | 1 (100%) | 2 | 7 | 48 |"


def test_different_verdicts_are_counted_and_open_ones_are_none():
    won, lost, unsolved = (SimpleNamespace(verdict=verdict) for verdict in ("won", "lost", "open"))
    assert study.disagreements({"a": [won, won, won], "b": [won, lost, unsolved]}) == 1
