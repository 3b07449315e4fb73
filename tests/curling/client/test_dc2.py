import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.client import dc2 as client
from bonspiel.curling.client.connection import tcp_connection
from bonspiel.curling.client.match_player import MatchPlayer
from bonspiel.curling.client.message_log import MessageLog
from bonspiel.curling.client.planning.planner_worker import ShotChoice
from bonspiel.curling.client.planning.time_manager import TimeManager
from bonspiel.curling.protocols import ProtocolError, dc2, dc2_codec
from tests.curling.client.fakes import ScriptedServer, StubPlanner
from tests.curling.protocols.transcripts import names, transcript

SOON = 120.0  # s
TEE = ShotChoice((0.99074, 29.559774, 1.0), 0.5, 1)
LOGIN = dc2.Login("alice", "secret", "alice")
SCRIPT = transcript("dc2", "full_game_first")


@pytest.fixture
def log(tmp_path):
    with MessageLog(tmp_path / "log.jsonl") as log:
        yield log


def played(script, planner, log, reports=None, login=LOGIN, concede=None):
    """The server's side of a match that the client played."""

    async def both():
        async with ScriptedServer(script, end=b"\0", linger=True) as server:
            tcp = tcp_connection("127.0.0.1", server.port, client.FORMAT, log)
            player = MatchPlayer(
                planner, TimeManager(longest=0.2), log, [].append if reports is None else reports.append, concede
            )
            await asyncio.wait_for(client.play_dc2(tcp, login, player, "gat"), SOON)
        return server

    return asyncio.run(both())


def script_of(*messages):
    """What a server reports, and None where it waits for the client."""
    answer = next(line for line in SCRIPT if not line.from_server)
    return [answer if message is None else dc2_codec.encode(message) for message in messages]


def opening(*messages, first="alice", second="bob"):
    return script_of(dc2.Connected(), None, dc2.LoginOk(), dc2.IsReady(), None, dc2.NewGame(first, second), *messages)


EMPTY = dc2.Position(((0.0, 0.0),) * 16)
GO = dc2.Go(60_000, 30_000)


@pytest.mark.parametrize("name", names("dc2"))
def test_every_transcript_is_played_to_its_end(name, log):
    reports = []
    server = played(transcript("dc2", name), StubPlanner(TEE), log, reports)
    assert server.answers[:2] == [b"LOGIN alice secret alice", b"READYOK"]
    assert set(server.answers[2:]) == {b"BESTSHOT 0.990740 -29.559774 1"}
    assert len(server.answers) == sum(not line.from_server for line in transcript("dc2", name))
    assert reports[-1] == "won 3 : 2 (score)"


def test_planners_get_the_position_of_the_server(log):
    planner = StubPlanner(TEE)
    played(SCRIPT, planner, log)
    positions = [position for position, _, _ in planner.asked]
    assert [position.shot for position in positions] == [*range(0, 16, 2)] * 2
    assert all(position.team == 0 and position.hammer == 1 for position in positions)
    assert [position.lead for position in positions] == [0] * 8 + [3] * 8
    assert [position.settings.ends for position in positions] == [2] * 8 + [1] * 8
    # 2.318694 4.857448 and 2.580099 4.983683 of shots 0 and 1, before shot 4 there are two of each team
    stones = positions[2].stones
    assert np.allclose(stones[[0, 8]], [[2.317647 - 2.375, 41.28 - 4.856252], [2.602245 - 2.375, 41.28 - 4.920218]])
    assert np.isfinite(stones).all(1).tolist() == ([True] * 2 + [False] * 6) * 2
    model = positions[0].model()
    assert (model.physics, model.rule, model.noise, model.extra_ends) == ("dc2", "four_rock", "gat", 0)


@pytest.mark.parametrize(
    ("state", "team", "hammer", "seconds"),
    [
        (dc2.SetState(0, 0, 2, 0), 0, 1, 60.0),
        (dc2.SetState(1, 0, 2, 1), 1, 1, 30.0),
        (dc2.SetState(0, 1, 2, 1), 1, 0, 30.0),
        (dc2.SetState(15, 1, 2, 0), 0, 0, 60.0),
    ],
)
def test_the_team_on_turn_is_the_own_one(state, team, hammer, seconds, log):
    planner, reports = StubPlanner(TEE), []
    position = dc2.Position(((2.0, 5.0), (3.0, 6.0), *EMPTY.xy[2:]))
    script = opening(position, state, GO, None, dc2.TotalScore(5, 1), dc2.GameOver("WIN"), dc2.Disconnect())
    played(script, planner, log, reports)
    position = planner.asked[0][0]
    assert (position.team, position.hammer) == (team, hammer)
    first = 1 - hammer
    assert np.allclose(position.stones[[8 * first, 8 * hammer]], [[-0.375, 36.28], [0.625, 35.28]])
    assert f"{seconds:.1f} s were left" in reports[-2]
    assert reports[-1] == f"won {'5 : 1' if team == 0 else '1 : 5'} (score)"


def test_a_tie_is_a_draw(log):
    planner = StubPlanner(TEE)
    script = opening(EMPTY, dc2.SetState(0, 9, 10, 0), GO, None, dc2.GameOver("DRAW"))
    reports = []
    with_end = [*script, dc2_codec.encode(dc2.Disconnect())]
    played(with_end, planner, log, reports)
    assert (planner.asked[0][0].settings.extra_ends, planner.asked[0][0].settings.ends) == (0, 1)
    assert reports[-1] == "drawn 0 : 0 (draw)"


def test_a_team_that_never_throws_is_known_by_its_name(log):
    reports = []
    played(
        opening(
            dc2.Timeout("alice"),
            dc2.TotalScore(0, 2),
            dc2.GameOver("WIN"),
            dc2.Disconnect(),
            first="bob",
            second="alice",
        ),
        StubPlanner(TEE),
        log,
        reports,
    )
    assert reports[-1] == "won 2 : 0 (time_limit)"


def test_it_concedes_below_the_given_chance(log):
    reports = []
    script = opening(
        EMPTY, dc2.SetState(0, 0, 2, 0), GO, None, dc2.TotalScore(0, 0), dc2.GameOver("LOSE"), dc2.Disconnect()
    )
    server = played(script, StubPlanner(replace(TEE, chance=0.01)), log, reports, concede=0.02)
    assert server.answers[-1] == b"CONCEDE" and reports[-1] == "lost 0 : 0 (concede)"


def test_a_planner_that_fails_costs_a_draw_to_the_tee(log, capsys):
    script = opening(EMPTY, dc2.SetState(0, 0, 2, 0), GO, None, dc2.GameOver("WIN"), dc2.Disconnect())
    server = played(script, StubPlanner(ShotChoice(failure="it broke")), log)
    assert server.answers[-1] == b"BESTSHOT 0.990740 -29.559774 1"
    assert "it broke" in capsys.readouterr().err


def test_the_log_has_the_form_of_a_transcript_without_the_password(log):
    played(SCRIPT, StubPlanner(TEE), log)
    entries = [json.loads(line) for line in log.path.read_text().splitlines()]
    assert [entry["msg"] for entry in entries if entry["dir"] == "server->client"] == [
        line.message for line in SCRIPT if line.from_server
    ]
    assert "secret" not in log.path.read_text()
    assert "LOGIN alice *** alice" in [entry["msg"] for entry in entries]


@pytest.mark.parametrize(
    "script",
    [
        opening(GO),
        opening(EMPTY, GO),
        opening(dc2.SetState(0, 0, 2, 0), GO),
        opening(dc2.Connected()),
        opening()[1:],
        [b"HELLO\0"],
        [b"A" * 9000],
    ],
)
def test_a_wrong_message_ends_the_match(script, log):
    with pytest.raises(ProtocolError) as error:
        played([line for line in script if isinstance(line, bytes)], StubPlanner(TEE), log)
    assert "\n" not in str(error.value)
