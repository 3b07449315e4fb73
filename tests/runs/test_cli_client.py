import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from runs.cli import main
from tests.curling.protocols.transcripts import transcript

ROOT = Path(__file__).parents[2]
BONSPIEL = [sys.executable, "-c", "import sys; from runs.cli import main; sys.exit(main())"]


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
        thread.join(20.0)
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
    moves = [line for line in out if line.startswith("end ")]
    assert len(moves) == 3 and all("wins" in line and "simulations in" in line and "s were left" in line
                                   for line in moves)
    log, = (tmp_path / "results" / "client").glob("dc3-*.jsonl")
    assert {"cmd": "dc_ok", "name": "me"} in [json.loads(line)["msg"] for line in log.read_text().splitlines()]


def test_a_match_of_digital_curling_2(server, tmp_path, capsys):
    port = server(transcript("dc2", "full_game_first"), b"\0")
    log = tmp_path / "log.jsonl"
    assert main(["client", "dc2", "--port", port, "--planner", "random", "--log", str(log), "--noise", "gat"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "won 3 : 2 (score)"
    assert log.read_text().count("BESTSHOT") == 16


def test_a_match_over_standard_input_and_output(tmp_path):
    client = subprocess.Popen(
        [*BONSPIEL, "client", "dc2", "--stdio", "--planner", "random", "--log", str(tmp_path / "log.jsonl")], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    answers = []
    for line in transcript("dc2", "full_game_first"):
        if line.from_server:
            client.stdin.write(line.text + b"\0")
            client.stdin.flush()
        else:
            answers.append(read(client.stdout, b"\0").split()[0])
    rest, errors = client.communicate(timeout=30.0)
    assert client.returncode == 0 and rest == b""
    assert answers == [b"LOGIN", b"READYOK"] + [b"BESTSHOT"] * 16
    assert errors.decode().splitlines()[-1] == "won 3 : 2 (score)"


def test_a_console_that_goes_costs_no_match(server, tmp_path):
    log = tmp_path / "log"
    line = "client", "dc3", "--port", server(transcript("dc3", "free_guard_zone_foul_team0")), "--planner", "random"
    client = subprocess.Popen([*BONSPIEL, *line, "--log", str(log)], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    client.stdout.close()
    with client, client.stderr:
        assert client.stderr.read() == b""
    assert client.returncode == 0 and log.read_text().count('"cmd":"move"') == 3


@pytest.mark.parametrize(("line", "complaint"), [
    (["--planner", "presaerch"], "Did you mean 'presearch'"),
    (["--planner", "uct:exploration=x"], "exploration"),
    (["--concede", "2"], "--concede=2.0: must be a number from 0 to 1"),
    (["--time-fraction", "1"], "--time-fraction"),
    (["--max-seconds", "0"], "--max-seconds"),
    (["--log", "/dev/null/x"], "cannot be written"),
    (["--name", "\udc80"], "name"),
])
def test_bad_usage_is_one_line(line, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["client", "dc3", "--planner", "random", "--port", "1", *line]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1 and complaint in errors[0]


@pytest.mark.parametrize("word", ["two words", "", "n\u00f6", "\udc80", "secret" * 1000])
@pytest.mark.parametrize("option", ["--name", "--password"])
def test_words_of_a_login_are_refused_by_name_and_not_shown(option, word, capsys):
    given = {"--password": "secret", option: word}
    assert main(["client", "dc2", *(text for pair in given.items() for text in pair)]) == 2
    error, = capsys.readouterr().err.splitlines()
    assert "secret" not in error and (option in error or "a message of" in error)


def test_the_id_of_a_login_has_no_blanks(capsys):
    assert main(["client", "dc2", "--id", "two words"]) == 2
    error, = capsys.readouterr().err.splitlines()
    assert "--id" in error


def test_no_server_is_told_with_its_address(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert main(["client", "dc3", "--port", str(port), "--planner", "random", "--log", str(tmp_path / "log")]) == 3
    error, = capsys.readouterr().err.splitlines()
    assert f"127.0.0.1 port {port}" in error and "is the server running?" in error


@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes")
def test_ctrl_c_ends_the_client_and_its_planner_without_a_traceback(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        client = subprocess.Popen(
            [*BONSPIEL, "client", "dc3", "--port", str(port), "--planner", "random", "--log", str(tmp_path / "log")],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        connection, _ = listener.accept()
        with connection:
            os.killpg(client.pid, signal.SIGINT)
            _, errors = client.communicate(timeout=30.0)
    assert client.returncode == 130 and errors == b""
