"""Clients on the command line."""

import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from bonspiel.curling.arena.clients import parse_clients
from bonspiel.curling.verbs import arena
from bonspiel.runs import cli
from bonspiel.runs.experiment import UsageError

GOOD = f"mine={sys.executable} -c 'print({{}})' --at {{host}}:{{port}} {{unknown}}"


def test_a_command_and_a_planner():
    mine, planner = parse_clients([GOOD, "uct:exploration=2"], "dc3", ["--rule", "x"])
    assert (mine.name, mine.planner) == ("mine", None)
    values = {"host": "here", "port": "7"}
    assert mine.command(values) == [sys.executable, "-c", "print({})", "--at", "here:7", "{unknown}"]
    assert (planner.name, planner.planner) == ("uct:exploration=2", "uct:exploration=2")
    words = planner.command(values | {"seed": "3", "log": "l"})
    assert words[:5] == [sys.executable, "-m", "bonspiel", "client", "dc3"] and words[-2:] == ["--rule", "x"]
    assert words[5:-2] == "--host here --port 7 --planner uct:exploration=2 --strict --seed 3 --log l".split()


def test_the_version_changes_with_a_file_of_the_command(tmp_path):
    program = tmp_path / "my client.py"
    program.write_text("1")
    (mine,) = parse_clients([f"mine={sys.executable} '{program}' {{port}}"], "dc3", [])
    before = mine.version
    assert "my client.py: " in before and before == mine.version
    program.write_text("2")
    assert mine.version != before


def test_the_version_of_long_words_and_of_files_that_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = "echo {port}; " * 1000
    (mine,) = parse_clients([f"mine=sh -c '{script}'"], "dc3", [])
    assert mine.version.count(": ") == 1 and "sh: " in mine.version
    Path("env").write_text("a file of the client")
    (mine,) = parse_clients(["mine=sh env {port}"], "dc3", [])
    before = mine.version
    assert "env: " in before
    Path("env").write_text("a newer one")
    assert mine.version != before
    monkeypatch.setattr("builtins.open", Mock(side_effect=PermissionError))
    assert mine.version.endswith(" ()")


def test_digital_curling_4_has_an_id_of_the_match():
    (planner,) = parse_clients(["champion"], "dc4", [])
    assert "--match" in planner.words and "{match}" in planner.words and "{team}" in planner.words


@pytest.mark.parametrize(
    ("texts", "protocol", "words"),
    [
        (["mine="], "dc3", "the command is missing"),
        (["my client=./client {port}"], "dc3", "letters, digits, dots, underscores and hyphens, not 'my client'"),
        (["=./client {port}"], "dc3", "not ''"),
        (["a/b=./client {port}"], "dc3", "not 'a/b'"),
        ([" mine=./client {port}"], "dc3", "not ' mine'"),
        ([f"{'x' * 41}=./client {{port}}"], "dc3", "1 to 40 letters"),
        (["mine=./no_such_program {port}"], "dc3", "'./no_such_program' is no program"),
        ([f"mine={sys.executable} {{prot}}"], "dc3", "needs {port}"),
        ([f"mine={sys.executable} {{port}}"], "dc4", "needs {match}"),
        ([f"mine={sys.executable} 'x"], "dc3", "No closing quotation"),
        ([GOOD, GOOD], "dc3", "two clients have this name"),
        (["uct:exploration=1", "uct:exploration=1"], "dc3", "two clients have this name"),
    ],
)
def test_what_cannot_be_played_is_refused(texts, protocol, words):
    with pytest.raises(UsageError, match="--client") as error:
        parse_clients(texts, protocol, [])
    assert words in str(error.value)


@pytest.mark.parametrize(("noise", "told"), [("human", ["--noise", "human"]), ("normal_dist", [])])
def test_planners_of_digital_curling_4_are_told_the_errors(noise, told):
    line = ["arena", "dc4", "--client", "champion", "--client", "random", "--noise", noise]
    first, _ = arena._arena(cli.parser("arena").parse_args(line)).clients
    words = list(first.words)
    assert ("--noise" in words) == bool(told)
    assert not told or words[words.index("--noise") + 1] == "human"
