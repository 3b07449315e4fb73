"""Matches of mixed doubles on the practice server of Digital Curling 4: set-ups, slots, clocks and records."""

import json
import math

import pytest

pytest.importorskip("aiohttp", reason="aiohttp is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.match.mixed_doubles import mixed_state_of
from bonspiel.curling.protocols.dc4 import EXAMPLE_PLAYERS
from bonspiel.curling.protocols.dc4_server import Player
from bonspiel.curling.records.record import read
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.replay.live_matches import LiveMatch
from bonspiel.curling.server.dc4 import match as dc4_match
from bonspiel.curling.server.record_feed import RecordFeed
from tests.curling.server.dc4_hosting import DRAW, NEW, PLAYER, TEAM, THROUGH, begun, hosting, play_end
from tests.curling.server.hosting import Clock, context_of

MIXED = {"game_mode": "mixed_doubles", "applied_rule": "modified_fgz_rule", "positioned_stones_pattern": 2}
SHOTS = 10
ABSENT = {"x": 0.0, "y": 0.0}
HOUSE, GUARD = (0.0, 38.870), (0.0, 34.435)  # of pattern 2
POWER_HOUSE, POWER_GUARD = (1.219, 38.260), (1.073, 34.435)


async def set_up(match_id, users, streams, team, choice):
    """Set up an end; the state told after it, as both players saw it."""
    assert await users[team].post(f"/matches/{match_id}/end-setup", request=choice) == (200, None)
    first, second = [await stream.state() for stream in streams]
    assert first == second
    return first


async def next_end(streams):
    """The state before a set-up, as both players saw it."""
    first, second = [await stream.state() for stream in streams]
    assert first == second
    return first


def slots(state, team):
    return state["stone_coordinate"]["data"][f"team{team}"]


def place(slot):
    return pytest.approx((slot["x"], slot["y"]))


async def test_an_end_is_told_as_the_protocol_says():
    async with hosting() as host:
        match = await begun(host, standard_end_count=2, **MIXED)
        before = await next_end(match[2])
        after = await set_up(*match, 1, "pp_left")
        told = await play_end(*match, after, [THROUGH, DRAW] + [THROUGH] * 8)
        later = await next_end(match[2])
    settings = {"end_setup_team": "team1", "positioned_stones_pattern": 2}
    nobody, used = {"team0": None, "team1": None}, {"team0": None, "team1": 0}
    numbers = "team_shot_number", "total_shot_number", "next_shot_team", "last_move", "winner_team"
    # before the set-up there are no numbers and six empty slots a team
    assert [before[name] for name in numbers] == [None] * 5
    assert slots(before, 0) == slots(before, 1) == [ABSENT] * 6
    assert before["mixed_doubles_settings"] == settings | {"power_play_end": nobody}
    # after it there are eight, of which the first has the stone that was set up
    assert [after[name] for name in numbers] == [0, 0, "team0", None, None]
    assert slots(after, 0)[1:] == slots(after, 1)[1:] == [ABSENT] * 7
    assert (-1.073, 34.435) == place(slots(after, 0)[0]) and (-1.219, 38.260) == place(slots(after, 1)[0])
    # then six, in the order of the throws
    assert [state["total_shot_number"] for state in told] == [*range(1, SHOTS), None]
    assert [state["team_shot_number"] for state in told] == [number // 2 for number in range(1, SHOTS)] + [None]
    assert [state["next_shot_team"] for state in told] == ["team1", "team0"] * 4 + ["team1", None]
    assert all(len(slots(state, team)) == 6 for state in told for team in (0, 1))
    assert told[1]["last_move"] == pytest.approx(DRAW | {"angular_velocity": math.pi / 2})
    assert slots(told[1], 1)[1]["y"] > 38.0 and slots(told[1], 0)[1] == ABSENT
    # after the last shot the points are told, and who decided this end; then who decides the next one
    assert told[-1]["last_move"] and told[-1]["score"] == {"team0": [0, 0, 0], "team1": [2, 0, 0]}
    assert told[-1]["mixed_doubles_settings"] == settings | {"power_play_end": used}
    assert later["mixed_doubles_settings"] == settings | {"end_setup_team": "team0", "power_play_end": used}
    assert [later[name] for name in numbers] == [None] * 5 and later["end_number"] == 1
    assert slots(later, 0) == [ABSENT] * 6 and later["score"] == told[-1]["score"]


# the choice of team 1, who throws first, and the places of the stones of team 0 and team 1
CHOICES = [
    ("center_guard", "team1", HOUSE, GUARD),
    ("center_house", "team0", GUARD, HOUSE),
    ("pp_right", "team0", POWER_GUARD, POWER_HOUSE),
]


@pytest.mark.parametrize("choice, leader, first, second", CHOICES)
async def test_each_choice_places_the_stones_and_says_who_leads(choice, leader, first, second):
    async with hosting() as host:
        match = await begun(host, **MIXED)
        await next_end(match[2])
        state = await set_up(*match, 1, choice)
    assert state["next_shot_team"] == leader
    assert first == place(slots(state, 0)[0]) and second == place(slots(state, 1)[0])


async def test_a_match_may_begin_at_a_position():
    stones = no_stones()
    stones[3], stones[12] = (0.1, 38.0), (-0.5, 39.0)  # the first of team 0 and the second of team 1 that were thrown
    start = mixed_state_of(stones, 12, hammer=0, end=1, lead=-2, decider=0, power_plays=(False, True))

    async with hosting(context=context_of(start=start)) as host:
        state = await (await begun(host, standard_end_count=2, **MIXED))[2][1].state()
    settings = {"end_setup_team": "team0", "positioned_stones_pattern": 2}
    assert state["mixed_doubles_settings"] == settings | {"power_play_end": {"team0": 0, "team1": None}}
    assert (state["end_number"], state["total_shot_number"], state["next_shot_team"]) == (1, 6, "team1")
    assert state["score"] == {"team0": [0, 0, 0], "team1": [2, 0, 0]}
    lying = {(team, slot) for team in (0, 1) for slot, at in enumerate(slots(state, team)) if at != ABSENT}
    assert lying == {(0, 1), (1, 2)} and (0.1, 38.0) == place(slots(state, 0)[1])


async def test_a_whole_match_with_power_plays_and_an_extra_end(tmp_path):
    away, feed = [THROUGH] * SHOTS, RecordFeed()

    async with hosting(records=tmp_path, feed=feed) as host:
        match = await begun(host, standard_end_count=2, **MIXED | {"positioned_stones_pattern": None})
        told = [await next_end(match[2])]
        # the stone in the house counts for the team with the hammer, unless the other one draws to the tee
        for team, choice, shots in (
            (1, "pp_left", [*away[:-2], DRAW, THROUGH]),
            (1, "pp_right", away),
            (0, "pp_left", away),
        ):
            state = await set_up(*match, team, choice)
            told.append(state)
            told += await play_end(*match, state, shots)
            if told[-1]["winner_team"] is None:
                told.append(await next_end(match[2]))
        lines = host.told
    plays = [state["mixed_doubles_settings"]["power_play_end"] for state in told if state["team_shot_number"] is None]
    # a second power play and one in an extra end are played as center_house, and not told
    assert plays == [{"team0": None, "team1": None}] + [{"team0": None, "team1": 0}] * 5
    setups = [state for state in told if len(slots(state, 0)) == 8]
    assert [slots(state, 1)[0]["x"] for state in setups] == [pytest.approx(-1.219), 0.0, 0.0]
    assert [state["end_number"] for state in setups] == [0, 1, 2]
    (file,) = tmp_path.iterdir()
    record = read(file)
    replay(record)
    assert record.setups == ((0, 1, "pp_left"), (1, 1, "center_house"), (2, 0, "center_house"))
    assert (record.match.game, record.match.pattern, record.match.rule) == ("mixed_doubles", 0, "modified")
    assert len(record.shots) == 3 * SHOTS and record.result.reason == "score"
    winner = told[-1]["winner_team"]
    assert winner == f"team{record.result.winner}" and lines[-1].startswith(f"match 1: {winner} team ")
    assert told[-1]["total_shot_number"] is None and told[-1]["end_number"] == 2
    await check_live_page(feed)


async def check_live_page(feed):
    """Whether a live page shows the set-ups."""
    ((_, items),) = feed.matches()
    match = LiveMatch()
    match.items += items
    events = [json.loads(await match.event(number)) for number in range(len(items))]
    shown = [event for event in events if event["type"] == "setup"]
    assert [event["stones"][10][0] for event in shown] == [-1219, 0, 0]


async def test_after_a_blank_end_the_other_team_decides():
    async with hosting() as host:
        match = await begun(host, standard_end_count=3, **MIXED)
        deciders = [(await next_end(match[2]))["mixed_doubles_settings"]["end_setup_team"]]
        for _ in range(2):
            team = int(deciders[-1] == "team1")
            state = await set_up(*match, team, "center_house")
            # the fourth shot takes the stone out of the house
            hit = DRAW | {"translational_velocity": 3.0, "shot_angle": 1.5375}
            told = await play_end(*match, state, [THROUGH] * 3 + [hit] + [THROUGH] * 6)
            assert told[2]["stone_coordinate"]["data"][f"team{team}"][0] != ABSENT
            assert told[-1]["score"] == {"team0": [0] * 4, "team1": [0] * 4}
            deciders.append((await next_end(match[2]))["mixed_doubles_settings"]["end_setup_team"])
        assert deciders == ["team1", "team0", "team1"]


async def test_wrong_set_ups_and_shots_are_refused():
    async with hosting() as host:
        users = [host.user("user0"), host.user("user1")]
        match_id = await users[0].create(**MIXED)
        setup, stranger = f"/matches/{match_id}/end-setup", host.user("user2")
        due = 409, {"detail": "End setup required."}
        assert await users[0].throw(match_id) == due
        for team, user in enumerate(users):
            await user.join(match_id, team)
        refused = await users[1].post(setup, request="center_guard")
        assert refused[0] == 409 and "begins when both teams are there" in refused[1]["detail"]
        streams = [await user.listen(match_id) for user in users]
        await next_end(streams)
        assert await stranger.post(setup, request="center_guard") == (401, {"detail": "Invalid match data"})
        for wrong in ("house", "CENTER_GUARD", ""):
            status, content = await users[1].post(setup, request=wrong)
            assert status == 422 and content["detail"][0]["loc"] == ["query", "request"]
        assert (await users[1].post(setup))[0] == 422
        others = 409, {"detail": "Not your turn to setup positioned stones."}
        assert await users[0].post(setup, request="center_guard") == others
        assert await stranger.throw(match_id) == await users[0].throw(match_id) == due
        state = await set_up(match_id, users, streams, 1, "center_guard")
        assert await users[0].throw(match_id) == (409, {"detail": "Not your turn."})
        for user in users:
            assert await user.post(setup, request="pp_left") == (409, {"detail": "End already started."})
        last = (await play_end(match_id, users, streams, state, [THROUGH] * SHOTS))[-1]
        assert last["winner_team"] == "team0"  # its stone in the house
        assert await users[1].throw(match_id) == (409, {"detail": "Match already finished."})
        assert await users[1].post(setup, request="pp_left") == (409, {"detail": "Match already finished."})


async def test_no_clock_runs_before_the_set_up_which_starts_the_leaders():
    clock = Clock()

    async with hosting(clock=clock) as host:
        match = await begun(host, time_limit=100.0, **MIXED)
        before = await next_end(match[2])
        clock.now += 5000.0
        after = await set_up(*match, 1, "center_guard")
        clock.now += 7.0
        found = before, after, (await play_end(*match, after, [DRAW]))[0]
    for state, left in zip(found, (100.0, 100.0, 93.0), strict=True):
        assert (state["first_team_remaining_time"], state["second_team_remaining_time"]) == (100.0, left)


async def test_a_team_that_never_sets_up_loses(tmp_path, monkeypatch):
    monkeypatch.setattr(dc4_match, "SETUP_SECONDS", 0.05)

    async with hosting(records=tmp_path) as host:
        match_id, users, streams = await begun(host, **MIXED)
        first = await next_end(streams)
        last = await next_end(streams)
        refused = await users[1].post(f"/matches/{match_id}/end-setup", request="pp_left")
    clocks = "first_team_remaining_time", "second_team_remaining_time"  # neither ran
    assert all(last[name] == first[name] > 0.0 for name in clocks)
    assert (last["winner_team"], last["next_shot_team"], last["total_shot_number"]) == ("team0", None, None)
    assert refused == (409, {"detail": "Match already finished."})
    record = read(next(tmp_path.iterdir()))
    replay(record)
    assert (record.result.reason, record.result.winner, record.shots) == ("time_limit", 0, ())


async def test_who_connects_again_hears_the_set_up_and_the_power_plays_of_now():
    async with hosting() as host:
        match_id, users, streams = await begun(host, **MIXED)
        before = await next_end(streams)
        after = await set_up(match_id, users, streams, 1, "pp_right")
        told = await play_end(match_id, users, streams, after, [THROUGH] * 2)
        again = await users[1].listen(match_id)
        told = [before, after, *told]
        replayed = [await again.next() for _ in range(4)]
    told[0]["mixed_doubles_settings"] = told[1]["mixed_doubles_settings"]
    names = ["state_update"] * 3 + ["latest_state_update"]
    assert replayed == list(zip(names, told, strict=True))


async def test_player1_throws_first_and_last_and_player2_between():
    two = {f"player{k}": PLAYER | {"max_velocity": 2.0 + 0.1 * k, "shot_std_dev": 0.0} for k in (1, 2)}

    async with hosting(Player(3.0, 0.0, 0.0, "default")) as host:
        match = await begun(host, (TEAM | two | {"use_default_config": False}, TEAM), **MIXED)
        await next_end(match[2])
        state = await set_up(*match, 1, "center_house")
        found = await play_end(*match, state, [THROUGH] * SHOTS)
    speeds = [state["last_move"]["translational_velocity"] for state in found]
    assert speeds[::2] == pytest.approx([2.1, 2.2, 2.2, 2.2, 2.1]) and speeds[1::2] == pytest.approx([3.0] * 5)


async def test_the_servers_own_players_may_differ():
    two = [Player(one.max_speed, one.noise.speed, one.noise.angle, "example") for one in EXAMPLE_PLAYERS]

    async with hosting(mixed=two) as host:
        match = await begun(host, **MIXED)
        await next_end(match[2])
        state = await set_up(*match, 1, "center_house")
        found = await play_end(*match, state, [THROUGH] * SHOTS)
    speeds = [state["last_move"]["translational_velocity"] for state in found]
    # both teams' second players throw at 3 m/s at most, with an error of 0.025 m/s
    assert all(abs(speed - 4.0) < 6 * 0.08 for speed in speeds[:2] + speeds[8:])
    assert all(0.0 < abs(speed - 3.0) < 6 * 0.025 for speed in speeds[2:8])


@pytest.mark.parametrize("default", [True, False])
async def test_more_than_two_players_are_refused(default):
    async with hosting() as host:
        user = host.user("user0")
        match_id = await user.create(**MIXED)
        assert await user.join(match_id, 0, TEAM | {"use_default_config": default, "player4": PLAYER}) == (
            400,
            {"detail": "player3 and player4 are only for standard."},
        )


CREATIONS = [
    ({"positioned_stones_pattern": 6}, 400, "positioned_stones_pattern must be from 0 to 5."),
    ({"positioned_stones_pattern": -1}, 400, "positioned_stones_pattern must be from 0 to 5."),
    ({"applied_rule": "fgz_rule"}, 400, "applied_rule must be modified_fgz_rule for mixed_doubles."),
    ({"simulator": {"simulator_name": "other"}}, 404, "Simulator not found."),
]


@pytest.mark.parametrize("change, status, text", CREATIONS)
async def test_creations_are_refused_with_the_name_of_what_is_wrong(change, status, text):
    async with hosting() as host:
        assert await host.user("user0").post("/matches", NEW | MIXED | change) == (status, {"detail": text})


async def test_what_is_known_of_a_match_can_be_read_by_all():
    async with hosting() as host:
        match_id, users, streams = await begun(host, **MIXED)
        await next_end(streams)
        state = await set_up(match_id, users, streams, 1, "pp_left")
        known = (await host.user(None).ask("GET", f"/matches/{match_id}"))[1]
    assert (known["game_mode"], known["applied_rule"]) == ("mixed_doubles", 2)
    assert known["mixed_doubles_settings"] == state["mixed_doubles_settings"]
