"""Scores against the parameters of families: what is varied, the scores, the verb, its page."""

import re

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs.optimal import solve
from bonspiel.runs.draws import environment_rng
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.results.store import read
from bonspiel.runs.sensitivity import page
from bonspiel.runs.sensitivity.variations import Sensitivity, Variation, sensitivities, suite, variations
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.statistics.scale import known
from bonspiel.runs.suite import model_of
from bonspiel.runs.tables import estimate

NOISE = Variation("family:trap", "noise", 0.1, (0.05, 0.1))
SMALL = ("--instances", 2, "--episodes", 2, "--budget", 10, "--jobs", 1)


@pytest.mark.parametrize("name", envs.FAMILIES)
def test_the_values_of_every_parameter_are_allowed_and_one_is_the_default(name):
    found = variations([name])
    parameters = {of for of in envs.REGISTRY.cls(name).__dataclass_fields__ if of != "instance"}
    assert {of.parameter for of in found} == parameters
    for of in found:
        assert of.default in of.values and of.values == tuple(sorted({*of.values}))
        assert len({repr(envs.parse(text)) for text in of.problems(1)}) == len(of.values) >= 3


def test_only_the_parameter_is_written_and_the_default_problem_is_played_once():
    varied = variations(["trap"], [("noise", [0.3, 0.1]), ("dim", [])])
    assert [of.values for of in varied] == [(0.1, 0.3), (1, 2, 4, 8)]
    assert list(varied[1].problems(1))[:2] == ["family:trap:instance=1,dim=1", "family:trap:instance=1"]
    played = suite(["cem", "dpw", "cem"], varied, 30, 4, 2, 7)
    envs_played = [experiment.env for experiment in played.experiment]
    assert len(envs_played) == len({*envs_played}) == 2 * (1 + 1 + 3)
    assert {setting[1:] for setting in played.settings()} == {(name, 30, "simulations", 7) for name in ("cem", "dpw")}


def test_values_of_a_name_that_is_given_twice_add_up(run):
    line = "sensitivity", "random", "--families", "trap", "--values", "noise=0.3", "--values", "noise=0.5"
    assert re.search(r"^\| planner +\| 0.3 +\| 0.5 +\|$", run(*line, *SMALL)[1], re.M)
    (of,) = variations(["trap"], [("noise", [0.5]), ("noise", [])])
    assert of.values == (0.02, 0.1, 0.3, 0.5, 1.0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["cem", "--families", "tarp"], "unknown family 'tarp'. Did you mean 'trap'?"),
        (["cem", "--families", "trap", "--values", "nosie"], "family:trap 'nosie'. Did you mean 'noise'?"),
        (["cem", "--values", "curvature"], "unknown parameter of family:trap 'curvature'."),
        (["cem", "--values", "noise=a"], "'a' must be numbers separated by commas"),
        (["cem", "--values", "noise=7", "--families", "trap"], "family:trap: noise=7: must be from 0.01 to 1"),
        (
            ["cem", "--values", "width=0.3"],
            "family:treasure_hunt: width=0.3: must be from 0.5 to 100; or choose --families",
        ),
        (["cemm"], "unknown planner 'cemm'. Did you mean 'cem'?"),
        (["cem", "--instances", "1"], "instances=1: must be a whole number from 2 to"),
        ([], "the following arguments are required"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(refused, tmp_path, line, said):
    err = refused("sensitivity", *line)
    assert said in err
    assert not list(tmp_path.iterdir())


@pytest.fixture
def played(run, tmp_path):
    line = "sensitivity", "random_shooting", "random", "--families", "trap", "--values", "noise=0.1,0.05"
    status, out, err = run(*line, *SMALL, "--out", "here")
    assert status == 0, err
    return tmp_path / "here", out, line


def test_a_score_is_the_mean_over_instances_of_the_mean_score_of_episodes(played):
    folder, out, _ = played
    with read(folder) as store:
        (found,) = sensitivities(store, [NOISE], 2)
        returns = store.returns()
    for name in ("random_shooting", "random"):
        for value in NOISE.values:
            means = []
            for setting, sample in returns.items():
                if setting.planner == name and setting.env in (NOISE.problem(value, 1), NOISE.problem(value, 2)):
                    ends = known(setting.env)
                    zero = max(ends.random, ends.do_nothing)
                    means.append((sample.mean() - zero) / (ends.optimum - zero))
            score = found.scores[name][value]
            assert len(means) == 2 and score.value == pytest.approx(np.mean(means))
            assert score[1:] == pytest.approx((min(means), max(means)))  # of four equally likely resamples
            assert re.search(rf"^\| {name} .*{re.escape(estimate(score))}", out, re.M)
    assert found.notes == []


def test_a_run_continues_with_more_planners_and_others_can_report_it(played, run):
    folder, out, line = played
    status, _, err = run(*line, *SMALL, "--out", folder)
    assert status == 2 and "holds this run already; add --resume" in err
    status, more, err = run(line[0], "cem", *line[1:], *SMALL, "--out", folder, "--resume")
    assert status == 0 and "8 of 24 episodes to play" in err
    rows = [row for row in out.splitlines() if row.startswith("| random")]
    assert rows and all(row in more.splitlines() for row in rows)
    status, text, err = run("report", folder, "--leaderboard")
    assert status == 0, err
    assert "Spearman" not in text  # of two planners: the baseline random is not ranked


def test_scores_from_different_starts_are_against_the_optimum_of_each(run, tmp_path):
    line = "sensitivity", "random", "--families", "linear_quadratic", "--values", "noise=0.2"
    assert run(*line, *SMALL, "--out", "here")[0] == 0
    of = Variation("family:linear_quadratic", "noise", 0.2, (0.2,))
    with read(tmp_path / "here") as store:
        (found,) = sensitivities(store, [of], 2)
        returns = {setting.env: sample for setting, sample in store.returns().items()}
    means = []
    for env, sample in returns.items():
        model, ends = model_of(env), known(env)
        zero = max(ends.random, ends.do_nothing)
        best = [solve(model).value(model.initial_state(environment_rng(0, episode, 0))) for episode in range(2)]
        means.append(1.0 - np.mean(best - sample) / (ends.optimum - zero))
    assert found.scores["random"][0.2].value == pytest.approx(np.mean(means))


def test_another_scale_and_missing_instances_are_said(run, tmp_path):
    line = "sensitivity", "random", "--families", "linear_quadratic", "--values", "width=0.3"
    assert run(*line, *SMALL, "--out", "here")[0] == 0
    of = Variation("family:linear_quadratic", "width", 1.0, (0.3,))
    with read(tmp_path / "here") as store:
        (found,) = sensitivities(store, [of], 3)
    assert found.notes == [
        "With width=0.3 score 1 is the upper bound in 2 instances.",
        "With width=0.3 random has scores in 2 of 3 instances.",
    ]


def test_instances_in_which_doing_nothing_is_optimal_are_left_out_and_named(run, tmp_path):
    line = "sensitivity", "random", "dpw", "uct", "--families", "trap", "--values", "noise=1"
    status, out, err = run(*line, *SMALL, "--instances", 5, "--episodes", 1, "--out", "here")
    assert status == 0, err
    said = "With noise=1 left out: instance 5, where no return is known that clearly exceeds the better"
    assert said in out and "scores in" not in out
    (cell,) = re.findall(r"^\| random +\| (\S+) ", out, re.M)
    assert abs(float(cell)) < 10.0
    assert "Left out: family:trap:instance=5,noise=1, where no" in run("report", "here", "--leaderboard")[1]


def test_failed_episodes_are_said_and_the_others_are_drawn(run, register, tmp_path):
    class Broken:
        def plan(self, model, state, budget, rng, root_actions=None):
            raise RuntimeError("dropped the stone")

    register(Broken)
    status, out, err = run("sensitivity", "broken", "random", "--families", "trap", "--values", "noise=0.1", *SMALL)
    assert status == 1 and "2 episodes of broken in family:trap:instance=1 failed" in err
    assert "4 of 8 episodes were played, 4 failed." in out
    assert "With noise=0.1 broken has scores in 0 of 2 instances." in out
    assert re.search(r"^\| broken +\| +\|$", out, re.M) and re.search(r"^\| random +\| -?\d", out, re.M)
    assert run("sensitivity", "broken", "--families", "trap", "--values", "noise=0.1", *SMALL, "--out", "x")[0] == 1
    assert (tmp_path / "results/sensitivity/sensitivity-trap.svg").exists() and (
        tmp_path / "x/sensitivity.html"
    ).exists()


def test_a_family_has_a_chart_of_each_parameter_with_a_line_at_the_default(played):
    with read(played[0]) as store:
        found = sensitivities(store, [NOISE, Variation("family:trap", "noise", 7.0, (0.05, 0.1))], 2)
    first, second = page.draw(found).axes[:2]
    assert [panel.get_title(loc="left") for panel in (first, second)] == ["noise", "noise"]
    assert [label.get_text() for label in first.get_xticklabels()] == ["0.05", "0.1"]
    curves = {line.get_gid(): line for line in first.lines if line.get_gid()}
    for name, scores in found[0].scores.items():
        assert curves[name].get_ydata() == pytest.approx([score.value for score in scores.values()])
    assert [line.get_xdata() for line in first.lines if not line.get_gid()] == [[1, 1]]
    assert [line for line in second.lines if not line.get_gid()] == []


def test_the_axis_of_scores_has_0_and_1_on_it_and_ends_at_the_lowest_one_drawn():
    def ends(*score):
        return page.draw([Sensitivity(NOISE, {"cem": {0.1: Interval(*score)}}, [])]).axes[0].get_ylim()

    assert ends(0.5, 0.4, 0.6) == pytest.approx((-0.05, 1.05))
    assert ends(-90.0, -100.0, 1.2) == pytest.approx((-1.11, 1.31))


def test_the_page_holds_charts_tables_and_provenance(played, look):
    folder, out, _ = played
    assert (folder / "sensitivity.md").read_text() in out
    assert "](sensitivity-trap.png)" in out and (folder / "sensitivity-trap.png").exists()
    shown = look((folder / "sensitivity.html").read_text())
    table = shown.locator('table[data-name="sensitivity|family:trap|noise"]')
    assert table.locator("tbody tr").count() == 2 and table.locator("thead th").all_inner_texts()[0] == "planner"
    assert shown.locator("figure img").evaluate("image => image.naturalWidth") > 100
    assert "sources" in shown.locator("#provenance ~ dl").inner_text()
    assert page.SAID in shown.locator("main").inner_text()


def test_a_run_begins_anew_where_only_its_pages_are_left(played, run):
    folder, out, line = played
    for file in folder.glob("results.sqlite*"):
        file.unlink()
    status, again, err = run(*line, *SMALL, "--out", "here")
    assert status == 0 and again == out, err


def test_few_instances_or_families_without_their_prefix_are_checked_before_play():
    with pytest.raises(UsageError, match="instances=1: must be"):
        suite(["cem"], [NOISE], 10, 1, 1, 0)
    assert {of.family for of in variations(["donut", "family:trap"])} == {"family:donut", "family:trap"}
