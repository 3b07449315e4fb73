import json

import pytest

from bonspiel import envs, planners
from bonspiel.runs import bench
from bonspiel.runs.benchmarks import clusters, measurement, processes, searches, threads
from bonspiel.runs.experiment import RunError, UsageError


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Measure in a moment; the figures are nonsense, their presence is what matters."""
    monkeypatch.setattr(measurement, "REPEATS", 1)
    monkeypatch.setattr(measurement, "TARGET_SECONDS", 1e-6)
    monkeypatch.setattr(measurement, "SLOW", {"weighted_uct": (3, 4)})
    monkeypatch.setattr(searches, "MODELS", {"trap:noise_range=0.1": (5, 10), "treasure_hunt:size=5": (5,)})
    monkeypatch.setattr(searches, "GROWTH", (5, 10, 20))
    monkeypatch.setattr(searches, "MILLISECONDS", (1, 2))
    monkeypatch.setattr(processes, "MEMORY_SIMULATIONS", 2_000)
    monkeypatch.setattr(processes, "START_REPEATS", 1)
    monkeypatch.setattr(threads, "PROBLEMS", {"trap:noise_range=0.1": 200})
    monkeypatch.setattr(threads, "REPEATS", 1)


def listed(*names):
    return tuple(f"{searches.__name__}:{name}" for name in names)


def test_model_steps_are_counted():
    # PW keeps every outcome: two steps a simulation on Trap; DPW goes back to stored outcomes without a step
    trap = envs.make_model("trap")
    assert searches.count_steps(planners.make("pw"), trap, 50) == 100
    assert 4 <= searches.count_steps(planners.make("dpw"), trap, 50) < 100


def test_speed_measures_every_planner_on_both_models():
    found = list(searches.speed(["dpw", "wuct:exploration=2"]))
    assert {(m.planner, m.env, m.simulations) for m in found} == {
        ("dpw", "trap:noise_range=0.1", 5),
        ("dpw", "trap:noise_range=0.1", 10),
        ("dpw", "treasure_hunt:size=5", 5),
        ("wuct:exploration=2", "trap:noise_range=0.1", 3),
        ("wuct:exploration=2", "trap:noise_range=0.1", 4),
        ("wuct:exploration=2", "treasure_hunt:size=5", 5),
    }
    assert {m.unit for m in found} == {"simulations/s", "model steps/s"}
    assert all(m.value > 0 for m in found)


def test_growth_is_the_exponent_of_the_cost(monkeypatch):
    monkeypatch.setattr(searches, "seconds_of_decision", lambda planner, model, n: 3e-6 * n**1.5)
    found = [(m.planner, m.unit, m.value) for m in searches.growth(["dpw", "wuct"])]
    assert [(planner, unit) for planner, unit, _ in found] == [
        (planner, unit)
        for planner in ("dpw", "wuct", "weighted_uct:neighbours=all")
        for unit in ("s/decision", "exponent")
    ]
    assert [value for *_, value in found] == pytest.approx([3e-6 * 20**1.5, 1.5] * 3)


def test_growth_runs_the_searches():
    assert [m.unit for m in searches.growth(["dpw"])] == ["s/decision", "exponent"]


def test_overruns_are_what_a_decision_takes_beyond_its_budget(monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(searches.time, "perf_counter", lambda: next(clock))
    found = list(searches.overruns(["random"]))
    assert {(m.env, m.milliseconds) for m in found} == {(env, ms) for env in searches.TIMED for ms in (1, 2)}
    assert all(m.value + m.milliseconds >= 1000.0 and m.value % 1000 == 1000 - m.milliseconds for m in found)


@pytest.mark.parametrize("benchmark", [processes.first_decision, processes.cold_decision, processes.first_batch])
def test_the_start_is_measured_in_processes_of_their_own(benchmark):
    (first,) = benchmark(["random"])
    assert (first.unit, first.planner) == ("s", "random")
    assert 0.01 < first.value < 60.0


def test_a_cold_cache_is_an_empty_folder_for_each_planner(monkeypatch):
    seen = []

    def fake(program, *arguments, **variables):
        seen.append(variables["BONSPIEL_CACHE"])
        return 1.0

    monkeypatch.setattr(processes, "in_fresh_process", fake)
    assert len(list(processes.cold_decision(["dpw", "uct"]))) == 2
    assert len(set(seen)) == 2


def test_memory_is_measured_in_a_process_of_its_own():
    (memory,) = processes.memory(["random"])
    assert (memory.unit, memory.simulations) == ("bytes/simulation", 2_000)


def test_a_program_is_given_its_arguments_and_variables():
    program = "import os, sys; print(int(sys.argv[1]) + int(os.environ['BONSPIEL_CACHE']))"
    assert processes.in_fresh_process(program, "1", BONSPIEL_CACHE="2") == 3.0


def test_json_holds_the_machine_and_every_measurement(run, monkeypatch):
    monkeypatch.setattr(bench, "BENCHMARKS", listed("speed", "yardstick"))
    monkeypatch.setattr(bench, "extensions", lambda group: {})
    status, out, _ = run("bench", "--planner", "dpw", "--json")
    assert status == 0
    found = json.loads(out)
    assert "cpu" in found["machine"]
    assert {m["what"] for m in found["measurements"]} == {"speed", "yardstick"}
    assert len(found["measurements"]) == 3 * 2 + 2


def test_the_table_has_a_line_for_each_measurement(run, monkeypatch):
    monkeypatch.setattr(bench, "BENCHMARKS", listed("speed", "overruns"))
    monkeypatch.setattr(bench, "extensions", lambda group: {})
    status, out, _ = run("bench", "--planner", "dpw")
    assert status == 0
    assert sum("simulations/s" in line and "dpw" in line for line in out.splitlines()) == 3
    assert sum("treasure_hunt:size=15 2 ms" in line and line.endswith(" ms") for line in out.splitlines()) == 1


def test_a_program_that_fails_is_reported_in_one_line():
    with pytest.raises(RunError, match=r"a measurement of a b failed: ZeroDivisionError"):
        processes.in_fresh_process("1 / 0", "a", "b")


def test_a_planner_that_cannot_search_the_models_is_refused_before_anything_is_measured(capsys):
    with pytest.raises(UsageError, match=r"presearch.*`aim_grid`"):
        bench.main([], ["uct", "presearch"], as_json=False)
    assert capsys.readouterr().out == ""


def test_one_tree_is_compared_with_two():
    found = list(threads.shared_tree(["dpw", "random", "uct:exploration=2"]))
    assert [m.planner for m in found if m.what == "two trees"] == ["dpw", "uct:exploration=2"]
    assert [m.unit for m in found].count("x CPU of two trees") == 2
    assert all(m.value > 0.0 for m in found)


def test_the_benchmark_that_runs_is_named(run, monkeypatch):
    monkeypatch.setattr(bench, "BENCHMARKS", listed("yardstick"))
    status, _, err = run("bench", "yardstick", "--planner", "dpw", "--json")
    assert status == 0 and err.splitlines() == ["benchmark 1 of 1: yardstick"]


def test_benchmarks_are_chosen_by_name(run, refused, monkeypatch):
    monkeypatch.setattr(bench, "BENCHMARKS", listed("yardstick", "speed"))
    monkeypatch.setattr(bench, "extensions", lambda group: {})
    status, out, _ = run("bench", "yardstick", "--planner", "dpw", "--json")
    assert status == 0 and {m["what"] for m in json.loads(out)["measurements"]} == {"yardstick"}
    error = refused("bench", "yardstik")
    assert "Did you mean 'yardstick'? Known: yardstick, speed" in error


def test_every_benchmark_can_be_imported():
    names = [place.rpartition(":")[2] for place in bench.BENCHMARKS]
    assert [name for name, _ in bench.chosen(names)] == names
    chosen = bench.chosen([])
    assert [benchmark.__name__ for _, benchmark in chosen] == [name for name, _ in chosen]
    assert names == [name for name, _ in chosen if name in names]


def test_workers_are_measured_at_a_place(run, monkeypatch):
    monkeypatch.setattr(clusters, "TASKS", 20)
    monkeypatch.setattr(clusters, "LEARNING", 0.1)
    monkeypatch.setattr(clusters, "SECONDS", 0.1)
    status, out, _ = run("bench", "--workers", "--jobs", "1")
    lines = out.splitlines()
    assert status == 0 and lines[0].startswith("loky, 1 worker: ") and len(lines) == 3
    assert run("bench", "--workers", "--address", "tcp://nowhere:1")[0] == 2


@pytest.mark.parametrize("option", [("--backend", "dask"), ("--address", "tcp://nowhere:1"), ("--jobs", "2")])
def test_a_place_without_workers_is_refused(refused, monkeypatch, option):
    monkeypatch.setattr(bench, "BENCHMARKS", ())
    error = refused("bench", *option)
    assert "need --workers" in error
