"""Programs as players of Go: what they are told, and what they may do wrong."""

import pickle

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.go.gtp import player as gtp_player
from bonspiel.go.model import Go
from bonspiel.go.vertices import index_of
from bonspiel.planners import Budget
from bonspiel.planners.line_process import ProcessFailure
from bonspiel.runs.games.game import Resignation
from tests.go.diagrams import state_of
from tests.go.engines import write_engine

MODEL = Go(5, komi=0.5)


def plan(player, state):
    return player.plan(MODEL, state, Budget(simulations=1), np.random.default_rng(0))


def after(state, *vertices):
    for vertex in vertices:
        following = np.empty_like(state)
        MODEL.step(state, np.array([float(index_of(vertex, 5))]), following, MODEL.params, np.random.default_rng(0))
        state = following
    return state


def told(folder):
    """The commands since the last time."""
    log = folder / "engine.py.log"
    lines = log.read_text().splitlines()
    log.unlink()
    return lines


BEGIN = ["boardsize 5", "komi 0.5", "clear_board"]


def test_an_engine_is_told_of_each_move_once(tmp_path):
    player, state = planners.parse(f"gtp:{write_engine(tmp_path)}"), MODEL.initial_state(None)
    assert plan(player, state).action == [25.0]
    assert told(tmp_path) == [*BEGIN, "genmove black"]
    plan(player, after(state, "pass", "C3"))
    assert told(tmp_path) == ["play white C3", "genmove black"]
    plan(player, after(state, "C3"))  # another game
    assert told(tmp_path) == [*BEGIN, "play black C3", "genmove white"]
    plan(player, after(state, "C3", "pass"))  # the same engine plays both sides
    assert told(tmp_path) == ["genmove black"]


def test_a_position_from_elsewhere_is_set_up(tmp_path):
    drawing = """
        . . . . .
        . X O . .
        . . . . .
        . . . . .
        . . . . X"""
    player = planners.parse(f"gtp:{write_engine(tmp_path)}")
    plan(player, state_of(drawing, "O"))
    assert told(tmp_path) == [*BEGIN, "play black B4", "play white C4", "play black E1", "genmove white"]


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("die", r"ended \(exit status 3\)"),
        ("hang", r"no answer to 'genmove white' within 0.2 s"),
        ("illegal", "A1 is illegal: the point is occupied"),
        ("nonsense", "vertex='Z99': must be from A1 to E5"),
        ("refuse", "refused 'genmove white'"),
        ("number", "answered 'genmove white' by '=7 D4', with a number that was not sent"),
    ],
)
def test_an_engine_that_fails_is_ended_and_started_again(tmp_path, monkeypatch, way, words):
    if way == "hang":
        monkeypatch.setattr(gtp_player, "GRACE", 0.2)  # of genmove; other commands have the default of before
    player, state = planners.parse(f"gtp:{write_engine(tmp_path, way)}"), after(MODEL.initial_state(None), "A1")
    for _ in range(2):
        with pytest.raises((ProcessFailure, ValueError), match=words):
            plan(player, state)
        assert told(tmp_path)[:4] == [*BEGIN, "play black A1"]  # a slow one has not yet read the next


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gtp:", "command=''"),
        ("gtp:no-such-engine", "'no-such-engine' is no program"),
        ("gtp:'", "No closing quotation"),
    ],
)
def test_commands_that_cannot_be_started_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        planners.parse(text)


def test_it_plays_go_alone_and_pickles(tmp_path):
    player = planners.parse(f"gtp:{write_engine(tmp_path)}")
    assert planners.unsupported(player, object()) == "Go only"
    assert pickle.loads(pickle.dumps(player)) == player


def test_an_engine_that_resigns_goes_on_in_the_next_game(tmp_path):
    player, state = planners.parse(f"gtp:{write_engine(tmp_path, 'resign')}"), after(MODEL.initial_state(None), "A1")
    for _ in range(2):
        with pytest.raises(Resignation):
            plan(player, state)
    assert told(tmp_path).count("genmove white") == 2
