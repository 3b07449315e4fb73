import pytest

from bonspiel.runs.experiment import RunError, RunPart, Setting
from bonspiel.runs.progress import duration
from bonspiel.runs.results.rows import Batch, Failure
from bonspiel.runs.runner import estimate
from bonspiel.runs.runner.estimate import text
from bonspiel.runs.suite import Suite


def test_a_planner_that_fails_is_named(fakes):
    suite = Suite.of("x", {"experiment": [{"env": "trap", "planners": ["clumsy"], "simulations": [*range(1, 9)]}]})
    with pytest.raises(RunError, match="clumsy fails in trap: RuntimeError: dropped the stone"):
        estimate.estimate(suite, 1)


def test_the_whole_is_the_sum_over_all_jobs():
    suite = Suite.of(
        "mine",
        {
            "experiment": [
                {
                    "env": "trap",
                    "planners": ["uct", {"planner": "dpw", "label": "mine"}],
                    "simulations": [10, 1000],
                    "milliseconds": [100],
                    "episodes": 30,
                }
            ]
        },
    )
    costs = {setting: 2.0 if setting.unit == "ms" else 0.5 for setting in suite.settings()}
    found = text(suite, costs, 4)
    assert [" ".join(line.split()) for line in found.splitlines() if line.startswith(("|", "trap"))] == [
        "trap",
        "| planner | 10 simulations | 1000 simulations |",
        "| ------- | -------------- | ---------------- |",
        "| uct | 30 x 500 ms | 30 x 500 ms |",
        "| mine | 30 x 500 ms | 30 x 500 ms |",
        "trap",
        "| planner | 100 ms |",
        "| ------- | -------- |",
        "| uct | 30 x 2 s |",
        "| mine | 30 x 2 s |",
    ]
    assert "mine: 180 episodes of 6 settings, about 45 s with 4 jobs (3 min of work)" in found


def test_a_part_takes_its_share():
    suite = Suite.of("x", {"experiment": [{"env": "trap", "planners": ["uct"], "simulations": [1], "episodes": 100}]})
    costs = {setting: 1.0 for setting in suite.settings()}
    found = text(suite, costs, 1, RunPart(1, 4))
    assert "| 25 x 1 s" in found and "x, part 1/4: 25 episodes of 1 setting, about 25 s" in found


def test_no_run_is_shorter_than_its_longest_episode():
    suite = Suite.of("x", {"experiment": [{"env": "trap", "planners": ["uct"], "simulations": [1], "episodes": 1}]})
    assert "about 8 s with 4 jobs" in text(suite, {setting: 8.0 for setting in suite.settings()}, 4)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.0123, "12 ms"), (1.0, "1 s"), (119.0, "120 s"), (120.0, "2 min"), (7199.0, "120 min"), (28_800.0, "8.0 h")],
)
def test_durations_for_people(seconds, expected):
    assert duration(seconds) == expected


def test_the_command_plays_nothing(run, tmp_path):
    status, out, _ = run(
        *(
            "run trap:noise_range=0.05 --planner random --budget 10,100 --milliseconds 1 --episodes 7"
            " --jobs 1 --dry-run"
        ).split()
    )
    assert status == 0
    for words in ("| random ", "7 x ", "21 episodes of 3 settings", "nothing was kept"):
        assert words in out
    assert list(tmp_path.iterdir()) == []


def test_two_workers_measure_too():
    suite = Suite.of(
        "x", {"experiment": [{"env": ["trap", "trap:noise_range=0.01"], "planners": ["random"], "simulations": [1]}]}
    )
    found = estimate.estimate(suite, 2)
    assert list(found) == list(suite.settings())
    assert all(seconds > 0.0 for seconds in found.values())


def test_an_unknown_planner_is_refused_at_once(refused):
    err = refused("run", "trap", "--planner", "uctt", "--dry-run")
    assert "Did you mean 'uct'" in err


def test_short_episodes_are_measured_together(monkeypatch):
    played = []

    def play(setting, indices):
        played.append(list(indices))
        return Batch(setting, [Failure(index, "") for index in indices], 0.03 * len(indices) + 0.003 * sum(indices))

    monkeypatch.setattr(estimate, "play_batch", play)
    batch = estimate._first(Setting("trap", "uct", 1, "simulations", 0), [0])
    assert played == [[0], [1, 2]]
    assert (len(batch.results), batch.seconds) == (3, pytest.approx(0.033))
