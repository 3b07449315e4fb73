"""Runtimes to targets of whole runs: the verb, its chart, and the section of the report."""

import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel.runs import provenance
from bonspiel.runs.counting import Steps
from bonspiel.runs.reporting import targets_chart
from bonspiel.runs.reporting.origins import left_out_problems, other_problems
from bonspiel.runs.reporting.targets import SIMULATIONS, STEPS, TIME, targets
from bonspiel.runs.results import packed, run_folder
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.results.store import read
from bonspiel.runs.statistics.scale import known
from bonspiel.runs.statistics.targets import TARGETS
from bonspiel.runs.suite import Suite
from bonspiel.runs.verbs import targets as verb

TRAP, RACE, LANDER = "trap", "racetrack", "lunar_lander"
MEANS = {  # scores by problem, planner and budget
    (TRAP, "uct"): {10: 0.4, 100: 0.91},
    (TRAP, "dpw"): {10: 0.6, 100: 0.2},
    (RACE, "uct"): {10: 0.1, 100: 0.3},
    (RACE, "dpw"): {10: 1.1, 100: 1.1},
    (LANDER, "uct"): {10: 0.5},
}
EPISODES = 4


def write(folder, means, unit="simulations", spread=0.0, missing=None):
    """A run with these mean scores; half of its episodes are above them by `spread`, the others below.

    Of the planner `missing` the last episode is not played yet.
    """
    budgets = [
        {"env": env, "planners": [planner], unit: [budget], "episodes": EPISODES}
        for (env, planner), of in means.items()
        for budget in of
    ]
    suite = Suite.of(folder.name, {"experiment": budgets})
    with run_folder.write(folder, suite, suite.resolve(), provenance.collect([]), resume=False) as results:
        for setting in suite.settings():
            score, scale = means[setting.env, setting.planner][setting.budget], known(setting.env).scale
            totals = [score + spread * (-1) ** number for number in range(EPISODES)]
            if scale:
                totals = [scale.low + one * (scale.high - scale.low) for one in totals]
            seconds, simulations = 1e-3 * setting.budget, int(1.8 * setting.budget)  # some planners make fewer
            rows = [Episode(number, total, 2, seconds, simulations) for number, total in enumerate(totals)]
            results.add(Batch(setting, rows[: -1 if setting.planner == missing else None], 1.0))
    return folder


@pytest.fixture
def played(tmp_path):
    return write(tmp_path / "mine", MEANS)


def cells(out, problem):
    """The cells of a problem's table by planner."""
    lines = out.split(f"\n{problem}\n")[1].split("\n\n")[0].splitlines()[2:]
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {name: found for name, *found in rows}


def test_the_verb_prints_the_cells_that_one_computes_by_hand(run, played):
    status, out, err = run("targets", played)
    assert status == 0, err
    # uct in the trap: 0.5 after 0.1 / 0.51 of the way from 10 to 100, 0.8 after 0.4 / 0.51, 0.9 after 0.5 / 0.51
    places = [10 ** (1 + part / 0.51) for part in (0.1, 0.4, 0.5)]
    half, most, all_but = (f"{place:.3g}" for place in places)
    assert cells(out, TRAP) == {
        "uct": [f"{half} (>= {places[0] / 10:.3g})", f"{most} (1)", f"{all_but} (1)", "> 100", "> 100"],
        "dpw": ["<= 10 (1)", f"> 100 (> {100 / places[1]:.3g})", f"> 100 (> {100 / places[2]:.3g})", "> 100", "> 100"],
    }
    assert cells(out, f"{RACE} (reference)") == {"uct": ["> 100 (> 10)"] * 5, "dpw": ["<= 10 (1)"] * 5}
    assert "running maximum" in out
    assert re.search(r"dpw +\| 0\.600 \[0\.600, 0\.600\] \| 100 ", out)
    assert re.search(r"best known +\| 0\.800 ", out)


def test_problems_without_a_scale_are_named_in_one_line(run, played):
    _, out, _ = run("targets", played)
    (line,) = (line for line in out.splitlines() if LANDER in line)
    assert line.startswith(f"no targets in {LANDER}: neither the optimum nor a reference is known")


def test_json_has_bounds_as_signs(run, played):
    status, out, err = run("targets", played, "--json")
    assert status == 0, err
    found = json.loads(out)
    rows = {(row["env"], row["planner"], row["target"]): row for row in found["runtimes"]}
    assert len(rows) == 2 * 2 * len(TARGETS)
    row = rows[TRAP, "dpw", 0.5]
    assert row["budget"] == row["low"] == row["high"] == {"sign": "<=", "value": 10.0}
    assert row["ratio"] == {"sign": "=", "value": 1.0}
    assert rows[TRAP, "uct", 0.99]["budget"] == {"sign": ">", "value": 100.0}
    assert rows[TRAP, "uct", 0.99]["ratio"] is None
    assert found["scales"][RACE]["top"] == "reference"
    shares = found["shares"]
    assert shares["pairs"] == 10
    assert shares["best_known"][-1] == pytest.approx(0.8)
    assert shares["planners"]["uct"]["share"][-1] == pytest.approx(0.3)
    assert shares["budgets"][0] == 10 and shares["budgets"][-1] == 100


def test_intervals_reach_beyond_the_budgets(run, tmp_path):
    folder = write(tmp_path / "wide", {(TRAP, "uct"): {10: 0.5, 100: 0.78}}, spread=0.31)
    cell = cells(run("targets", folder)[1], TRAP)["uct"]
    assert cell[0] == "<= 10 [<= 10, > 100] (1)"  # the score 0.19 or 0.47 where most resampled episodes are low
    assert cell[1] == "> 100 [<= 10, > 100]"  # and 0.81 at once where all are high


def test_a_run_that_is_not_finished_has_targets(run, tmp_path):
    means = {(TRAP, "uct"): {10: 0.4, 100: 0.91}, (TRAP, "dpw"): {10: 0.1, 100: 0.3}}
    whole, part = (
        cells(run("targets", write(tmp_path / name, means, spread=0.2, missing=missing))[1], TRAP)
        for name, missing in (("whole", None), ("part", "dpw"))
    )
    assert part["uct"] == whole["uct"]
    assert len(part["dpw"]) == len(TARGETS)


def test_planners_of_another_run_stand_beside_one_s_own(run, played, tmp_path):
    theirs = write(tmp_path / "theirs", {(TRAP, "uct"): {20: 0.7}, (TRAP, "pw"): {20: 0.3}, ("donut", "pw"): {5: 1.0}})
    status, out, err = run("targets", played, "--beside", theirs)
    assert status == 0, err
    found = cells(out, TRAP)
    assert found.keys() == {"uct (mine)", "dpw", "uct (theirs)", "pw (theirs)"}
    assert found["uct (theirs)"][:2] == ["<= 20 (>= 1)", f"> 20 (> {20 / 10 ** (1 + 0.4 / 0.51):.3g})"]
    assert found["dpw"][0] == "<= 10 (>= 1)"
    assert "donut" not in out
    assert "have not played all problems: uct (theirs), pw (theirs)" in out
    assert "other runs" in run("targets", played, "--beside", played)[2]


def test_the_baselines_are_no_planners_to_compare_with(run, tmp_path):
    folder = write(tmp_path / "b", {(TRAP, "uct"): {10: 0.4, 100: 0.91}, (TRAP, "random"): {10: 1.0}})
    assert cells(run("targets", folder)[1], TRAP).keys() == {"uct"}


def test_time_budgets_are_counted_in_milliseconds(run, tmp_path):
    status, out, err = run("targets", write(tmp_path / "ms", {(TRAP, "uct"): {5: 0.1, 50: 0.9}}, "milliseconds"))
    assert status == 0, err
    assert out.startswith("milliseconds of a decision")
    assert cells(out, TRAP)["uct"][0] == f"{5 * 10**0.5:.3g} (1)"
    other = write(tmp_path / "other", {(TRAP, "dpw"): {10: 0.9}})
    _, out, _ = run("targets", tmp_path / "ms", "--beside", other)
    assert cells(out, TRAP).keys() == {"uct"} and "no milliseconds known in trap of dpw" in out


def test_budgets_in_simulations_have_the_mean_times_of_their_decisions(run, played):
    _, out, _ = run("targets", played, "--cost", "milliseconds")
    # 1e-3 s a simulation in each of two decisions: 5 and 50 ms
    assert cells(out, TRAP)["uct"][0].startswith(f"{5 * 10 ** (0.1 / 0.51):.3g} ")
    assert "the mean time of a decision" in out


def test_budgets_in_simulations_have_the_model_steps_of_the_simulations_made(played):
    with read(played) as store:
        found = targets([store], STEPS, {(TRAP, "uct"): 3.0, (RACE, "uct"): 2.0, (RACE, "dpw"): math.nan})
    # 9 and 90 simulations a decision of 3 steps
    assert found.runtimes[TRAP]["uct"][0].budget == pytest.approx(27 * 10 ** (0.1 / 0.51))
    assert found.runtimes[TRAP]["uct"][0].largest == 270
    assert found.runtimes[RACE]["uct"][0].largest == 180
    assert found.notes[1:] == [f"no model steps known in {env} of dpw" for env in (TRAP, RACE)]


def test_the_chart_has_a_curve_for_each_planner_and_the_best_dotted(run, refused, played, tmp_path):
    status, out, err = run("targets", played, "--out", tmp_path / "x.png")
    assert status == 0, err
    assert out.splitlines()[-2:] == [str(tmp_path / f"x.{ending}") for ending in ("png", "svg")]
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"
    assert all(f'id="{name}"' in (tmp_path / "x.svg").read_text() for name in ("uct", "dpw", "best known"))
    with read(played) as store:
        found = targets([store], "simulations")
    (axes,) = targets_chart.draw(found).axes
    lines = {line.get_gid(): line for line in axes.lines}
    assert lines["uct"].get_ydata()[[0, -1]].tolist() == pytest.approx([0.0, 0.3])
    assert lines["dpw"].get_ydata()[[0, -1]].tolist() == pytest.approx([0.6, 0.6])
    assert lines["best known"].get_ydata()[[0, -1]].tolist() == pytest.approx([0.6, 0.8])
    assert "its name must end in .png" in run("targets", played, "--out", tmp_path / "x.pdf")[2]
    lander = write(tmp_path / "lander", {(LANDER, "uct"): {10: 0.5}})
    err = refused("targets", lander, "--out", tmp_path / "y.png")
    assert f"nothing to draw: no planner has targets in all problems of the run (no targets in {LANDER}" in err
    assert not (tmp_path / "y.png").exists()


def test_the_costs_of_the_verb_are_those_of_the_tables():
    assert verb.COSTS == (SIMULATIONS, STEPS, TIME)


def test_names_keep_apart():
    found = targets_chart.spread([0.9, 0.5, 0.5, 0.5, 0.0], 0.1)
    assert found[0] == pytest.approx(0.9) and found[-1] == pytest.approx(0.0)
    assert min(-np.diff(found)) >= 0.1 - 1e-12
    assert targets_chart.spread([0.0, 0.0], 0.1) == pytest.approx([0.1, 0.0])


def test_the_report_has_the_section_with_a_table_for_each_cost(played):
    with read(played) as store:
        html = targets_chart.section(store, {TRAP: {"uct": Steps(10, 3.0)}, RACE: {"dpw": None}})
        assert targets_chart.section(store, {}).count('data-name="') == 2
    names = [f"{cost}|targets" for cost in ("simulations", "model steps", "milliseconds")]
    assert re.findall('data-name="(.*?)"', html) == names
    assert "&le; 10 <small>(1)</small>" in html
    assert "&gt; 100 <small>(&gt; 10)</small>" in html
    assert html.count("<img") == 3 and LANDER in html


def test_a_run_without_a_result_is_refused(refused, tmp_path):
    suite = Suite.of("empty", {"experiment": [{"env": TRAP, "planners": ["uct"], "simulations": [10], "episodes": 1}]})
    with run_folder.write(tmp_path / "e", suite, suite.resolve(), provenance.collect([]), resume=False):
        pass
    err = refused("targets", tmp_path / "e")
    assert "holds no finished episode" in err


def test_the_shipped_run_reaches_at_once_what_its_smallest_means_reach_and_nothing_above_its_largest_mean(run):
    status, out, err = run("targets", "peers", "--json")
    assert status == 0, err
    rows = json.loads(out)["runtimes"]
    with packed.read_any(Path("peers")) as store:
        means = {}
        for setting, sample in store.returns().items():
            name = store.suite.names(setting.env)[setting.planner]
            score = (sample.mean() - (scale := known(setting.env).scale).low) / (scale.high - scale.low)
            means.setdefault((setting.env, name), {})[setting.budget] = score
    assert len(rows) == len(TARGETS) * len(means)
    for row in rows:
        played = means[row["env"], row["planner"]]
        first, most = played[min(played)], max(played.values())
        expected = "<=" if first >= row["target"] else ">" if most < row["target"] else "="
        assert row["budget"]["sign"] == expected


def test_problems_of_the_same_name_but_other_parameters_are_left_out_with_a_line():
    setting = SimpleNamespace(env="my:M")
    suite = SimpleNamespace(settings=lambda: [setting])
    ours, same, other = (
        SimpleNamespace(folder=name, suite=suite, resolved={"my:M": meaning, "trap": "Trap()"})
        for name, meaning in (("ours", "M(1)"), ("same", "M(1)"), ("other", "M(2)"))
    )
    assert other_problems([ours, same, other]) == [set(), set(), {"my:M"}]
    (line,) = left_out_problems([ours, same, other])
    assert line == "Left out of other: my:M, with other parameters or sources there."
