"""A person plays a team of matches of Digital Curling 4, on the page and by HTTP."""

import re
import signal
import urllib.request
from contextlib import ExitStack

import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="aiohttp is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.benchmarks import serving_dc4
from bonspiel.curling.ice.sheet import present
from bonspiel.curling.match.state import stones_of
from bonspiel.curling.play.aim import Aim
from bonspiel.curling.records import record
from bonspiel.curling.records.match_data import Setup
from bonspiel.curling.records.umpire import replay
from tests.curling.browsing import ask, until
from tests.curling.practice import ROOT
from tests.curling.practice_dc4 import MIXED, practising4
from tests.curling.server.dc4_hosting import NEW, TEAM
from tests.curling.server.hosting import PATIENCE

MATCH = f"{ROOT}/0"
AIM = {"x": 0.0, "y": 38.0, "side": 1, "weight": 0}
STONES = "[...document.querySelectorAll('#house [data-stone][visibility=visible]')].map(one => one.dataset.stone)"


@pytest.fixture
def practise():
    with ExitStack() as stack:
        yield lambda team=1, **given: stack.enter_context(practising4(team, **given))


def sat_down(practice, **changes):
    """Take the seat by HTTP, in a match that a client creates, and wait for the person's turn."""
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    playing = practice.meet(**changes)
    until(lambda: practice.page.phase in ("aim", "setup"))
    return playing


def test_a_person_plays_a_standard_match_against_a_client(practise, sit_down, tmp_path):
    practice = practise(0, records=tmp_path)
    person, tee = sit_down(practice), practice.page.model.law.sheet.tee
    person.press("#release")
    person.says("You play red. Waiting")
    playing = practice.meet()
    person.hurry()
    for stone in range(8):
        person.says(f"End 1, stone {2 * stone + 1} of 16: your shot")
        person.drag((0.0, tee), (-1.0 + 0.3 * stone, tee - 1.5 + 0.4 * stone))
        target = person.target()
        person.press("#release")
        person.page.wait_for_function("count => replay.count >= count", arg=2 * stone + 1)
        shot = practice.throws[2 * stone]
        np.testing.assert_allclose(shot.aim[:2], Aim(*target).velocity(practice.page.model.law), atol=0.01)
        assert shot.team == 0 and shot.seconds > 0.0
    person.says("You win")
    playing.result(PATIENCE)
    kept = record.read(tmp_path / "test-0001.jsonl")
    assert len(replay(kept)) == 17 and kept.match.players == ("person", "client") and kept.result.winner == 0


@pytest.mark.parametrize("team, width, touches", [(1, 1400, False), (0, 390, True)])
def test_a_person_plays_mixed_doubles_and_sets_up_the_end(practise, sit_down, tmp_path, team, width, touches):
    practice = practise(team, records=tmp_path)
    person = sit_down(practice, width, touches)
    page = person.page
    person.press("#release")
    playing = practice.meet(**MIXED)
    if team == 1:  # who decides in the first end
        person.says("End 1: set it up")
        buttons = page.locator("#setups button")
        assert buttons.count() == 4 and not page.locator("#weight").is_visible()
        assert page.locator("#setups [aria-pressed=true]").inner_text() == "The hammer"
        person.press("#setups button >> text=power play on the right")
        assert page.evaluate(STONES) == ["2", "10"]
        assert page.inner_text("#release") == "Set up the end"
        person.press("#release")
        stones = {2: (1.073, 34.435), 10: (1.219, 38.260)}
    else:
        stones = {2: (0.0, 34.435), 10: (0.0, 38.870)}
    person.hurry()
    for stone in range(5):
        person.says(f"End 1, stone {2 * stone + 1 + team} of 10: your shot")
        if stone == team == 0:
            assert page.evaluate(STONES) == ["2", "10"]
        person.settle()
        person.press("#release")
        page.wait_for_function("count => replay.count >= count", arg=2 * stone + 1 + team)
    page.wait_for_function("() => document.getElementById('release').textContent === 'Next match'")
    playing.result(PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    kept = record.read(tmp_path / "test-0001.jsonl")
    assert len(replay(kept)) == 11 and [shot.team for shot in kept.shots[:2]] == [0, 1]
    assert kept.setups == ((0, 1, "pp_right" if team else "center_house"),)
    places = stones_of(replay(kept)[0])
    assert np.flatnonzero(present(places)).tolist() == list(stones)
    np.testing.assert_allclose(places[list(stones)], list(stones.values()), atol=1e-6)


def test_an_end_is_set_up_once_by_its_team_and_as_is_allowed(practise):
    practice = practise(1)
    setup = {"end": 0, "choice": "center_guard"}
    late = (409, "it is not your turn to set up this end")
    assert ask(practice, f"{MATCH}/setup", setup) == late
    sat_down(practice, **MIXED)
    assert practice.page.phase == "setup"
    assert ask(practice, f"{MATCH}/throw", {**AIM, "shot": 0}) == (409, "it is not your turn")
    assert ask(practice, f"{MATCH}/setup", {"end": 1, "choice": "center_guard"}) == late
    status, told = ask(practice, f"{MATCH}/setup", {"end": 0, "choice": "nothing"})
    assert status == 409 and "must be center_guard or center_house or pp_left or pp_right" in told
    assert ask(practice, f"{MATCH}/setup", {"end": 0})[0] == 422
    assert ask(practice, f"{MATCH}/setup", setup)[0] == 200
    until(lambda: practice.page.phase == "aim")
    assert ask(practice, f"{MATCH}/setup", setup) == late
    practice.page.seat.set_up("center_house")  # out of turn
    assert ask(practice, f"{MATCH}/throw", {**AIM, "shot": 0})[0] == 200
    until(lambda: len(practice.throws) == 2)
    assert [item.choice for item in practice.records[0] if isinstance(item, Setup)] == ["center_guard"]


def test_the_clock_is_that_of_the_match_and_stands_still_before_a_set_up(practise, sit_down):
    practice = practise(1)
    person = sit_down(practice)
    clocks = "document.getElementById('clocks').textContent"
    person.press("#release")
    practice.meet(**MIXED, time_limit=7200.0)
    person.says("End 1: set it up")
    person.page.wait_for_function(f"() => {clocks} === 'Time left: you 120:00, client 120:00'")
    person.page.reload()
    person.says("End 1: set it up")
    person.page.wait_for_function(f"() => {clocks} === 'Time left: you 120:00, client 120:00'")
    person.press("#setups button >> text=The guard")
    person.press("#release")
    person.says("End 1, stone 1 of 10: your shot")
    person.page.wait_for_function(f"() => /^Time left: you 119:\\d\\d, client 120:00$/.test({clocks})")


def test_who_does_not_throw_in_time_loses_and_may_play_again(practise):
    practice = practise(0)  # the person has to throw first
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    practice.meet(time_limit=0.2)
    until(lambda: practice.page.phase == "over")
    last = practice.records[0][-1]
    assert (last.reason, last.winner) == ("time_limit", 1)
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    practice.meet()
    until(lambda: practice.page.phase == "aim")
    assert len(practice.records) == 2


def test_a_shot_is_thrown_once_and_in_turn(practise):
    practice = practise(1)
    sat_down(practice)
    # both in one turn of the event loop: after the client's answer, the second would be the next shot
    practice.loop.call_soon_threadsafe(lambda: [practice.page.seat.throw((0.4, 3.0, 1.0)) for _ in range(2)])
    until(lambda: practice.page.shots == 3 and practice.page.phase == "aim")
    assert ask(practice, f"{MATCH}/throw", {**AIM, "shot": 3})[0] == 200
    until(lambda: len(practice.throws) == 5)
    assert [shot.team for shot in practice.throws] == [0, 1, 0, 1, 0]
    assert practice.throws[1].aim == pytest.approx((0.4, 3.0, 1.0)) and practice.throws[1].thrown[2] > 0.0


def test_the_person_plays_the_first_match_that_begins_and_leaves_the_others(practise):
    practice = practise(1)

    async def create():
        return await practice.host.user("user2").create()

    def join(match_id, team):
        return practice.start(practice.host.user("user2").join(match_id, team, TEAM)).result(PATIENCE)

    before = practice.start(create()).result(PATIENCE)
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    after = practice.start(create()).result(PATIENCE)
    until(lambda: len([line for line in practice.said if "team1 person is there" in line]) == 2)
    assert join(before, 1) == (200, "team0")  # the person has the other seat
    practice.meet()
    until(lambda: practice.page.phase == "aim")
    assert join(after, 1) == (200, "team1")  # which is free again
    assert len(practice.records) == 1 and practice.records[0][0].players == ("client", "person")


def test_a_match_that_waits_begins_when_the_person_sits_down(practise):
    practice = practise(1)
    playing = practice.meet()
    until(lambda: any("team0 client is there" in line for line in practice.said))
    assert ask(practice, f"{MATCH}/next", {})[0] == 200
    until(lambda: practice.page.phase == "aim")
    assert not playing.done()


def test_a_match_ends_with_the_server_and_the_page_says_so(practise, sit_down):
    practice = practise(1)
    person = sit_down(practice)
    person.press("#release")
    practice.meet()
    person.says("stone 2 of 16: your shot")
    practice.start(practice.host.matches.close()).result(PATIENCE)
    person.says("Abandoned (the server was stopped)")


def test_the_command_prints_the_address(start):
    process = start("server", "dc4", "--port", "0", "--watch", "0", "--person", "1", "--matches", "1")
    lines = [process.stdout.readline() for _ in range(3)]
    address = re.fullmatch(r"play team 1 at (http://127\.0\.0\.1:\d+/[\w-]{12})\n", lines[1])[1]
    port = int(re.match(r"listening on 127\.0\.0\.1:(\d+): ", lines[2])[1])
    home, _, _ = address.rpartition("/")
    with urllib.request.urlopen(urllib.request.Request(f"{address}/0/next", b"{}", {"Origin": home})) as answer:
        assert answer.status == 200
    match_id = serving_dc4.post(port, "/matches", NEW, 0)
    seat = f"/store-team-config?match_id={match_id}&expected_match_team_name=team1"
    assert serving_dc4.post(port, seat, TEAM, 0) == "team0"
    said = [process.stdout.readline() for _ in range(3)]
    assert re.fullmatch(r"match [0-9a-f-]{36}: team1 person is there\n", said[1]) and "team0 a team is there" in said[2]
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 130
