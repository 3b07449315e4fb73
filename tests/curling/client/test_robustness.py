"""Whatever a server sends, and whenever it goes, the client ends soon, with the right status and one clear line.

BONSPIEL_FLOOD is how many megabytes a message without end has at most, in place of 64.
"""

import asyncio
import contextlib
import io
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel.curling.benchmarks.practice import BONSPIEL
from bonspiel.curling.client import connection, dc2, dc3
from bonspiel.curling.client.connection import stdio_connection, tcp_connection
from bonspiel.curling.client.exit_status import CONNECTION_LOST, GAME_OVER, PROTOCOL_ERROR, exit_status
from bonspiel.curling.client.match_player import MatchPlayer
from bonspiel.curling.client.message_log import MessageLog
from bonspiel.curling.client.planning.planner_process import PlannerProcess
from bonspiel.curling.client.planning.time_manager import LONGEST, TimeManager
from bonspiel.curling.protocols import ProtocolError
from bonspiel.curling.protocols.dc2 import Login
from bonspiel.runs.benchmarks.memory import largest_size
from tests.curling.client.fakes import ScriptedServer, StubPlanner
from tests.curling.peers import HANG, flood, nonsense, reset_on_close
from tests.curling.protocols.corpus import CORPUS, TERMINATOR
from tests.curling.protocols.transcripts import transcript

SCRIPTS = {"dc3": transcript("dc3", "full_game_team0"), "dc2": transcript("dc2", "full_game_first")}
PROTOCOLS = list(SCRIPTS)
LONGEST_LINE = 300  # characters on the console


def wire_of(protocol, line):
    return line.text + TERMINATOR[protocol]


RESULTS = {
    protocol: next(i for i, line in enumerate(script) if word in wire_of(protocol, line))
    for (protocol, script), word in zip(SCRIPTS.items(), (b'"reason"', b"GAMEOVER"), strict=True)
}


def stages(protocol):
    """Places in the script just before a kind of message that the server has not sent before."""
    script = SCRIPTS[protocol]
    kinds = [
        str(line.message["cmd"] if protocol == "dc3" else line.message.split()[0]) if line.from_server else ""
        for line in script
    ]
    places = {i for i, kind in enumerate(kinds) if kind and kind not in kinds[:i]}
    return sorted(places | {i + 1 for i in places if kinds[i] in ("update", "GO")})


class Resetting(ScriptedServer):
    """A server whose end is a reset of the connection."""

    async def serve(self, reader, writer):
        reset_on_close(writer)
        await super().serve(reader, writer)


async def besiege(protocol, script, log, planner, kind=ScriptedServer, seconds=4 * HANG, longest=0.2):
    """Let the client play against this script; its exit status."""
    async with kind(script, end=TERMINATOR[protocol]) as server:
        module = {"dc3": dc3, "dc2": dc2}[protocol]
        tcp = tcp_connection("127.0.0.1", server.port, module.FORMAT, log)
        player = MatchPlayer(planner, TimeManager(longest=longest), log, lambda line: None)
        match = (
            dc3.play_dc3(tcp, "bonspiel", player)
            if protocol == "dc3"
            else dc2.play_dc2(tcp, Login("id", "password", "bonspiel"), player, "none")
        )
        return await asyncio.wait_for(exit_status(match), seconds)


def ends(protocol, script, folder, kind=ScriptedServer):
    """The exit status at the end of a script, and what was printed."""
    path, told = folder / "log.jsonl", io.StringIO()
    with contextlib.redirect_stderr(told), MessageLog(path) as log:
        status = asyncio.run(besiege(protocol, script, log, StubPlanner(), kind))
    for line in path.read_text().splitlines():
        json.loads(line)
    return status, told.getvalue().splitlines()


def check(status, lines):
    """One line reports why it ended, unless the match is over; a planner that fails may have been told of before."""
    assert all(
        line.startswith("bonspiel client: ") and line.isprintable() and len(line) <= LONGEST_LINE for line in lines
    ), lines
    notes = [line for line in lines if "instead of the planner's answer" in line or "planners assume" in line]
    assert len(lines) - len(notes) == (status != GAME_OVER), lines
    assert status in (GAME_OVER, CONNECTION_LOST, PROTOCOL_ERROR)


@pytest.mark.parametrize("kind", [ScriptedServer, Resetting])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_goes_at_any_message_is_a_lost_connection(protocol, kind, tmp_path):
    script = SCRIPTS[protocol]
    for count in range(len(script) + 1):
        status, lines = ends(protocol, script[:count], tmp_path, kind)
        check(status, lines)
        if count <= RESULTS[protocol]:
            assert status == CONNECTION_LOST, count
        elif kind is ScriptedServer:  # a reset takes with it what the client has not read
            assert status == GAME_OVER, count


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nasty_messages_end_the_client(protocol, tmp_path):
    script = SCRIPTS[protocol]
    for place in stages(protocol):
        for nasty in CORPUS[protocol, "server"]:
            status, lines = ends(protocol, [*script[:place], nasty.wire(protocol)], tmp_path)
            check(status, lines)
            if nasty.broken:
                assert status == PROTOCOL_ERROR, (place, nasty.name)


@given(data=st.data())
@settings(max_examples=75)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nonsense_ends_the_client(protocol, data, tmp_path_factory):
    script = SCRIPTS[protocol]
    place = data.draw(st.integers(0, len(script)))
    known = [wire_of(protocol, line) for line in script if line.from_server]
    text = data.draw(nonsense(protocol, known))
    check(*ends(protocol, [*script[:place], text], tmp_path_factory.getbasetemp()))


STONE = {"position": {"x": 0.1, "y": 38.4}, "angle": 0.0}
BEHIND = {"position": {"x": -999.0, "y": -999.0}, "angle": 0.0}
RELEASED = {"position": {"x": 0.0, "y": 0.0}, "angle": 0.0}
ODD = {
    "stones in one place": {"stones": {"team0": [STONE] * 8, "team1": [STONE] * 8}},
    "a stone far behind": {"stones": {"team0": [BEHIND] + [None] * 7, "team1": [None] * 8}},
    "a stone at the release": {"stones": {"team0": [None] * 8, "team1": [RELEASED] + [None] * 7}},
    "a stone not thrown yet": {"stones": {"team0": [None] * 7 + [STONE], "team1": [None] * 8}},
    "no time": {"thinking_time_remaining": {"team0": 0.0, "team1": 0.0}},
    "time below 0": {"thinking_time_remaining": {"team0": -1e300, "team1": -5.0}},
    "endless time": {"thinking_time_remaining": {"team0": 1e308, "team1": 1e308}},
    "no scores": {"scores": {"team0": [], "team1": []}},
    "scores of nobody": {"scores": {"team0": [255] * 200, "team1": [255] * 200}},
    "a lead of a thousand": {"scores": {"team0": [255] * 4, "team1": [0] * 4}},
    "a far extra end": {"end": 999},
}


async def test_a_real_planner_answers_odd_positions_with_a_shot(tmp_path):
    """A match for each, of one position."""
    script = SCRIPTS["dc3"]
    at = next(i for i, line in enumerate(script) if line.message["cmd"] == "update")
    assert script[at].message["next_team"] == "team0"

    async with PlannerProcess("rulebased") as planner:
        for name, state in ODD.items():
            update = script[at].message | {"state": script[at].message["state"] | state}
            odd = [*script[:at], json.dumps(update).encode() + b"\n", script[at + 1]]
            with MessageLog(tmp_path / "log.jsonl") as log:
                assert await besiege("dc3", odd, log, planner, seconds=60.0, longest=LONGEST) == CONNECTION_LOST, name
            sent = [json.loads(line)["msg"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
            moves = [message["move"] for message in sent if "cmd" in message and message["cmd"] == "move"]
            assert [move["type"] for move in moves] == ["shot"], name


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sizes of processes are read from /proc")
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_message_without_end_does_not_fill_the_memory(protocol, tmp_path):
    largest = []

    async def client(port):
        options = "--planner", "random", "--log", str(tmp_path / "log"), "--port", str(port)
        process = await asyncio.create_subprocess_exec(*BONSPIEL, "client", protocol, *options, stderr=subprocess.PIPE)
        try:
            async with asyncio.timeout(300.0):
                while process.returncode is None:
                    with contextlib.suppress(IndexError):  # it is over
                        largest.append(largest_size(process.pid))
                    await asyncio.sleep(0.02)
        finally:
            if process.returncode is None:
                process.kill()
        return process.returncode, (await process.stderr.read()).decode().splitlines()

    async with await asyncio.start_server(lambda _, writer: flood(writer), "127.0.0.1", 0) as server:
        status, lines = await client(server.sockets[0].getsockname()[1])
    assert status == PROTOCOL_ERROR and max(largest) < 300.0
    assert len(lines) == 1 and "bytes" in lines[0] and len(lines[0]) <= LONGEST_LINE


def test_standard_input_is_not_read_ahead_without_end(tmp_path, monkeypatch):
    """A server that reports more than the client listens to is made to wait."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    monkeypatch.setattr(connection, "INPUT", reading)

    async def fill():
        sent, idle = 0, 0
        while idle < 10 and sent < 64 << 20:
            try:
                sent, idle = sent + os.write(writing, b"x" * (1 << 16)), 0
            except BlockingIOError:
                idle += 1
                await asyncio.sleep(0.1)
        return sent

    async def flooded(log):
        async with stdio_connection(dc2.FORMAT, log) as server:
            sent = await fill()
            with pytest.raises(ProtocolError, match="more than 4,096 bytes"):
                await server.receive()
        os.close(writing)
        return sent

    with MessageLog(tmp_path / "log.jsonl") as log:
        assert asyncio.run(flooded(log)) < 4 << 20
