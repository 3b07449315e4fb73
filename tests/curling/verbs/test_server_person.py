"""A person plays a team of a practice server's matches, on the page and by HTTP."""

import asyncio
import re
import signal
import socket
import urllib.error
import urllib.request
from contextlib import ExitStack
from threading import current_thread, main_thread
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest

from bonspiel.curling.play.aim import Aim
from bonspiel.curling.play.browser import seat_page
from bonspiel.curling.records import record
from bonspiel.curling.records.match_data import Result
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.replay.page_events import PageEvents
from bonspiel.curling.server.pages import page_server
from bonspiel.curling.server.record_feed import RecordFeed
from bonspiel.curling.server.referee import ThinkingTimes
from bonspiel.curling.verbs import server_pages
from tests.curling.browsing import ask, until
from tests.curling.practice import ROOT, practising
from tests.curling.replay.test_live import Stream
from tests.curling.server import hosting

MATCH = f"{ROOT}/0"
AIM = {"x": 0.0, "y": 38.0, "side": 1, "weight": 0}
LONG = ThinkingTimes(10**7, 10**7)


@pytest.fixture
def practise():
    with ExitStack() as stack:
        yield lambda team=1, **given: stack.enter_context(practising(team, **{"times": LONG} | given))


@pytest.mark.parametrize("team, width, touches", [(1, 1400, False), (0, 390, True)])
def test_a_person_plays_a_match_against_a_client(practise, sit_down, tmp_path, team, width, touches):
    practice = practise(team, noise="normal_dist", records=tmp_path)
    person, tee = sit_down(practice, width, touches), practice.page.model.law.sheet.tee
    page, colour = person.page, ("red", "yellow")[team]
    person.says(f"You play {colour}. Your clock")
    assert not page.locator("#house").is_visible() and page.inner_text("#release") == "Take the seat"
    person.press("#release")
    person.says(f"You play {colour}. Waiting")
    playing = practice.meet()
    person.hurry()
    for stone in range(8):
        number = 2 * stone + team
        person.says(f"End 1, stone {number + 1} of 16: your shot")
        target = (-1.0 + 0.3 * stone, tee - 1.5 + 0.4 * stone)
        person.drag((0.0, tee), target)
        np.testing.assert_allclose(person.target(), target, atol=0.03)
        target = person.target()
        person.press("#release")
        page.wait_for_function("count => replay.count >= count", arg=number + 1)
        shot = practice.throws[number]
        np.testing.assert_allclose(shot.aim[:2], Aim(*target).velocity(practice.page.model.law), atol=0.01)
        assert shot.team == team and shot.seconds > 0.0 and shot.aim != shot.thrown
    page.wait_for_function("() => document.getElementById('release').textContent === 'Next match'")
    playing.result(hosting.PATIENCE)
    result = practice.records[0][-1]
    assert page.inner_text("#score") == "{} : {}".format(*result.score)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    person.says({team: "You win", None: "A draw", 1 - team: "Client wins"}[result.winner])
    kept = record.read(tmp_path / "test-0001.jsonl")
    assert len(replay(kept)) == 17 and kept.match.players[team] == "person"


def test_a_reload_in_the_middle_loses_nothing(practise, sit_down):
    practice = practise(1)
    person, tee = sit_down(practice), practice.page.model.law.sheet.tee
    person.press("#release")
    practice.meet()
    person.hurry()
    for stone in (2, 4):
        person.says(f"stone {stone} of 16: your shot")
        person.press("#release")
    person.says("stone 6 of 16: your shot")
    person.drag((0.0, tee), (0.9, tee + 0.4))
    person.press("#spin")
    person.settle()
    before = person.target(), person.page.inner_text("#spin-name")
    person.page.reload()
    person.says("stone 6 of 16: your shot")
    person.settle()
    assert person.page.evaluate("[replay.count, replay.position]") == [5, 5]
    assert (person.target(), person.page.inner_text("#spin-name")) == before
    person.page.wait_for_function("() => document.getElementById('clocks').textContent.startsWith('Time left: you ')")
    minutes, seconds = re.search(r"you (\d+):(\d\d), client", person.page.inner_text("#clocks")).groups()
    assert 0 < 60 * int(minutes) + int(seconds) <= 10**4
    person.hurry()
    person.press("#release")
    person.says("stone 8 of 16: your shot")
    assert [shot.shot for shot in practice.throws] == list(range(7)) and practice.throws[5].aim[2] == -1.0


def test_who_does_not_throw_in_time_loses_and_may_play_again(practise, sit_down):
    practice = practise(0, times=ThinkingTimes(300, 300))  # the person has to throw first
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    practice.meet(name="first")
    until(lambda: practice.page.phase == "over")  # without a browser, whose preview might come too late
    assert practice.records[0][-1].reason == "time_limit" and practice.records[0][-1].winner == 1
    person = sit_down(practice)
    person.says("You are out of time, first wins")
    assert person.page.inner_text("#status") == "You are out of time, first wins"
    person.press("#release")
    person.says("You play red. Waiting")
    person.page.close()
    practice.meet(name="second")
    until(lambda: practice.page.phase == "over")
    sit_down(practice).says("You are out of time, second wins")
    assert [items[0].players for items in practice.records] == [("person", "first"), ("person", "second")]


def test_a_match_that_the_other_team_leaves_is_over(practise, sit_down):
    practice = practise(1)
    person = sit_down(practice)
    person.press("#release")
    person.says("You play yellow. Waiting")
    practice.meet(shots=0)
    person.says("Abandoned")
    assert person.page.inner_text("#release") == "Next match"


def test_what_a_match_needs_is_loaded_before_it_begins(practise, monkeypatch):
    called = []

    class Watched(PageEvents):
        def __init__(self, *arguments):
            called.append(("made", current_thread()))
            super().__init__(*arguments)

        def match_event(self):
            called.append(("match", current_thread()))
            return super().match_event()

    def preview(*arguments, make=seat_page.preview):
        called.append(("preview", current_thread()))
        return make(*arguments)

    monkeypatch.setattr(seat_page, "PageEvents", Watched)
    monkeypatch.setattr(seat_page, "preview", preview)
    practice = practise(1)
    assert called == [(name, main_thread()) for name in ("made", "match", "preview", "preview")]
    sat_down(practice)
    # not in the event loop of the pages either, where others would have to wait
    assert [name for name, thread in called[4:] if thread.name != "pages"] == ["made", "match"]


def test_a_match_that_cannot_be_shown_is_told_and_waited_for(practise, sit_down, monkeypatch, capsys):
    class Failing(PageEvents):
        def _shot(self, shot):
            raise ValueError("no such shot")

    monkeypatch.setattr(seat_page, "PageEvents", Failing)
    practice = practise(1)
    person = sit_down(practice)
    person.press("#release")
    practice.meet(shots=1)
    person.page.wait_for_function("() => document.getElementById('told').textContent.includes('no such shot')")
    practice.page.seat.throw((9.0, 9.0, 1.0))
    person.says("Abandoned")
    assert person.page.inner_text("#release") == "Next match"
    assert capsys.readouterr().err.count("the page cannot show this match any more") == 1


def test_the_end_of_the_last_match_is_told_before_the_server_ends(monkeypatch):
    monkeypatch.setattr(page_server, "LAST_WORDS", 0.0)
    monkeypatch.setattr(page_server, "FAREWELL", hosting.PATIENCE)
    monkeypatch.setattr(server_pages, "LAST_NEWS", hosting.PATIENCE)
    context = hosting.context_of(feed=RecordFeed())
    with server_pages.served_pages(
        SimpleNamespace(protocol="dc3", watch=0, watch_bind=None, person=1), context
    ) as pages:
        port, root = re.search(r":(\d+)(/.+)", pages.lines[1]).groups()
        stream = Stream(SimpleNamespace(port=int(port)), f"{root}/0/events")
        _, record_of = context.new_referee(1, ("client", "person"))
        pages.seat.match_begun()
        record_of.publish(Result((0, 0), None, None, "abandoned"))
    with stream:
        assert [stream.next()["type"] for _ in range(4)] == ["turn", "match", "turn", "result"]


def test_matches_of_others_are_not_on_the_page(practise, sit_down):
    practice = practise(1)
    others = [practice.meet(team=team, name=f"other {team}") for team in (0, 1)]
    for other in others:
        other.result(hosting.PATIENCE)
    person = sit_down(practice)
    person.press("#release")
    practice.meet()
    person.hurry()
    person.says("stone 2 of 16: your shot")
    practice.meet(team=1, name="third")
    practice.meet(team=0, name="fourth").result(hosting.PATIENCE)
    person.press("#release")
    person.says("stone 4 of 16: your shot")
    assert len(practice.records) == 3 and person.page.evaluate("replay.count") == 3


def sat_down(practice):
    """Take the seat by HTTP, and wait for the person's turn."""
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    practice.meet()
    until(lambda: practice.page.phase == "aim")


def test_a_shot_is_thrown_once_and_in_turn(practise):
    practice = practise(1)
    assert ask(practice, f"{MATCH}/throw", {**AIM, "shot": 0}) == (409, "it is not your turn")
    sat_down(practice)
    assert ask(practice, f"{MATCH}/next", {}) == (409, "your match is not over")
    assert ask(practice, f"{MATCH}/throw", {**AIM, "shot": 0}) == (409, "shot 1 is not the next one")
    # both in one turn of the event loop: after the client's answer, the second would be the next shot
    practice.loop.call_soon_threadsafe(lambda: [practice.page.seat.throw((9.0, 9.0, 1.0)) for _ in range(2)])
    until(lambda: practice.page.shots == 3 and practice.page.phase == "aim")
    assert ask(practice, f"{MATCH}/throw", {**AIM, "shot": 3})[0] == 200
    assert ask(practice, f"{MATCH}/throw", {**AIM, "shot": 3})[0] == 409
    until(lambda: len(practice.throws) == 5)
    assert [shot.team for shot in practice.throws] == [0, 1, 0, 1, 0]


def test_who_has_not_the_token_only_watches(practise):
    practice = practise(1)
    sat_down(practice)
    [(match_id, _)] = practice.feed.matches()
    status, page = ask(practice, f"/match/{match_id}")
    assert status == 200 and 'id="throw"' not in page and ROOT not in page
    for path in ("/toke", f"/match/{match_id}/0/throw", "/0/throw"):
        assert ask(practice, path, {**AIM, "shot": 1})[0] in (404, 405)
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        assert ask(practice, f"{MATCH}/throw", {**AIM, "shot": 1}, **headers)[0] == 403
    assert len(practice.throws) == 1


def test_viewers_keep_no_person_out(practise, monkeypatch):
    monkeypatch.setattr(page_server, "VIEWERS", 1)
    monkeypatch.setattr(page_server, "PLAYERS", 1)
    practice = practise(1)
    with Stream(practice, "/events"):
        assert ask(practice, "/events") == (503, "1 viewers are already connected")
        with Stream(practice, f"{MATCH}/events") as stream:
            assert stream.next()["phase"] == "seat"
            assert ask(practice, f"{MATCH}/events") == (503, "1 players are already connected")


def test_turns_are_told_by_the_clock_of_the_match(practise):
    clock = hosting.Clock()
    practice = practise(1, clock=clock)
    clock.now += 5.0
    with Stream(practice, f"{MATCH}/events") as stream:
        assert stream.next()["seconds"] == 5.0


def test_a_page_of_an_earlier_match_is_refused(practise):
    practice = practise(0, times=ThinkingTimes(50, 50))
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    practice.meet()
    until(lambda: practice.page.phase == "over")
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    for name in ("aim", "throw", "next"):
        assert ask(practice, f"{MATCH}/{name}", {**AIM, "shot": 0}) == (404, "that match is over, load the page again")
    assert ask(practice, f"{MATCH}/events")[0] == 404


def test_nothing_can_be_pressed_before_the_page_knows_the_turn(practise, look):
    practice = practise()
    # without scripts the page stays as it was sent
    page = look(f"http://127.0.0.1:{practice.port}{practice.page.root}", java_script_enabled=False)
    for control in ("#release", "#spin", "#weight"):
        assert page.is_disabled(control)


def test_the_page_says_that_the_server_begins_no_more_matches(practise, sit_down):
    practice = practise(1, most=1)
    others = [practice.meet(team=team) for team in (0, 1)]
    for other in others:
        other.result(hosting.PATIENCE)
    person = sit_down(practice)
    person.press("#release")
    person.page.wait_for_function("() => document.getElementById('told').textContent.includes('no more matches')")
    assert person.page.inner_text("#release") == "Take the seat"


def test_the_page_says_that_the_match_did_not_begin(practise, sit_down):
    practice = practise(1)
    person = sit_down(practice)
    person.press("#release")
    person.says("You play yellow. Waiting")
    asyncio.run_coroutine_threadsafe(practice.host.lobby.close(), practice.loop).result(hosting.PATIENCE)
    person.page.wait_for_function("() => document.getElementById('told').textContent === 'The match did not begin'")


def test_the_page_is_light(practise):
    status, page = ask(practise(), ROOT)
    assert status == 200 and len(page.encode()) < 300_000


def test_the_command_prints_the_address(start):
    process = start("server", "dc3", "--port", "0", "--watch", "0", "--person", "1")
    lines = [process.stdout.readline() for _ in range(3)]
    address = re.fullmatch(r"play team 1 at (http://127\.0\.0\.1:\d+/[\w-]{12})\n", lines[1])[1]
    with urllib.request.urlopen(address, timeout=120) as answer:
        assert b'id="throw"' in answer.read()
    home, _, _ = address.rpartition("/")
    with urllib.request.urlopen(urllib.request.Request(f"{address}/0/next", b"{}", {"Origin": home})) as answer:
        assert answer.status == 200
    assert process.stdout.readline() == "the page waits as team1\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 130


def test_the_pages_are_served_at_another_address_where_who_plays_needs_the_token(start):
    # all of 127.0.0.0/8 is this machine's on Linux
    process = start("server", "dc3", "--port", "0", "--watch", "0", "--watch-bind", "127.0.0.2", "--person", "0")
    lines = [process.stdout.readline() for _ in range(2)]
    home = re.fullmatch(r"watch the matches at (http://127\.0\.0\.2:\d+/)\n", lines[0])[1]
    address = re.fullmatch(r"play team 0 at (http://127\.0\.0\.2:\d+/[\w-]{12})\n", lines[1])[1]
    for place, is_for_playing in ((home, False), (address, True)):
        with urllib.request.urlopen(place, timeout=120) as answer:
            assert (b'id="throw"' in answer.read()) == is_for_playing
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{address[:-1]}{'a' if address[-1] != 'a' else 'b'}", timeout=120)
    port = urlsplit(home).port
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=120).close()


def test_an_address_of_another_machine_is_named(run):
    status, _, err = run("server", "dc3", "--port", 0, "--watch", 0, "--watch-bind", "192.0.2.1")
    assert status == 1 and err.startswith("bonspiel server dc3: 192.0.2.1, port 0: cannot show the matches (")
    assert err.endswith("); choose another --watch or --watch-bind\n") and err.count("\n") == 1


@pytest.mark.parametrize(
    "line, words",
    [
        (("dc3", "--person", "0"), "--person: needs --watch PORT"),
        (("dc3", "--watch-bind", "0.0.0.0"), "--watch-bind: needs --watch PORT"),
        (("dc3", "--watch", "0", "--person", "2"), "invalid choice: 2"),
        (("dc2", "--person", "0"), "--person: needs --watch PORT"),
    ],
)
def test_wrong_options_are_refused(refused, line, words):
    err = refused("server", *line)
    assert words in err
