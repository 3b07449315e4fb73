"""The clients of docs/curling/arena.md play as they stand there."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from bonspiel.curling.records import umpire
from tests.curling.arena.test_arena import outputs, records
from tests.curling.server.test_peer import PYTHON, REQUIRED

GUIDE = (Path(__file__).parents[3] / "docs/curling/arena.md").read_text(encoding="utf-8")
NODE = shutil.which("node")


def example(language, name):
    """Write the client of the guide in a language to a file."""
    (code,) = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    Path(name).write_text(code, encoding="utf-8")


def play(run, *clients, **options):
    given = {"games": 2, "ends": 1, "clock": 20, "jobs": 2, "out": "a"} | options
    words = [word for text in clients for word in ("--client", text)]
    return run("arena", "dc3", *words, *(word for key, value in given.items() for word in (f"--{key}", value)))


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


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_client_in_javascript(run):
    example("javascript", "my_client.js")
    client = "node my_client.js {host} {port}"
    status, out, _ = play(run, f"one={client}", f"two={client}")
    assert status == 0 and "2 games: " in out and "forfeited" not in out
    for game, text in zip(records(), outputs("one"), strict=True):
        umpire.replay(game)
        assert text == f"winner: team{game.result.winner}\n"


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
