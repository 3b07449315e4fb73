"""Matches of Digital Curling 4 on the practice server: messages, order, clocks and results."""

import asyncio
import json
import math

import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="aiohttp is not installed (pip install -e '.[dc4]')")

from bonspiel.curling.protocols.dc4 import decode_state
from bonspiel.curling.protocols.dc4_server import Player
from bonspiel.curling.records.record import read
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.server.dc4 import matches as dc4_matches
from bonspiel.curling.server.dc4 import stream as dc4_stream
from bonspiel.curling.server.dc4.games import MOST_SD
from tests.curling.server.dc4_hosting import DRAW, FOUR, NEW, PLAYER, TEAM, THROUGH, begun, hosting, play_end
from tests.curling.server.hosting import Clock, until

NOBODY = "00000000-0000-4000-8000-000000000000"
SETUP = "/matches/{}/end-setup"


async def test_an_end_is_told_as_the_protocol_says():
    async with hosting() as host:
        match_id, users, streams = await begun(host, standard_end_count=2)
        first, other = [await stream.state() for stream in streams]
        told = await play_end(match_id, users, streams, first, [DRAW] * 15 + [THROUGH])
        later, _ = [await stream.state() for stream in streams]
    assert first == other and list(first) == [
        "winner_team",
        "first_team_name",
        "second_team_name",
        "end_number",
        "team_shot_number",
        "total_shot_number",
        "next_shot_team",
        "first_team_remaining_time",
        "second_team_remaining_time",
        "first_team_extra_end_remaining_time",
        "second_team_extra_end_remaining_time",
        "mixed_doubles_settings",
        "last_move",
        "stone_coordinate",
        "score",
    ]
    absent = [{"x": 0.0, "y": 0.0}] * 8
    assert (first["first_team_name"], first["second_team_name"]) == ("team 0", "team 1")
    assert first["stone_coordinate"] == {"data": {"team0": absent, "team1": absent}}
    assert first["score"] == {"team0": [0, 0, 0], "team1": [0, 0, 0]}
    assert first["last_move"] is first["mixed_doubles_settings"] is first["winner_team"] is None
    assert (first["end_number"], first["total_shot_number"], first["next_shot_team"]) == (0, 0, "team0")
    assert [state["total_shot_number"] for state in told] == list(range(1, 17))
    assert [state["team_shot_number"] for state in told] == [number // 2 for number in range(1, 17)]
    assert [state["next_shot_team"] for state in told] == ["team1", "team0"] * 7 + ["team1", None]
    # a negative spin is counter-clockwise on the server, and told so; the first stone of team 0 is in slot 0
    assert told[0]["last_move"] == pytest.approx(DRAW | {"angular_velocity": math.pi / 2})
    stone = told[0]["stone_coordinate"]["data"]["team0"][0]
    assert math.hypot(stone["x"], stone["y"] - 38.405) < 0.3
    assert np.float32(stone["x"]) == stone["x"]
    # the last state of the end has the points and the stones at rest, and the next one an empty sheet
    points = {team: score[0] for team, score in told[-1]["score"].items()}
    assert sorted(points.values())[0] == 0 < sorted(points.values())[1]
    assert told[-1]["last_move"]["angular_velocity"] == pytest.approx(-math.pi / 2)
    scorer = max(points, key=points.get)
    assert (later["end_number"], later["total_shot_number"], later["next_shot_team"]) == (1, 0, scorer)
    assert later["stone_coordinate"] == first["stone_coordinate"] and later["last_move"] is None
    assert later["score"] == told[-1]["score"]
    for state in [first, *told, later]:
        decode_state(json.dumps(state))


async def test_a_tie_goes_to_an_extra_end_which_has_a_clock_of_its_own(tmp_path):
    clock = Clock()

    async with hosting(clock=clock, records=tmp_path) as host:
        match_id, users, streams = await begun(host)
        state = await streams[0].state(), await streams[1].state()
        clock.now += 19.0
        blank = await play_end(match_id, users, streams, state[0], [THROUGH] * 16)
        extra = [await stream.state() for stream in streams]
        clock.now += 1.5
        again = await play_end(match_id, users, streams, extra[0], [THROUGH] * 16)
        second = [await stream.state() for stream in streams]
        last = await play_end(match_id, users, streams, second[0], [THROUGH] * 14 + [DRAW, THROUGH])
        assert await users[0].throw(match_id) == (409, {"detail": "Match already finished."})
        extra = extra[0]
        second = second[0]
        told = host.told
    # the hammer stays after a blank end, so the same team throws first
    assert [extra["end_number"], extra["next_shot_team"], second["next_shot_team"]] == [1, "team0", "team0"]
    times = [f"{team}_team_{kind}remaining_time" for kind in ("", "extra_end_") for team in ("first", "second")]
    assert [extra[name] for name in times] == [200.0, 219.0, 21.9, 21.9]
    assert [blank[-1][name] for name in times] == [extra[name] for name in times]
    # one clock for all extra ends, and it is not refilled
    assert [second[name] for name in times] == [last[-1][name] for name in times] == [200.0, 219.0, 20.4, 21.9]
    assert [again[-1]["score"], last[-1]["score"]] == [
        {"team0": [0, 0], "team1": [0, 0]},
        {"team0": [0, 1], "team1": [0, 0]},
    ]
    assert (last[-1]["winner_team"], last[-1]["next_shot_team"], last[-1]["total_shot_number"]) == ("team0", None, 16)
    (file,) = tmp_path.iterdir()
    record = read(file)
    replay(record)
    assert record.result.score == (1, 0) and record.match.players == ("team 0", "team 1")
    assert told[-1] == f"match 1: team0 team 0 wins, 1:0 (score), record {file}"


CHARGES = [(4.2, True, 95.8), (100.0, True, 0.0), (100.0009, True, 0.0), (100.001, False, 0.0)]


@pytest.mark.parametrize("used, in_time, left", CHARGES)
async def test_only_the_time_of_the_mover_runs_and_a_clock_that_is_just_used_up_is_in_time(used, in_time, left):
    clock = Clock()

    async with hosting(clock=clock, late_shots=True) as host:
        match_id, users, streams = await begun(host, time_limit=100.0)
        first = await streams[0].state(), await streams[1].state()
        clock.now += used
        state = (await play_end(match_id, users, streams, first[0], [DRAW]))[0]
        told = host.told[-1]
    assert (state["first_team_remaining_time"], state["second_team_remaining_time"]) == (left, 100.0)
    assert (state["total_shot_number"], state["next_shot_team"]) == (1, "team1")
    assert state["winner_team"] == (None if in_time else "team1")
    # a late shot is played all the same
    assert state["stone_coordinate"]["data"]["team0"][0]["y"] > 38.0 and state["last_move"]
    assert told.endswith("team1 team 1 wins, 0:0 (time_limit)") != in_time


@pytest.mark.parametrize("shots", [0, 3, 15])
async def test_a_clock_that_is_used_up_ends_the_match_without_a_shot(tmp_path, shots):
    clock = Clock()

    async with hosting(clock=clock, records=tmp_path) as host:
        match_id, users, streams = await begun(host, time_limit=1.0)
        first = await streams[0].state(), await streams[1].state()
        told = await play_end(match_id, users, streams, first[0], [DRAW] * shots)
        last = await streams[0].state()
        assert await users[shots % 2].throw(match_id) == (409, {"detail": "Match already finished."})
        before = [first[0], *told][-1]
    mover = shots % 2
    assert last["winner_team"] == f"team{1 - mover}" and last["total_shot_number"] == shots + 1
    assert last["next_shot_team"] == (None if shots == 15 else f"team{1 - mover}")
    assert last[("first_team_remaining_time", "second_team_remaining_time")[mover]] == 0.0
    assert last["last_move"] is None and last["stone_coordinate"] == before["stone_coordinate"]
    record = read(next(tmp_path.iterdir()))
    replay(record)
    assert (record.result.reason, record.result.winner, len(record.shots)) == ("time_limit", 1 - mover, shots)


async def test_a_late_last_shot_loses_too(tmp_path):
    clock = Clock()

    async with hosting(clock=clock, late_shots=True, records=tmp_path) as host:
        match_id, users, streams = await begun(host, time_limit=1.0)
        first = await streams[0].state(), await streams[1].state()
        await play_end(match_id, users, streams, first[0], [THROUGH] * 15)
        clock.now += 2.0
        (last,) = await play_end(match_id, users, streams, {"next_shot_team": "team1"}, [DRAW])
    assert (last["winner_team"], last["total_shot_number"], last["next_shot_team"]) == ("team0", 16, None)
    replay(read(next(tmp_path.iterdir())))


async def test_nothing_but_pings_comes_until_both_teams_are_there_and_listen(monkeypatch):
    monkeypatch.setattr(dc4_stream, "PING_SECONDS", 0.02)
    clock = Clock()

    async with hosting(clock=clock) as host:
        users = [host.user("user0"), host.user("user1")]
        match_id = await users[0].create()
        await users[0].join(match_id, 0)
        first = await users[0].listen(match_id)
        assert [await first.next() for _ in range(3)] == [("ping", None)] * 3
        await users[1].join(match_id, 0)
        clock.now += 50.0
        assert await first.next() == ("ping", None)
        assert (await users[0].throw(match_id))[0] == 409
        viewer = await host.user(None).listen(match_id, "viewer")
        assert (await viewer.next())[1]["first_team_name"] == "a team"
        second = await users[1].listen(match_id)
        clock.now += 3.0
        await users[0].throw(match_id)
        begun_with = await first.state()
        assert begun_with == await second.state() and begun_with["first_team_remaining_time"] == 219.0
        thrown = await first.state()
        assert thrown == await viewer.state() and thrown["first_team_remaining_time"] == 216.0


async def test_who_connects_again_hears_the_states_of_the_current_end_and_nobody_else_does():
    async with hosting() as host:
        match_id, users, streams = await begun(host, standard_end_count=2)
        first = await streams[0].state(), await streams[1].state()
        told = await play_end(match_id, users, streams, first[0], [DRAW] * 3)
        streams[1].close()
        again = await users[1].listen(match_id)
        viewer = await host.user(None).listen(match_id, "viewer")
        replayed = [[await stream.next() for _ in range(4)] for stream in (again, viewer)]
        (last,) = await play_end(match_id, users, [streams[0], again], told[-1], [DRAW])
        told = [first[0], *told]
        viewed = await viewer.state()
    names = ["state_update"] * 3 + ["latest_state_update"]
    assert replayed == [list(zip(names, told, strict=True))] * 2
    assert last == viewed and last["total_shot_number"] == 4


async def test_a_replay_after_an_end_begins_with_the_new_end_and_after_the_match_has_its_last_one():
    async with hosting() as host:
        match_id, users, streams = await begun(host)
        first = await streams[0].state(), await streams[1].state()
        await play_end(match_id, users, streams, first[0], [THROUGH] * 16)
        extra = await streams[0].state(), await streams[1].state()
        viewer = await host.user(None).listen(match_id, "viewer")
        alone = await viewer.next()
        told = await play_end(match_id, users, streams, extra[0], [THROUGH] * 15 + [DRAW])
        late = await host.user(None).listen(match_id, "viewer")
        extra = extra[0]
        replayed = [await late.next() for _ in range(17)]
    assert alone == ("latest_state_update", extra)
    assert [state["total_shot_number"] for _, state in replayed] == list(range(17))
    # old states are told with the score of now
    assert replayed[3][1]["score"] == told[-1]["score"] == {"team0": [0, 0], "team1": [0, 1]}
    assert replayed[-1] == ("latest_state_update", told[-1]) and replayed[-2][0] == "state_update"


async def test_the_seat_asked_for_is_given_if_free_and_kept():
    async with hosting() as host:
        users = [host.user(f"user{number}") for number in range(3)]
        match_id = await users[2].create()
        answers = [await users[0].join(match_id, 1), await users[0].join(match_id, 0)]
        answers += [await users[1].join(match_id, 1), await users[1].join(match_id, 1)]
        third = await users[2].join(match_id, 0)
        unseated = await users[2].ask("GET", f"/matches/{match_id}/stream")
    assert answers == [(200, "team1")] * 2 + [(200, "team0")] * 2
    assert third == unseated == (401, {"detail": "Invalid match data"})


async def test_players_that_are_missing_are_refused_after_the_seat_is_taken():
    async with hosting() as host:
        users = [host.user("user0"), host.user("user1")]
        match_id = await users[0].create()
        two = TEAM | {"use_default_config": False}
        refused = await users[0].join(match_id, 0, two)
        seats = [await users[1].join(match_id, 0), await users[0].join(match_id, 1, FOUR)]
        for user in users:
            await user.listen(match_id)
        thrown = await users[0].throw(match_id)
    assert refused == (400, {"detail": "player3 and player4 are required for standard."})
    assert seats == [(200, "team1"), (200, "team0")] and thrown == (200, None)


async def test_each_player_throws_two_stones_with_its_own_numbers():
    four = {f"player{k}": PLAYER | {"max_velocity": 2.0 + 0.1 * k, "player_name": f"p{k}"} for k in (1, 2, 3, 4)}
    wild = FOUR | {f"player{k}": PLAYER | {"shot_std_dev": 1e300, "max_velocity": 1e9} for k in (1, 2, 3, 4)}

    async with hosting() as host:
        match_id, users, streams = await begun(host, (TEAM | four | {"use_default_config": False}, wild))
        first = await streams[0].state(), await streams[1].state()
        found = await play_end(match_id, users, streams, first[0], [THROUGH] * 15)
    speeds = [state["last_move"]["translational_velocity"] for state in found]
    assert speeds[::2] == pytest.approx([2.1, 2.1, 2.2, 2.2, 2.3, 2.3, 2.4, 2.4])
    # errors and speeds are clamped: 4 m/s with a standard deviation of 1 m/s
    assert MOST_SD == 1.0 and 0.1 < np.std(speeds[1::2]) < 3.0 and abs(np.mean(speeds[1::2]) - 4.0) < 2.0


async def test_the_errors_depend_on_the_seed_and_the_number_of_the_match_alone(tmp_path):
    async def moves(seed, *, other_first):
        async with hosting(Player(4.0, 0.0076, 0.0018, "default"), seed=seed) as host:
            matches = [await begun(host) for _ in range(2)]
            firsts = [[await stream.state() for stream in streams] for _, _, streams in matches]
            found = [None, None]
            for number in (1, 0) if other_first else (0, 1):
                told = await play_end(*matches[number], firsts[number][0], [DRAW] * 4)
                found[number] = [state["last_move"]["translational_velocity"] for state in told]
            return found

    one = await moves(1, other_first=False)
    assert one == await moves(1, other_first=True) != await moves(2, other_first=False)
    assert one[0] != one[1]
    errors = np.array(one).ravel() - DRAW["translational_velocity"]
    assert 0.0 < abs(errors).max() < 5 * 0.0076


LEAST, MOST = math.pi / 6, math.pi / 2
SPINS = [(-3.0, MOST), (-1.0, 1.0), (-0.1, LEAST), (0.0, LEAST), (0.1, -LEAST), (9e9, -MOST)]


@pytest.mark.parametrize("sent, thrown", SPINS)
async def test_the_spin_is_clamped_and_turned(sent, thrown):
    async with hosting() as host:
        match_id, users, streams = await begun(host)
        first = await streams[0].state(), await streams[1].state()
        straight = DRAW | {"angular_velocity": sent, "shot_angle": math.pi / 2}
        (state,) = await play_end(match_id, users, streams, first[0], [straight])
    assert state["last_move"]["angular_velocity"] == pytest.approx(thrown)
    # counter-clockwise turns to the left
    assert np.sign(state["stone_coordinate"]["data"]["team0"][0]["x"]) == -np.sign(thrown)


async def test_the_order_of_checks():
    """Each request has more than one fault; the first one in the server's order is told."""
    wrong = {"detail": "Invalid credentials"}

    async with hosting() as host:
        match_id, users, _ = await begun(host)
        stranger, nobody, liar = host.user("user2"), host.user(None), host.user("user0", "wrong")
        place = f"/shots?match_id={match_id}"
        syntax = {"data": "{", "headers": {"Content-Type": "application/json"}}
        assert (await nobody.ask("POST", place, **syntax))[1]["detail"][0]["type"] == "json_invalid"
        assert await nobody.post("/shots", {}, match_id="no") == (401, {"detail": "Not authenticated"})
        assert await liar.post("/shots", {}, match_id="no") == (401, wrong)
        assert await host.user("unknown").post("/shots", {}, match_id="no") == (401, wrong)
        no_id = await users[0].post("/shots", {"translational_velocity": "fast"}, match_id="no")
        assert no_id[0] == 422 and no_id[1]["detail"][0]["loc"] == ["query", "match_id"]
        missing = await stranger.post("/shots", {}, match_id=NOBODY)
        assert missing[0] == 422 and missing[1]["detail"][0]["loc"] == ["body", "translational_velocity"]
        assert await stranger.throw(NOBODY) == (404, {"detail": "Match or state not found."})
        assert await stranger.throw(match_id) == (401, {"detail": "Invalid match data"})
        assert await users[1].throw(match_id) == (409, {"detail": "Not your turn."})
        assert await users[0].throw(match_id) == (200, None)
        assert await users[0].throw(match_id) == (409, {"detail": "Not your turn."})

        setup = SETUP.format(match_id)
        assert (await nobody.post(setup, request="nonsense"))[0] == 401
        assert (await users[0].post(setup, request="nonsense"))[1]["detail"][0]["loc"] == ["query", "request"]
        assert await stranger.post(setup, request="pp_left") == (401, {"detail": "Invalid match data"})
        assert await users[0].post(SETUP.format(NOBODY), request="pp_left") == (401, {"detail": "Invalid match data"})
        only = "end-setup is only for mixed_doubles."
        assert await users[0].post(setup, request="pp_left") == (400, {"detail": only})

        assert await stranger.join(NOBODY) == (401, {"detail": "Invalid match data"})
        assert (await stranger.join(NOBODY, 2))[1]["detail"][0]["loc"] == ["query", "expected_match_team_name"]
        assert await stranger.ask("GET", f"/matches/{NOBODY}/stream") == (401, {"detail": "Invalid match data"})
        for place in ("", "/viewer", "/score", "/stone-coordinate/latest"):
            assert await nobody.ask("GET", f"/matches/{NOBODY}{place}") == (404, {"detail": "Match not found."})
            assert (await nobody.ask("GET", f"/matches/no{place}"))[0] == 422


CREATIONS = [
    ({"game_mode": "chess"}, 422, "game_mode"),
    ({"applied_rule": "modified_fgz_rule"}, 400, "modified_fgz_rule"),
    ({"applied_rule": "no_rule"}, 422, "applied_rule"),
    ({"simulator": {"simulator_name": "other"}}, 404, "Simulator not found."),
    ({"simulator": {}}, 422, "simulator_name"),
    ({"time_limit": None}, 422, "time_limit"),
    ({"time_limit": "219"}, 422, "time_limit"),
    ({"standard_end_count": 0}, 422, "standard_end_count"),
    ({"standard_end_count": 101}, 422, "standard_end_count"),
    ({"standard_end_count": 2.5}, 422, "standard_end_count"),
    ({"match_name": "x" * 300}, 422, "match_name"),
    ({"positioned_stones_pattern": "two"}, 422, "positioned_stones_pattern"),
]


@pytest.mark.parametrize("change, status, text", CREATIONS)
async def test_creations_are_refused_with_the_name_of_what_is_wrong(change, status, text):
    async with hosting() as host:
        got, content = await host.user("user0").post("/matches", NEW | change)
    assert got == status and text in json.dumps(content["detail"])


@pytest.mark.parametrize("name", sorted(set(NEW) - {"positioned_stones_pattern"}))
async def test_a_missing_field_is_named_and_unknown_ones_are_ignored(name):
    async with hosting() as host:
        user = host.user("user0")
        refused = await user.post("/matches", {key: value for key, value in NEW.items() if key != name})
        accepted = await user.post("/matches", NEW | {"colour": "red", "positioned_stones_pattern": 9})
    assert refused == (422, {"detail": [{"type": "missing", "loc": ["body", name], "msg": "Field required"}]})
    assert accepted[0] == 200


async def test_limits_of_time_have_no_range():
    async with hosting() as host:
        match_id, users, streams = await begun(host, time_limit=1e300, extra_end_time_limit=-5.0)
        first = await streams[0].state(), await streams[1].state()
        told = await play_end(match_id, users, streams, first[0], [THROUGH] * 16)
        extra = await streams[0].state()
        last = told[-1]
        lost = await streams[0].state()
    assert last["first_team_remaining_time"] == pytest.approx(1e9) and last["winner_team"] is None
    assert extra["first_team_extra_end_remaining_time"] == -5.0
    assert lost["winner_team"] == "team1" and lost["first_team_extra_end_remaining_time"] == 0.0


async def test_what_is_known_of_a_match_can_be_read_by_all():
    async with hosting() as host:
        match_id, users, streams = await begun(host, applied_rule="no_tick_rule")
        first = await streams[0].state(), await streams[1].state()
        (last,) = await play_end(match_id, users, streams, first[0], [DRAW])
        nobody, place = host.user(None), f"/matches/{match_id}"
        asked = [place, f"{place}/score", f"{place}/stone-coordinate/latest", "/nowhere"]
        known, score, stones, nowhere = [await nobody.ask("GET", place) for place in asked]
    assert known == (
        200,
        {name: NEW[name] for name in ("match_name", "game_mode", "tournament", "simulator")}
        | {name: NEW[name] for name in ("time_limit", "extra_end_time_limit", "standard_end_count")}
        | {"match_id": match_id, "first_team_name": "team 0", "second_team_name": "team 1", "winner_team": None}
        | {"applied_rule": 1, "score": last["score"], "mixed_doubles_settings": None},
    )
    assert score == (200, last["score"]) and stones == (200, last["stone_coordinate"])
    assert nowhere == (404, {"detail": "Not Found"})


async def test_a_shot_sent_twice_at_once_counts_once():
    async with hosting() as host:
        match_id, users, streams = await begun(host)
        answers = await asyncio.gather(*(users[0].throw(match_id) for _ in range(5)))
        for _ in range(2):
            state = await streams[0].state()
    assert sorted(status for status, _ in answers) == [200, 409, 409, 409, 409] and state["total_shot_number"] == 1


async def test_many_matches_end_the_server_when_their_number_is_reached(monkeypatch):
    monkeypatch.setattr(dc4_matches, "LEAVING_SECONDS", 0.2)

    async with hosting(most=2) as host:
        for number in range(2):
            assert not host.matches.done.is_set()
            _, _, streams = await begun(host, time_limit=0.1)
            async with asyncio.timeout(300.0):
                while (await streams[0].state())["winner_team"] is None:
                    pass
            if number:
                for stream in streams:  # the server does not wait for those who have left
                    stream.close()
        async with asyncio.timeout(300.0):
            await host.matches.done.wait()


async def test_the_oldest_match_that_never_began_makes_room(monkeypatch):
    monkeypatch.setattr(dc4_matches, "MOST_MATCHES", 3)

    async with hosting() as host:
        user, nobody = host.user("user0"), host.user(None)
        running = (await begun(host))[0]
        others = [await user.create() for _ in range(3)]
        viewer = await nobody.listen(others[1], "viewer")
        found = [(await nobody.ask("GET", f"/matches/{one}"))[0] for one in (running, *others)]
        await begun(host)
        assert [(await viewer.next())[0], await viewer.next()] == ["latest_state_update", None]
        await begun(host)
        full = await user.post("/matches", NEW)
    assert found == [200, 404, 200, 200]
    assert full == (503, {"detail": "3 matches are running already."})


async def test_viewers_are_bounded_and_players_are_not_kept_out(monkeypatch):
    monkeypatch.setattr(dc4_matches, "MOST_VIEWERS", 2)

    async with hosting() as host:
        match_id, users, _ = await begun(host)
        nobody = host.user(None)
        viewers = [await nobody.listen(match_id, "viewer") for _ in range(2)]
        refused = await nobody.ask("GET", f"/matches/{match_id}/viewer")
        await users[0].listen(match_id)
        viewers[0].close()
        (match,) = host.matches._matches.values()
        await until(lambda: sum(stream.team is None for stream in match.streams) == 1)
        await nobody.listen(match_id, "viewer")
        assert refused == (503, {"detail": "2 viewers are already connected."})


async def test_a_stream_that_falls_behind_is_ended(monkeypatch):
    monkeypatch.setattr(dc4_stream, "MOST_WAITING", 3)

    kept, ended = dc4_stream.Dc4Stream(0), dc4_stream.Dc4Stream(0)
    for number in range(4):
        ended.send(b"%d" % number)
    kept.send(b"1", b"2")
    kept.send(b"3")
    messages = kept.messages()
    assert [await anext(messages) for _ in range(3)] == [b"1", b"2", b"3"]
    assert [message async for message in ended.messages()] == []


async def test_a_defect_abandons_its_match_alone(monkeypatch):
    async with hosting() as host:
        (match_id, users, streams), (other, *rest) = await begun(host), await begun(host)
        first = [await stream.state() for stream in (*streams, *rest[1])]

        async def fail(*_):
            raise RuntimeError("a defect")

        execute = host.matches.context.executor.execute
        monkeypatch.setattr(host.matches.context.executor, "execute", fail)
        failed = await users[0].throw(match_id)
        monkeypatch.setattr(host.matches.context.executor, "execute", execute)
        await play_end(other, *rest, first[2], [DRAW])
        later = await users[0].throw(match_id)
        told = host.told
    assert failed == (500, {"detail": "Internal Server Error"})
    assert later == (409, {"detail": "Match already finished."})
    assert "match 1: abandoned: the server failed: RuntimeError: a defect" in told
