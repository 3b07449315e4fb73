"""Who plays whom, and that nobody can make the others wait or the server grow."""

import asyncio
import socket
from functools import partial

import pytest

from bonspiel.curling.records.match_data import End, Match, RecordedShot, Result
from bonspiel.curling.records.record import line_of, parse_line, read
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.server import client_connection
from bonspiel.curling.server.dc3 import Dc3Session, listen_dc3
from bonspiel.curling.server.record_feed import RecordFeed
from bonspiel.curling.server.referee import error_sampler
from tests.curling.server.hosting import Client, context_of, hosting, play_on, start, until

DRAW = {"cmd": "move", "move": {"type": "shot", "velocity": {"x": 0.1317, "y": 2.3997}, "rotation": "ccw"}}
CONCEDE = {"cmd": "move", "move": {"type": "concede"}}

serving = partial(hosting, make=partial(Dc3Session, steps=None), open_listeners=listen_dc3)


async def test_clients_are_paired_in_the_order_they_come():
    async with serving(context_of()) as host:
        clients = [[await host.connect(door) for _ in range(3)] for door in (0, 1)]
        games = [[(await client.receive())["game_id"] for client in team] for team in clients]
        assert games[0] == games[1] and len(set(games[0])) == 3
        for team, group in enumerate(clients):
            for number, client in enumerate(group):
                client.send({"cmd": "dc_ok", "name": f"{team}{number}"})
                assert (await client.receive())["team"] == f"team{team}"
                client.send({"cmd": "ready_ok", "player_order": [3, 2, 1, 0]})
        for group in clients:
            names = [(await client.receive())["name"] for client in group]
            assert names == [{"team0": f"0{number}", "team1": f"1{number}"} for number in range(3)]


async def test_a_waiting_client_that_leaves_is_forgotten():
    said = []
    async with serving(context_of(report=said.append)) as host:
        lonely = await host.connect(1)
        await lonely.greet("lonely")
        await lonely.close()
        await until(lambda: said)
        await start(host)
    assert "team1 lonely left" in said[0] and said[0].startswith("waiting client 127.0.0.1:")
    assert said[1] == "match 1: team0 client0 against team1 client1, 1 end"


@pytest.mark.parametrize("named", [False, True])
async def test_a_client_that_arrives_while_the_other_leaves_waits_for_a_third(named):
    async with serving(context_of()) as host:
        leaver = await host.connect(0)
        if named:
            await leaver.greet("leaver")
        leaver.writer.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        # the server hears of both at once
        late = socket.create_connection(("127.0.0.1", host.ports[1]))
        host.clients.append(Client(*await asyncio.open_connection(sock=late), b"\n"))
        assert await host.clients[-1].greet("late") == "team1"
        await (await host.connect(0)).greet("next")
        assert await host.clients[1].receive() == {"cmd": "new_game", "name": {"team0": "next", "team1": "late"}}


async def test_a_single_client_is_reported():
    said = []
    async with serving(context_of(arrivals=True, report=said.append)) as host:
        for door in (1, 0):
            await (await host.connect(door)).receive()
        address = "{}:{}".format(*host.clients[0].writer.get_extra_info("sockname")[:2])
    assert [f"{address} waits as team1"] == [line for line in said if "waits" in line]


@pytest.mark.parametrize("checked", [(0,), (1,), (0, 1), (1, 1, 0)])
async def test_a_port_scan_begins_no_match(tmp_path, checked):
    said = []
    async with serving(context_of(records=tmp_path, report=said.append), most=1) as host:
        waiting = await host.connect(0)
        assert (await waiting.receive())["cmd"] == "dc"
        for door in checked:
            await (await host.connect(door)).close()
        await until(lambda: len(said) == len(checked))
        opponent = await host.connect(1)
        waiting.send({"cmd": "dc_ok", "name": "waiting"})
        waiting.send({"cmd": "ready_ok", "player_order": [0, 1, 2, 3]})
        assert await opponent.greet("opponent") == "team1"
        assert (await waiting.receive())["cmd"] == "is_ready"
        for client in (waiting, opponent):
            assert (await client.receive())["cmd"] == "new_game"
        await play_on((waiting, opponent), CONCEDE)
        for client in (waiting, opponent):
            await client.close()
        await until(host.lobby.done.is_set)
    assert all(" left" in line for line in said[:-2])
    assert said[-2] == "match 1: team0 waiting against team1 opponent, 1 end"
    assert [path.name for path in tmp_path.iterdir()] == ["test-0001.jsonl"]


async def test_the_lobby_is_done_after_the_requested_matches(tmp_path):
    async with serving(context_of(records=tmp_path, extra_ends=2), most=2) as host:
        first, second = await start(host), await start(host)
        stranger = await host.connect(0)
        assert await stranger.receive() is None
        await first[0].close()
        assert (await first[1].receive())["cmd"] == "update"
        assert await first[1].receive() is None
        assert not host.lobby.done.is_set()
        await play_on(second, DRAW)
        for client in second:
            await client.close()
        await until(host.lobby.done.is_set)
    assert sorted(read(path).result.reason for path in tmp_path.iterdir()) == ["abandoned", "score"]


async def test_the_record_and_the_viewers_get_every_item(tmp_path):
    feed = RecordFeed()
    async with serving(context_of(records=tmp_path, noise="normal_dist", extra_ends=9, feed=feed)) as host:
        updates = await play_on(await start(host), DRAW)
    record = read(tmp_path / "test-0001.jsonl")
    assert replay(record).shape[0] == len(updates)
    assert record.match.players == ("client0", "client1")
    errors = error_sampler(record.match.model(), (1, record.match.pair))
    assert [shot.thrown[:2] for shot in record.shots] == [errors(*shot.aim[:2]) for shot in record.shots]
    assert [shot.simulations for shot in record.shots] == [None] * len(record.shots)
    ((name, items),) = feed.matches()
    assert name == "test-0001"
    kinds = [Match, *([RecordedShot] * 16 + [End]) * len(record.ends), Result]
    assert [type(item) for item in items] == kinds
    written = (tmp_path / "test-0001.jsonl").read_text().splitlines()
    assert [line_of(item) for item in items] == written
    assert [repr(parse_line(line)) for line in written] == [repr(item) for item in items]  # the numbers' types too


async def test_the_same_seed_gives_the_same_errors_whatever_else_is_played():
    async def moves(others):
        async with serving(context_of(noise="normal_dist", extra_ends=9)) as host:
            clients = await start(host)
            tables = [await start(host) for _ in range(others)]
            played = await asyncio.gather(*(play_on(table, DRAW) for table in tables))
            return [[update["last_move"] for update in updates] for updates in (await play_on(clients, DRAW), *played)]

    (alone,), (among, *rest) = [await moves(others) for others in (0, 2)]
    assert alone == among
    assert all(moves[1] != alone[1] for moves in rest) and rest[0][1] != rest[1][1]


@pytest.mark.parametrize(("unsent", "seconds"), [(100_000, 1000.0), (1 << 30, 0.3)])
async def test_a_client_that_does_not_read_costs_its_own_match_alone(monkeypatch, unsent, seconds):
    monkeypatch.setattr(client_connection, "MOST_UNSENT", unsent)
    monkeypatch.setattr(client_connection, "DRAIN_SECONDS", seconds)

    said = []
    context = context_of(paths=True, ends=9, report=said.append)
    async with hosting(context, partial(Dc3Session, steps=5), listen_dc3) as host:
        clients = await start(host)
        silent = clients[1].writer.transport
        silent.pause_reading()
        silent.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        heard = await clients[0].receive()
        while heard is not None:
            clients[heard["next_team"] == "team1"].send(DRAW)
            heard = await clients[0].receive()
        others = await start(host)
        for client in others:
            assert (await client.receive())["cmd"] == "update"
        others[0].send(CONCEDE)
        assert (await others[1].receive())["state"]["game_result"] == {"reason": "concede", "winner": "team1"}
        await until(lambda: any("abandoned" in line for line in said))
        silent.resume_reading()
    assert "team1 client1 does not read" in next(line for line in said if "abandoned" in line)


async def test_a_server_that_stops_finishes_every_record(tmp_path):
    async with serving(context_of(records=tmp_path)) as host:
        matches = [await start(host) for _ in range(3)]
        await host.lobby.close()
        for client in (client for pair in matches for client in pair):
            assert (await client.receive())["cmd"] == "update"
            assert await client.receive() is None
    results = [read(path).result for path in tmp_path.iterdir()]
    assert [(result.reason, result.detail) for result in results] == [("abandoned", "the server was stopped")] * 3


async def test_a_record_that_cannot_be_written_costs_no_match(tmp_path):
    said = []
    async with serving(context_of(records=tmp_path / "missing", report=said.append)) as host:
        assert (await play_on(await start(host), CONCEDE))[-1]["state"]["game_result"]["reason"] == "concede"
    (line,) = (line for line in said if "the record ends here" in line)
    assert line.startswith("match 1: ") and f"({tmp_path}/missing/test-0001.jsonl)" in line
    assert said[-1].endswith(" (concede)")  # and no file is named


async def test_a_defect_costs_one_match(monkeypatch):
    said = []
    async with serving(context_of(report=said.append)) as host:
        clients, others = await start(host), await start(host)
        monkeypatch.setattr("bonspiel.curling.server.dc3.shot_move", lambda thrown: 1 / 0)
        clients[0].send(DRAW)
        for client in clients:
            assert (await client.receive())["cmd"] == "update"
            assert await client.receive() is None
        monkeypatch.undo()
        assert await play_on(others, CONCEDE)
    assert "match 1: abandoned: the server failed: ZeroDivisionError: division by zero" in said


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "x" * 5_000, "ハンマー"])
async def test_names_do_not_spoil_the_console(name):
    said = []
    async with serving(context_of(report=said.append)) as host:
        clients = [await host.connect(door) for door in (0, 1)]
        for client in clients:
            await client.greet(name)
        told = (await clients[0].receive())["name"]
        assert told == {"team0": name, "team1": name}
    assert all(line.isprintable() and len(line) < 200 for line in said)
