"""`bonspiel server dc4` as people start it."""

import http.client
import json
import re
import signal
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("dc4client", reason="dc4client is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.benchmarks import serving_dc4
from bonspiel.curling.match.mixed_doubles import first_state, setup_of
from bonspiel.curling.records.record import read
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.server.dc4 import app as dc4
from bonspiel.curling.verbs import server_dc4
from bonspiel.curling.verbs.server_dc4 import users_of
from bonspiel.curling.verbs.server_pages import Pages
from tests.curling.server.hosting import context_of

PATIENCE = 120.0  # s


def port_of(server):
    for line in server.stdout:
        if found := re.match(r"listening on 127\.0\.0\.1:(\d+): ", line):
            return int(found[1])
    raise AssertionError(server.communicate())


def test_two_clients_play_a_match_on_the_server_which_then_ends(start, tmp_path, monkeypatch):
    options = (
        "--port 0 --matches 1 --seed 1 --records kept --engine box2d --watch 0 --physics fcv1 --users names".split()
    )
    (tmp_path / "names").write_text("one:first\nother:second:\n")
    server = start("server", "dc4", *options)
    assert server.stdout.readline().startswith("watch the matches at http://127.0.0.1:")
    port = port_of(server)
    clients = []
    roles = ["--create", "--ends", "1"], ["--team", "team1", "--match"]
    for user, password, role in zip(("one", "other"), ("first", "second:"), roles, strict=True):
        monkeypatch.setenv("DC4_USER", user)
        monkeypatch.setenv("DC4_PASSWORD", password)
        if clients:
            created = clients[0].stdout.readline()
            role.append(created.removeprefix("created; the other team joins with --match ").strip())
        line = ["client", "dc4", "--port", port, *role, "--planner", "random", "--max-seconds", "0.05", "--name", user]
        clients.append(start(*line, "--log", tmp_path / f"{user}.jsonl"))
    told = [client.communicate(timeout=PATIENCE) for client in clients]
    assert [client.returncode for client in clients] == [0, 0], told
    out, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, err) == (0, "")
    (file,) = (tmp_path / "kept").iterdir()
    record = read(file)
    replay(record)
    match = record.match
    assert (match.players, match.engine, match.physics, match.seed) == (("one", "other"), "box2d", "fcv1", 1)
    lines = out.splitlines()
    assert re.fullmatch(r"match [0-9a-f-]{36}: created by one, 1 end, 219 s a team, fgz_rule", lines[0])
    assert re.fullmatch(r"match 1: team0 one against team1 other, 1 end, [0-9a-f-]{36}", lines[3])
    score = ":".join(map(str, record.result.score))
    winner = ("team0 one", "team1 other")[record.result.winner]
    assert lines[4:] == [f"match 1: {winner} wins, {score} (score), record kept/{file.name}"]


def test_two_clients_play_mixed_doubles_and_say_how_they_set_up_each_end(start, tmp_path, monkeypatch):
    players = ["--mixed-players", "example"]
    server = start("server", "dc4", "--port", "0", "--matches", "1", "--seed", "1", "--records", "kept", *players)
    role, clients = ["--create", "--ends", "2", "--pattern", "2"], []
    port = port_of(server)
    for number in (0, 1):
        monkeypatch.setenv("DC4_USER", f"user{number}")
        monkeypatch.setenv("DC4_PASSWORD", f"pass{number}")
        game = ["--game", "mixed_doubles", *players, "--planner", "presearch", "--max-seconds", "0.05"]
        clients.append(start("client", "dc4", "--port", port, *role, *game, "--log", tmp_path / f"{number}.jsonl"))
        if number == 0:
            created = clients[0].stdout.readline()
            role = ["--match", created.removeprefix("created; the other team joins with --match ").strip()]
    told = [client.communicate(timeout=3 * PATIENCE) for client in clients]
    assert [client.returncode for client in clients] == [0, 0], told
    assert server.wait(PATIENCE) == 0
    (file,) = (tmp_path / "kept").iterdir()
    record = read(file)
    replay(record)
    assert (record.match.game, record.match.pattern, record.match.physics) == ("mixed_doubles", 2, "dc4")
    assert record.result.reason == "score" and len(record.shots) == 10 * len(record.setups)
    assert record.match.noise.speed == pytest.approx((2 * 0.08 + 3 * 0.025) / 5)  # the mean of a team's throws
    assert [thrower.max_speed for pair in record.match.throwers for thrower in pair] == [4.0, 3.0, 4.0, 3.0]
    # the first end is set up as the model says, and each set-up is told by its team
    best = setup_of(replace(record.match, extra_ends=10).model().begin_end(first_state()))
    assert (record.setups[0].team, record.setups[0].choice) == best
    for team, (out, _) in enumerate(told):
        found = re.findall(r"^(?:end|extra end) \d+, set-up: (\w+), expects to win \d+\.\d%$", out, re.MULTILINE)
        assert found == [setup.choice for setup in record.setups if setup.team == team]
        shots = re.findall(r"^(?:end|extra end) \d+, shot (\d+): \(", out, re.MULTILINE)
        assert len(shots) == len(record.shots) // 2 and set(map(int, shots)) <= set(range(1, 11))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_the_server_at_once_although_streams_are_open(start, tmp_path, number, status):
    server = start("server", "dc4", "--port", "0")
    port = port_of(server)
    match_id = serving_dc4.new_match(port, 1)
    connections, streams = [], []
    for team, place in enumerate(("stream", "stream", "viewer")):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connections.append(connection)
        name, _, text = serving_dc4.authorization(team).partition(": ")
        connection.request("GET", f"/matches/{match_id}/{place}", headers={name: text})
        streams.append(connection.getresponse())
    for stream in streams:
        assert stream.readline() == b"event: latest_state_update\n"
        assert json.loads(stream.readline()[6:])["first_team_name"] == "load"
    server.send_signal(number)
    out, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, err) == (status, "")
    assert out.splitlines()[-1] == "match 1: abandoned: the server was stopped"
    for open_one in (*connections, *streams):
        open_one.close()
    (file,) = (tmp_path / "results/server").iterdir()
    assert read(file).result.reason == "abandoned"


def test_the_default_passwords_are_for_this_machine_alone(start, tmp_path):
    (tmp_path / "names").write_text("someone:secret")
    names = "--server-name", "One.example", "--server-name", "two.example"
    server = start("server", "dc4", "--port", "0", "--bind", "0.0.0.0", "--users", "names", *names)
    line = server.stdout.readline()
    port = int(re.match(r"listening on 0\.0\.0\.0:(\d+): ", line)[1])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    name, _, text = serving_dc4.authorization(0).partition(": ")
    connection.request("POST", "/shots?match_id=x", headers={name: text})
    with closing(connection), connection.getresponse() as answer:
        assert (answer.status, json.load(answer)) == (401, {"detail": "Invalid credentials"})
    for name, status in (("one.example", 404), ("two.example:5000", 404), ("three.example", 403)):
        connection.request("GET", "/", headers={"Host": name})
        with closing(connection), connection.getresponse() as answer:
            assert answer.status == status


def test_only_a_line_feed_ends_a_line_of_the_users(tmp_path):
    (tmp_path / "names").write_text("ann:a\u2028b\x85c\nbob:d\n", encoding="utf-8")
    assert users_of(tmp_path / "names", "127.0.0.1") == {"ann": "a\u2028b\x85c", "bob": "d"}


async def test_mixed_doubles_is_loaded_before_the_port_opens(monkeypatch):
    done = []

    def outcome(model, *arguments, throw=server_dc4.outcome):
        done.append(model.game)
        return throw(model, *arguments)

    async def serve_dc4(*_):
        done.append("port")

    monkeypatch.setattr(server_dc4, "outcome", outcome)
    monkeypatch.setattr(dc4, "serve_dc4", serve_dc4)
    options = SimpleNamespace(
        users=None, host="127.0.0.1", port=0, late_shots=False, matches=None, mixed_players="default", server_name=[]
    )
    await server_dc4.prepared(options)(context_of(), Pages())
    assert done == ["mixed_doubles", "port"]
