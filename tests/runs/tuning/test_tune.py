import json
import os
import re
import signal
import time

import numpy as np
import pytest

from bonspiel.planners.spaces import Choice
from bonspiel.runs.experiment import Setting
from bonspiel.runs.tuning import final, search
from bonspiel.runs.tuning.final import finalists, verdict
from bonspiel.runs.tuning.search import Journal, Trial
from bonspiel.runs.tuning.study import TuningStudy

QUICK = ("tune", "trap:noise_range=0.1", "--budget", "3", "--trials", "20", "--episodes", "5", "--seed", "3")


def timeless(out):
    """What was printed, without the seconds."""
    return re.sub(r" *\S+ *\|\n", "|\n", re.sub(r"-{3,}", "-", out[out.index("\nspent\n") :])), out.partition(
        "\nspent"
    )[0]


def played(folder):
    """The planner and number of every episode that was played, sorted."""
    lines = map(json.loads, (folder / Journal.file).read_text().splitlines())
    entries = [line for line in lines if isinstance(line, list)]
    return sorted((setting[1], row[0]) for setting, rows in entries for row in rows)


def test_bad_numbers_and_environments_end_with_one_line(run, refused):
    for wrong in (("--trials", "0"), ("--episodes", "0"), ("--budget", "0"), ("--seed", "-1"), ("--jobs", "0")):
        status, out, err = run(*QUICK, "--planner", "uct", *wrong)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert wrong[0][2:] in err and "must be" in err
    err = refused("tune", "trop", "--planner", "uct")
    assert "Did you mean 'trap'" in err
    err = refused(*QUICK)
    assert "--planner" in err
    err = refused(*QUICK, "--planner", "uct", "--against", "presearch")
    assert "aim_grid" in err
    err = refused(*QUICK, "--planner", "uct", "--resume")
    assert "--out" in err


def test_a_tuning_prints_search_final_cost_and_the_entry_of_a_suite(run):
    status, out, _ = run(*QUICK, "--planner", "uct", "--jobs", "1")
    assert status == 0
    search, last, best, cost, entry = out.strip().split("\n\n")
    assert search.startswith("search: uct, the best 10 of ") and "over 5 episodes" in search
    assert 4 <= last.count("| uct") <= 5 and "over 40 episodes, optimum 1.7000" in last
    assert "| uct " in last  # the planner as it is written, whatever became of it in the search
    winner = last.splitlines()[3].split()[1]
    assert best.splitlines()[1] == winner
    assert f"ahead of {last.splitlines()[4].split()[1]} " in best
    assert "| uct     | 21     |" in cost
    assert entry.splitlines()[1] == f'    {{ label = "uct, tuned", planner = "{winner}" }},'
    assert timeless(run(*QUICK, "--planner", "uct", "--jobs", "2")[1]) == timeless(out)


def test_the_cost_is_what_was_played(tunable, run, tmp_path):
    status, out, _ = run(*QUICK, "--planner", "constant", "--jobs", "1", "--out", "x")
    assert status == 0
    count = len(played(tmp_path / "x"))
    _, trials, pruned, episodes, simulations, _ = (
        int(cell) if cell.strip().isdigit() else cell for cell in out[out.index("| constant | 21") :].split("|")[1:7]
    )
    assert (trials, episodes, simulations) == (21, count, 2 * count)
    assert 0 < pruned < 20 and count < 21 * 5 + 5 * 40


def test_each_planner_gets_the_same_effort_and_the_best_of_each_are_compared(tunable, run):
    planners = ("--planner", "constant:draws=1", "--planner", "constant:draws=2", "--against", "clumsy")
    status, out, err = run(*QUICK, *planners[:4], "--jobs", "1")
    assert status == 0
    assert out.count("| 21     |") == 2 and err.count("20 trials by TPE") == 2
    best = out[out.index("the best of each planner") :]
    assert best.count("| constant:draws=1") == 1 + best.count("| constant:draws=1 ") == 2
    assert " ahead of constant:draws=" in best
    assert out.count('label = "constant, tuned"') == out.count('label = "constant, tuned (2)"') == 1


def test_planners_that_are_given_take_part_in_the_final_alone(tunable, run):
    status, out, _ = run(*QUICK, "--planner", "constant:draws=1", "--against", "constant:action=0.85", "--jobs", "1")
    assert status == 0
    search, _, last = out.partition("final: ")
    assert "constant:action=0.85 " not in search
    assert last.count("| constant:action=0.85 ") == 1 and "the best of each" not in out


def test_what_is_given_is_a_candidate_of_the_tuned_planner_of_its_name_or_stands_for_itself():
    study = TuningStudy("trap", ("wuct", "uct"), against=("weighted_uct:exploration=2", "random"))

    def trial(text, mean, pruned=False):
        return Trial(0, study.setting(text), [mean], pruned)

    searched = {"wuct": [trial("wuct", 0.0), *(trial(f"wuct:exploration=0.{n}", n, n == 7) for n in range(1, 9))]}
    searched["uct"] = [trial("uct", 5.0)]
    names = {start: [one.planner for one in group] for start, group in finalists(study, searched).items()}
    best = [f"wuct:exploration=0.{n}" for n in (8, 6, 5, 4)]
    assert names == {"wuct": ["wuct", *best, "weighted_uct:exploration=2"], "uct": ["uct"], "random": ["random"]}


def test_a_planner_takes_one_place_of_the_final_however_often_and_in_whatever_words_it_was_tried():
    study = TuningStudy("trap", ("random_shooting",))
    tried = ["random_shooting", *["random_shooting:hold=4"] * 6, "random_shooting:hold=1", "random_shooting:hold=2"]
    trials = [Trial(0, study.setting(text), [-float(n)], False) for n, text in enumerate(tried)]
    (group,) = finalists(study, {"random_shooting": trials}).values()
    assert [one.planner for one in group] == ["random_shooting", "random_shooting:hold=4", "random_shooting:hold=2"]


def test_two_winners_of_one_planner_have_names_of_their_own():
    given = final.entries(["icem:beta=1", "icem:beta=2", "cem:sd=1", "uct"], ["uct"])
    labels = [line.split('"')[1] for line in given]
    assert labels == ["icem, tuned", "icem, tuned (2)", "cem, tuned", "uct"]


def test_the_cost_counts_the_episodes_of_a_candidate_that_was_tried_again_and_stopped():
    study = TuningStudy("trap", ("uct",), episodes=5)
    setting, played = study.setting("uct"), []

    class Kept:
        def episodes(self, setting, numbers):
            played.append(list(numbers))
            return []

    steps = len(search.steps(5))
    trials = [Trial(0, setting, [0.0] * steps, False), Trial(1, setting, [0.0], True)]
    final.TuningEffort.of(study, trials, [], Kept())
    assert played == [list(range(5))]


def test_the_best_of_fresh_draws_wins(tunable, run):
    tunable(action=Choice((0.1, 0.85, 0.3, 0.99)))
    status, out, _ = run(*QUICK, "--planner", "constant:draws=1", "--jobs", "1")
    assert status == 0
    title, winner, lead = out.split("\n\n")[2].splitlines()
    assert (title, winner) == ("winner", "constant:draws=1,action=0.85")
    assert " ahead of constant" in lead and "needed" not in lead


def test_search_and_final_share_no_draw():
    study = TuningStudy("trap", ("uct",), episodes=5)
    assert final.fresh(study) == range(5, 45)


def test_the_best_within_noise_of_the_next_is_no_winner():
    def setting(name):
        return Setting("trap", name, 1, "simulations", 0)

    rng = np.random.default_rng(0)
    base = rng.normal(size=200)
    ahead = verdict({setting("a"): base + 0.1 + 0.01 * rng.normal(size=200), setting("b"): base})
    assert ahead.startswith("winner\na\n0.099 [0.09") and "ahead of b" in ahead and "needed" not in ahead
    tied = verdict({setting("a"): rng.normal(size=200) + 0.01, setting("b"): base})
    assert tied.startswith("no clear winner: the best is within noise of the next\na\n")
    assert "episodes needed to settle it" in tied
    assert verdict({setting("a"): base}) == "winner\na"


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_a_tuning_resumed_from_any_point_equals_an_undisturbed_one(tunable, run, tmp_path, sampler):
    line = (*QUICK, "--planner", "constant", "--jobs", "1", "--sampler", sampler, "--out")
    _, undisturbed, _ = run(*line, "whole")
    whole = (tmp_path / "whole" / Journal.file).read_bytes()
    (tmp_path / "part").mkdir()
    for share in (0.0, 0.02, 0.3, 0.5, 0.8, 0.99):
        (tmp_path / "part" / Journal.file).write_bytes(whole[: int(share * len(whole))])
        status, out, _ = run(*line, "part", "--resume")
        assert status == 0
        assert timeless(out) == timeless(undisturbed)
        assert played(tmp_path / "part") == played(tmp_path / "whole")


def test_a_killed_tuning_is_resumed(run, start, tmp_path):
    line = (*QUICK, "--planner", "uct", "--jobs", "1", "--out")
    process = start(*line, "killed")
    file = tmp_path / "killed" / Journal.file
    while process.poll() is None and not (file.exists() and file.stat().st_size > 3000):
        time.sleep(0.005)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = file.read_bytes()
    status, resumed, _ = run(*line, "killed", "--resume")
    assert status == 0 and file.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert timeless(resumed) == timeless(run(*line, "whole")[1])


def test_studies_are_run_in_order(tunable, run, tmp_path):
    tables = "".join(
        f'[[study]]\nenv = "trap:noise_range={width}"\nplanners = ["constant"]\nbudget = 1\nepisodes = 2\ntrials = 3\n'
        for width in (0.1, 0.01)
    )
    (tmp_path / "mine.toml").write_text(tables)
    status, out, _ = run("tune", "mine.toml", "--jobs", "1")
    assert status == 0
    assert re.findall(r"for a suite file, env = (.*)", out) == ['"trap:noise_range=0.1"', '"trap:noise_range=0.01"']
    (tmp_path / "mine.toml").write_text(tables.replace("noise_range=0.01", "noise_range=-1"))
    status, out, _ = run("tune", "mine.toml", "--jobs", "1")
    assert (status, out) == (2, ""), "all studies are checked before the first one is run"


def test_a_failing_candidate_ends_the_search_by_name(tunable, monkeypatch, run):
    status, _, err = run(*QUICK, "--planner", "constant", "--against", "clumsy", "--jobs", "1")
    assert status == 1
    assert "clumsy, episode " in err and "dropped the stone" in err
