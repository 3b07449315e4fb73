"""Clients that play a match by the book on a server of a test, up to the moment when the test wants something else."""

import asyncio
import json
import os
import socket
import struct
from contextlib import asynccontextmanager
from functools import partial

from hypothesis import strategies as st

from bonspiel.curling.server import dc2, dc3
from tests.curling.protocols.corpus import TERMINATOR
from tests.curling.server.hosting import context_of, hosting

HANG = 60.0  # s within which everything must react, also on a busy machine
STAGES = ("greeting", "ready", "turn", "not turn", "over")


class Player3:
    """Answers as a client of Digital Curling 3."""

    hello, ready = b'{"cmd": "dc_ok", "name": "player"}\n', b'{"cmd": "ready_ok", "player_order": [0, 1, 2, 3]}\n'
    shot = b'{"cmd": "move", "move": {"type": "shot", "velocity": {"x": 0.13, "y": 2.39}, "rotation": "ccw"}}\n'
    concession = b'{"cmd": "move", "move": {"type": "concede"}}\n'

    def __init__(self, move=shot):
        self.move, self.team = move, None

    def answer(self, message):
        """What a message is for this client, and the answer; b"" for no answer."""
        match message:
            case {"cmd": "dc"}:
                return "greeting", self.hello
            case {"cmd": "is_ready", "team": team}:
                self.team = team
                return "ready", self.ready
            case {"cmd": "update", "next_team": None}:
                return "result", b""
            case {"cmd": "update", "next_team": team}:
                return ("turn", self.move) if team == self.team else ("not turn", b"")
            case {"cmd": "game_over"}:
                return "over", b""
        return "told", b""


class Player2:
    """Answers as a client of Digital Curling 2."""

    hello, ready = b"LOGIN id password player\0", b"READYOK\0"
    shot, concession = b"BESTSHOT -0.99 -29.6 0\0", b"CONCEDE\0"

    def __init__(self, move=shot):
        self.move = move

    def answer(self, message):
        """See `Player3`."""
        match message.split():
            case ["CONNECTED"]:
                return "greeting", self.hello
            case ["ISREADY"]:
                return "ready", self.ready
            case ["GO", *_]:
                return "turn", self.move
            case ["SETSTATE", *_]:
                return "not turn", b""
            case ["GAMEOVER", _]:
                return "result", b""
            case ["DISCONNECT"]:
                return "over", b""
        return "told", b""


PLAYERS = {"dc3": Player3, "dc2": Player2}


@asynccontextmanager
async def practice(protocol, folder, **given):
    """A practice server; `host.told` is what it says on its console."""
    told = []
    physics = {"dc3": "fcv1", "dc2": "dc2"}[protocol]
    context = context_of(physics, report=told.append, records=folder, **given)
    make, open_listeners = {
        "dc3": (partial(dc3.Dc3Session, steps=None), dc3.listen_dc3),
        "dc2": (dc2.Dc2Session, dc2.listen_dc2),
    }[protocol]
    async with hosting(context, make, open_listeners, end=TERMINATOR[protocol]) as host:
        host.told, host.folder, host.player = told, folder, PLAYERS[protocol]
        yield host


async def play(client, player, stop=lambda kind: False):
    """Answer up to a message to stop at, which is not answered, or until the server closes; all messages heard."""
    heard = []
    while (message := await client.receive()) is not None:
        heard.append(message)
        kind, answer = player.answer(message)
        if stop(kind):
            break
        client.send(answer)
        if kind == "over":
            await client.close()
            break
    return heard


def reset_on_close(writer):
    """Let the end of a connection be a reset, as that of a process that is killed can be."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def flood(writer):
    """Send a message without end: 64 MB of it, or as many as BONSPIEL_FLOOD says; fewer if the other side hangs up."""
    try:
        for _ in range(int(os.environ.get("BONSPIEL_FLOOD", "64"))):
            writer.write(b"x" * (1 << 20))
            async with asyncio.timeout(HANG):
                await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.transport.abort()


async def ended(client):
    """Wait until the server closes the connection."""
    async with asyncio.timeout(HANG):
        while await client.receive() is not None:
            pass


async def connect_both(host):
    """Two clients, the first of which throws first: Digital Curling 2 assigns teams in the order of logins."""
    clients = [await host.connect(door) for door in (0, -1)]
    if len(host.ports) == 1:
        for client in clients:
            assert await client.receive() == "CONNECTED"
            client.send(host.player.hello)
            assert await client.receive() == "LOGIN OK"
    return clients


async def whole_match(host):
    """Two clients play a match; what each heard."""
    return await asyncio.gather(*(play(client, host.player()) for client in await connect_both(host)))


COMMANDS = "dc_ok", "ready_ok", "move", "dc", "is_ready", "new_game", "update", "game_over"
FIELDS = "name", "move", "player_order", "type", "velocity", "state", "team", "next_team", "game"
WORDS = "LOGIN", "READYOK", "BESTSHOT", "CONCEDE", "POSITION", "SETSTATE", "GO", "SCORE", "RUNSHOT", "NEWGAME"

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner), max_leaves=6
)
objects = st.builds(
    lambda command, fields: json.dumps(fields | {"cmd": command}).encode(),
    st.sampled_from(COMMANDS),
    st.dictionaries(st.sampled_from(FIELDS), values, max_size=4),
)
words = st.builds(
    lambda word, rest: " ".join([word, *map(str, rest)]).encode(),
    st.sampled_from(WORDS),
    st.lists(scalars, max_size=33),
)
TEXTS = {"dc3": objects | values.map(lambda value: json.dumps(value).encode()), "dc2": words}
damages = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 20), st.binary(max_size=5)), min_size=1, max_size=3)


def damaged(text, damage):
    """A message with pieces cut out or put in."""
    for at, length, piece in damage:
        text = text[:at] + piece + text[at + length :]
    return text


def nonsense(protocol, messages):
    """Strategy: bytes that a broken peer may send, one to three messages, the last one perhaps without its end.

    Args:
        protocol: "dc3" or "dc2".
        messages: that fit somewhere.
    """
    end = TERMINATOR[protocol]
    known = st.sampled_from([message.removesuffix(end) for message in messages])
    one = st.binary(max_size=100) | TEXTS[protocol] | known | st.builds(damaged, known, damages)
    return st.builds(
        lambda parts, last: end.join(parts) + last, st.lists(one, min_size=1, max_size=3), st.sampled_from([end, b""])
    )
