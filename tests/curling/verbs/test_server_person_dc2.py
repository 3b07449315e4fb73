"""A person plays a team of matches of Digital Curling 2."""

from contextlib import asynccontextmanager
from functools import partial

import pytest

from bonspiel.curling.records import record
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.server.dc2 import Dc2Session, listen_dc2
from bonspiel.curling.server.pages.person import Dc2Person
from bonspiel.curling.server.pages.person import sit_down as take_seat
from bonspiel.curling.server.referee import ThinkingTimes
from tests.curling.browsing import ask, until
from tests.curling.practice import ROOT, Practice, served
from tests.curling.replay.test_live import Stream
from tests.curling.server.hosting import PATIENCE, hosting

LONG = ThinkingTimes(10**7, 10**7)


class Practice2(Practice):
    async def _play(self, team, shots, name):
        client = await self.host.connect()
        assert await client.receive() == "CONNECTED"
        client.send(f"LOGIN {name} password {name}")
        while (text := await client.receive()) is not None:
            if text == "ISREADY":
                client.send("READYOK")
            elif text.startswith("GO "):
                if shots == 0:
                    break
                shots -= 1
                client.send("BESTSHOT 3.0 -35.0 0")
        await client.close()


def practising2(team, **given):
    @asynccontextmanager
    async def serve(context, page):
        async with hosting(context, Dc2Session, listen_dc2, end=b"\0") as host:
            make_person = partial(Dc2Person, times=context.times)
            page.seat.open(partial(take_seat, make_person, host.lobby, page.seat))
            yield host

    return served(Practice2, serve, team, lambda match: [match], physics="dc2", **{"times": LONG} | given)


@pytest.mark.parametrize("team", [0, 1])
def test_a_person_plays_a_match_against_a_client(team, sit_down, tmp_path):
    with practising2(team, records=tmp_path) as practice:
        person = sit_down(practice)
        person.press("#release")
        person.says("Waiting for the other team")
        playing = practice.meet()
        person.hurry()
        for stone in range(8):
            person.says(f"End 1, stone {2 * stone + team + 1} of 16: your shot")
            person.press("#release")
            person.page.wait_for_function("count => replay.count >= count", arg=2 * stone + team + 1)
        person.says("You win")
        playing.result(PATIENCE)
    kept = record.read(tmp_path / "test-0001.jsonl")
    assert len(replay(kept)) == 17 and kept.match.players[team] == "person" and kept.result.winner == team


def test_the_clocks_of_both_teams_are_told():
    with practising2(1) as practice, Stream(practice, f"{ROOT}/0/events") as stream:
        assert ask(practice, f"{ROOT}/0/next", {})[0] == 200
        practice.meet()
        until(lambda: practice.page.phase == "aim")
        aim = {"x": 0.0, "y": 38.0, "side": 1, "weight": 0, "shot": 1}
        assert ask(practice, f"{ROOT}/0/throw", aim)[0] == 200
        turns = []
        while len(turns) < 4:
            event = stream.next()
            if "left" in event:
                turns.append(event)
    assert [turn["phase"] for turn in turns] == ["think", "aim", "think", "aim"]
    assert turns[0]["left"] == [10**4, 10**4]
    told, known, told_next = (turn["left"] for turn in turns[1:])
    assert known[0] == told[0] and known[1] < told[1]  # until the server tells both again, in whole milliseconds
    assert known[1] <= told_next[1] <= told[1] and told_next[0] <= known[0]


def test_who_does_not_throw_in_time_loses():
    with practising2(0, times=ThinkingTimes(200, 200)) as practice:
        assert ask(practice, f"{ROOT}/0/next", {})[0] == 200
        practice.meet()
        until(lambda: practice.page.phase == "over")
        last = practice.records[0][-1]
        assert (last.reason, last.winner) == ("time_limit", 1)
