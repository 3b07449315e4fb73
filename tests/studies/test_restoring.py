"""Steps of environments in searches are measured beside those of their own packages."""

from bonspiel.runs.benchmarks import measurement
from docs.studies import restoring, sequences


def test_restoring_is_measured_beside_bare_steps_where_packages_are_installed(monkeypatch):
    monkeypatch.setattr(restoring, "ENVIRONMENTS", ("no_such_package:Any-v0", "Pendulum-v1"))
    monkeypatch.setattr(restoring, "SECONDS", 0.01)
    found = list(restoring.restoring())
    assert [one[:2] for one in found] == [("Pendulum-v1", way) for way in ("attributes", "bare")]
    assert all(steps > 100.0 for *_, steps in found)


def test_sequences_are_measured_beside_mujoco_with_one_thread_and_with_all(monkeypatch, capsys):
    monkeypatch.setattr(sequences, "ENVIRONMENTS", ("Hopper-v5",))
    monkeypatch.setattr(sequences, "SHAPE", (6, 5))
    monkeypatch.setattr(sequences, "threads_allowed", lambda: 2)
    monkeypatch.setattr(measurement, "REPEATS", 1)
    monkeypatch.setattr(measurement, "TARGET_SECONDS", 0.001)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    sequences.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[51:81].rstrip() for line in lines] == [
        f"{way}, {threads}" for threads in ("1 thread", "2 threads") for way in ("sequence_returns", "mujoco.rollout")
    ]
    assert all(float(line.split()[-2].replace(",", "")) > 100.0 for line in lines)
    assert sequences.os.environ["OMP_NUM_THREADS"] == "7"
