"""Servers that accept a connection and then do not answer, or send the client elsewhere."""

import asyncio
import contextlib
import math
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from bonspiel.curling.client import dc2, dc3, dc4, dc4_connection, reconnection
from bonspiel.curling.client.connection import tcp_connection
from bonspiel.curling.client.dc4_connection import Account, ServerRefused
from bonspiel.curling.client.exit_status import ConnectionLost
from bonspiel.curling.client.match_player import MatchPlayer
from bonspiel.curling.client.message_log import MessageLog
from bonspiel.curling.client.planning import patience
from bonspiel.curling.client.planning.patience import Patience
from bonspiel.curling.client.planning.time_manager import TimeManager
from bonspiel.curling.client.reconnection import play_when_up
from bonspiel.curling.protocols.dc2 import Login
from tests.curling.client.fakes import ScriptedServer, StubPlanner
from tests.curling.protocols.corpus import TERMINATOR
from tests.curling.protocols.transcripts import transcript

SCRIPTS = {"dc3": transcript("dc3", "free_guard_zone_foul_team0"), "dc2": transcript("dc2", "full_game_first")}
WAIT, LONGER = 0.5, 3.0  # s, for a server that never answers, and for one that first does
SOON = 120.0  # s, for what has no end by itself
MATCH = UUID(int=1)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(reconnection, "RETRY", 0.02)
    monkeypatch.setattr(patience, "LINE", 0.1)
    monkeypatch.setattr(patience, "LEAST", 0.01)


@pytest.fixture
def player(tmp_path):
    with MessageLog(tmp_path / "log.jsonl") as log:
        yield MatchPlayer(StubPlanner(), TimeManager(longest=0.1), log, [].append)


def play(protocol, port, player):
    if protocol == "dc4":
        return dc4.play_dc4(Account("127.0.0.1", port, "user0", "secret"), MATCH, 0, "bonspiel", player)
    module = {"dc3": dc3, "dc2": dc2}[protocol]
    tcp = tcp_connection("127.0.0.1", port, module.FORMAT, player.log)
    if protocol == "dc3":
        return dc3.play_dc3(tcp, "bonspiel", player)
    return dc2.play_dc2(tcp, Login("id", "password", "bonspiel"), player, "none")


def told(player):
    return player.report.__self__


@asynccontextmanager
async def listening(serve):
    """A server that answers every connection by `serve`, and then closes it; its port."""
    tasks = []

    async def answer(reader, writer):
        tasks.append(asyncio.current_task())
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await serve(reader, writer)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)


async def say_nothing(reader, writer):
    await reader.read()


async def never_end_a_message(reader, writer):
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)


def refused(protocol, serve, player, wait=WAIT):
    """The error of a client of this server, which comes in time."""

    async def both():
        async with listening(serve) as port:
            await asyncio.wait_for(play_when_up(lambda: play(protocol, port, player), player, wait), SOON)

    with pytest.raises((ConnectionLost, ServerRefused)) as error:
        asyncio.run(both())
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("protocol", ["dc2", "dc3"])
@pytest.mark.parametrize("serve", [say_nothing, never_end_a_message])
def test_a_server_without_a_greeting_is_not_waited_for_longer_than_wait(protocol, serve, player):
    error = refused(protocol, serve, player)
    assert "for the server's greeting in vain; does another client have this seat" in error
    lines = [line for line in told(player) if line.startswith("waiting for the server's greeting, ")]
    assert lines and lines[0].endswith(" of 0 s")


@pytest.mark.parametrize(
    ("protocol", "messages", "what"),
    [("dc3", 1, "the announcement of the match"), ("dc2", 1, "the answer to the login")],
)
def test_a_server_that_falls_silent_is_not_waited_for_longer_than_wait(protocol, messages, what, player):
    async def serve(reader, writer):
        await ScriptedServer(SCRIPTS[protocol][:messages], TERMINATOR[protocol], linger=True).serve(reader, writer)

    assert f"for {what} in vain" in refused(protocol, serve, player, LONGER)


def test_a_connection_that_does_not_come_about_is_not_waited_for_longer_than_wait(player):
    @asynccontextmanager
    async def never():
        await asyncio.Event().wait()
        yield

    with pytest.raises(ConnectionLost, match="for the connection in vain"):
        attempt = play_when_up(lambda: dc3.play_dc3(never(), "bonspiel", player), player, WAIT)
        asyncio.run(asyncio.wait_for(attempt, SOON))


def test_all_connections_share_the_wait(player):
    """Each of these is closed before the time is over, but no server has answered."""
    count = 0

    async def serve(reader, writer):
        nonlocal count
        count += 1

    assert "closed" in refused("dc3", serve, player)
    assert 1 < count <= WAIT / reconnection.RETRY + 1.0


@pytest.mark.parametrize("protocol", ["dc2", "dc3"])
def test_the_other_team_is_waited_for_with_a_line_now_and_then(protocol, player, monkeypatch):
    monkeypatch.setattr(patience, "LEAST", SOON)
    word = b"new_game" if protocol == "dc3" else b"NEWGAME"
    before = next(i for i, line in enumerate(SCRIPTS[protocol]) if word in line.text)

    async def serve(reader, writer):
        await ScriptedServer(SCRIPTS[protocol][:before], TERMINATOR[protocol], linger=True).serve(reader, writer)

    async def both():
        async with listening(serve) as port:
            client = asyncio.create_task(play_when_up(lambda: play(protocol, port, player), player, 0.0))
            while sum(line.startswith("waiting for the other team, ") for line in told(player)) < 3:
                assert not client.done()
                await asyncio.sleep(0.01)
            client.cancel()
            await asyncio.gather(client, return_exceptions=True)

    asyncio.run(asyncio.wait_for(both(), SOON))


async def test_a_line_says_how_long_it_waited_and_of_how_much():
    lines = []

    waiting = Patience(lines.append, 0.35)
    with pytest.raises(ConnectionLost, match=r"waited 0.35 s for an answer in vain"):
        await waiting.server(asyncio.Event().wait(), "an answer")
    assert waiting.left <= 0.0
    assert await Patience(lines.append).server(asyncio.sleep(0.0, "yes"), "an answer") == "yes"
    assert lines == ["waiting for an answer, 0 of 0 s"] * len(lines) and len(lines) >= 2
    assert Patience(lines.append).left == math.inf


def http(body, status="200 OK", kind="application/json", *headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers, "", body]
    return "\r\n".join(lines).encode()


def answers(by_path):
    """A server with an answer for each beginning of a path; those without one are left without an answer."""

    async def serve(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split()[1]
        answer = next((text for beginning, text in by_path.items() if path.startswith(beginning)), None)
        if answer is None:
            await reader.read()
        else:
            writer.write(answer)
            await writer.drain()

    return serve


JOINED = {"/store-team-config": http('"team0"')}


@pytest.mark.parametrize(
    ("by_path", "what", "wait"), [({}, "a place in the match", WAIT), (JOINED, "the stream of states", LONGER)]
)
def test_a_silent_server_of_digital_curling_4_is_not_waited_for_longer_than_wait(by_path, what, wait, player):
    pytest.importorskip("dc4client")
    assert f"for {what} in vain" in refused("dc4", answers(by_path), player, wait)


@pytest.mark.parametrize("at", ["/store-team-config", "/matches"])
async def test_the_password_goes_to_no_other_address(at, player):
    pytest.importorskip("dc4client")
    elsewhere = []

    async def take(reader, writer):
        elsewhere.append(await reader.readuntil(b"\r\n\r\n"))

    with pytest.raises(ServerRefused, match=r"redirects are not followed .*status=307.* give its --host and --port"):
        async with listening(take) as other:
            redirect = http("", "307 Temporary Redirect", "text/plain", f"Location: http://127.0.0.1:{other}/x")
            async with listening(answers(JOINED | {at: redirect})) as port:
                await asyncio.wait_for(play_when_up(lambda: play("dc4", port, player), player, SOON), SOON)
    assert elsewhere == []


def test_a_new_match_is_created_at_no_other_address(monkeypatch):
    pytest.importorskip("dc4client")
    assert dc4_connection.load_dc4client() is not None

    async def create():
        redirect = http("", "308 Permanent Redirect", "text/plain", "Location: /elsewhere")
        async with listening(answers({"/matches": redirect, "/elsewhere": http(f'"{MATCH}"')})) as port:
            account = Account("127.0.0.1", port, "user0", "secret")
            return await dc4.create_match(account, "five_rock", ends=1, seconds=10.0, extra_seconds=1.0)

    with pytest.raises(ServerRefused, match="redirects are not followed"):
        asyncio.run(asyncio.wait_for(create(), SOON))
