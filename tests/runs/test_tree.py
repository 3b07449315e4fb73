"""The picture of one decision, and the verb that makes it."""

from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.random import RandomPlanner
from bonspiel.runs.reporting import tree as drawing
from bonspiel.runs.verbs.tree import actions_of, coordinates


def test_cells_are_finer_where_the_search_was(monkeypatch):
    monkeypatch.setattr(drawing, "CELLS", 20)
    model, rng = envs.TreasureHunt(), np.random.default_rng(0)
    with kept_trees() as trees:
        planners.make("abstraction").plan(model, np.zeros(3), planners.Budget(simulations=1_000), rng)
    (trie,) = trees
    depth = drawing.cell_depths(model, np.zeros(3), trie, (0, 1), np.zeros(2), np.full(2, 5.0))
    assert depth.shape == (20, 20)
    assert depth[0, 0] > depth[10, 10] >= 0  # the start, and the hole, where every episode ends
    assert int(trie.size[0]) > depth.max() > 3


@pytest.mark.parametrize("planner", ["abstraction", "dpw", "random"])
@pytest.mark.parametrize("env", ["trap", "treasure_hunt"])
def test_a_picture_of_every_sort_of_tree(run, tmp_path, monkeypatch, env, planner):
    monkeypatch.setattr(drawing, "CELLS", 10)
    status, out, err = run("tree", env, "--planner", planner, "--budget", "50", "--out", tmp_path / "x.png")
    assert status == 0, err
    assert "visits" in out and str(tmp_path / "x.png") in out
    assert matplotlib.image.imread(tmp_path / "x.png").std() > 0.01


def test_the_first_coordinates_that_do_not_count_steps():
    assert coordinates(None, 3, 0) == (1, 2)
    assert coordinates(None, 3, None) == (0, 1)
    assert coordinates(None, 2, 1) == (0, 1)
    assert coordinates(None, 1, None) == (0, 0)
    assert coordinates("2,0", 3, None) == (2, 0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["nowhere"], "unknown environment"),
        (["trap", "--planner", "kr"], "unknown planner"),
        (["trap", "--planner", "presearch"], "cannot search trap: needs"),
        (["trap", "--axes", "0,9"], "axes=9"),
        (["trap", "--axes", "x"], "must be two numbers"),
        (["trap", "--out", "tree.docx"], "must end in .png or .svg"),
        (["trap", "--out", "tree"], "must end in .png or .svg"),
        (["trap", "--budget", "0"], "budget=0"),
    ],
)
def test_each_mistake_is_a_line(run, line, words):
    status, _, err = run("tree", *line)
    assert status == 2
    assert words in err.splitlines()[-1]  # a line about compiling may come first


@pytest.mark.parametrize("verb", ["tree", "film"])
def test_a_planner_that_decides_out_of_bounds_is_named_in_a_line(run, fakes, tmp_path, verb):
    status, _, err = run(verb, "trap", "--planner", "constant:action=1.5", "--budget", "5", "--out", tmp_path / "x.png")
    assert status == 1
    assert "constant:action=1.5 fails in trap: Constant breaks the contract of planners: action=array([1.5])" in err
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize("verb", ["tree", "film"])
def test_a_planner_that_fails_is_named_in_a_line(run, monkeypatch, verb):
    def leaves(*_):
        raise SystemExit(3)

    monkeypatch.setattr(RandomPlanner, "plan", leaves)
    status, _, err = run(verb, "trap", "--planner", "random", "--budget", "5")
    assert status == 1
    assert "random fails in trap: SystemExit: 3" in err


NO_START = """import bonspiel.envs
class Boom(bonspiel.envs.Trap):
    def initial_state(self, rng):
        raise RuntimeError("no start")
"""


@pytest.mark.parametrize("verb", ["tree", "film"])
def test_a_model_that_cannot_begin_is_named_in_a_line(refused, verb):
    Path("no_start.py").write_text(NO_START)
    err = refused(verb, "no_start:Boom", "--planner", "random", "--budget", "5")
    assert (
        "no_start:Boom breaks the contract of models (RuntimeError: no start)" in err and "no_start.py, line 4" in err
    )


def decision_of(actions, visits, values, action, value=0.5):
    given = (np.array(one, float) for one in (actions, values))
    listed, means = given
    return planners.Decision(np.array(action, float), value, 1, 0.0, listed, np.array(visits, np.int64), means)


def test_the_chosen_action_is_marked_among_the_best_of_many_alike():
    actions = [[0.01 * index] for index in range(30)]
    values = [0.01 * index for index in range(30)]
    lines = actions_of(decision_of(actions, [1] * 30, values, [0.29]))
    assert len(lines) == 1 + 10 + 1 and lines[1].split() == ["1", "0.2900", "0.29", "(chosen)"]
    low = actions_of(decision_of(actions, [1] * 30, values, [0.05]))
    assert [line for line in low if "chosen" in line] == [low[11]] and low[12] == "... and 19 more"
    between = actions_of(decision_of(actions, [1] * 30, values, [0.123], 0.7))
    assert between[-1].split() == ["-", "0.7000", "0.123", "(chosen,", "none", "of", "the", "above)"]


@pytest.mark.parametrize("planner", ["random_shooting", "mppi"])
def test_the_actions_of_a_planner_of_sequences_hold_the_chosen_one(run, planner):
    status, out, err = run("tree", "trap", "--planner", planner, "--budget", "40")
    assert status == 0, err
    assert out.count("(chosen") == 1


def test_depths_are_whole_numbers_and_the_square_is_named():
    model, rng = envs.TreasureHunt(), np.random.default_rng(0)
    with kept_trees() as trees:
        decision = planners.make("abstraction").plan(model, np.zeros(3), planners.Budget(simulations=30), rng)
    figure = drawing.picture(model, "x", np.zeros(3), decision, trees[-1], (0, 1))
    figure.draw_without_rendering()
    (bar,) = [axes for axes in figure.axes if axes.get_ylabel() == "depth of the finest cell"]
    ticks = bar.get_yticks()
    assert len(ticks) > 1 and (ticks == np.round(ticks)).all()
    panel = next(axes for axes in figure.axes if axes.get_xlabel() == "state[0]")
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["root"]
    bounds = figure.bbox
    for text in (*figure.texts, *(axes.title for axes in figure.axes)):
        box = text.get_window_extent()
        assert bounds.x0 <= box.x0 and box.x1 <= bounds.x1 and box.y1 <= bounds.y1


def test_one_outlier_does_not_take_the_colours():
    norm, beyond = drawing.scale_of(np.array([1.0, 1.1, 1.2, 1.3, 1.4, -50.0]))
    assert (norm.vmin, norm.vmax, beyond) == (1.0, 1.4, "min")
    norm, beyond = drawing.scale_of(np.array([0.0, 1.0, 2.0, np.nan]))
    assert (norm.vmin, norm.vmax, beyond) == (0.0, 2.0, "neither")
    norm, beyond = drawing.scale_of(np.array([3.0, 3.0, 3.0, 3.0, 9.0]))
    assert (norm.vmin, norm.vmax, beyond) == (3.0, 9.0, "neither")


@pytest.mark.parametrize(("verb", "ending"), [("tree", "png"), ("film", "gif")])
def test_without_a_name_no_file_is_replaced(run, verb, ending):
    Path(f"{verb}.{ending}").write_text("mine")
    for name in (f"{verb}-2.{ending}", f"{verb}-3.{ending}"):
        status, out, err = run(verb, "trap", "--planner", "random", "--budget", "1")
        assert status == 0, err
        assert out.endswith(f"{name}\n") and Path(name).stat().st_size > 1000
    assert Path(f"{verb}.{ending}").read_text() == "mine"
