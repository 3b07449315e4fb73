"""A practice server within the process of a test, and clients that say what the test wants."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace

import numpy as np

from bonspiel.curling.records.match_data import Match
from bonspiel.curling.server.lobby import Lobby
from bonspiel.curling.server.referee import ThinkingTimes
from bonspiel.curling.server.server_context import ServerContext
from bonspiel.curling.server.shot_executor import ShotExecutor

PATIENCE = 60.0  # s, for anything that a test waits for


async def until(condition):
    """Wait until something is true."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


class Clock:
    """Stands still unless the test moves it."""

    now = 100.0

    def __call__(self):
        return self.now


def context_of(physics="fcv1", paths=False, arrivals=False, **given):
    """A server's context; it reports arrivals of clients only on demand."""
    report = given.pop("report", lambda line: None)
    match = Match(
        players=("", ""),
        physics=physics,
        rule=None,
        noise=given.pop("noise", "none"),
        ends=given.pop("ends", 1),
        extra_ends=given.pop("extra_ends", 0),
    )
    match = replace(match, rule=given.pop("rule", match.model().rule))
    model = match.model()
    rest = {
        "times": ThinkingTimes(100_000, 20_000),
        "executor": ShotExecutor(model, "analytic", paths, 0),
        "seed": 1,
        "ids": np.random.default_rng(1),
        "summary": "a test",
        "name": "test",
        "report": lambda line: None if " waits as " in line and not arrivals else report(line),
    }
    return ServerContext(match, model, **rest | given)


class Host:
    """A lobby with open ports."""

    def __init__(self, lobby, ports, end):
        self.lobby, self.ports, self.end, self.clients = lobby, ports, end, []

    async def connect(self, door=0):
        self.clients.append(
            Client(*await asyncio.open_connection("127.0.0.1", self.ports[door], limit=1 << 24), self.end)
        )
        return self.clients[-1]


@asynccontextmanager
async def hosting(context, make, open_listeners, most=None, end=b"\n"):
    """A server; in the end all clients have left it."""
    lobby = Lobby(lambda: make(context), most)
    servers = await open_listeners(context, lobby, "127.0.0.1", 0)
    host = Host(lobby, [server.sockets[0].getsockname()[1] for server in servers], end)
    try:
        yield host
    finally:
        for client in host.clients:
            await client.close()
        for server in servers:
            server.close()
        await lobby.close()


class Client:
    """One end of a connection."""

    def __init__(self, reader, writer, end):
        self.reader, self.writer, self.end = reader, writer, end

    async def receive(self):
        """The next message; None if the server has closed the connection."""
        async with asyncio.timeout(PATIENCE):
            try:
                text = await self.reader.readuntil(self.end)
            except (asyncio.IncompleteReadError, ConnectionError):
                return None
        return json.loads(text) if self.end == b"\n" else text[:-1].decode()

    def send(self, message):
        raw = (
            message
            if isinstance(message, bytes)
            else (json.dumps(message).encode() + b"\n" if isinstance(message, dict) else message.encode() + self.end)
        )
        self.writer.write(raw)

    async def close(self):
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except ConnectionError:
            pass

    async def greet(self, name):
        """Take part in the greeting of Digital Curling 3 up to `ready_ok`; the team."""
        assert (await self.receive())["cmd"] == "dc"
        self.send({"cmd": "dc_ok", "name": name})
        team = (await self.receive())["team"]
        self.send({"cmd": "ready_ok", "player_order": [0, 1, 2, 3]})
        return team


async def start(host):
    """Two clients of Digital Curling 3 whose match has begun; the first update is still to come."""
    clients = [await host.connect(door) for door in (0, 1)]
    for number, client in enumerate(clients):
        assert await client.greet(f"client{number}") == f"team{number}"
    for client in clients:
        assert (await client.receive())["cmd"] == "new_game"
    return clients


async def play_on(clients, move):
    """Play to the end, always with this move: all updates."""
    updates = []
    while True:
        first, second = [await client.receive() for client in clients]
        assert first == second
        if first["cmd"] == "game_over":
            return updates
        updates.append(first)
        if first["next_team"]:
            clients[first["next_team"] == "team1"].send(move)
