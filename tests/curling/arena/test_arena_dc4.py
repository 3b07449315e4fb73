"""`bonspiel arena dc4`: clients by the PyPI package dc4client."""

import math
import secrets
import sys
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("dc4client", reason="dc4client is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.arena import game as playing
from bonspiel.curling.arena.clients import parse_clients
from bonspiel.curling.arena.tournament import make_arena
from bonspiel.curling.arena.venue_dc4 import Dc4Venue
from bonspiel.curling.records import umpire
from bonspiel.curling.server.shot_executor import ShotExecutor
from tests.curling.arena.test_arena import outputs, records

PUBLIC = Path(__file__).with_name("public_client.py")


def public(name, *more):
    return "--client", " ".join([f"{name}={sys.executable} {PUBLIC} {{host}} {{port}} {{match}} {{team}}", *more])


def arena4(*line):
    return "arena", "dc4", "--games", "2", "--ends", "1", "--jobs", "2", "--out", "a", *line


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Clients that crash have long to end, however busy the machine is."""
    monkeypatch.setattr(playing, "GRACE", 60.0)


async def test_no_password_looks_like_an_option(monkeypatch):
    """Whatever bytes the system draws."""
    monkeypatch.setattr(secrets, "token_bytes", lambda count: b"\xf8" * count)
    clients = parse_clients(["champion", "random"], "dc4", [])
    settings = {"ends": 1, "noise": "none", "rule": "five_rock", "physics": "dc4"}
    arena = make_arena("dc4", clients, settings, False, 20.0, 20.0, 60.0, 1)
    (setting,) = arena.pairings()

    with closing(ShotExecutor(arena.game.model, "analytic", False, 0)) as executor:
        venue = Dc4Venue(arena.server(arena.schedule(setting, 0), executor))
        async with venue.opened():
            found = [venue.values(team)["password"] for team in (0, 1)]
        assert all(password[0].isalnum() for password in found)


def errors(shot):
    return math.hypot(*shot.thrown[:2]) - math.hypot(*shot.aim[:2])


@pytest.mark.parametrize("mixed", [False, True])
def test_public_clients_play_a_pair_of_games(run, mixed):
    """All teams have the arena's players, whatever players they bring."""
    more = ("mixed",) if mixed else ()
    options = ("--game", "mixed_doubles", "--pattern", "2") if mixed else ("--rule", "no_tick")
    status, out, _ = run(*arena4(*public("one", *more), *public("two", *more), *options))
    assert status == 0 and "2 games: " in out and "forfeited" not in out
    games = records()
    assert [game.match.players for game in games] == [("one", "two"), ("two", "one")]
    for game in games:
        umpire.replay(game)
        assert (game.match.rule, game.match.physics) == ("modified" if mixed else "no_tick", "dc4")
        assert (game.match.is_mixed, game.match.pattern, len(game.setups) > 0) == (mixed, 2 if mixed else 0, mixed)
    for team in (0, 1):
        first, second = ([errors(shot) for shot in game.shots if shot.team == team] for game in games)
        common = min(len(first), len(second))
        assert common >= 5 and first[:common] == pytest.approx(second[:common], abs=1e-9)
        assert min(map(abs, first)) > 0.0
    assert [text.split()[-1] for text in outputs("one") + outputs("two")] == 2 * [
        f"team{game.result.winner}" for game in games
    ]


def test_a_client_that_sends_nonsense_loses_when_its_time_is_up(run):
    status, out, _ = run(*arena4(*public("fine"), *public("odd", "nonsense"), "--clock", "10"))
    assert status == 1 and "2 games: 2 won" in out
    assert "2 games forfeited, the first one by odd: no time left (last refused: POST /shots: 422 " in out
    assert [(game.result.reason, len(game.shots)) for game in records()] == [("time_limit", 5), ("time_limit", 4)]


def test_a_client_that_crashes_loses_at_once(run):
    status, out, _ = run(*arena4(*public("fine"), *public("odd", "crash"), "--clock", "1000"))
    assert status == 1 and "2 games: 2 won" in out
    assert "2 games forfeited, the first one by odd: left the match (exit status 1; its last output: " in out
    assert [len(game.shots) for game in records()] == [13, 12]
