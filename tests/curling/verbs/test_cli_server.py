"""`bonspiel server` as people start it."""

import json
import os
import re
import signal
import socket
import sys
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.ice.physics import FCV1
from bonspiel.curling.records.record import read
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.verbs import server_run
from bonspiel.curling.verbs.server_options import NOISES, Options

PATIENCE = 120.0  # s


def listening(process):
    """The ports of a server that has just been started."""
    for line in process.stdout:
        if found := re.match(r"listening on (.*?): ", line):
            return [int(place.rpartition(":")[2]) for place in found[1].split(" and ")]
    raise AssertionError(process.communicate())


class Team:
    """A client of Digital Curling 3 that throws the same stone again and again."""

    def __init__(self, port, stack):
        self.socket = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
        self.lines = stack.enter_context(self.socket.makefile("rb"))

    def hear(self):
        line = self.lines.readline()
        return json.loads(line) if line else None

    def say(self, **message):
        self.socket.sendall(json.dumps(message).encode() + b"\n")


def greeted(ports, stack):
    teams = [Team(port, stack) for port in ports]
    for number, team in enumerate(teams):
        assert team.hear()["cmd"] == "dc"
        team.say(cmd="dc_ok", name=f"team {number}")
        assert team.hear()["game"]["players"]["team0"][0] == {
            "type": "normal_dist",
            "max_speed": 4.0,
            "seed": None,
            "stddev_speed": 0.0076,
            "stddev_angle": 0.001,
        }
        team.say(cmd="ready_ok", player_order=[0, 1, 2, 3])
    for team in teams:
        assert team.hear()["cmd"] == "new_game"
    return teams


def play(teams, shots):
    """So many shots, then a concession; the last update."""
    update = None
    while (heard := [team.hear() for team in teams])[0]["cmd"] == "update":
        update = heard[0]
        if update["next_team"]:
            shot = {"type": "shot", "velocity": {"x": 0.1317, "y": 2.3997}, "rotation": "ccw"}
            teams[update["next_team"] == "team1"].say(
                cmd="move", move=shot if update["state"]["shot"] < shots else {"type": "concede"}
            )
    return update


def test_a_match_is_served_and_recorded_and_then_the_server_ends(start, tmp_path):
    line = "server dc3 --port 0 --ends 1 --matches 1 --angle-sd 0.001 --records kept"
    server = start(*f"{line} --engine box2d --trajectory --watch 0 --seed 1".split())
    assert server.stdout.readline().startswith("watch the matches at http://127.0.0.1:")
    with ExitStack() as stack:
        last = play(greeted(listening(server), stack), 3)
    out, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, err) == (0, "")
    assert last["last_move"]["trajectory"]["seconds_per_frame"] == pytest.approx(0.1)
    file = next((tmp_path / "kept").iterdir())
    record = read(file)
    assert record.match.engine == "box2d" and record.match.players == ("team 0", "team 1")
    assert len(record.shots) == 3
    replay(record)
    assert last["state"]["game_result"] == {"reason": "concede", "winner": "team0"}
    waiting, *match = out.splitlines()
    assert re.fullmatch(r"127\.0\.0\.1:\d+ waits as team0", waiting)
    assert match == [
        "match 1: team0 team 0 against team1 team 1, 1 end",
        f"match 1: team0 team 0 wins, 0:0 (concede), record kept/{file.name}",
    ]


WINDOWS = """
import asyncio
def add_signal_handler(*_):
    raise NotImplementedError
asyncio.SelectorEventLoop.add_signal_handler = add_signal_handler
asyncio.SelectorEventLoop.remove_signal_handler = add_signal_handler
from bonspiel.runs.cli import main"""  # a loop such as theirs


@pytest.mark.parametrize(
    ("number", "status", "loop"),
    [(signal.SIGINT, 130, {}), (signal.SIGTERM, 0, {}), (signal.SIGINT, 130, {"program": WINDOWS})],
)
def test_a_signal_ends_the_server_and_every_record(start, tmp_path, number, status, loop):
    server = start("server", "dc3", "--port", "0", "--angle-sd", "0.001", **loop)
    with ExitStack() as stack:
        teams = greeted(listening(server), stack)
        assert teams[1].hear()["cmd"] == "update"
        server.send_signal(number)
        assert teams[1].hear() is None
        out, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, err) == (status, "")
    assert out.splitlines()[-1] == "match 1: abandoned: the server was stopped"
    assert read(next((tmp_path / "results/server").iterdir())).result.reason == "abandoned"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
def test_ctrl_c_while_workers_start_is_no_failure(start):
    server = start("server", "dc3", "--port", "0", "--engine", "box2d")
    while sum("spawn_main" in command_of(child) for child in children_of(server.pid)) < min(os.cpu_count(), 4):
        assert server.poll() is None
        time.sleep(0.005)
    time.sleep(0.1)  # so that the last one is started, but nothing is imported yet
    os.killpg(server.pid, signal.SIGINT)  # as a terminal does
    try:
        out, err = server.communicate(timeout=PATIENCE)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
    assert (server.returncode, out, err) == (130, "", "")


def children_of(process):
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def command_of(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:  # it has ended
        return ""


@pytest.mark.parametrize("protocol", ["dc3", "dc2", "dc4"])
@pytest.mark.parametrize("option", ["--port", "--watch"])
def test_a_port_that_is_taken_is_named(run, protocol, option):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        status, out, err = run("server", protocol, "--port", 0, option, port)
    assert status == 1 and out == ""
    assert err.count("\n") == 1 and str(port) in err and "in use" in err


WITHOUT_WEB = """
import sys
sys.modules["starlette"] = None
from bonspiel.runs.cli import main"""


@pytest.mark.parametrize(
    ("protocol", "option", "needed"),
    [
        ("dc3", ["--watch", "0"], "--watch needs Starlette and uvicorn: pip install -e '.[web]'"),
        ("dc4", [], "Digital Curling 4 needs Starlette and uvicorn: pip install -e '.[dc4]'"),
    ],
)
def test_a_missing_extra_is_named_with_its_command(start, protocol, option, needed):
    server = start("server", protocol, "--port", "0", *option, program=WITHOUT_WEB)
    _, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, err) == (2, f"bonspiel server {protocol}: {needed}\n")


def test_nothing_is_told_to_be_watched_before_all_ports_are_open(run):
    with socket.create_server(("127.0.0.1", 0)) as other:
        status, out, _ = run("server", "dc2", "--port", other.getsockname()[1], "--watch", 0)
    assert (status, out) == (1, "")


@pytest.mark.parametrize("address", ["192.0.2.1", "no such host"])
def test_an_address_that_is_not_ours_is_named(run, address):
    status, _, err = run("server", "dc3", "--bind", address)
    assert status == 1 and err.count("\n") == 1 and f"cannot listen on {address}:10000: " in err


def test_servers_of_fcv1_offer_all_its_errors():
    assert NOISES == FCV1.noises


def test_errors_of_people_keep_their_tails_with_other_deviations(tmp_path):
    options = Options(
        *("dc3", 0, "human", "127.0.0.1", "analytic", 1, None, tmp_path, None, None, None, "fcv1"), speed_sd=0.03
    )
    with closing((context := server_run._context(options)).executor):
        assert context.match.noise == Noise(0.03, 0.0045, freedom=3.0)
    assert "noise 0.03 m/s 0.0045 rad, Student's t with 3 degrees of freedom, engine" in context.summary


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "PROTOCOL"),
        ("dc5", "dc5"),
        ("dc3 --port 65535", "--port=65535"),
        ("dc3 --port -1", "--port=-1"),
        ("dc3 --ends 0", "--ends=0"),
        ("dc2 --ends 101", "--ends=101"),
        ("dc3 --thinking-time nan", "--thinking-time=nan"),
        ("dc3 --thinking-time 0", "--thinking-time=0"),
        ("dc3 --extra-end-time -3", "--extra-end-time=-3"),
        ("dc3 --rule no_tick", "no_tick"),
        ("dc3 --noise dc2", "dc2"),
        ("dc2 --noise normal_dist", "normal_dist"),
        ("dc3 --noise none --speed-sd 0.1", "--noise none"),
        ("dc3 --speed-sd -1", "--speed-sd=-1"),
        ("dc3 --engine warp", "warp"),
        ("dc3 --seed -1", "--seed=-1"),
        ("dc3 --trajectory 1", "--trajectory=1"),
        ("dc3 --trajectory -1", "--trajectory=-1"),
        ("dc2 --trajectory 100", "--trajectory"),
        ("dc3 --matches 0", "--matches=0"),
        ("dc3 --watch 70000", "--watch=70000"),
        ("dc3 --watch 10001", "--watch=10001"),
        ("dc2 --port 5000 --watch 5000", "--watch=5000"),
        ("dc3 --records taken/by", "taken/by cannot be written"),
        ("dc3 --users taken", "--users"),
        ("dc4 --ends 2", "--ends"),
        ("dc4 --port 5000 --watch 5000", "--watch=5000"),
        ("dc4 --physics dc2", "dc2"),
        ("dc4 --noise gat", "gat"),
        ("dc4 --bind 0.0.0.0", "--bind 0.0.0.0: give --users FILE"),
        ("dc4 --bind example.org", "--bind example.org: give --users FILE"),
        ("dc4 --users missing", "--users missing: cannot be read"),
        ("dc4 --users taken", "--users taken, line 1: must be NAME:PASSWORD"),
        ("dc4 --users empty", "--users empty: has no users"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(refused, line, words):
    Path("taken").write_text("a file")
    Path("empty").write_text("")
    err = refused("server", *line.split())
    assert words in err and err.startswith("bonspiel server")


@pytest.mark.parametrize("line", ["server", "server dc3", "server dc2", "server dc4"])
def test_help(run, line):
    status, out, _ = run(*line.split(), "--help")
    assert status == 0 and f"example: bonspiel {line}" in " ".join(out.split())
    assert "exit status: 0 done, 1 a port is in use" in " ".join(out.split())
