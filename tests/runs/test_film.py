"""An episode as an animated picture."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from bonspiel.runs.verbs import film


@pytest.mark.parametrize(
    ("env", "frames"), [("trap", 3), ("trap:lookahead=1", 3), ("bonspiel.envs.trap.model:Trap", 3)]
)
def test_a_film_has_a_picture_of_each_state(run, tmp_path, env, frames):
    status, out, err = run("film", env, "--planner", "random", "--out", tmp_path / "x.gif")
    assert status == 0, err
    assert "in 2 steps" in out
    with Image.open(tmp_path / "x.gif") as picture:
        assert picture.n_frames == frames
        assert picture.width == film.WIDTH


DISCOUNTED = """from bonspiel.envs import Trap
class Halved(Trap):
    discount = 0.5
    @staticmethod
    def step(state, action, next_state, params, rng):
        next_state[0], next_state[1] = state[0], state[1] + 1.0
        return 1.0, False
    compiled = False
"""


def test_the_return_is_discounted(run, tmp_path, monkeypatch):
    (tmp_path / "halved.py").write_text(DISCOUNTED)
    monkeypatch.syspath_prepend(tmp_path)
    status, out, err = run("film", "halved:Halved", "--planner", "random", "--out", tmp_path / "x.gif")
    assert status == 0, err
    assert "return 1.500 in 2 steps" in out


ECHO = """from bonspiel.planners.testing import Walk
class Echo(Walk):
    def step(self, state, action, next_state, params, rng):
        next_state[0], next_state[1] = 0.0, state[1] + 1.0
        return -abs(action[0] - rng.uniform(-1.0, 1.0)), False
"""


def test_a_planner_does_not_draw_the_noise_of_the_environment(run, tmp_path, monkeypatch):
    (tmp_path / "echo.py").write_text(ECHO)
    monkeypatch.syspath_prepend(tmp_path)
    status, out, err = run("film", "echo:Echo", "--planner", "random", "--seed", "3", "--out", tmp_path / "x.gif")
    assert status == 0, err
    assert float(out.split()[1]) < -0.5


def test_long_episodes_are_shortened_and_end_with_the_last_picture(run, tmp_path, monkeypatch):
    monkeypatch.setattr(film, "LONGEST_SECONDS", 0.5)
    status, out, _ = run("film", "treasure_hunt", "--planner", "random", "--seed", "3", "--out", tmp_path / "x.gif")
    assert status == 0
    with Image.open(tmp_path / "x.gif") as picture:
        assert picture.n_frames < int(out.split(" in ")[1].split()[0])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["nowhere"], "unknown environment"),
        (["trap", "--planner", "presearch"], "cannot search trap"),
        (["trap", "--planner", "random", "--out", "film.docx"], "cannot be written"),
    ],
)
def test_each_mistake_is_a_line(refused, line, words):
    err = refused("film", *line)
    assert words in err.splitlines()[-1]


def test_the_counter_of_steps_is_no_curve():
    env = film.environment("bonspiel.envs.trap.model:Trap")
    env.reset(seed=0)
    env.step(np.array([0.5]))
    figure = Figure()
    env.draw(figure)
    assert [line.get_label() for line in figure.axes[0].lines] == ["state[0]"]
