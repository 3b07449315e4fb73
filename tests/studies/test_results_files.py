import numpy as np

from bonspiel.runs.results import status, store
from docs.studies import results_files as study


def test_the_made_up_run_is_a_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(study, "TASKS", {name: study.TASKS[name] for name in ("status", "times, quantiles")})
    study.generate(tmp_path / "run", 400, np.random.default_rng(0))
    with store.read(tmp_path / "run") as results:
        found = status.status(results)
        assert found.done == found.total == 400
        assert sum(len(times) for _, times in results.times()) == 200 * study.STEPS
    study.measure_rows(400)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == list(study.TASKS)
    assert all(line.endswith(" MB") for line in lines)


def test_the_overhead_of_a_run(tmp_path, capsys, monkeypatch):
    small = study.Suite("small", (study.Experiment("trap", (study.Entrant("dpw"),), (100,), episodes=50),))
    monkeypatch.setattr(study, "load", lambda _: small)
    study.measure_overhead("small", 1)
    assert "small, 1 jobs: " in capsys.readouterr().out
