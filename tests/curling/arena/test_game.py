"""One game of an arena, with fake clients and a fake server."""

import asyncio
import errno
import os
from contextlib import asynccontextmanager

import pytest

from bonspiel.curling.arena import game
from bonspiel.curling.arena.clients import Client
from bonspiel.curling.arena.game import Seat, play_game
from bonspiel.curling.arena.venue import LEFT
from bonspiel.curling.records import umpire
from bonspiel.curling.records.record import read
from bonspiel.runs.experiment import RunError
from tests.curling.arena.test_arena import outputs

SEATS = [Seat(Client(name, ("true",)), frozenset([0]), 1, 60.0) for name in ("one", "two")]


class ServedMatch:
    """A server whose match has begun; nobody is connected."""

    def __init__(self):
        self.begun, self.over, self.items, self.result, self.fault = asyncio.Event(), asyncio.Event(), [], None, None
        self.begun.set()

    @asynccontextmanager
    async def opened(self):
        yield

    def values(self, team):
        return {}

    def is_connected(self, team):
        return team == 1


class Gone:
    """The process of a client that has ended; what it sent before is still played."""

    has_ended, ending = True, ""

    def __init__(self, venue, whole):
        self._venue, self._whole = venue, whole

    async def wait(self, seconds=None):
        pass

    async def end(self, in_vain):
        self._venue.items[:] = [*self._whole.shots, *self._whole.ends]
        self._venue.result = self._whole.result


async def test_a_match_that_ends_after_a_client_has_left_is_recorded_as_it_was(run, tmp_path, monkeypatch):
    line = ("match", "random", "random", "--ends", "1", "--budget", "1", "--games", "2", "--jobs", "1", "--out", "m")
    assert run(*line)[0] == 0
    whole = read(min((tmp_path / "m" / "records").glob("*.jsonl")))

    venue = ServedMatch()
    venue.items[:] = whole.shots[:5]

    async def start(*given):
        return Gone(venue, whole)

    monkeypatch.setattr(game, "GRACE", 0.0)
    monkeypatch.setattr(game.ClientProcess, "start", start)
    record = await play_game(whole.match, SEATS, venue, tmp_path / "game")
    assert record.result.reason == "forfeit" and record.result.detail.endswith(LEFT)
    assert record.shots == whole.shots[:5] and record.ends == ()
    umpire.replay(record)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE, errno.ENOMEM])
async def test_a_machine_that_cannot_start_a_client_ends_the_arena_and_no_client_loses(tmp_path, monkeypatch, number):
    async def start(*given):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(game.ClientProcess, "start", start)
    with pytest.raises(RunError, match=r"one cannot be started \(.*continue with --resume"):
        await play_game(None, SEATS, ServedMatch(), tmp_path / "game")


def test_a_program_that_cannot_be_executed_loses(run, tmp_path):
    program = tmp_path / "client"
    program.write_bytes(b"\0 no program")
    program.chmod(0o755)
    fine = "rival=sh -c 'sleep 100 # {port}'"
    line = ("--client", f"mine={program} {{port}}", "--client", fine, "--games", "2", "--ends", "1", "--out", "a")
    status, out, _ = run("arena", "dc3", *line)
    assert status == 1 and "2 games forfeited, the first one by mine: cannot be started (Exec format error)" in out


def test_the_braces_of_planners_are_not_those_of_commands(run):
    line = (
        "--client",
        "one=echo {log} {port}",
        "--client",
        "two=echo {port}",
        "--games",
        "2",
        "--ends",
        "1",
        "--out",
        "a",
    )
    assert run("arena", "dc3", *line)[0] == 1
    assert outputs("one")[0].startswith("{log} ")
