"""The picture of one decision, and the verb that makes it."""

import matplotlib.image
import numpy as np
import pytest

import envs
import planners
import planners.random
from planners.core.search import kept_trees
from runs.reporting import tree as drawing
from runs.verbs.tree import coordinates


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
    assert "constant:action=1.5 fails in trap: ValueError: action=array([1.5]): must be within" in err
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize("verb", ["tree", "film"])
def test_a_planner_that_fails_is_named_in_a_line(run, monkeypatch, verb):
    def leaves(*_):
        raise SystemExit(3)

    monkeypatch.setattr(planners.random.RandomPlanner, "plan", leaves)
    status, _, err = run(verb, "trap", "--planner", "random", "--budget", "5")
    assert status == 1
    assert "random fails in trap: SystemExit: 3" in err
