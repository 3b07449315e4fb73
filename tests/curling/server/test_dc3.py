"""The server against transcripts of the reference server, and what it does with clients that misbehave."""

import asyncio
import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.match.state import FIRST_STONE
from bonspiel.curling.protocols import dc3_codec
from bonspiel.curling.protocols.dc3 import IDENTICAL
from bonspiel.curling.protocols.dc3_codec import stone_array
from bonspiel.curling.records.match_data import Match
from bonspiel.curling.records.record import read
from bonspiel.curling.server.dc3 import Dc3Session, listen_dc3
from bonspiel.curling.server.dc3_messages import game_info
from bonspiel.curling.server.referee import ThinkingTimes
from bonspiel.curling.server.shot_executor import ShotExecutor
from tests.curling.recorded import records
from tests.curling.server.hosting import Clock, context_of, hosting, play_on, start, until

DRAW = {"cmd": "move", "move": {"type": "shot", "velocity": {"x": 0.1317, "y": 2.3997}, "rotation": "ccw"}}
CONCEDE = {"cmd": "move", "move": {"type": "concede"}}
NAMES = (
    "free_guard_zone_foul",
    "bad_rotation",
    "overspeed",
    "full_game",
    "with_trajectory_start",
    "timeout",
    "bad_json",
)


@pytest.mark.parametrize("noise", ["none", Noise(freedom=3.0)])
def test_players_without_errors_are_announced_as_identical(noise):
    match = Match(players=("a", "b"), physics="fcv1", rule="five_rock", noise=noise, ends=1, extra_ends=0)
    assert game_info(match, ThinkingTimes(1000, 1000)).players.team0 == (IDENTICAL,) * 4


def transcript(name):
    """The messages to team 0's client, and its own ones (None for silence), in order."""
    lines = list(records(f"transcripts/dc3/{name}_team0.jsonl"))
    heard = [line["msg"] for line in lines if line["dir"] == "server->client" and "msg" in line]
    said = [
        line.get("msg") or line["raw"].encode()
        for line in lines
        if line["dir"] == "client->server" and "eof" not in line
    ]
    return heard, said


class RecordedExecutor(ShotExecutor):
    """Plays each throw from the stones on record, so that small differences do not add up; keeps the differences."""

    def __init__(self, updates, *arguments):
        super().__init__(*arguments)
        self.boards = iter(
            [stone_array(dc3_codec.decode_server(json.dumps(update).encode()).state.stones) for update in updates]
        )

    async def execute(self, model, state, thrown):
        state[FIRST_STONE:] = np.nan_to_num(next(self.boards)).ravel()
        return await super().execute(model, state, thrown)


def context_for(heard, clock, paths):
    """A context as the transcript announces it; errors of execution and positions before throws are those on record."""
    game = heard[1]["game"]
    setting = game["setting"]
    player = game["players"]["team0"][0]
    noise = Noise(player["stddev_speed"], player["stddev_angle"]) if player["type"] == "normal_dist" else "none"
    updates = [message for message in heard if message["cmd"] == "update"]
    throws = iter(
        [
            move["velocity"].values()
            for update in updates[1:]
            if (move := update["last_move"]["actual_move"])["type"] == "shot"
        ]
    )
    times = ThinkingTimes(
        *(round(1000 * setting[name]["team0"]) for name in ("thinking_time", "extra_end_thinking_time"))
    )
    context = context_of(
        noise=noise,
        ends=setting["max_end"],
        extra_ends=100,
        clock=clock,
        times=times,
        make_errors=lambda model, seed: lambda vx, vy: tuple(next(throws)),
    )
    return replace(context, executor=RecordedExecutor(updates, context.model, "analytic", paths, 0))


def seconds_used(before, after, team):
    """What the mover was charged."""
    spent = [update["state"]["thinking_time_remaining"][team] for update in (before, after)]
    return spent[0] - spent[1]


async def replay_transcript(name):
    """Play the transcript's match; what team 0's client heard, and what it should have."""
    heard, said = transcript(name)
    clock, got, paths = Clock(), [], name.startswith("with_trajectory")
    context = context_for(heard, clock, paths)
    async with hosting(context, partial(Dc3Session, steps=200 if paths else None), listen_dc3) as host:
        clients = [await host.connect(door) for door in (0, 1)]
        assert await clients[1].receive()
        clients[1].send({"cmd": "dc_ok", "name": heard[2]["name"]["team1"]})
        clients[1].send({"cmd": "ready_ok", "player_order": [0, 1, 2, 3]})
        assert (await clients[1].receive())["cmd"] == "is_ready"
        for number, expected in enumerate(heard):
            got.append(await clients[0].receive())
            if number >= 2:  # from new_game on both hear the same
                assert await clients[1].receive() == got[-1]
            if expected["cmd"] in ("dc", "is_ready"):
                clients[0].send(said.pop(0))
            elif expected["cmd"] == "update" and expected["next_team"]:
                nxt = heard[number + 1] if number + 1 < len(heard) else expected
                mover = expected["next_team"]
                answer = said.pop(0) if mover == "team0" else {"cmd": "move", "move": nxt["last_move"]["actual_move"]}
                if nxt["cmd"] == "update" and (nxt["state"]["game_result"] or {}).get("reason") != "time_limit":
                    clock.now += seconds_used(expected, nxt, mover) + 0.0005
                    clients[mover == "team1"].send(answer)
                elif name == "bad_json":
                    clients[0].send(answer)
        if name == "bad_json":
            assert [await client.receive() for client in clients] == [None, None]
    return got, heard


def alike(got, expected, where="", apart=None):
    """The differences between two messages; distances between stones go to `apart`, turning is not compared."""
    if isinstance(expected, dict) and set(expected) == {"angle", "position"} and got:
        assert all(number == float(np.float32(number)) for number in got["position"].values())
        x, y = (got["position"][axis] - expected["position"][axis] for axis in "xy")
        apart.append(float(np.hypot(x, y)))
        return [] if set(got) == set(expected) else [where]
    if isinstance(expected, dict) and isinstance(got, dict):
        if list(got) != sorted(expected):
            return [f"{where}: {list(got)}, not {sorted(expected)}"]
        pairs = [(f"{where}.{key}", got[key], expected[key]) for key in expected]
    elif isinstance(expected, list) and isinstance(got, list) and len(got) == len(expected):
        pairs = [(f"{where}[{i}]", *pair) for i, pair in enumerate(zip(got, expected, strict=True))]
    else:
        return [] if got == expected else [f"{where}: {got}, not {expected}"]
    return [difference for place, mine, theirs in pairs for difference in alike(mine, theirs, place, apart)]


def trajectories(messages):
    return [
        last.pop("trajectory")
        for message in messages
        if (last := message.get("last_move") or {}) and "trajectory" in last
    ]


@pytest.mark.parametrize("name", NAMES)
async def test_every_message_of_the_transcripts(name):
    apart = []
    for mine, theirs in zip(*await replay_transcript(name), strict=True):
        if theirs["cmd"] == "dc":
            assert set(mine) == set(theirs) and mine["version"] == theirs["version"]
            assert len(mine["game_id"]) == len(theirs["game_id"]) and len(mine["date_time"]) == len(theirs["date_time"])
            continue
        assert len(trajectories([mine])) == len(trajectories([theirs]))
        assert alike(mine, theirs, theirs["cmd"], apart) == []
    assert max(apart, default=0.0) < 0.05 and np.quantile(apart or [0.0], 0.9) < 0.01


async def test_trajectories():
    got, expected = await replay_transcript("with_trajectory_start")
    pairs = list(zip(trajectories(got), trajectories(expected), strict=True))
    assert len(pairs) == 5
    for mine, theirs in pairs:
        apart = []
        assert list(mine) == sorted(theirs) and mine["seconds_per_frame"] == theirs["seconds_per_frame"]
        assert alike(mine["start"], theirs["start"], "start", apart) == []
        assert max(apart) == 0.0
        assert alike(mine["finish"], theirs["finish"], "finish", apart) == []
        assert len(mine["frames"]) == len(theirs["frames"])
        # a stone that has almost stopped may be seen to move in one frame more
        frames = [(m, t) for m, t in zip(mine["frames"], theirs["frames"], strict=True) if len(m) == len(t)]
        assert len(frames) >= len(theirs["frames"]) - 2
        for number, (ours, recorded) in enumerate(frames):
            assert alike(ours, recorded, f"frame {number}", apart) == []
        assert max(apart) < 0.01


async def test_the_trajectory_of_a_move_without_a_stone_is_the_stones_as_they_lie():
    async with hosting(context_of(paths=True), partial(Dc3Session, steps=100), listen_dc3) as host:
        clients = await start(host)
        clients[0].send(DRAW)
        for _ in range(2):
            shown = await clients[0].receive()
        clients[1].send(CONCEDE)
        conceded = await clients[0].receive()
    assert shown["last_move"]["trajectory"]["finish"] == shown["state"]["stones"]
    rest = conceded["last_move"]["trajectory"]
    assert rest["start"] == rest["finish"] == conceded["state"]["stones"] == shown["state"]["stones"]
    assert rest["frames"] == [] and conceded["last_move"]["actual_move"] == {"type": "concede"}


OK = {"cmd": "dc_ok", "name": "early"}
READY = {"cmd": "ready_ok", "player_order": [0, 1, 2, 3]}
LONG = b"[" * 70_000
FAULTS = [  # (messages that team 0's client has sent and waited for, what it or its opponent does, words)
    ("update", 0, b"\n", "team0 client0"),
    ("update", 0, READY, "ReadyOk received, Move"),
    ("update", 0, b'{"cmd":"move","move":{"type":"shot","velocity":{"x":1e999,"y":2},"rotation":"cw"}}\n', "client0"),
    ("update", 0, {"cmd": "move", "move": {"type": "sweep"}}, "client0"),
    ("update", 1, DRAW, "team1 client1 sent a message while it was team0 client0's turn"),
    ("update", 1, None, "team1 client1 left"),
    ("update", 0, None, "team0 client0 left"),
    ("second", 0, DRAW, "while it was team1 client1's turn"),
    ("second", 1, LONG, "more than 65536 bytes"),
    ("second", 1, None, "team1 client1 left"),
]


@pytest.mark.parametrize(("when", "who", "what", "words"), FAULTS)
async def test_a_fault_ends_its_own_match_alone(tmp_path, when, who, what, words):
    async def reach(host):
        """Two clients whose match is as far as the test wants."""
        clients = [await host.connect(door) for door in (0, 1)]
        assert [(await client.receive())["cmd"] for client in clients] == ["dc", "dc"]
        for number, client in enumerate(clients):
            client.send({"cmd": "dc_ok", "name": f"client{number}"})
            assert (await client.receive())["cmd"] == "is_ready"
            client.send(READY)
        for client in clients:
            assert [(await client.receive())["cmd"] for _ in range(2)] == ["new_game", "update"]
        if when == "second":
            clients[0].send(DRAW)
            assert [(await client.receive())["cmd"] for client in clients] == ["update"] * 2
        return clients

    said = []
    context = context_of(report=said.append, records=tmp_path, noise="normal_dist", extra_ends=9)
    async with hosting(context, partial(Dc3Session, steps=None), listen_dc3) as host:
        others = await start(host)
        clients = await reach(host)
        if what is None:
            await clients[who].close()
        else:
            clients[who].send(what)
        left = [client for client in clients if what is not None or client is not clients[who]]
        assert [await client.receive() for client in left] == [None] * len(left)
        assert (await play_on(others, DRAW))[-1]["state"]["game_result"]["reason"] == "score"
    told = [line for line in said if "abandoned" in line]
    assert len(told) == 1 and "\n" not in told[0] and words in told[0] and len(told[0]) < 300
    assert told[0].startswith("match 2: ") and len(said) == 4  # also who plays, and how the other match went
    kept = [read(path).result for path in sorted(tmp_path.iterdir())]
    assert [result.reason for result in kept] == ["score", "abandoned"]
    assert words in kept[1].detail and kept[1].winner is None


async def replaced(act):
    """A match whose team 0 is the next client after one that `act` spoils; what the console said of that one."""
    said = []
    async with hosting(context_of(report=said.append), partial(Dc3Session, steps=None), listen_dc3) as host:
        waiting = await host.connect(1)
        game = await waiting.receive()
        waiting.send({"cmd": "dc_ok", "name": "waiting"})
        waiting.send(READY)
        assert (await waiting.receive())["cmd"] == "is_ready"
        await act(host)
        await until(lambda: said)
        late = await host.connect(0)
        assert await late.receive() == game
        late.send({"cmd": "dc_ok", "name": "late"})
        late.send(READY)
        assert (await waiting.receive())["name"] == {"team0": "late", "team1": "waiting"}
    assert len(said[0]) < 300 and said[1] == "match 1: team0 late against team1 waiting, 1 end"
    return said[0]


@pytest.mark.parametrize(
    ("said", "what", "words"),
    [
        ([], b"this is not json\n", "team0"),
        ([], b"\xff\x00\xfe\n", "team0"),
        ([], READY, "ReadyOk received, DcOk"),
        ([], LONG, "more than 65536 bytes"),
        ([], b"1" * 66_000 + b"\n", "more than 65536 bytes"),
        ([], None, "team0 left"),
        ([OK], {"cmd": "ready_ok", "player_order": [0, 1, 2, 2]}, "player_order"),
        ([OK], DRAW, "Move received, ReadyOk"),
        ([OK], None, "team0 early left"),
    ],
)
async def test_before_the_match_only_the_client_at_fault_is_removed(said, what, words):
    async def act(host):
        client = await host.connect(0)
        assert (await client.receive())["cmd"] == "dc"
        for message in said:
            client.send(message)
            assert (await client.receive())["cmd"] == "is_ready"
        if what is None:
            await client.close()
        else:
            client.send(what)
            assert await client.receive() is None

    told = await replaced(act)
    assert told.startswith("client 127.0.0.1:") and words in told


async def test_a_client_must_answer_the_greeting_in_time(monkeypatch):
    async def act(host):
        monkeypatch.setattr("bonspiel.curling.server.dc3.GREETING_SECONDS", 0.1)  # for this client alone
        client = await host.connect(0)
        assert [(await client.receive() or {}).get("cmd") for _ in range(2)] == ["dc", None]
        monkeypatch.undo()

    assert (await replaced(act)).endswith(": team0: no dc_ok within 0.1 s")


async def test_there_is_no_limit_on_becoming_ready(monkeypatch):
    monkeypatch.setattr("bonspiel.curling.server.dc3.GREETING_SECONDS", 2.0)

    async with hosting(context_of(), partial(Dc3Session, steps=None), listen_dc3) as host:
        clients = [await host.connect(door) for door in (0, 1)]
        for client in clients:
            assert (await client.receive())["cmd"] == "dc"
            client.send({"cmd": "dc_ok", "name": "slow"})
            assert (await client.receive())["cmd"] == "is_ready"
        await asyncio.sleep(2.5)
        for client in clients:
            client.send(READY)
        assert (await clients[0].receive())["cmd"] == "new_game"


async def test_after_the_match_the_server_waits_for_a_limited_time(monkeypatch):
    monkeypatch.setattr("bonspiel.curling.server.session.LEAVING_SECONDS", 0.5)

    said = []
    async with hosting(context_of(report=said.append), partial(Dc3Session, steps=None), listen_dc3) as host:
        clients = await start(host)
        await play_on(clients, CONCEDE)
        clients[0].send(b"good game\n" * 10_000)
        await clients[1].close()
        before = asyncio.get_running_loop().time()
        assert await clients[0].receive() is None
        assert asyncio.get_running_loop().time() - before > 0.4
    assert said[1:] == ["match 1: team1 client1 wins, 0:0 (concede)"]


@pytest.mark.parametrize(
    ("what", "kept"), [(None, None), (b"not json\n", "protocol"), (b"1" * 66_000 + b"\n", "limit")]
)
async def test_the_lobby_keeps_what_a_client_did_wrong_before_its_match(what, kept):
    said = []
    async with hosting(context_of(report=said.append), partial(Dc3Session, steps=None), listen_dc3) as host:
        client = await host.connect(1)
        await client.receive()
        if what is None:
            await client.close()
        else:
            client.send(what)
        await until(lambda: said)
        assert {side: fault.kind for side, (_, fault) in host.lobby.faults.items()} == (
            {} if kept is None else {1: kept}
        )
