import asyncio
import json
import math
import time
from dataclasses import replace
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from bonspiel.curling.client import dc3 as client
from bonspiel.curling.client import match_player
from bonspiel.curling.client.connection import tcp_connection
from bonspiel.curling.client.exit_status import CONNECTION_LOST, GAME_OVER, PROTOCOL_ERROR, ConnectionLost, exit_status
from bonspiel.curling.client.match_player import MatchPlayer
from bonspiel.curling.client.message_log import MessageLog
from bonspiel.curling.client.planning.planner_process import PlannerProcess
from bonspiel.curling.client.planning.planner_worker import ShotChoice
from bonspiel.curling.client.planning.time_manager import LONGEST, TimeManager, slices_left
from bonspiel.curling.ice.noise import Noise
from bonspiel.curling.protocols import ProtocolError, dc3, dc3_codec
from tests.curling.client.fakes import OTHER, TEE, FailingPlanner, ScriptedServer, StubPlanner
from tests.curling.protocols.transcripts import names, transcript

SOON = 300.0  # s, for a planner that is compiled first
WHOLE = [name for name in names("dc3") if transcript("dc3", name)[-1].message["cmd"] == "game_over"]


@pytest.fixture
def log(tmp_path):
    with MessageLog(tmp_path / "log.jsonl") as log:
        yield log


async def play(server, planner, log, reports=None, concede=None, longest=0.2):
    tcp = tcp_connection("127.0.0.1", server.port, client.FORMAT, log)
    player = MatchPlayer(
        planner, TimeManager(longest=longest), log, [].append if reports is None else reports.append, concede
    )
    await asyncio.wait_for(client.play_dc3(tcp, "bonspiel", player), SOON)


def played(script, planner, log, reports=None, **options):
    """The server's side of a match that the client played."""

    async def both():
        async with ScriptedServer(
            script, linger=options.pop("linger", False), delay=options.pop("delay", 0.0)
        ) as server:
            await play(server, planner, log, reports, **options)
        return server

    return asyncio.run(both())


def text(message):
    return json.dumps(message).encode() + b"\n"


def opening(name="full_game_team0", **game):
    """The script up to and with the first update, with other settings in is_ready's game."""
    script = transcript("dc3", name)
    at = next(i for i, line in enumerate(script) if line.message["cmd"] == "update")
    ready = json.loads(script[2].text)
    ready["game"].update(game)
    return [*script[:2], text(ready), *script[3 : at + 1]]


def update(script, **state):
    message = json.loads(script[-1].text)
    message["state"].update(state)
    return text(message)


@pytest.mark.parametrize("name", WHOLE)
def test_every_transcript_is_played_to_its_end(name, log):
    script, planner, reports = transcript("dc3", name), StubPlanner(), []
    server = played(script, planner, log, reports)
    expected = [line.message for line in script if not line.from_server]
    assert [answer["cmd"] for answer in server.messages] == [message["cmd"] for message in expected]
    assert server.messages[1]["player_order"] == [0, 1, 2, 3]
    throw = {"rotation": "ccw", "type": "shot", "velocity": {"x": TEE[0], "y": TEE[1]}}
    assert all(answer["move"] == throw for answer in server.messages[2:])
    last = [line.message for line in script if line.message["cmd"] == "update"][-1]["state"]
    result = last["game_result"]
    team = transcript("dc3", name)[2].message["team"]
    won = "won" if result["winner"] == team else "lost"
    own, other = (sum(filter(None, last["scores"][side])) for side in (team, "team0" if team == "team1" else "team1"))
    assert reports[-1] == f"{won} {own} : {other} ({result['reason']})"


@pytest.mark.parametrize("name", WHOLE)
def test_planners_get_the_position_of_the_server(name, log):
    script, planner = transcript("dc3", name), StubPlanner()
    played(script, planner, log)
    team = script[2].message["team"]
    turns = [
        line.message["state"]
        for line in script
        if line.message["cmd"] == "update" and line.message["next_team"] == team
    ]
    assert len(turns) == len(planner.asked)
    for state, (position, _, _) in zip(turns, planner.asked, strict=True):
        assert (position.shot, position.hammer) == (state["shot"], int(state["hammer"][-1]))
        assert position.team == int(team[-1])
        assert position.settings.ends == len(state["scores"]["team0"]) - state["end"]
        points = [sum(filter(None, state["scores"][side])) for side in ("team0", "team1")]
        assert position.lead == points[0] - points[1]
        for row, stone in enumerate([*state["stones"]["team0"], *state["stones"]["team1"]]):
            place = (math.nan, math.nan) if stone is None else tuple(stone["position"].values())
            assert np.array_equal(position.stones[row], place, equal_nan=True)
    assert planner.warmed[0][0].shot == 0 and 0.0 < planner.warmed[0][1] <= 3.0


def test_a_slow_network_is_considered_from_the_first_move_on(log):
    """A message takes a while both ways: the first move leaves the rest of its slice to that."""
    script, seconds = transcript("dc3", "full_game_team0"), 0.3
    planners = StubPlanner(), StubPlanner()
    for planner, delay in zip(planners, (0.0, seconds), strict=True):
        played(script, planner, log, longest=LONGEST, delay=delay)
    (_, _, quick), (_, _, slow) = (planner.asked[0] for planner in planners)
    assert quick - slow > seconds


def test_an_update_that_is_repeated_asks_for_no_second_shot(log):
    script, planner, reports = transcript("dc3", "full_game_team0"), StubPlanner(), []
    twice = [line for line in script for _ in range(1 + (line.from_server and line.message["cmd"] == "update"))]
    server = played(twice, planner, log, reports)
    assert len(server.messages) == sum(not line.from_server for line in script)
    assert len(planner.asked) == len(server.messages) - 2 and reports[-1].startswith(("won", "lost"))


def test_a_transcript_without_an_end_is_a_lost_connection(log):
    script, planner = transcript("dc3", "with_trajectory_start_team0"), StubPlanner()
    with pytest.raises(ConnectionLost):
        played(script, planner, log)
    assert len(planner.asked) == sum(line.message["cmd"] == "move" for line in script) > 0


def test_the_log_has_the_form_of_a_transcript(log):
    script = transcript("dc3", "overspeed_team0")
    server = played(script, StubPlanner(), log)
    entries = [json.loads(line) for line in log.path.read_text().splitlines()]
    assert [entry["msg"] for entry in entries if entry["dir"] == "server->client"] == [
        line.message for line in script if line.from_server
    ]
    assert [entry["msg"] for entry in entries if entry["dir"] == "client->server"] == server.messages
    times = [entry["t"] for entry in entries]
    assert times == sorted(times)


@pytest.mark.parametrize("chance", [0.25, None])
def test_the_log_has_the_estimate_of_every_move(log, chance):
    server = played(transcript("dc3", "overspeed_team0"), StubPlanner(ShotChoice(TEE, 0.4, 17, expected=chance)), log)
    entries = [json.loads(line) for line in log.path.read_text().splitlines()]
    moves = [at for at, entry in enumerate(entries) if entry["msg"] in server.messages[2:]]
    assert moves
    for at in moves:
        estimate = {"t": entries[at + 1]["t"], "dir": "estimate", "msg": {"chance": chance, "simulations": 17}}
        assert entries[at + 1] == estimate


async def test_a_real_planner_plays_and_its_faults_cost_a_shot(log, capsys):
    script = transcript("dc3", "free_guard_zone_foul_team0")

    async with PlannerProcess(FailingPlanner(((2, "raises"),))) as planner, ScriptedServer(script) as server:
        await play(server, planner, log)
    moves = server.messages[2:]
    tee = [message["move"]["velocity"] == {"x": TEE[0], "y": TEE[1]} for message in moves]
    assert tee == [True, False, True]  # the second is the best shot so far
    complaints = capsys.readouterr().err.splitlines()
    assert len(complaints) == 1 and "end 1, shot 3" in complaints[0]
    assert "the best shot so far" in complaints[0] and "ZeroDivisionError" in complaints[0]
    assert "ZeroDivisionError" in next(line for line in log.path.read_text().splitlines() if '"note"' in line)


def players(**own):
    listed = [{"type": "identical"}] * 4
    return {"team0": [{**listed[0], **own}, *listed[1:]], "team1": listed}


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        ({}, {"rule": "five_rock", "noise": Noise(0.0076, 0.0018), "max_speed": 4.0, "extra_ends": 10}),
        ({"players": players()}, {"noise": Noise(), "max_speed": None}),
        (
            {"players": players(type="normal_dist", max_speed=3.0, stddev_speed=0.1, stddev_angle=0.2)},
            {"noise": Noise(0.1, 0.2), "max_speed": 3.0},
        ),
        ({"players": players(type="normal_dist")}, {"noise": Noise(0.0076, 0.0018), "max_speed": None}),
        ({"setting": {"max_end": 3, "five_rock_rule": False}}, {"rule": "four_rock", "ends": 3}),
    ],
)
def test_the_match_is_played_as_announced_by_the_server(game, expected, log):
    planner = StubPlanner()
    with pytest.raises(ConnectionLost):
        played(opening(**game), planner, log)
    position = planner.asked[0][0]
    assert {name: getattr(position.settings, name) for name in expected} == expected
    model = position.model()
    assert (model.reward, model.rule, model.ends) == ("win_probability", position.settings.rule, position.settings.ends)
    assert np.array_equal(position.state()[:3], [0.0, 1.0, 0.0])


def test_every_player_has_its_own_errors():
    listed = tuple(dc3.Player("normal_dist", max_speed=3.0 + i, stddev_speed=0.1 * i) for i in range(4))
    script = transcript("dc3", "full_game_team0")
    match = client.AnnouncedMatch(0, dc3.GameInfo(players=dc3.PerTeam(listed, (dc3.IDENTICAL,) * 4)))
    start = dc3_codec.decode_server(script[5].text).state
    for shot in range(0, 16, 2):
        position = match.position(msgspec.structs.replace(start, shot=shot))
        assert position.settings.noise == Noise(0.1 * (shot // 4), 0.0018)
        assert position.settings.max_speed == 3.0 + shot // 4


@pytest.mark.parametrize(("max_speed", "cap"), [(3.0, 3.0), (5.0, 4.0), (None, 4.0)])
def test_planners_know_the_top_speed_of_the_thrower(max_speed, cap):
    match = client.AnnouncedMatch(0, dc3.GameInfo())
    first = match.first_position()
    position = replace(first, settings=replace(first.settings, max_speed=max_speed))
    assert position.model().thrower(position.state()).max_speed == cap


def test_an_extra_end_is_worth_the_match():
    script = transcript("dc3", "full_game_team0")
    start = dc3_codec.decode_server(script[5].text).state
    match = client.AnnouncedMatch(0, dc3.GameInfo(setting=dc3.GameSetting(max_end=8)))
    extra = match.position(msgspec.structs.replace(start, end=11))
    last = match.position(msgspec.structs.replace(start, end=7))
    assert extra.settings.ends == last.settings.ends == 1 and extra.model().extra_ends > 1
    assert np.array_equal(extra.model().params, last.model().params)


def test_the_time_of_an_extra_end_is_used_for_it_alone(log):
    script = opening()
    planner = StubPlanner()
    first, second = (update(script, end=end, thinking_time_remaining={"team0": 21.9, "team1": 21.9}) for end in (0, 8))
    with pytest.raises(ConnectionLost):
        played([*script[:-1], first, script[1], second], planner, log, longest=LONGEST)
    (_, short, _), (_, long, _) = planner.asked
    assert short < 0.35 and 1.0 < long < 2.6  # 21.9 s for 64 shots, or for 8


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        ({"rule": "mixed"}, "mixed"),
        ({"simulator": {"type": "fcv9"}}, "fcv9"),
        ({"players": players(type="wild")}, "wild"),
        ({"players": {"team0": [{"type": "identical"}], "team1": []}}, "1 players"),
        ({"players": players(type="normal_dist", stddev_speed=-1.0)}, "below 0"),
        ({"players": players(type="normal_dist", max_speed=0.0)}, "max_speed"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(game, complaint, log):
    with pytest.raises(ProtocolError, match=complaint):
        played(opening(**game), StubPlanner(), log)


def test_another_version_of_the_protocol_is_refused(log):
    greeting = {"cmd": "dc", "version": {"major": 99, "minor": 2}, "game_id": "", "date_time": ""}
    with pytest.raises(ProtocolError, match=r"the server speaks version 99.2 of the protocol, only 1.x is supported"):
        played([text(greeting), *transcript("dc3", "full_game_team0")[1:]], StubPlanner(), log, linger=True)


@pytest.mark.parametrize("message", [b'{"cmd": "ready_ok"}\n', b"[" * 100_000 + b"\n"])
def test_a_wrong_message_ends_the_match(message, log):
    script = opening()
    with pytest.raises(ProtocolError) as error:
        played([*script[:2], message, *script[2:]], StubPlanner(), log, linger=True)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300
    last = json.loads(log.path.read_text().splitlines()[-1])
    assert last["dir"] == "server->client" and len(last["raw"] if "raw" in last else json.dumps(last)) <= 1000


def test_too_long_a_message_ends_the_match(log, monkeypatch):
    monkeypatch.setattr(client, "FORMAT", client.FORMAT._replace(longest=1000))
    with pytest.raises(ProtocolError, match="more than 1,000 bytes"):
        played([b" " * 3000], StubPlanner(), log, linger=True)


@pytest.mark.parametrize("state", [{"shot": 1}, {"hammer": "team0"}, {"hammer": None}])
def test_a_turn_of_the_other_team_is_refused(state, log):
    script = opening()
    with pytest.raises(ProtocolError, match=r"own team|hammer"):
        played([*script[:-1], update(script, **state)], StubPlanner(), log, linger=True)


def test_a_connection_that_is_lost_within_a_message_is_detected(log):
    with pytest.raises(ConnectionLost, match="closed"):
        played([*opening()[:2], b'{"cmd":'], StubPlanner(), log)


async def test_a_lost_connection_is_detected_at_once_during_planning(log):
    async with ScriptedServer(opening()) as server:
        with pytest.raises(ConnectionLost):
            await play(server, StubPlanner(seconds=600.0), log)
        assert time.monotonic() - server.closed_at < 100.0


def test_a_finished_match_needs_no_last_message(log):
    script, reports = transcript("dc3", "overspeed_team0"), []
    assert script[-1].message["cmd"] == "game_over"
    played(script[:-1], StubPlanner(), log, reports)
    assert reports[-1].startswith("lost")


@pytest.mark.parametrize(("chance", "concedes"), [(0.04, True), (0.06, False), (None, False)])
def test_it_concedes_below_the_given_chance(chance, concedes, log):
    script = transcript("dc3", "overspeed_team0")
    server = played(script, StubPlanner(ShotChoice(TEE, chance, 1)), log, concede=0.05)
    assert (server.messages[2]["move"] == {"type": "concede"}) is concedes


async def test_a_clock_that_is_all_but_empty_leaves_time_for_a_shot(log, capsys, monkeypatch):
    """With 0.2 s for two ends the planner is asked for every stone, if only for the best of a few candidates."""
    planner, left = StubPlanner(), 0.2
    monkeypatch.setattr(match_player, "time", SimpleNamespace(monotonic=lambda: 0.0))  # each is planned at once
    player = MatchPlayer(planner, TimeManager(), log, lambda line: None)
    match = client.AnnouncedMatch(0, dc3.GameInfo(setting=dc3.GameSetting(max_end=2)))
    for end in range(2):
        for shot in range(0, 16, 2):
            first = match.first_position()
            position = replace(first, shot=shot, settings=replace(first.settings, ends=2 - end))
            await player.move("here", position, left, 0.0, lambda shot: asyncio.sleep(0.0))
            left -= 0.011
    assert len(planner.asked) == 16 and min(limit for _, _, limit in planner.asked) > 0.005
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("remaining", "shot"), [(4.0, OTHER), (0.0, TEE)])
async def test_a_shot_without_time_to_plan_is_rule_based_while_the_clock_runs(log, capsys, remaining, shot):
    timing, sent = TimeManager(delay=9.0), []  # the network is so slow that nothing is left to plan

    async def send(aimed):
        sent.append(aimed)

    player = MatchPlayer(StubPlanner(), timing, log, lambda line: None)
    position = client.AnnouncedMatch(0, dc3.GameInfo()).first_position()
    await player.move("here", position, remaining, time.monotonic(), send)
    assert sent[0] == pytest.approx(shot, abs=1e-3)
    kind = "a rule-based shot" if shot is OTHER else "a draw to the tee"
    assert f"here: {kind} instead of the planner's answer: no time to plan, {remaining:.3g} s are left" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(("is_own", "shot"), [(False, "the best shot so far"), (True, "a rule-based shot")])
def test_a_shot_of_a_late_planner_is_told(log, capsys, is_own, shot):
    late = ShotChoice(TEE, 0.4, 10, failure="no answer", is_own=is_own)
    played(transcript("dc3", "overspeed_team0"), StubPlanner(late), log)
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(f"{shot} instead of the planner's answer: no answer" in line for line in lines)


def test_the_time_charged_by_the_server_is_learned(log):
    script = opening()
    spent = [
        update(script, shot=shot, thinking_time_remaining={"team0": left, "team1": 9.0})
        for shot, left in ((0, 6400.0), (2, 6360.0))
    ]
    planner = StubPlanner()
    with pytest.raises(ConnectionLost):
        played([*script[:-1], spent[0], script[1], spent[1]], planner, log, longest=1e6)
    (_, _, first), (position, _, second) = planner.asked
    slices, calm = slices_left(position.shot, position.ends_left), TimeManager(longest=1e6)
    assert second < 0.995 * calm.allowance(6360.0, slices).limit
    calm.learn_move(40.0 + first, first)
    assert second == pytest.approx(calm.allowance(6360.0, slices).limit, rel=0.001)


def test_each_ending_of_a_match_has_an_exit_status(capsys):
    async def ends(error=None):
        if error:
            raise error

    assert asyncio.run(exit_status(ends())) == GAME_OVER
    assert capsys.readouterr().err == ""
    for error, status in ((ConnectionLost("gone"), CONNECTION_LOST), (ProtocolError("bad"), PROTOCOL_ERROR)):
        assert asyncio.run(exit_status(ends(error))) == status
        assert len(capsys.readouterr().err.splitlines()) == 1


async def test_an_unreachable_server_is_reported_with_its_address(log):
    with pytest.raises(ConnectionLost, match=r"127.0.0.1 port \d+ .*is the server running"):
        async with ScriptedServer([]) as server:
            port = server.port
        await client.play_dc3(
            tcp_connection("127.0.0.1", port, client.FORMAT, log),
            "x",
            MatchPlayer(StubPlanner(), TimeManager(), log, print),
        )
