import asyncio
import contextlib
import itertools
import socket
import time
from types import SimpleNamespace
from uuid import uuid4

import pytest

from bonspiel.curling.client import dc2, dc3, dc4, reconnection
from bonspiel.curling.client.connection import tcp_connection
from bonspiel.curling.client.dc4_connection import Account
from bonspiel.curling.client.exit_status import ConnectionLost, NoSuchHost
from bonspiel.curling.client.match_player import MatchPlayer
from bonspiel.curling.client.message_log import MessageLog
from bonspiel.curling.client.planning import patience
from bonspiel.curling.client.planning.time_manager import TimeManager
from bonspiel.curling.client.reconnection import play_when_up
from bonspiel.curling.protocols.dc2 import Login
from tests.curling.client.fakes import ScriptedServer, StubPlanner
from tests.curling.client.faulty_dc4 import FaultyServer
from tests.curling.protocols.corpus import TERMINATOR
from tests.curling.protocols.transcripts import transcript

SCRIPTS = {"dc3": transcript("dc3", "free_guard_zone_foul_team0"), "dc2": transcript("dc2", "full_game_first")}
SOON = 120.0  # s
WAIT = 60.0  # s, much longer than anything here takes


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(reconnection, "RETRY", 0.05)


@pytest.fixture
def log(tmp_path):
    with MessageLog(tmp_path / "log.jsonl") as log:
        yield log


@pytest.fixture
def port():
    """One that nobody listens to."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def new_player(log):
    reports = []
    return MatchPlayer(StubPlanner(), TimeManager(longest=0.1), log, reports.append), reports


def attempt(protocol, port, player):
    module = {"dc3": dc3, "dc2": dc2}[protocol]
    tcp = tcp_connection("127.0.0.1", port, module.FORMAT, player.log)
    if protocol == "dc3":
        return dc3.play_dc3(tcp, "bonspiel", player)
    return dc2.play_dc2(tcp, Login("id", "password", "bonspiel"), player, "none")


@pytest.mark.parametrize("protocol", SCRIPTS)
async def test_a_server_that_comes_up_later_is_waited_for(protocol, port, log):
    player, reports = new_player(log)

    client = asyncio.create_task(play_when_up(lambda: attempt(protocol, port, player), player, WAIT))
    await asyncio.sleep(0.3)
    async with ScriptedServer(SCRIPTS[protocol], TERMINATOR[protocol], port=port):
        await asyncio.wait_for(client, SOON)
    assert player.planner.asked and player.begun
    waits = [line for line in reports if "connecting again for" in line]
    assert len(waits) == 1 and f"port {port}" in waits[0] and waits[0] == reports[0]
    assert f"port {port}" in log.path.read_text()


@pytest.mark.parametrize("protocol", SCRIPTS)
async def test_a_server_that_goes_before_the_match_begins_is_connected_to_again(protocol, log):
    """At every message before the match, once each; the next connection sees the whole match."""
    script, (player, _) = SCRIPTS[protocol], new_player(log)
    word = b"new_game" if protocol == "dc3" else b"NEWGAME"
    begins = next(i for i, line in enumerate(script) if word in line.text)
    scripts = itertools.chain((script[:count] for count in range(begins + 1)), itertools.repeat(script))
    seen = []

    async def serve(reader, writer):
        server = ScriptedServer(next(scripts), TERMINATOR[protocol])
        seen.append(server)
        await server.serve(reader, writer)

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await asyncio.wait_for(play_when_up(lambda: attempt(protocol, port, player), player, WAIT), SOON)
    assert len(seen) == begins + 2
    assert len(seen[-1].answers) == sum(not line.from_server for line in script)


@pytest.mark.parametrize("protocol", SCRIPTS)
async def test_a_match_that_has_begun_is_not_begun_again(protocol, log):
    script, (player, reports), seen = SCRIPTS[protocol], new_player(log), []

    async def serve(reader, writer):
        seen.append(None)
        await ScriptedServer(script[:-2], TERMINATOR[protocol]).serve(reader, writer)

    with pytest.raises(ConnectionLost, match="closed"):
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            await asyncio.wait_for(play_when_up(lambda: attempt(protocol, port, player), player, WAIT), SOON)
    assert len(seen) == 1 and not any("connecting again" in line for line in reports)


@pytest.mark.parametrize("wait", [0.0, 0.4])
def test_the_wait_ends(wait, port, log, monkeypatch):
    """Attempts take no time here, so that the pauses between them are the wait."""
    player, reports = new_player(log)
    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: 0.0))
    start = time.monotonic()
    with pytest.raises(ConnectionLost, match="is the server running"):
        asyncio.run(play_when_up(lambda: attempt("dc3", port, player), player, wait))
    assert 0.8 * wait - 0.05 < time.monotonic() - start < wait + 60.0
    assert len(reports) == (wait > 0.0)


async def test_a_connection_that_lasted_starts_the_wait_anew(log):
    """Here each lasts longer than the wait."""
    player, reports = new_player(log)
    lasting = iter((0.3, 0.3, 0.3))

    async def lost():
        player.patience.answered = True
        await asyncio.sleep(next(lasting))
        raise ConnectionLost("gone")

    with contextlib.suppress(StopIteration, RuntimeError):
        await play_when_up(lost, player, 0.2)
    assert len(reports) == 3


def test_a_name_that_no_machine_can_have_is_not_waited_for(log):
    player, reports = new_player(log)

    async def play():
        await dc3.play_dc3(tcp_connection("a..b", 1, dc3.FORMAT, log), "bonspiel", player)

    with pytest.raises(NoSuchHost, match=r"a\.\.b"):
        asyncio.run(asyncio.wait_for(play_when_up(play, player, 600.0), SOON))
    assert reports == []


async def test_a_server_of_digital_curling_4_is_waited_for(port, log):
    player, reports = new_player(log)
    match_id = uuid4()
    account = Account("127.0.0.1", port, "user0", "pass0")

    async def play():
        await dc4.play_dc4(account, match_id, 0, "bonspiel", player)

    client = asyncio.create_task(play_when_up(play, player, WAIT))
    while not reports or "connecting again" not in reports[-1]:
        await asyncio.sleep(0.02)
    async with FaultyServer(port):
        await asyncio.wait({client}, timeout=SOON)
    refused = client.exception()
    assert "the server refuses" in str(refused)  # it does not know this match, but it was reached
