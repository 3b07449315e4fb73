"""The server against a transcript of a Digital Curling 2 match, and what it does with clients that misbehave."""

import asyncio
import socket
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.state import FIRST_STONE
from bonspiel.curling.protocols import dc2, dc2_codec, dc2_coordinates
from bonspiel.curling.records.record import read
from bonspiel.curling.server.dc2 import Dc2Session, listen_dc2
from bonspiel.curling.server.referee import ThinkingTimes
from bonspiel.curling.server.shot_executor import ShotExecutor
from tests.curling.recorded import records
from tests.curling.server.hosting import Clock, context_of, hosting, until

DRAW = "BESTSHOT -0.990740 -29.559774 0"


class RecordedExecutor(ShotExecutor):
    """Plays each throw from the stones on record, so that small differences do not add up."""

    def __init__(self, heard, *arguments):
        super().__init__(*arguments)
        self.boards, board, first, shots = [], no_stones(), 0, 0
        for message in map(dc2_codec.decode_server, [text.encode() for text in heard]):
            if isinstance(message, dc2.RunShot):
                self.boards.append(board)
                shots += 1
            if isinstance(message, dc2.Position) and shots:
                board = dc2_coordinates.stones_of_position(message, first)
            if isinstance(message, dc2.SetState) and message.shot == 0:
                board, first = no_stones(), message.to_move
        self.boards = iter(self.boards)

    async def execute(self, model, state, thrown):
        state[FIRST_STONE:] = np.nan_to_num(next(self.boards)).ravel()
        return await super().execute(model, state, thrown)


def context_for(heard, clock):
    shots = [
        dc2_coordinates.throw_to_sheet(dc2_codec.decode_server(text.encode()))
        for text in heard
        if text.startswith("RUNSHOT")
    ]
    throws = iter([(vx, vy) for vx, vy, _ in shots])
    context = context_of(
        "dc2",
        noise="dc2",
        ends=2,
        clock=clock,
        times=ThinkingTimes(60_000, 60_000),
        make_errors=lambda model, seed: lambda vx, vy: next(throws),
    )
    return replace(context, executor=RecordedExecutor(heard, context.model, "analytic", False, 0))


def seconds_used(heard, team):
    """What a team's moves were charged, as the first team's GOs tell."""
    told = [int(text.split()[1 + team]) for text in heard if text.startswith("GO")]
    return [(before - after) / 1000.0 for before, after in zip(told, [*told[1:], told[-1]], strict=True)]


async def take_part(client, name, moves, used, clock):
    """Play a whole match: all that the client heard."""
    heard, moves, used = [], iter(moves), iter(used)
    while heard[-1:] != ["DISCONNECT"]:
        heard.append(await client.receive())
        if heard[-1] is None:
            return heard
        if heard[-1] == "CONNECTED":
            client.send(f"LOGIN {name} pw {name}")
        elif heard[-1] == "ISREADY":
            client.send("READYOK")
        elif heard[-1].startswith("GO "):
            clock.now += next(used) + 0.0005
            client.send(next(moves))
    return heard


async def replay_transcript():
    """What the first team's client heard, what it should have, and what the other one heard."""
    lines = list(records("transcripts/dc2/full_game_first.jsonl"))
    heard, said = (
        [line["msg"] for line in lines if line["dir"] == side] for side in ("server->client", "client->server")
    )
    assert said[:2] == ["LOGIN alice pw alice", "READYOK"]
    clock = Clock()
    # the other team's shots are known from what they came to; only their spins matter here
    moves = [said[2:], [f"BESTSHOT 0.0 -30.0 {text[-1]}" for text in heard if text.startswith("RUNSHOT")]]
    movers = [int(text[-1]) for text in heard if text.startswith("SETSTATE")]
    moves[1] = [move for move, mover in zip(moves[1], movers, strict=False) if mover == 1]
    async with hosting(context_for(heard, clock), Dc2Session, listen_dc2, end=b"\0") as host:
        playing = []
        for team, name in enumerate(("alice", "bob")):
            client = await host.connect()
            playing.append(asyncio.create_task(take_part(client, name, moves[team], seconds_used(heard, team), clock)))
            await asyncio.sleep(0.05)  # alice logs in first
        first, second = await asyncio.gather(*playing)
    return first, heard, second


async def test_every_message_of_the_transcript():
    got, heard, other = await replay_transcript()
    shared = [text for text in got if not text.startswith(("GO ", "GAMEOVER"))]
    assert [text for text in other if not text.startswith(("GO ", "GAMEOVER"))] == shared
    assert other[-2:] == ["GAMEOVER LOSE", "DISCONNECT"]
    apart = []
    for mine, theirs in zip(got, heard, strict=True):
        mine, theirs = mine.split(" "), theirs.split(" ")
        assert mine[0] == theirs[0] and len(mine) == len(theirs)
        if mine[0] != "POSITION":
            assert mine == theirs
            continue
        ours, recorded = (np.array(words[1:], float).reshape(16, 2) for words in (mine, theirs))
        assert ((ours == 0.0) == (recorded == 0.0)).all()
        assert all(len(word.partition(".")[2]) == 6 for word in mine[1:])
        apart += np.hypot(*(ours - recorded).T).tolist()
    assert max(apart) < 0.2 and np.quantile(apart, 0.9) < 0.01


async def logged_in(host, name):
    client = await host.connect()
    client.send(f"LOGIN {name}-id pw {name}")
    assert [await client.receive() for _ in range(2)] == ["CONNECTED", "LOGIN OK"]
    return client


async def start(host):
    """Two clients whose match has begun, the first one to move."""
    clients = [await logged_in(host, name) for name in ("alice", "bob")]
    for client in clients:
        assert await client.receive() == "ISREADY"
        client.send("READYOK")
    for client in clients:
        assert await client.receive() == "NEWGAME alice bob"
        assert (await client.receive()).startswith("POSITION 0.000000 ")
        assert await client.receive() == "SETSTATE 0 0 1 0"
    return clients


async def played(act, **given):
    """What both clients hear from the first GO on, after `act` has done something with them; the console's lines."""
    told = []
    async with hosting(context_of("dc2", report=told.append, **given), Dc2Session, listen_dc2, end=b"\0") as host:
        clients = await start(host)
        await act(*clients)
        heard = [[text async for text in rest_of(client)] for client in clients]
    return heard, told


async def rest_of(client):
    while (text := await client.receive()) not in (None, "DISCONNECT"):
        yield text


async def test_concession():
    async def act(first, second):
        first.send("CONCEDE")

    (first, second), told = await played(act)
    assert first == ["GO 100000 100000", "TOTALSCORE 0 0", "GAMEOVER LOSE"]
    assert second == ["TOTALSCORE 0 0", "GAMEOVER WIN"]
    assert told[-1] == "match 1: second bob wins, 0:0 (concede)"


async def test_time_limit():
    async def act(first, second):
        clock.now += 50.0
        first.send(DRAW)
        while not (await second.receive()).startswith("GO "):
            pass
        clock.now += 200.0
        second.send(DRAW)

    clock = Clock()
    (first, second), told = await played(act, times=ThinkingTimes(100_000, 100_000), clock=clock)
    assert first[-3:] == ["TIMEOUT bob-id", "TOTALSCORE 0 0", "GAMEOVER WIN"]
    assert second[-3:] == ["TIMEOUT bob-id", "TOTALSCORE 0 0", "GAMEOVER LOSE"]
    assert told[-1] == "match 1: first alice wins, 0:0 (time_limit)"


async def test_a_tie_is_a_draw():
    async def act(*clients):
        for turn in range(16):
            while not (await clients[turn % 2].receive()).startswith("GO "):
                pass
            clients[turn % 2].send("BESTSHOT 0.0 -20.0 0")

    (first, second), told = await played(act)
    assert first[-3:] == second[-3:] == ["SCORE 0", "TOTALSCORE 0 0", "GAMEOVER DRAW"]
    assert told[-1] == "match 1: a draw, 0:0 (draw)"


@pytest.mark.parametrize(
    ("who", "what", "words"),
    [
        (0, "BESTSHOT 1 2", "first alice: BESTSHOT needs 3 values"),
        (0, "READYOK", "ReadyOk received, BestShot or Concede"),
        (0, b"\xff\xfe\0", "first alice"),
        (0, "BESTSHOT nan -30 0", "first alice"),
        (0, b"A" * 10_000, "first alice sent a message of more than 4096 bytes"),
        (1, DRAW, "second bob sent a message while it was first alice's turn"),
    ],
)
async def test_a_fault_closes_both_connections(tmp_path, who, what, words):
    async def act(*clients):
        clients[who].send(what)

    (first, second), told = await played(act, records=tmp_path)
    assert (first, second) == (["GO 100000 100000"], [])
    assert told[-1].startswith("match 1: abandoned: ") and words in told[-1]
    result = read(next(tmp_path.iterdir())).result
    assert (result.reason, result.winner) == ("abandoned", None) and words in result.detail


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("HELLO", "HELLO"),
        ("READYOK", "ReadyOk received, Login"),
        ("LOGIN a b", "LOGIN needs 3 values"),
        (b"x" * 5_000, "more than 4096 bytes"),
        (None, "left"),
    ],
)
async def test_a_client_without_login_is_removed_alone(what, words):
    told = []
    context = context_of("dc2", report=told.append)
    async with hosting(context, Dc2Session, listen_dc2, end=b"\0") as host:
        stranger = await host.connect()
        assert await stranger.receive() == "CONNECTED"
        if what is None:
            await stranger.close()
        else:
            stranger.send(what)
            assert await stranger.receive() is None
        await start(host)
    assert told[0].startswith("client 127.0.0.1:") and words in told[0]
    assert told[1] == "match 1: first alice against second bob, 1 end"


@pytest.mark.parametrize(
    ("what", "words"), [(None, "second gone left"), (DRAW, "BestShot received, ReadyOk"), (b"\xff\0", "second gone")]
)
@pytest.mark.parametrize("early", [False, True])
async def test_before_the_match_a_client_at_fault_is_replaced(what, words, early):
    told = []
    context = context_of("dc2", report=told.append)
    async with hosting(context, Dc2Session, listen_dc2, end=b"\0") as host:
        clients = [await logged_in(host, "waiting"), await logged_in(host, "gone")]
        for client in clients:
            assert await client.receive() == "ISREADY"
        if early:
            clients[0].send("READYOK")
        if what is None:
            await clients[1].close()
        else:
            clients[1].send(what)
            assert await clients[1].receive() is None
        await until(lambda: told)
        late = await logged_in(host, "late")
        assert await late.receive() == "ISREADY"
        late.send("READYOK")
        if not early:
            clients[0].send("READYOK")
        assert [await client.receive() for client in (clients[0], late)] == ["NEWGAME waiting late"] * 2
    assert told[0].startswith("client 127.0.0.1:") and words in told[0]
    assert told[1] == "match 1: first waiting against second late, 1 end"


async def test_a_client_that_logs_in_while_the_other_leaves_waits_for_a_third():
    async with hosting(context_of("dc2"), Dc2Session, listen_dc2, end=b"\0") as host:
        leaver, late = await logged_in(host, "leaver"), await host.connect()
        assert await late.receive() == "CONNECTED"
        leaver.writer.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        late.send("LOGIN late pw late")  # the server hears of both at once
        assert await late.receive() == "LOGIN OK"
        other = await logged_in(host, "next")
        for client in (late, other):
            while await client.receive() != "ISREADY":
                pass
            client.send("READYOK")
        assert {await client.receive() for client in (late, other)} in ({"NEWGAME late next"}, {"NEWGAME next late"})


async def test_a_client_that_does_not_log_in_in_time_is_removed(monkeypatch):
    monkeypatch.setattr("bonspiel.curling.server.dc2.LOGIN_SECONDS", 0.2)

    told = []
    async with hosting(context_of("dc2", report=told.append), Dc2Session, listen_dc2, end=b"\0") as host:
        stranger = await host.connect()
        assert [await stranger.receive() for _ in range(2)] == ["CONNECTED", None]
    assert len(told) == 1 and told[0].endswith(": no LOGIN within 0.2 s")
