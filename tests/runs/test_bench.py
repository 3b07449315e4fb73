import json

import pytest

import envs
import planners
from runs import bench
from runs.experiment import RunError


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Measure in a moment; the figures are nonsense, their presence is what matters."""
    monkeypatch.setattr(bench, "REPEATS", 1)
    monkeypatch.setattr(bench, "TARGET_SECONDS", 1e-6)
    monkeypatch.setattr(bench, "MODELS", {"trap:noise_range=0.1": (5, 10), "treasure_hunt:size=5": (5,)})
    monkeypatch.setattr(bench, "SLOW", {"weighted_uct": (3, 4)})
    monkeypatch.setattr(bench, "MEMORY_SIMULATIONS", 2_000)


def test_model_steps_are_counted():
    # PW keeps every outcome: two steps a simulation on Trap; DPW goes back to stored outcomes without a step
    trap = envs.make_model("trap")
    assert bench.count_steps(planners.make("pw"), trap, 50) == 100
    assert 4 <= bench.count_steps(planners.make("dpw"), trap, 50) < 100


def test_speed_measures_every_planner_on_both_models():
    found = list(bench.speed(["dpw", "weighted_uct:exploration=2"]))
    assert {(m.planner, m.env, m.simulations) for m in found} == {
        ("dpw", "trap:noise_range=0.1", 5), ("dpw", "trap:noise_range=0.1", 10), ("dpw", "treasure_hunt:size=5", 5),
        ("weighted_uct:exploration=2", "trap:noise_range=0.1", 3),
        ("weighted_uct:exploration=2", "trap:noise_range=0.1", 4),
        ("weighted_uct:exploration=2", "treasure_hunt:size=5", 5)}
    assert {m.unit for m in found} == {"simulations/s", "model steps/s"}
    assert all(m.value > 0 for m in found)


def test_start_up_and_memory_are_measured_in_processes_of_their_own():
    first, = bench.first_decision(["random"])
    assert 0.01 < first.value < 60.0
    memory, = bench.memory(["random"])
    assert (memory.unit, memory.simulations) == ("bytes/simulation", 2_000)


def test_json_holds_the_machine_and_every_measurement(run, monkeypatch):
    monkeypatch.setattr(bench, "BENCHMARKS", (bench.speed, bench.yardstick))
    status, out, _ = run("bench", "--planner", "dpw", "--json")
    assert status == 0
    found = json.loads(out)
    assert "cpu" in found["machine"]
    assert {m["what"] for m in found["measurements"]} == {"speed", "yardstick"}
    assert len(found["measurements"]) == 3 * 2 + 2


def test_the_table_has_a_line_for_each_measurement(run, monkeypatch):
    monkeypatch.setattr(bench, "BENCHMARKS", (bench.speed,))
    status, out, _ = run("bench", "--planner", "dpw")
    assert status == 0
    assert sum("simulations/s" in line and "dpw" in line for line in out.splitlines()) == 3


def test_a_program_that_fails_is_reported_in_one_line():
    with pytest.raises(RunError, match=r"a measurement of a b failed: ZeroDivisionError"):
        bench.in_fresh_process("1 / 0", "a", "b")
