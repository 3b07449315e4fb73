"""Tests that are coroutines, people in front of the pages of practice servers, and a match that was played."""

import asyncio
import inspect

import pytest

from bonspiel.curling.game import CurlingGame
from bonspiel.curling.records.match_data import Result, score_of
from bonspiel.runs.games.game import ScheduledGame, Side
from bonspiel.runs.games.play import play_game
from tests.curling.browsing import Person

TIME_UP = 300.0  # s, of a test


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run a test that is a coroutine in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**given), TIME_UP))
    return True


@pytest.fixture
def sit_down(look):
    """A function that opens the page of a practice server's seat."""

    def person(practice, width=1400, touches=False):
        address = f"http://127.0.0.1:{practice.port}{practice.page.root}"
        return Person(look(address, width, 844 if width < 500 else 900, has_touch=touches), touches)

    return person


@pytest.fixture
def patient(monkeypatch):
    """Clients that fail at once have long to end, however busy the machine is."""
    monkeypatch.setattr("bonspiel.curling.arena.game.NOTICE", 4.0)
    monkeypatch.setattr("bonspiel.curling.arena.game.GRACE", 60.0)


@pytest.fixture(scope="session")
def played():
    """Two ends between random players."""
    side = Side("random", 1, "simulations")
    return play_game(CurlingGame(ends=2), ScheduledGame((side, side), 2, 0, 0))


def cut(record, shots):
    """The record of a match that breaks off after so many shots."""
    ends = record.ends[: shots // 16]
    result = Result(score_of(ends), None, None, "unfinished")
    return record._replace(shots=record.shots[:shots], ends=ends, result=result)


@pytest.fixture(scope="session")
def cut_after():
    return cut
