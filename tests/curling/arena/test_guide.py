"""The clients of docs/curling/arena.md play as they stand there."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from bonspiel.curling.records import umpire
from tests.curling.arena.test_arena import outputs, records
from tests.curling.server.test_peer import PYTHON, REQUIRED

GUIDE = (Path(__file__).parents[3] / "docs/curling/arena.md").read_text(encoding="utf-8")


def example(language, name):
    """Write the client of the guide to a file of its name."""
    (code,) = re.findall(rf"`{name}`[^`].*?\n\n```{language}\n(.*?)```", GUIDE, re.DOTALL)
    Path(name).write_text(code, encoding="utf-8")


def play(run, *clients, protocol="dc3", **options):
    given = {"games": 2, "ends": 1, "clock": 20, "jobs": 2, "out": "a"} | options
    words = [word for text in clients for word in ("--client", text)]
    return run("arena", protocol, *words, *(word for key, value in given.items() for word in (f"--{key}", value)))


@pytest.mark.skipif(not (PYTHON.exists() or REQUIRED), reason="dc3client: make .venv-peer/installed")
def test_the_client_in_python_plays_against_a_planner_of_this_package(run):
    example("python", "my_client.py")
    status, out, _ = play(run, f"python={PYTHON} my_client.py {{host}} {{port}} {{seed}}", "random")
    assert status == 0 and "2 games: " in out and "forfeited" not in out
    for game, text in zip(records(), outputs("python"), strict=True):
        umpire.replay(game)
        assert f"winner: team{game.result.winner}\n" in text
    assert all(re.search(r"^(won|lost) ", text, re.MULTILINE) for text in outputs("random"))
    assert len(list(Path("a/records").glob("*-random.log"))) == 2


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_the_client_in_cpp(run):
    example("cpp", "my_client.cpp")
    subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "my_client.cpp", "-o", "my_client"], check=True)
    status, out, _ = play(run, "cpp=./my_client {host} {port} {seed}", "random")
    assert status == 0 and "2 games: " in out and "forfeited" not in out
    for game in records():
        umpire.replay(game)


@pytest.mark.skipif(not (find_spec("dc4client") and find_spec("starlette")), reason="pip install -e '.[dc4]'")
def test_the_client_of_digital_curling_4(run):
    example("python", "my_client_dc4.py")
    client = f"mine={sys.executable} my_client_dc4.py {{host}} {{port}} {{match}} {{team}}"
    status, out, _ = play(run, client, "random", protocol="dc4")
    assert status == 0 and "2 games: " in out and "forfeited" not in out
    for game, text in zip(records(), outputs("mine"), strict=True):
        assert re.search(rf"winner: .*team{game.result.winner}\n", text)


def test_the_names_in_braces_are_those_of_the_arena():
    from bonspiel.curling.arena.clients import MEANINGS

    table = GUIDE.partition("| name | stands for |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`\{(\w+)\}`", table)) == set(MEANINGS)


def test_the_reasons_are_those_that_are_told():
    from bonspiel.curling import game as curling
    from bonspiel.curling.arena import game, venue

    table = GUIDE.partition("| reason | what happened |")[2].partition("\n\n")[0]
    reasons = re.findall(r"^\| ([\w ,]+) \|", table, re.MULTILINE)
    source = "".join(Path(sys.modules[module.__name__].__file__).read_text() for module in (curling, game, venue))
    assert len(reasons) == 5
    assert all(part in source for reason in reasons for part in reason.split(", "))
