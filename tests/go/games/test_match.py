"""Matches of Go: records, results, forfeits of programs, and pages."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from bonspiel.go.games import record
from bonspiel.go.state import MOVER
from bonspiel.planners.core.search import kept_trees
from bonspiel.runs.games import play
from bonspiel.runs.games.game import GAMES, ScheduledGame, Side
from tests.go.engines import GNUGO, needs_gnugo, write_engine

GAME = ("--game", "go:size=5,komi=0.5")
LINE = ("match", "uct:leaf=rollout", "random", *GAME, "--budget", "50,1", "--jobs", 1, "--out", "m")


@pytest.fixture(autouse=True)
def one_program_a_test():
    yield
    play._warmed_up.cache_clear()


def games():
    return [record.read(file) for file in sorted(Path("m/records").glob("*.sgf"))]


def test_a_match_is_played_and_resumed(run):
    status, out, _ = run(*LINE, "--games", 2)
    assert status == 0 and "Black 1.000, White" in out
    before = games()
    assert [one.names for one in before] == [("uct:leaf=rollout", "random"), ("random", "uct:leaf=rollout")]
    assert all(one.result[:2] in ("B+", "W+") and one.moves[0].player == 0 for one in before)
    status, out, err = run(*LINE, "--games", 4, "--resume", "--json")
    assert status == 0 and "2 of 4 games to play" in err and json.loads(out)["games"] == 4
    assert games()[:2] == before


def test_a_game_is_summarised_as_it_ended():
    game = GAMES.parse("go:size=5,komi=24")
    sides = Side("random", 1, "simulations"), Side("random", 1, "simulations")
    found = play.play_game(game, ScheduledGame(sides, 1, 0, 0))
    summary = game.summary(found)
    lead = {"B": 1.0, "W": -1.0}.get(found.result[0], 0.0) * float(found.result.partition("+")[2] or 0)
    assert summary.value == 0.5 + 0.5 * np.sign(lead) and summary.forfeit is None
    assert len(summary.moves) == game.length(found) == len(found.moves)
    state = game.initial_state(None)
    assert game.player(state) == 0
    state[25 + MOVER] = -1.0
    assert game.player(state) == 1


@pytest.mark.parametrize("memory", [0, 1])
def test_each_side_keeps_its_tree_from_move_to_move(memory):
    game, side = GAMES.parse("go:size=5,komi=0.5"), Side(f"rave_uct:memory={memory}", 60, "simulations")
    play._warmed_up(side, game)
    with kept_trees() as trees:
        play.play_game(game, ScheduledGame((side, side), 1, 0, 0))
    visits = [int(known.tree.nodes[0]["visits"]) for known in trees]
    assert visits[:2] == [60, 60] and len(visits) > 10
    assert len({*visits}) == 1 if memory == 0 else np.mean(np.array(visits[2:]) > 60) > 0.5


def test_a_program_that_resigns_has_lost_like_any_other(run):
    command = f"gtp:{write_engine(Path().absolute(), 'resign')}"
    status, out, _ = run("match", "random", command, *GAME, "--budget", 1, "--jobs", 1, "--out", "m", "--games", 2)
    assert status == 0
    assert "2 won, 0 lost" in out
    assert "forfeit" not in out
    assert [one.result for one in games()] == ["B+R", "W+R"]


def test_a_program_that_fails_forfeits_and_the_command_is_named(run):
    words = "ended (exit status 3)"
    command = f"gtp:{write_engine(Path().absolute(), 'die')}"
    status, out, _ = run("match", "random", command, *GAME, "--budget", 1, "--jobs", 1, "--out", "m", "--games", 2)
    assert status == 1 and "2 games forfeited" in out and f"{command}: " in out and words in out
    assert [one.result for one in games()] == ["B+F", "W+F"] and [one.value for one in games()] == [1.0, 0.0]
    assert all(words in one.forfeit and command in one.forfeit for one in games())


def test_a_program_that_cannot_be_found_or_plays_something_else_is_refused_at_once(run):
    line = "--budget", 1, "--games", 2, "--out", "m"
    for game, player, words in (
        ("go:size=5", "gtp:no-such-engine", "'no-such-engine' is no program"),
        ("curling", f"gtp:{write_engine(Path().absolute())}", "Go only"),
        ("go:size=5", "rulebased", "cannot play go:size=5"),
        ("go:size=4", "random", "size=4"),
    ):
        status, out, err = run("match", "random", player, "--game", game, *line)
        assert (status, out) == (2, "") and words in err and err.count("\n") == 1 and not Path("m").exists()


@needs_gnugo
def test_gnugo_plays_a_match(run):
    gnugo = f"gtp:{GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead --never-resign"
    line = "--game", "go:size=5", "--budget", 1, "--jobs", 1, "--out", "m", "--games", 2
    status, _, _ = run("match", "random", gnugo, *line)
    assert status == 0 and all(one.forfeit is None for one in games())
    assert games()[0].result.startswith("W+") and games()[1].result.startswith("B+")


def test_a_record_becomes_a_page(run, look):
    assert run(*LINE, "--games", 2)[0] == 0
    status, out, _ = run("replay", "m/records/1-2-00000.sgf", "--game", "go:size=5")
    page = look(Path(out.strip()).read_text())
    moves = len(games()[0].moves)
    assert status == 0 and f"move {moves}:" in page.inner_text("#text")
    page.click("#back")
    assert f"move {moves - 1}:" in page.inner_text("#text")
    page.evaluate("document.getElementById('number').value = 1")
    page.dispatch_event("#number", "input")
    assert page.inner_text("#text").startswith("move 1: Black ")
    assert page.locator("circle[r='0.47']").count() == 1
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#text") == "the empty board" and page.locator("circle[r='0.47']").count() == 0
    assert "uct:leaf=rollout (Black) against random (White)" in page.inner_text("h1")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(;SZ[5];B[aa];W[aa])", "move 2: A5 is illegal: the point is occupied"),
        ("(;SZ[5];B[aa];B[bb])", "move 2: it is not Black's turn"),
        ("nothing", "is no record of a game of Go"),
    ],
)
def test_records_that_cannot_be_played_are_refused_in_one_line(refused, text, words):
    Path("game.sgf").write_text(text)
    err = refused("replay", "game.sgf", "--game", "go")
    assert words in err


def test_the_page_of_a_record_that_breaks_off_says_so(run):
    Path("game.sgf").write_text("(;SZ[5]RE[B+17.5];B[aa];W[bb];B[c")
    status, _, err = run("replay", "game.sgf", "--game", "go")
    assert (status, err.count("\n")) == (0, 1) and "the record breaks off after move 2" in err
    assert "move 2: White B4; the record breaks off here" in Path("game.html").read_text()


def test_names_in_a_page_are_text(run):
    Path("game.sgf").write_text("(;SZ[5]PB[</script><b>x]PW[&amp;];B[aa])")
    assert run("replay", "game.sgf", "--game", "go")[0] == 0
    assert "<b>x" not in Path("game.html").read_text()
    os.remove("game.html")
