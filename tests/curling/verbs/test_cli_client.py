import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bonspiel.curling.client.planning import planner_process
from bonspiel.runs.cli import main
from tests.curling.protocols.transcripts import transcript

ROOT = Path(__file__).parents[3]
BONSPIEL = [sys.executable, "-c", "import sys; from bonspiel.runs.cli import main; sys.exit(main())"]


@pytest.fixture
def server():
    """Plays the server's part of a transcript once; its port."""
    threads, listeners = [], []

    def start(script, end=b"\n"):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def serve():
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as reader:
                for line in script:
                    if line.from_server:
                        connection.sendall(line.text + end)
                    else:
                        read(reader, end)

        threads.append(threading.Thread(target=serve, daemon=True))
        threads[-1].start()
        return str(listener.getsockname()[1])

    yield start
    for thread, listener in zip(threads, listeners, strict=True):
        thread.join(120.0)
        listener.close()


def read(reader, end):
    text = b""
    while not text.endswith(end):
        byte = reader.read(1)
        assert byte, text
        text += byte
    return text.removesuffix(end)


def test_a_match_of_digital_curling_3(server, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    port = server(transcript("dc3", "free_guard_zone_foul_team0"))
    assert main(["client", "dc3", "--port", port, "--planner", "rulebased", "--seed", "1", "--name", "me"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == "won 0 : 0 (concede)"
    assert out[0] == f"connected to 127.0.0.1:{port}" and "ready; waiting for the other team" in out
    assert out[1].startswith("team0 of a match of 1 end, ")
    moves = [line for line in out if line.startswith("end ")]
    assert len(moves) == 3 and all(
        "expects to win" in line and "simulations in" in line and "s were left" in line for line in moves
    )
    (log,) = (tmp_path / "results" / "client").glob("dc3-*.jsonl")
    assert {"cmd": "dc_ok", "name": "me"} in [json.loads(line)["msg"] for line in log.read_text().splitlines()]


@pytest.mark.parametrize("protocol", ["dc2", "dc3"])
def test_the_champion_plays_unless_another_planner_is_named(protocol, monkeypatch):
    started = []
    monkeypatch.setattr(planner_process, "PlannerProcess", lambda planner, seed: started.append(planner))
    with pytest.raises(TypeError):  # there is no process to enter
        main(["client", protocol])
    assert started == ["champion"]


def test_a_match_of_digital_curling_2(server, tmp_path, capsys):
    port = server(transcript("dc2", "full_game_first"), b"\0")
    log = tmp_path / "log.jsonl"
    assert main(["client", "dc2", "--port", port, "--planner", "random", "--log", str(log), "--noise", "gat"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "won 3 : 2 (score)"
    assert log.read_text().count("BESTSHOT") == 16


def test_standard_input_that_is_closed_at_once_ends_the_client(tmp_path):
    line = [*BONSPIEL, "client", "dc2", "--stdio", "--planner", "random", "--log", str(tmp_path / "log.jsonl")]
    done = subprocess.run(line, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120.0)
    assert done.returncode == 3 and "connecting again" not in done.stderr


def test_a_match_over_standard_input_and_output(tmp_path):
    client = subprocess.Popen(
        [*BONSPIEL, "client", "dc2", "--stdio", "--planner", "random", "--log", str(tmp_path / "log.jsonl")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    answers = []
    for line in transcript("dc2", "full_game_first"):
        if line.from_server:
            client.stdin.write(line.text + b"\0")
            client.stdin.flush()
        else:
            answers.append(read(client.stdout, b"\0").split()[0])
    rest, errors = client.communicate(timeout=120.0)
    assert client.returncode == 0 and rest == b""
    assert answers == [b"LOGIN", b"READYOK"] + [b"BESTSHOT"] * 16
    said = errors.decode().splitlines()
    assert said[0] == "connected to standard input and output" and said[-1] == "won 3 : 2 (score)"
    assert "logged in; waiting for the other team" in said and "ready; waiting for the other team" in said


def test_a_console_that_goes_costs_no_match(server, tmp_path):
    log = tmp_path / "log"
    line = "client", "dc3", "--port", server(transcript("dc3", "free_guard_zone_foul_team0")), "--planner", "random"
    client = subprocess.Popen(
        [*BONSPIEL, *line, "--log", str(log)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    client.stdout.close()
    with client, client.stderr:
        assert client.stderr.read() == b""
    assert client.returncode == 0 and log.read_text().count('"cmd":"move"') == 3


USAGE = [
    (["--planner", "presaerch"], "Did you mean 'presearch'"),
    (["--planner", "uct:exploration=x"], "exploration"),
    (["--concede", "2"], "--concede=2: must be a number from 0 to 1"),
    (["--time-fraction", "1"], "--time-fraction"),
    (["--max-seconds", "0"], "--max-seconds"),
    (["--log", "/dev/null/x"], "cannot be written"),
    (["--log", ""], "argument --log: must be the name of a file"),
    (["--name", "\udc80"], "--name: must be text in UTF-8"),
    (["--name", " "], "--name: must not be empty"),
    (["--seed", "-1"], "--seed=-1: must be a whole number from 0"),
    (["--port", "0"], "--port=0: must be a whole number from 1 to 65535"),
    (["--port", "70000"], "--port=70000"),
    (["--port", "-1"], "--port=-1"),
    (["--wait", "-1"], "--wait=-1"),
    (["--wait", "nan"], "--wait=nan"),
    (["--host", ""], "--host=''"),
    (["--host", "a b"], "--host='a b'"),
    (["--host", "http://a"], "--host='http://a'"),
]


@pytest.mark.parametrize(
    ("protocol", "line", "complaint"), [("dc3", *row) for row in USAGE] + [("dc2", *row) for row in USAGE[:3]]
)
def test_bad_usage_is_one_line(protocol, line, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["client", protocol, "--planner", "random", "--port", "1", *line])
    except SystemExit as end:
        status = end.code
    errors = capsys.readouterr().err.splitlines()
    assert status == 2 and len(errors) == 1
    assert complaint in errors[0] and errors[0].startswith(f"bonspiel client {protocol}: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [["--host", "foo"], ["--port", "9876"], ["--wait", "5"]])
def test_standard_input_and_output_have_no_address(option, capsys):
    assert main(["client", "dc2", "--stdio", *option]) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "--stdio: leave out --host, --port" in error


@pytest.mark.parametrize("host", ["a..b", "\u00fc..x", "a" * 64])
def test_names_that_no_machine_can_have_are_no_server(host, tmp_path, capsys):
    assert main(["client", "dc3", "--host", host, "--planner", "random", "--log", str(tmp_path / "log")]) == 3
    (error,) = capsys.readouterr().err.splitlines()
    assert f"no connection to {host} port 10000 (" in error


@pytest.mark.parametrize("line", [["client"], ["client", "dc3"], ["client", "dc2"], ["client", "dc4"]])
def test_help(line, capsys):
    with pytest.raises(SystemExit):
        main([*line, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"example: bonspiel {' '.join(line)}" in said and "3 no connection, 4 the server broke" in said
    assert ("--concede" in said) == (line[-1] in ("dc2", "dc3"))


@pytest.mark.parametrize(
    ("option", "word"),
    [("--name", word) for word in ("two words", "", "n\u00f6", "\udc80")]
    + [("--password", word) for word in ("two words", "secret" * 1000)],
)
def test_words_of_a_login_are_refused_by_name_and_not_shown(option, word, capsys):
    given = {"--password": "secret", option: word}
    assert main(["client", "dc2", *(text for pair in given.items() for text in pair)]) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "secret" not in error and (option in error or "a message of" in error)


def test_the_id_of_a_login_has_no_blanks(capsys):
    assert main(["client", "dc2", "--id", "two words"]) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "--id" in error


def test_no_server_is_told_with_its_address(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    line = "--port", str(port), "--planner", "random", "--log", str(tmp_path / "log"), "--wait", "0"
    assert main(["client", "dc3", *line]) == 3
    (error,) = capsys.readouterr().err.splitlines()
    assert f"127.0.0.1 port {port}" in error and "is the server running?" in error
    note = json.loads((tmp_path / "log").read_text())
    assert note["dir"] == "note" and note["msg"].startswith(f"no connection to 127.0.0.1 port {port}")


def test_a_server_that_is_not_up_is_waited_for(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
    line = "--port", port, "--planner", "random", "--log", str(tmp_path / "log"), "--wait", "0.7"
    assert main(["client", "dc3", *line]) == 3
    out, err = capsys.readouterr()
    assert f"port {port}" in out and "connecting again for 0.7 s" in out and out.count("\n") == err.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes")
def test_ctrl_c_ends_the_client_and_its_planner_without_a_traceback(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        client = subprocess.Popen(
            [*BONSPIEL, "client", "dc3", "--port", str(port), "--planner", "random", "--log", str(tmp_path / "log")],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        connection, _ = listener.accept()
        with connection:
            os.killpg(client.pid, signal.SIGINT)
            _, errors = client.communicate(timeout=120.0)
    assert client.returncode == 130 and errors == b""
