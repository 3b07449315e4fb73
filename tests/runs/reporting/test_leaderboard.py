"""Planners ranked over several problems."""

import math
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from bonspiel.runs import provenance
from bonspiel.runs.reporting import model_steps
from bonspiel.runs.reporting.leaderboards import leaderboard, leaders
from bonspiel.runs.reporting.leaderboards import page as leaderboard_page
from bonspiel.runs.reporting.leaderboards.boards import Cost, Findings, leaderboards
from bonspiel.runs.results import packed, run_folder
from bonspiel.runs.results.rows import Batch, Episode
from bonspiel.runs.results.store import read
from bonspiel.runs.statistics import ends, ranks
from bonspiel.runs.statistics.scale import BEST, OPTIMUM, REFERENCE, Known, Scale
from bonspiel.runs.suite import Suite
from bonspiel.runs.suites.lookup import load

pytestmark = pytest.mark.usefixtures("undrawn")

SUITE = """
[[experiment]]
env = ["trap", "trap:noise_range=0.01", "treasure_hunt"]
planners = ["uct", "constant:action=0.1", "constant:action=0.9", "random", "do_nothing"]
simulations = [20]
episodes = 8

[[experiment]]
env = "trap"
planners = ["dpw"]
simulations = [20]
episodes = 8
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept") / "x"


@pytest.fixture
def played(run, fakes, tmp_path, kept):
    """The folder of a run of its own for each test, played once."""
    (tmp_path / "mine.toml").write_text(SUITE)
    if not kept.exists():
        status, _, err = run("run", "mine.toml", "--out", kept, "--jobs", "1")
        assert status == 0, err
    return shutil.copytree(kept, tmp_path / "x")


def test_the_critical_difference_is_that_of_demsar_s_example():
    assert ranks.critical_difference(4, 14) == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 14)), abs=2e-3)
    assert math.isnan(ranks.critical_difference(2, 14))


def test_scores_ranks_and_tests_are_those_of_the_means(played):
    with read(played) as store:
        (board,), scales = leaderboards([store])
        returns = {(setting.env, setting.planner): sample for setting, sample in store.returns().items()}
    assert list(scales) == ["trap", "trap:noise_range=0.01", "treasure_hunt"]
    assert all(scale.top == OPTIMUM for scale in scales.values())
    assert scales["trap"].high == pytest.approx(1.7)
    assert board.left_out == ["dpw"]
    names = ["uct", "constant:action=0.1", "constant:action=0.9"]
    assert sorted(standing.planner for standing in board.standings) == sorted(names)
    means = {name: [returns[env, name].mean() for env in scales] for name in names}
    values = np.array(list(means.values()))
    better, same = (relation(values[None], values[:, None]).sum(1) for relation in (np.greater, np.equal))
    order = better + 0.5 * (same + 1)  # ties share their ranks
    for standing in board.standings:
        low, high = np.array([scale[:2] for scale in scales.values()]).T
        expected = (np.array(means[standing.planner]) - low) / (high - low)
        assert [score.value for score in standing.scores.values()] == pytest.approx(expected)
        assert all(low <= value <= high for value, low, high in standing.scores.values())
        assert standing.score.value == pytest.approx(expected.mean())
        assert standing.score.low <= standing.score.value <= standing.score.high
        assert standing.rank == pytest.approx(order[names.index(standing.planner)].mean())
    assert board.p == pytest.approx(friedmanchisquare(*means.values()).pvalue)


def test_the_page_and_the_text_name_every_planner(run, played, look):
    status, out, err = run("report", played, "--leaderboard")
    assert status == 0, err
    assert "constant:action=0.9" in out and "Not in all problems: dpw." in out and "Nemenyi" in out
    assert "Without model steps that can be counted in all problems: constant:action=0.9, constant:action=0.1." in out
    for figure in ("leaderboard", "leaderboard-steps", "leaderboard-profiles", "leaderboard-ranks"):
        assert f"({figure}.svg)" in out and str(played / f"{figure}.svg") in out
        assert "uct" in (played / f"{figure}.svg").read_text()
    page = look((played / "leaderboard.html").read_text(encoding="utf-8"))
    rows = page.locator("table[data-name^=leaderboard] tbody tr")
    assert rows.count() == 3
    first = rows.first.inner_text()
    page.locator("table[data-name^=leaderboard] thead button").nth(2).click()  # by rank, the smallest or largest first
    page.locator("table[data-name^=leaderboard] thead button").nth(2).click()
    assert rows.count() == 3 and first


def test_planners_of_another_run_are_ranked_among_one_s_own(run, played, tmp_path):
    (tmp_path / "other.toml").write_text(
        """
[[experiment]]
env = ["trap", "trap:noise_range=0.01", "treasure_hunt"]
planners = ["uct", "constant:action=0.5"]
simulations = [20, 30]
episodes = 5

[[experiment]]
env = "trap:noise_range=0.3"
planners = ["uct"]
simulations = [20]
episodes = 1
"""
    )
    assert run("run", "other.toml", "--out", tmp_path / "theirs", "--jobs", "1")[0] == 0
    status, out, err = run("report", played, "--leaderboard", "--beside", tmp_path / "theirs")
    assert status == 0, err
    with read(played) as mine, read(tmp_path / "theirs") as theirs:
        boards, scales = leaderboards([mine, theirs])
        (alone,), _ = leaderboards([mine])
    assert "trap:noise_range=0.3" not in scales and len(scales) == 3
    ranked = {one.planner: one for one in boards[0].standings}
    constants = {"constant:action=0.1", "constant:action=0.9", "constant:action=0.5 (theirs)"}
    assert ranked.keys() == {"uct (x)", "uct (theirs)"} | constants
    own = {one.planner: one for one in alone.standings}
    assert ranked["uct (x)"].scores["trap"].value == own["uct"].scores["trap"].value
    assert ranked["uct (theirs)"].episodes == 15 and ranked["uct (x)"].episodes == 24
    assert "| uct (theirs) " in out and "20 simulations per decision" in out
    assert len(boards) == 1 and "30 simulations per decision" not in out  # not played in the run
    for given, words in (
        (["--beside", tmp_path / "theirs"], "give --leaderboard too"),
        (["--leaderboard", "--beside", played], "other runs"),
        (["--leaderboard", "--beside", tmp_path], "holds no run"),
        (["--leaderboard", "--beside", "x/nowhere"], "not shipped with bonspiel (peers)"),
    ):
        assert words in run("report", played, *given)[2]


def rows_of(text, planner):
    """The cells of a planner's rows in tables with episodes and seeds."""
    lines = (line for line in text.splitlines() if line.startswith(f"| {planner} ") and line.count("|") > 8)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def other_run(folder, text, play):
    """A run of which `play` tells the number of episodes that a setting has played."""
    suite = Suite.of(folder.name, tomllib.loads(text))
    with run_folder.write(folder, suite, {}, provenance.collect([]), resume=False) as results:
        for setting in suite.settings():
            played = [Episode(number, 1.4, 2, 0.1, 20) for number in range(play(setting))]
            results.add(Batch(setting, played, 1.0))
    return folder


THREE = 'env = ["trap", "trap:noise_range=0.01", "treasure_hunt"]'


def test_rows_say_their_episodes_and_seeds_and_mark_unfinished_runs_and_other_seeds(run, played, tmp_path, look):
    text = f"[[experiment]]\n{THREE}\nplanners = ['pw']\nsimulations = [20]\nepisodes = 10\nseed = 7"
    theirs = other_run(tmp_path / "theirs", text, lambda setting: 4 if setting.env == "trap" else 10)
    same = other_run(tmp_path / "same", text.replace("7", "0").replace("pw", "kr_uct"), lambda _: 10)
    status, out, err = run("report", played, "--leaderboard", "--beside", theirs, "--beside", same)
    assert status == 0, err
    (mine,), (pw,), (kr_uct,) = (rows_of(out, name) for name in ("uct", "pw", "kr_uct"))
    assert mine[-2:] == ["24", "0"] and kr_uct[-2:] == ["30", "0"]
    assert pw[-2:] == ["24 of 30 (unfinished)", "7 (other)"]
    assert "(other): played with another seed than this run" in out and "(unfinished): " in out
    page = look((played / "leaderboard.html").read_text(encoding="utf-8"))
    shown = page.locator("table[data-name^=leaderboard] tbody tr", has_text="pw").first.inner_text()
    assert "24 of 30 (unfinished)" in shown and "7 (other)" in shown
    _, out, _ = run("report", played, "--leaderboard", "--beside", same)
    assert "(other)" not in out and "(unfinished)" not in out


@pytest.mark.parametrize(
    ("env", "budget", "episodes", "reason"),
    [
        ('env = "donut"', 20, 2, "it has none of the problems of {}, but donut"),
        (THREE, 30, 2, "it has other budgets, 30 simulations"),
        (THREE, 20, 0, "it holds no finished episode"),
    ],
)
def test_a_run_of_which_nothing_can_be_ranked_is_named(run, refused, played, tmp_path, env, budget, episodes, reason):
    text = f"[[experiment]]\n{env}\nplanners = ['pw']\nsimulations = [{budget}]\nepisodes = 2"
    theirs = other_run(tmp_path / "theirs", text, lambda _: episodes)
    line = f"No planner of {theirs} is ranked: {reason.format(played)}."
    status, out, err = run("report", played, "--leaderboard", "--beside", theirs)
    assert status == 0, err
    assert line in out.splitlines() and line in (played / "leaderboard.html").read_text(encoding="utf-8")
    alone = other_run(tmp_path / "alone", SUITE.replace('"uct", ', ""), lambda setting: setting.planner == "dpw")
    err = refused("report", alone, "--leaderboard", "--beside", theirs)
    assert "no two planners" in err and "No planner of" in err


def test_counts_of_model_steps_come_with_a_packed_run_until_planner_or_problem_change(
    run, played, tmp_path, monkeypatch
):
    file = tmp_path / "theirs.sqlite.xz"
    assert run("export", played, "--format", "run", "--out", file)[0] == 0
    counting = []
    monkeypatch.setattr(model_steps, "_counted", counting.append)
    with read(played) as store, packed.read_any(file) as copy:
        efforts = store.efforts()
        expected = model_steps.of_settings(efforts, copy.model_steps)
        assert counting == []
        assert {expected[one] for one in efforts if one.planner == "uct"} > {2.0}
        changed = next(one for one in efforts if one.planner == "uct" and one.env == "trap")
        for other in (
            changed._replace(planner="uct:exploration=0.5"),
            changed._replace(env="trap:noise_range=0.02"),
            changed._replace(seed=1),
            changed._replace(budget=19),
        ):
            model_steps.of_settings({other: efforts[changed]}, copy.model_steps)
            assert counting.pop() == other and not counting


def test_the_shipped_run_has_its_counts_and_they_are_those_of_the_present_planners(monkeypatch):
    with packed.read_any(Path("peers")) as store:
        efforts, shipped = store.efforts(), store.model_steps
    few = {one: effort for one, effort in efforts.items() if one.env == "donut" and one.budget == 30}
    for setting, steps in model_steps.of_settings(few, {}).items():
        assert shipped[model_steps._key(setting)] == pytest.approx(steps, rel=0.2)
    monkeypatch.setattr(model_steps, "_counted", lambda setting: pytest.fail(f"{setting} is not shipped"))
    model_steps.of_settings(efforts, shipped)


def test_a_run_of_peers_keeps_all_shipped_episodes():
    """A planner with a new parameter has other settings than those that were packed, and would be played again."""
    with packed.read_any(Path("peers")) as store:
        assert load("peers").resolve() == store.resolved


def test_a_run_of_one_file_is_ranked_as_the_run_itself(run, played, tmp_path):
    theirs = tmp_path / "theirs"
    line = "run", "trap", "--planner", "uct", "--planner", "pw", "--budget", "20", "--episodes", "7", "--out", theirs
    assert run(*line)[0] == 0
    file = tmp_path / "theirs.sqlite.xz"
    assert run("export", theirs, "--format", "run", "--out", file) == (0, "", "")
    with read(theirs) as store, packed.read_any(file) as copy:
        assert copy.suite == store.suite and copy.folder == file
        for column in ("total", "steps", "simulations"):
            for setting, values in store.values(column).items():
                np.testing.assert_array_equal(copy.values(column)[setting], values)
        for setting, effort in store.efforts().items():
            assert copy.efforts()[setting].seconds == pytest.approx(effort.seconds)
        assert all(np.isnan(actions).all() for _, actions in copy.first_actions())
        assert not any(np.isnan(actions).any() for _, actions in store.first_actions())
    assert "| uct (theirs.sqlite.xz) " in run("report", theirs, "--leaderboard", "--beside", file)[1]
    assert "must end in .sqlite.xz" in run("export", theirs, "--format", "run", "--out", "theirs.zip")[2]
    assert "give its name with --out" in run("export", theirs, "--format", "run")[2]
    file.write_bytes(file.read_bytes()[:-100])
    assert "is not a packed run" in run("report", played, "--leaderboard", "--beside", file)[2]


def test_profiles_and_improvement_are_means_over_the_problems(played):
    with read(played) as store:
        (board,), scales = leaderboards([store])
        returns = {(setting.env, setting.planner): sample for setting, sample in store.returns().items()}
    first = board.standings[0]
    assert np.isnan(first.improvement.value)
    for one in board.standings:
        scores = [scale.scores(returns[env, one.planner]) for env, scale in scales.items()]
        shares = np.mean([(sample[:, None] > ranks.THRESHOLDS).mean(axis=0) for sample in scores], axis=0)
        np.testing.assert_allclose(one.profile.share, shares, atol=1e-12)
        assert (one.profile.low <= shares + 1e-12).all() and (one.profile.high >= shares - 1e-12).all()
        assert one.episodes == 24
        for other in board.standings:
            if other is not one:
                pairs = [(returns[env, one.planner][:, None], returns[env, other.planner]) for env in scales]
                chance = np.mean([(a > b).mean() + 0.5 * (a == b).mean() for a, b in pairs])
                assert board.improvement[one.planner, other.planner] == pytest.approx(chance)
                if other is first:
                    assert one.improvement.value == pytest.approx(chance)
                    assert one.improvement.low <= chance <= one.improvement.high


def test_on_scales_that_were_played_intervals_have_the_error_of_the_ends(played, monkeypatch):
    monkeypatch.setattr(ends, "known", lambda env: Known())
    with read(played) as store:
        (board,), problems = leaderboards([store])
        samples = {(0, setting): sample for setting, sample in store.returns().items()}
    assert {(scale.top, scale.zero_played) for scale in problems.values()} == {(BEST, True)}
    for env, scale in problems.items():
        drawn = ends.resampled_scores(scale, {key: sample for key, sample in samples.items() if key[1].env == env})
        scores = {store.suite.names(env)[setting.planner]: of for (_, setting), of in drawn.items()}
        for one in board.standings:
            assert one.scores[env][1:] == pytest.approx(np.quantile(scores[one.planner], (0.025, 0.975)))


@pytest.mark.parametrize(
    ("places", "critical", "expected"),
    [
        ([1.0, 2.0, 2.9, 4.5], 2.0, [(0, 2), (2, 3)]),  # Demsar's bars overlap
        ([1.0, 3.0, 5.0], 2.0, []),  # as far apart as the difference: it shows
        ([1.0, 1.5, 2.0], 5.0, [(0, 2)]),
        ([1.0, 2.0, 2.5, 2.9, 4.0], 1.0, [(1, 3)]),
    ],
)
def test_bars_join_the_largest_groups_without_a_difference(places, critical, expected):
    assert ranks.cliques(places, critical) == expected


@pytest.fixture
def found():
    """Two planners with two budgets in simulations, one of them also with a time budget; b has a reference."""
    scales = {"a": Scale(0.0, 1.0, OPTIMUM), "b": Scale(0.0, 2.0, REFERENCE)}
    rng = np.random.default_rng(0)

    def board(unit, budget, planners):
        means = zip(planners, rng.random(len(planners)), strict=True)
        scores = {name: {env: mean + 0.1 * rng.random(6) for env in scales} for name, mean in means}
        return ranks.leaderboard(unit, budget, scores, list(scales))

    boards = [board("simulations", budget, ["uct", "dpw", "late"]) for budget in (10, 1000)]
    boards.append(board("ms", 5, ["uct", "dpw"]))
    costs = {("simulations", n, "uct"): Cost({"a": n, "b": n}, {"a": 2.0, "b": 50.0}) for n in (10, 1000)}
    costs |= {("simulations", n, "dpw"): Cost({"a": n, "b": n - 1}, {"a": 1.0, "b": 20.0}) for n in (10, 1000)}
    costs |= {("simulations", n, "late"): Cost({"a": n, "b": n}, {"a": 1.0, "b": np.nan}) for n in (10, 1000)}
    costs |= {("ms", 5, name): Cost({"a": 123.0, "b": 4567.0}, {"a": 1.0, "b": 1.0}) for name in ("uct", "dpw")}
    return Findings(boards, scales, costs)


def test_scores_are_charted_against_the_mean_model_steps_of_a_decision(found):
    charted = found.charted
    assert [point[0] for point in charted["uct"]] == [0.5 * (20 + 500), 0.5 * (2_000 + 50_000)]
    assert [point[0] for point in charted["dpw"]] == [0.5 * (10 + 180), 0.5 * (1_000 + 19_980)]
    assert charted.keys() == {"uct", "dpw"} and found.uncharted == ["late"]
    for place, board in enumerate(found.boards[:2]):
        (uct,) = (one for one in board.standings if one.planner == "uct")
        assert charted["uct"][place][1:] == (*uct.score, 12)
    figure = leaderboard.figures(found)["leaderboard-steps.svg"]
    for axes in figure.axes[:2]:
        (line,) = (line for line in axes.lines if line.get_gid())
        assert line.get_gid() == axes.get_title("left")
        assert line.get_xdata().tolist() == [x for x, *_ in charted[line.get_gid()]]
    assert "the reference in b" in figure._supxlabel.get_text()


def test_a_planner_with_one_of_several_budgets_has_no_curve_against_model_steps(found):
    first, *others = found.boards
    rest = [one for one in first.standings if one.planner != "dpw"]
    for boards, expected in (([first._replace(standings=rest), *others], {"uct"}), ([first], {"uct", "dpw"})):
        figure = leaderboard.figures(replace(found, boards=boards))["leaderboard-steps.svg"]
        assert {axes.get_title("left") for axes in figure.axes if axes.axison} == expected


def test_a_panel_for_each_problem_colours_the_leaders(found):
    figure = leaderboard.figures(found)["leaderboard.svg"]
    panels = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title("left") for axes in panels] == ["mean of the problems", *found.heads.values()]
    boards = [board for board in found.boards if board.unit == "simulations"]
    ahead = {one.planner for board in boards for one in board.standings[: leaders.LEADERS]}
    for axes, env in zip(panels, (None, *found.problems), strict=True):
        drawn = {line.get_gid(): line.get_ydata() for line in axes.lines if line.get_gid()}
        assert drawn.keys() == ahead
        for board, place in zip(boards, range(len(boards)), strict=True):
            for one in board.standings[: leaders.LEADERS]:
                score = one.score if env is None else one.scores[env]
                assert drawn[one.planner][place] == score.value


def test_the_tables_tell_costs_and_mark_references(found):
    text = leaderboard.text(SimpleNamespace(suite=SimpleNamespace(name="x")), found, {})
    assert "| planner | score [95 %]" in text and "b (reference)" in text and "the reference in b" in text
    *_, timed = text.split("## ")
    assert timed.startswith("5 milliseconds per decision")
    assert "Simulations per decision" in timed and "| uct     | 123 | 4,567 |" in timed
    assert (
        "Model steps per simulation" in text
        and "| uct     | 2.0 | 50.0 |" in text
        and "| late    | 1.0 |      |" in text
    )


def test_the_charts_of_the_page_hold_the_scores_and_profiles(played, found, look, monkeypatch):
    with read(played) as store:
        shown = look(leaderboard_page.text(store, found))
    shown.wait_for_selector("html[data-drawn]")
    titles = "[...document.querySelectorAll('.charts figcaption')].map(one => one.textContent)"
    assert shown.evaluate(titles) == ["Score against model steps", "Performance profile", "Performance profile"]
    drawn = shown.evaluate("chart0.data.filter(one => one.meta).map(one => [one.meta, one.x, one.y])")
    for planner, x, y in drawn:
        np.testing.assert_allclose(
            [x, y], [list(column) for column in list(zip(*found.charted[planner], strict=True))[:2]], rtol=1e-5
        )
    diagrams = shown.evaluate("[...document.querySelectorAll('figure img')].map(one => one.naturalWidth > 300)")
    assert diagrams == [True, True]  # two planners alone have no critical difference
    profile = shown.evaluate("chart1.data.filter(one => one.meta).map(one => [one.meta, one.y])")
    shares = {one.planner: one.profile.share for one in found.boards[1].standings}  # of the largest budget
    for planner, y in profile:
        np.testing.assert_allclose(y, shares[planner], atol=1e-5)
    heads = shown.evaluate(
        "[...document.querySelectorAll('table[data-name^=leaderboard] th')].map(one => one.textContent)"
    )
    assert "b (reference)" in heads
    matrix = shown.locator("table[data-name='improvement|ms|5'] tbody td")
    assert float(matrix.nth(1).inner_text()) + float(matrix.nth(2).inner_text()) == pytest.approx(1.0, abs=0.0011)


def test_a_planner_joins_a_run_with_one_command(run, played):
    line = ("run", "mine.toml", "--out", "x", "--jobs", "1", "--resume", "--with", "constant:action=0.5")
    status, _, err = run(*line)
    assert status == 0, err
    assert "24 of 152 episodes" in err
    with read(played) as store:
        assert len(leaderboards([store])[0][0].standings) == 4


def test_a_run_of_one_planner_has_no_leaderboard(run, refused, tmp_path):
    run("run", "trap", "--planner", "uct", "--budget", "5", "--episodes", "2", "--out", "y", "--jobs", "1")
    err = refused("report", "y", "--leaderboard")
    assert "no two planners" in err


def test_titles_of_axes_fit_a_phone(played, found, look):
    with read(played) as store:
        shown = look(leaderboard_page.text(store, found), width=390)
    shown.wait_for_selector("html[data-drawn]")
    beyond = """[...document.querySelectorAll('.xtitle, .ytitle')].map(title => {
        const [box, room] = [title, title.closest('svg')].map(one => one.getBoundingClientRect());
        return Math.max(room.left - box.left, box.right - room.right, room.top - box.top, box.bottom - room.bottom);
    })"""
    overlap = shown.evaluate(beyond)
    assert len(overlap) == 6 and max(overlap) <= 0.5
