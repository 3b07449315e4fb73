import asyncio
import json
import os
import re
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dc4client", reason="dc4client is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.records.match_data import Result
from bonspiel.runs.cli import main
from tests.curling.client.faulty_dc4 import FaultyServer

COMPILING = re.compile(r"bonspiel: compiling .*\n")  # told once on every machine
MIXED = ["--create", "--user", "a", "--password", "b", "--game", "mixed_doubles"]
ID = "00000000-0000-0000-0000-000000000000"


async def client(folder: Path, server: FaultyServer, user: int, *options: str, **environment: str) -> Any:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import sys; from bonspiel.runs.cli import main; sys.exit(main())",
        "client",
        "dc4",
        "--port",
        str(server.port),
        "--max-seconds",
        "0.05",
        "--log",
        str(folder / f"{user}.jsonl"),
        *options,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"DC4_USER": f"user{user}", "DC4_PASSWORD": f"pass{user}"} | environment,
    )


def test_two_clients_play_an_end_and_a_third_is_refused(tmp_path: Path) -> None:
    async def scenario() -> tuple[int, list[tuple[int, str, str]]]:
        async with FaultyServer() as server:
            one = await client(tmp_path, server, 0, "--create", "--ends", "1", "--planner", "rulebased")
            line = (await one.stdout.readline()).decode()
            match_id = line.removeprefix("created; the other team joins with --match ").strip()
            others = [
                await client(tmp_path, server, 1, "--match", match_id, "--team", "team1", "--planner", "random"),
                await client(tmp_path, server, 2, "--create", DC4_PASSWORD="wrong"),
            ]
            told = await asyncio.gather(*(process.communicate() for process in (one, *others)))
            ends = [
                (process.returncode, out.decode(), err.decode())
                for process, (out, err) in zip((one, *others), told, strict=True)
            ]
            return server.items(Result)[0].winner, ends

    winner, (one, other, third) = asyncio.run(asyncio.wait_for(scenario(), 180.0))
    assert [one[0], other[0], third[0]] == [0, 0, 4], (one, other, third)
    verdicts = [out.splitlines()[-1].split()[0] for _, out, _ in (one, other)]
    assert verdicts[winner] == "won" and verdicts[1 - winner] == "lost"
    assert COMPILING.sub("", one[2] + other[2]) == "" and "a match of 1 end, 219 s" in one[1]
    assert "the user, the password or the match" in third[2] and third[2].count("\n") == 1
    directions = {json.loads(line)["dir"] for line in (tmp_path / "0.jsonl").read_text().splitlines()}
    assert directions == {"server->client", "client->server", "estimate"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--match", "one"], "must be the id of a match"),
        ([], "one of the arguments --match --create is required"),
        (["--match", ID, "--user", "a:b", "--password", "c"], "--user"),
        (["--match", ID, "--user", "a"], "set DC4_PASSWORD"),
        (["--match", ID, "--user", "a", "--password", "b", "--ends", "4"], "--ends: only for a new match"),
        (["--create", "--user", "a", "--password", "b", "--ends", "0"], "--ends=0"),
        (["--create", "--user", "a", "--password", "b", "--thinking-time", "nan"], "--thinking-time"),
        (["--create", "--user", "a", "--password", "b", "--concede", "0.1"], "no way to concede"),
        (["--create", "--user", "a", "--password", "b", "--pattern", "1"], "--pattern: only for --game mixed_doubles"),
        (["--match", ID, "--user", "a", "--password", "b", "--mixed-players", "example"], "--mixed-players: only for"),
        (["--match", ID, "--user", "a", "--password", "b", "--opponents", "alike"], "--opponents: only for"),
        ([*MIXED, "--pattern", "6"], "--pattern=6"),
        ([*MIXED, "--rule", "no_tick"], "--rule: only for standard games"),
        (["--create", "--user", "a", "--password", "b", "--port", "0"], "--port=0"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DC4_USER", "DC4_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    assert status(["client", "dc4", *options]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize("options", [["--create"], ["--match", ID]])
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_no_server_is_told_as_in_the_other_protocols(
    host: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DC4_USER", "a")
    monkeypatch.setenv("DC4_PASSWORD", "b")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
    assert (
        status(
            [
                "client",
                "dc4",
                *options,
                "--host",
                host,
                "--port",
                port,
                "--planner",
                "random",
                "--max-seconds",
                "0.05",
                "--wait",
                "0",
                "--log",
                str(tmp_path / "log"),
            ]
        )
        == 3
    )
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith(f"bonspiel client: no connection to {host} port {port} (")
    assert error.endswith("); is the server running?")


def test_a_missing_package_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dc4client", None)
    assert status(["client", "dc4", "--match", ID]) == 2
    error = capsys.readouterr().err
    assert "pip install -e '.[dc4]'" in error and error.count("\n") == 1


def status(arguments: list[str]) -> Any:
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code
