"""The public client of Digital Curling 4, the PyPI package dc4client, plays whole matches on the practice server."""

import asyncio
import importlib.metadata
import logging
import math
from contextlib import aclosing

import pytest

pytest.importorskip("dc4client", reason="dc4client is not installed (pip install -e '.[dc4]')")

import dc4client

from bonspiel.curling.records.record import read
from bonspiel.curling.records.umpire import replay
from bonspiel.curling.server.dc4 import stream as dc4_stream
from tests.curling.server.dc4_hosting import DRAW, USERS, hosting

DC3_DRAW = 0.1317, 2.3997, "ccw"
TEAMS = dc4client.MatchNameModel.team0, dc4client.MatchNameModel.team1
SILENCE = 15  # s until this client takes a stream for dead, by default


@pytest.fixture
def log():
    """What the client logs as warnings or errors: it reports failures nowhere else."""
    records, logger = [], logging.getLogger("DC_Client")
    handler = logging.Handler(logging.WARNING)
    handler.emit = records.append
    logger.addHandler(handler)
    yield records
    logger.removeHandler(handler)


def team_model(team, *, own_players, members=4):
    players = {
        f"player{k}": dc4client.PlayerModel(
            max_velocity=4.0, shot_std_dev=0.01 * k, angle_std_dev=0.001, player_name=f"player {k} of {team}"
        )
        for k in range(1, members + 1)
    }
    return dc4client.TeamModel(use_default_config=not own_players, team_name=f"public {team}", **players)


async def create(port, **changes):
    data = dc4client.ClientDataModel(
        tournament=dc4client.TournamentModel(tournament_name="a tournament"),
        simulator=dc4client.PhysicalSimulatorModel(simulator_name="fcv1"),
        match_name="a match",
        **{"applied_rule": "fgz_rule", "time_limit": 219.0, "extra_end_time_limit": 21.9, "standard_end_count": 1}
        | changes,
    )
    return await dc4client.MatchMakerClient("127.0.0.1", port, "user2", USERS["user2"]).create_match(data)


async def play(port, match_id, team, *, own_players=False, silence=SILENCE, choices=None):
    """Play as the package's own examples do; the seat, the states, and the score by the client.

    `choices` are those of the set-ups of mixed doubles.
    """
    client = dc4client.DCClient(
        match_id,
        f"user{team}",
        f"pass{team}",
        match_team_name=TEAMS[team],
        socket_read_timeout=silence,
        auto_save_log=False,
    )
    client.set_server_address("127.0.0.1", port)
    members = 4 if choices is None else 2
    seat, states = await client.send_team_info(team_model(team, own_players=own_players, members=members)), []
    answered, choices = (-1, -1), [] if choices is None else [*choices]
    async with aclosing(client.receive_state_data()) as received:
        async for state in received:
            states.append(state)
            moment = state.end_number, state.total_shot_number
            if state.winner_team is not None:
                break
            if state.next_shot_team is state.total_shot_number is state.last_move is None:
                if state.mixed_doubles_settings.end_setup_team == seat:
                    await client.send_positioned_stones_info(dc4client.PositionedStonesModel(choices.pop(0)))
                continue
            if state.next_shot_team == seat and moment > answered:
                answered = moment
                await (client.send_shot_info(**DRAW) if moment[1] % 2 else client.send_shot_info_dc3(*DC3_DRAW))
    return seat, states, client.get_score()


def match_of_two(folder, choices=(None, None), **changes):
    async def scenario():
        async with asyncio.timeout(300.0), hosting(records=folder) as host:
            match_id = await create(host.port, **changes)
            players = [play(host.port, match_id, team, own_players=team == 1, choices=choices[team]) for team in (0, 1)]
            return await asyncio.gather(*players), host.told

    return asyncio.run(scenario())


def test_this_is_the_published_package():
    assert importlib.metadata.version("dc4client") == "1.0.7"


@pytest.mark.parametrize("rule", ["fgz_rule", "no_tick_rule"])
def test_both_sides_play_a_whole_match(tmp_path, log, rule):
    ((seat0, seen0, score0), (seat1, seen1, score1)), _ = match_of_two(
        tmp_path, applied_rule=rule, standard_end_count=2
    )
    assert not log, log[0].getMessage()
    assert (seat0, seat1) == ("team0", "team1") and score0 == score1
    (file,) = tmp_path.iterdir()
    record = read(file)
    replay(record)
    assert record.match.players == ("public 0", "public 1") and record.result.reason == "score"
    assert record.match.rule == {"fgz_rule": "five_rock", "no_tick_rule": "no_tick"}[rule]
    assert seen0[-1] == seen1[-1] and seen0[-1].winner_team == f"team{record.result.winner}"
    shots = [state for state in seen0 if state.last_move is not None]
    assert len(shots) == len(record.shots) >= 32
    # the team with own players has errors, the other one none
    assert [shot.aim[:2] == pytest.approx(shot.thrown[:2]) for shot in record.shots] == [
        shot.team == 0 for shot in record.shots
    ]
    assert all(shot.aim[2] == 1.0 for shot in record.shots)


def test_both_sides_play_a_whole_match_of_mixed_doubles(tmp_path, log):
    choices = ["pp_left", "pp_left", *["center_house"] * 100], ["center_guard", "pp_right", *["center_house"] * 100]
    ((seat0, seen0, score0), (seat1, seen1, score1)), _ = match_of_two(
        tmp_path,
        choices,
        game_mode=dc4client.GameMode.mixed_doubles,
        applied_rule="modified_fgz_rule",
        positioned_stones_pattern=3,
        standard_end_count=4,
    )
    assert not log, log[0].getMessage()
    assert (seat0, seat1) == ("team0", "team1") and score0 == score1
    (file,) = tmp_path.iterdir()
    record = read(file)
    replay(record)
    assert (record.match.game, record.match.pattern) == ("mixed_doubles", 3)
    assert (record.setups[0].team, record.setups[0].choice) == (1, "center_guard")
    assert len(record.setups) == len(record.ends) >= 4 and len(record.shots) == 10 * len(record.ends)
    # what a team asked for was played, but for a second power play
    for team in (0, 1):
        played, asked = [one.choice for one in record.setups if one.team == team], choices[team]
        assert played == ["center_house" if name in asked[:i] else name for i, name in enumerate(asked[: len(played)])]
    assert seen0 == seen1 and seen0[-1].winner_team == f"team{record.result.winner}"
    assert sum(state.last_move is not None for state in seen0) == len(record.shots)
    # the players of team 1 have errors of their own: 0.01 m/s times their number
    errors = [math.hypot(*shot.thrown[:2]) - math.hypot(*shot.aim[:2]) for shot in record.shots]
    assert [abs(error) > 1e-9 for error in errors] == [shot.team == 1 for shot in record.shots]


async def test_pings_keep_it_from_connecting_again(tmp_path, log, monkeypatch):
    assert dc4_stream.PING_SECONDS <= 10.0
    silence = 2
    monkeypatch.setattr(dc4_stream, "PING_SECONDS", dc4_stream.PING_SECONDS * silence / SILENCE)

    async with asyncio.timeout(300.0), hosting() as host:
        match_id = await create(host.port)
        first = asyncio.create_task(play(host.port, match_id, 0, silence=silence))
        await asyncio.sleep(2.5 * silence)
        (_, seen, _), (_, other, _) = await asyncio.gather(first, play(host.port, match_id, 1, silence=silence))
    assert seen == other and not log  # it would log that it connects again, and hear a replay


async def test_a_wrong_password_ends_it(log):
    async with asyncio.timeout(300.0), hosting() as host:
        match_id = await create(host.port)
        client = dc4client.DCClient(match_id, "user0", "wrong", match_team_name=TEAMS[0], auto_save_log=False)
        client.set_server_address("127.0.0.1", host.port)
        async for _ in client.receive_state_data():
            pass
    assert [record.levelname for record in log] == ["ERROR"] and "Invalid credentials" in log[0].getMessage()
