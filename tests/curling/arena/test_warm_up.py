"""Planners are compiled before the first game of an arena."""

import pytest

from bonspiel.curling.arena import driver
from bonspiel.curling.arena.clients import Client
from bonspiel.curling.client.planning.worker_process import WorkerProcess
from bonspiel.curling.game import CurlingGame, MixedDoublesGame

COMMAND, PLANNER = Client("mine", ("true",)), Client("rulebased", ("true",), "rulebased")
PROGRAM = Client("process:./mine", ("true",), "process:./mine")


@pytest.fixture
def asked(monkeypatch):
    """The planners that were asked for a shot, with the positions."""
    found, ask = [], WorkerProcess.ask

    async def asking(worker, position, *given, **options):
        choice = await ask(worker, position, *given, **options)
        found.append((position, choice))
        return choice

    monkeypatch.setattr(WorkerProcess, "ask", asking)
    return found


@pytest.mark.parametrize("game", [CurlingGame(extra_ends=100), MixedDoublesGame(extra_ends=100)])
def test_planners_alone_plan_a_shot_of_the_game(asked, capsys, game):
    driver.warm_up(game, [COMMAND, PLANNER, PROGRAM])
    assert len(asked) == 2
    for position, choice in asked:
        assert position.settings.first_shot == position.shot == game.model.first_shot
        assert choice.action is not None and choice.failure is None
    assert capsys.readouterr().err == "warming up rulebased, before the first game\n"


def test_a_planner_that_fails_is_left_to_the_games(asked, capsys):
    driver.warm_up(CurlingGame(), [Client("bad", ("true",), "rulebased:oops=1")])
    assert capsys.readouterr().err.startswith("warming up bad")


def test_no_game_starts_before_its_planners_are_ready(run, monkeypatch):
    """And no client is warmed up that has no game left."""
    events, play = [], driver.play_game

    async def playing(*given):
        events.append("game")
        return await play(*given)

    monkeypatch.setattr(driver, "warm_up", lambda game, clients: events.append([client.name for client in clients]))
    monkeypatch.setattr(driver, "play_game", playing)
    commands = (word for name in ("one", "two") for word in ("--client", f"{name}=sh -c 'exit 3 # {{port}}'"))
    line = "arena", "dc3", *commands, "--games", 2, "--ends", 1, "--jobs", 1, "--cores", 1, "--out", "a"
    run(*line)
    assert events == [["one", "two"], "game", "game"]
    events.clear()
    run(*line, "--resume")
    assert events == [[]]
