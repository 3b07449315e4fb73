"""Sessions with a planner as an engine of the Go Text Protocol."""

import time

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.go.gtp.engine import COMMANDS, GTPEngine, budget_within
from bonspiel.go.model import Go
from bonspiel.planners import Budget, Decision
from bonspiel.planners.core.search import kept_trees


def engine(planner="random", budget=None):
    model, rng = Go(5, komi=0.5), np.random.default_rng(0)
    return GTPEngine(planners.parse(planner), model, budget or Budget(simulations=1), rng, "1.2")


def answers(*lines, **given):
    made = engine(**given)
    return [made.answer(line).removesuffix("\n\n") for line in lines]


def test_what_an_engine_says_of_itself():
    found = answers(
        "protocol_version", "1 name\n", "2\tversion # with a remark", "known_command undo", "known_command x"
    )
    assert found == ["= 2", "=1 bonspiel", "=2 1.2", "= true", "= false"]
    assert answers("list_commands")[0].removeprefix("= ").split() == list(COMMANDS)


def test_lines_without_a_command_have_no_answer():
    assert answers("", "  \r\n", "# a remark", "17") == [""] * 4


def test_quit_ends_the_session():
    made = engine()
    assert made.is_open and made.answer("quit") == "=\n\n" and not made.is_open


def test_a_game_is_played_shown_and_undone():
    lines = "play b c3", "play WHITE D3", "genmove b", "showboard", "undo", "undo", "undo", "undo"
    *_, moved, board, first, second, third, last = answers(*lines)
    vertex = moved.removeprefix("= ")
    assert len(vertex) == 2 and vertex not in ("C3", "D3")
    rows = board.splitlines()
    assert rows[1].split() == rows[7].split() == list("ABCDE")
    assert rows[4].split()[3:5] == ["X", "O"] and sum(row.count("X") for row in rows) == 2
    assert [first, second, third, last] == ["=", "=", "=", "? cannot undo: no move has been played"]


def test_a_tree_is_kept_until_a_move_is_taken_back_or_a_game_begins():
    made = engine("rave_uct:memory=1", Budget(simulations=60))
    lines = (
        "genmove b",
        "genmove w",
        "undo",
        "genmove w",
        "genmove b",
        "komi 1.5",
        "genmove w",
        "clear_board",
        "genmove b",
    )
    with kept_trees() as trees:
        assert all(made.answer(line).startswith("=") for line in lines)
    visits = [int(known.tree.nodes[0]["visits"]) for known in trees]
    assert [count > 60 for count in visits] == [False, True, False, True, False, False]


def test_a_player_may_move_twice_and_a_passed_game_goes_on():
    found = answers("play b A1", "play b A2", "play w pass", "play b pass", "play w B2", "genmove b")
    assert found[:5] == ["="] * 5 and found[5].startswith("= ")


def test_a_ko_is_named():
    black, white = ("B5", "A4", "B3"), ("C5", "B4", "D4", "C3")
    stones = [*(f"play b {vertex}" for vertex in black), *(f"play w {vertex}" for vertex in white)]
    *_, taken, retaken, elsewhere, other, late = answers(
        *stones, "play b C4", "play w B4", "play w E1", "play b E2", "play w B4"
    )
    assert (taken, elsewhere, other, late) == ("=",) * 4
    assert retaken.startswith("? illegal move: B4 is illegal: ko")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("castle", "? unknown command"),
        ("7 castle e1 g1", "?7 unknown command"),
        ("play b", "? syntax error: play COLOUR VERTEX"),
        ("play red A1", "? syntax error: COLOUR is black or white"),
        ("play b I5", "? vertex='I5': must be from A1 to E5, without I, or pass"),
        ("play b \u00e9\u00e9", "? vertex='\u00e9\u00e9': must be from A1 to E5, without I, or pass"),
        ("boardsize 4", "? unacceptable size: 5 to 19 are played"),
        ("boardsize 1e9", "? unacceptable size: 5 to 19 are played"),
        ("komi 6.3", "? komi=6.3: must be a multiple of 1/2 from -1000 to 1000"),
        ("komi much", "? syntax error: KOMI is a number"),
        ("komi nan", "? syntax error: KOMI is a number"),
        ("final_status_list asleep", "? syntax error: STATUS is one of dead, alive, seki"),
        ("time_left b -3 0", "? syntax error: SECONDS is a number"),
        ("\x00\x07", ""),
    ],
)
def test_lines_without_sense_are_refused_and_the_session_goes_on(line, answer):
    assert answers(line, "name") == [answer, "= bonspiel"]


def test_an_occupied_point_is_refused():
    assert answers("play b C3", "play w C3")[1] == "? illegal move: C3 is illegal: the point is occupied"


def test_size_and_komi():
    assert answers("boardsize 7", "komi -3", "showboard")[2].count("\n") == 9
    assert answers("komi 3", "play b C3", "final_score")[2] == "= B+22"


def test_dead_stones_are_found_and_taken_off_the_score():
    walls = [f"play b {column}{row}" for row in range(1, 6) for column in "BD"] + ["play b C3"]
    found = answers(*walls, "play w A3", "final_status_list dead", "final_status_list seki", "final_score")
    assert found[-3:] == ["= A3", "=", "= B+24.5"]
    ended = answers(*walls, "play w A3", "play b pass", "play w pass", "final_status_list dead", "final_score")
    assert ended[-2:] == ["= A3", "= B+24.5"]
    alive = answers(*walls, "play w A3", "final_status_list alive")[-1].split()[1:]
    assert len(alive) == 11 and "A3" not in alive


def test_a_planner_that_fails_is_named_in_one_line():
    made = engine("gtp:false")
    (answer,) = [made.answer("genmove b")]
    assert answer.startswith("? the planner failed: ") and answer.count("\n") == 2


def test_after_the_last_ply_moves_are_refused_and_none_is_decided():
    made = engine()
    for _ in range(75):
        made.answer("play b pass")
    assert made.answer("play b A1") == "? illegal move: the game has 75 plies at most\n\n"


@pytest.mark.parametrize(
    ("seconds", "stones", "expected"), [(60.0, 0, 2.0), (30.0, 10, 2.0), (6.0, 3, 2.0), (1.5, 3, 0.5), (0.0, 0, 0.001)]
)
def test_the_clock_shortens_a_budget_of_time(seconds, stones, expected):
    assert budget_within(Budget(seconds=2.0), seconds, stones) == Budget(seconds=expected)
    assert budget_within(Budget(simulations=7), seconds, stones) == Budget(simulations=7)


def test_clocks_come_from_the_controller():
    asked = []

    class Watching:
        def plan(self, model, state, budget, rng):
            asked.append(budget.seconds)
            raise RuntimeError("no move")

    made = GTPEngine(Watching(), Go(5), Budget(seconds=5.0), np.random.default_rng(0), "1")
    for line in (
        "genmove b",
        "time_settings 30 0 0",
        "genmove b",
        "time_left w 9 0",
        "genmove w",
        "genmove b",
        "time_settings 0 8 4",
        "genmove w",
        "time_settings 0 8 0",
        "genmove b",
    ):
        made.answer(line)
    assert asked == pytest.approx([5.0, 1.0, 0.3, 1.0, 2.0, 5.0])


class Slow:
    """Passes after some seconds of a clock that a test moves."""

    def __init__(self, clock, seconds, budgets):
        self.clock, self.seconds, self.budgets = clock, seconds, budgets

    def plan(self, model, state, budget, rng, root_actions=None):
        self.budgets.append(budget.seconds)
        self.clock.append(self.clock[-1] + self.seconds)
        action = np.array([float(model.area)])
        return Decision(action, 0.0, 1, 0.0, action[None], np.ones(1, np.int64), np.zeros(1))


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ("6 0 0", [0.2, 0.1, 0.001, 0.001]),  # a game's seconds, for 30 moves
        ("6 8 2", [0.2, 0.1, 4.0, 5.0]),  # then 8 for every two stones
    ],
)
def test_the_clock_runs_down_without_the_controller_s_help(monkeypatch, settings, wanted):
    clock, budgets = [0.0], []
    monkeypatch.setattr(time, "perf_counter", lambda: clock[-1])
    engine = GTPEngine(Slow(clock, 3.0, budgets), Go(5), Budget(seconds=60.0), np.random.default_rng(0), "1")
    for line in (f"time_settings {settings}", "clear_board", *["genmove b"] * 4):  # the clock outlives the new game
        assert engine.answer(line).startswith("=")
    assert budgets == pytest.approx(wanted)
