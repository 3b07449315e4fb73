import json
import math
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path
from urllib.request import urlopen

import pytest

from bonspiel.curling.game import CurlingGame
from bonspiel.curling.records import record
from bonspiel.runs import cli, progress
from bonspiel.runs.games.game import ScheduledGame, Side
from bonspiel.runs.games.play import play_game

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def played():
    side = Side("random", 1, "simulations")
    return play_game(CurlingGame(ends=1), ScheduledGame((side, side), 2, 0, 0))


@pytest.fixture
def file(tmp_path, played):
    record.write(tmp_path / "game.jsonl", played)
    return tmp_path / "game.jsonl"


def test_the_page_is_beside_the_record_or_where_it_is_asked_for(file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", math.inf)
    assert cli.main(["replay", str(file)]) == 0
    assert capsys.readouterr() == (f"{tmp_path / 'game.html'}\n", "")
    assert cli.main(["replay", str(file), "--out", str(tmp_path / "x.html")]) == 0
    text = (tmp_path / "x.html").read_text()
    assert text == (tmp_path / "game.html").read_text() and "<title>random against random</title>" in text


@pytest.mark.parametrize("works", [True, False])
def test_open_shows_it(file, tmp_path, capsys, monkeypatch, works):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or works)
    assert cli.main(["replay", str(file), "--open"]) == 0
    assert opened == [(tmp_path / "game.html").as_uri()]
    assert ("no browser found" in capsys.readouterr().err) != works


def test_a_record_that_breaks_off_is_shown_as_far_as_it_goes(file, tmp_path):
    file.write_bytes(file.read_bytes()[:-3000])
    assert cli.main(["replay", str(file)]) == 0
    assert '"reason":"unfinished"' in (tmp_path / "game.html").read_text()


def test_stones_of_another_simulator_are_shown_and_told_of(file, played, capsys):
    number = next(k for k, shot in enumerate(played.shots) if any(shot.stones))
    shot = played.shots[number]
    moved = shot._replace(stones=tuple(place and (place[0] + 0.02, place[1]) for place in shot.stones))
    cut = played._replace(shots=(*played.shots[:number], moved), ends=())
    record.write(file, cut)
    assert cli.main(["replay", str(file)]) == 0
    error = capsys.readouterr().err
    assert "stones are up to 0.02 m from where" in error and error.count("\n") == 1


def damaged(line, **fields):
    def change(text):
        lines = text.splitlines()
        lines[line] = json.dumps(json.loads(lines[line]) | fields)
        return "\n".join(lines) + "\n"

    return change


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda text: "", "is empty"),
        (lambda text: "nonsense\n" + text, "line 1: not a line of a record"),
        (damaged(0, physics="fcv2"), "unknown physics 'fcv2'"),
        (damaged(0, engine="bullet"), "engine"),
        (damaged(0, ends=0), "ends=0"),
        (damaged(3, team=1), "the next shot"),
        (damaged(3, stones=[None]), "line 4"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(file, change, said, capsys):
    file.write_text(change(file.read_text()))
    assert cli.main(["replay", str(file)]) == 2
    error = capsys.readouterr().err
    assert said in error and str(file) in error and error.count("\n") == 1
    assert not file.with_suffix(".html").exists()


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["missing.jsonl"], "cannot be read"),
        (["game.jsonl", "--out", "game.txt"], "must end in .html"),
        (["game.jsonl", "--out", "nowhere/game.html"], "no folder"),
        (["."], "is a folder; give a record"),
        (["run"], "there are some in run/records"),
        (["game.html"], "is the record itself"),
        (["game.jsonl", "--out", "link.html"], "is the record itself"),
    ],
)
def test_files_that_are_not_there_or_cannot_be_written(file, arguments, said, capsys, monkeypatch):
    monkeypatch.chdir(file.parent)
    Path("run/records").mkdir(parents=True)
    Path("game.html").write_bytes(file.read_bytes())
    Path("link.html").symlink_to("game.jsonl")
    assert cli.main(["replay", *arguments]) == 2
    assert Path("game.html").read_bytes() == file.read_bytes()
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_a_server_shows_its_matches(tmp_path):
    line = [sys.executable, "-c", "import sys; from bonspiel.runs.cli import main; sys.exit(main())", "server", "dc2"]
    server = subprocess.Popen(
        [*line, "--port", "0", "--watch", "0", "--records", str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        said = server.stdout.readline()
        assert said.startswith("watch the matches at http://127.0.0.1:")
        assert server.stdout.readline().startswith("listening on ")
        with urlopen(said.split()[-1], timeout=120) as answer:
            assert b"Matches on this server" in answer.read()
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()


def test_a_port_that_is_taken_is_told_of(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert cli.main(["server", "dc2", "--port", "0", "--watch", port, "--records", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert f"port {port}" in error and error.count("\n") == 1
