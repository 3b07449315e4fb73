import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel.curling.ice.sheet import no_stones
from bonspiel.curling.protocols import ProtocolError, dc3_codec
from bonspiel.curling.protocols.dc3 import (
    IDENTICAL,
    NORMAL_DIST,
    Concede,
    Coordinate,
    Dc,
    DcOk,
    Difference,
    GameInfo,
    GameOver,
    GameResult,
    GameSetting,
    IsReady,
    LastMove,
    Move,
    NewGame,
    PerTeam,
    Player,
    ReadyOk,
    ShotMove,
    Simulator,
    State,
    Stone,
    Trajectory,
    Update,
    Velocity,
    Version,
)
from tests.curling.protocols.transcripts import names, transcript


@pytest.mark.parametrize("name", names("dc3"))
def test_recorded_messages_survive_byte_for_byte(name):
    lines = transcript("dc3", name)
    assert len(lines) >= 6
    for line in lines:
        decode = dc3_codec.decode_server if line.from_server else dc3_codec.decode_client
        expected = line.text.replace(b'"sideways"', b'"ccw"')  # a rotation that the reference did not know
        assert dc3_codec.encode(decode(line.text)) == expected + b"\n"
        assert dc3_codec.encode(decode(json.dumps(line.message, indent=1).encode() + b"\r\n")) == expected + b"\n"


def test_a_recorded_update_in_full():
    update = dc3_codec.decode_server(transcript("dc3", "with_trajectory_start_team0")[7].text)
    thrown = Stone(Coordinate(0.012882470153272152, 38.14243698120117), 37.95669937133789)
    none, first = (None,) * 8, (thrown, *(None,) * 7)
    assert isinstance(update, Update) and isinstance(update.last_move, LastMove)
    assert update.state == State(
        end=0,
        shot=1,
        hammer="team1",
        stones=PerTeam(first, none),
        scores=PerTeam((None, None), (None, None)),
        thinking_time_remaining=PerTeam(999.485, 1000.0),
    )
    assert update.next_team == "team1"
    assert update.last_move.actual_move == ShotMove(Velocity(0.13195383548736572, 2.3922250270843506), "ccw")
    assert not update.last_move.free_guard_zone_foul
    trajectory = update.last_move.trajectory
    assert isinstance(trajectory, Trajectory)
    assert trajectory.start[0][0] == Stone(Coordinate(0.0, 0.0), 0.0)
    assert len(trajectory.frames) == 144
    assert trajectory.frames[-1] == (Difference("team0", 0, thrown),)
    assert trajectory.finish == PerTeam(first, none)


def test_a_recorded_announcement_in_full():
    ready = dc3_codec.decode_server(transcript("dc3", "with_trajectory_start_team0")[2].text)
    assert ready == IsReady(
        "team0",
        GameInfo(
            "normal",
            GameSetting(2, 4.75, True, PerTeam(1000.0, 1000.0), PerTeam(60.0, 60.0)),
            Simulator("fcv1", 0.001),
            PerTeam((NORMAL_DIST,) * 4, (NORMAL_DIST,) * 4),
        ),
    )


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("full_game_team0", GameResult("team1", "score")),
        ("timeout_team0", GameResult("team1", "time_limit")),
        ("bad_rotation_team0", GameResult("team1", "concede")),
    ],
)
def test_recorded_matches_end_with_a_result(name, result):
    messages = [dc3_codec.decode_server(line.text) for line in transcript("dc3", name) if line.from_server]
    assert messages[-1] == GameOver()
    assert messages[-2].state.game_result == result
    assert messages[-2].next_team is None and messages[-2].state.hammer is None


def test_a_recorded_foul_is_decoded():
    messages = [
        dc3_codec.decode_server(line.text)
        for line in transcript("dc3", "free_guard_zone_foul_team0")
        if line.from_server
    ]
    fouls = [m for m in messages if isinstance(m, Update) and m.last_move and m.last_move.free_guard_zone_foul]
    assert len(fouls) == 2


def test_stones_as_an_array_and_back():
    board = no_stones()
    board[0], board[9] = (0.5, 38.0), (-1.25, 36.5)
    messages = dc3_codec.stone_lists(board)
    assert messages.team0 == (Stone(Coordinate(0.5, 38.0)), *(None,) * 7)
    assert messages[1] == (None, Stone(Coordinate(-1.25, 36.5)), *(None,) * 6)
    state = State(0, 2, "team1", messages, PerTeam((None,), (None,)), PerTeam(1.0, 1.0))
    np.testing.assert_array_equal(dc3_codec.stone_array(state.stones), board)
    np.testing.assert_array_equal(dc3_codec.stone_array(messages), board)
    turned = dc3_codec.stone_lists(board, np.arange(16.0))
    assert turned[1][1] == Stone(Coordinate(-1.25, 36.5), 9.0)


def test_what_a_server_hides_has_defaults():
    assert dc3_codec.decode_server(b'{"cmd":"is_ready","team":"team1"}') == IsReady("team1", GameInfo())
    ready = dc3_codec.decode_server(
        b'{"cmd":"is_ready","team":"team1","game":{"setting":{"max_end":8},"simulator":{"type":"x"}}}'
    )
    assert ready.game.setting == GameSetting(max_end=8)
    assert ready.game.simulator == Simulator("x", 0.001)
    assert ready.game.players[0] == (NORMAL_DIST,) * 4


@pytest.mark.parametrize(
    ("rotation", "taken"),
    [
        ('"cw"', "cw"),
        ('"ccw"', "ccw"),
        ('"CW"', "ccw"),
        ('"sideways"', "ccw"),
        ("null", "ccw"),
        ("[1]", "ccw"),
        ("7", "ccw"),
    ],
)
def test_a_server_takes_any_rotation_but_cw_for_ccw(rotation, taken):
    line = '{"cmd":"move","move":{"type":"shot","velocity":{"x":0,"y":2},"rotation":' + rotation + "}}"
    assert dc3_codec.decode_client(line.encode()) == Move(ShotMove(Velocity(0.0, 2.0), taken))


def test_the_order_of_keys_is_free_and_the_last_of_equal_keys_counts():
    line = (
        b' { "move" : {"velocity":{"y":2,"x":9,"x":1}, "rotation":"cw", "z":{"a":[1]}, "type":"shot"},'
        b' "cmd" : "move" }\r\n'
    )
    assert dc3_codec.decode_client(line) == Move(ShotMove(Velocity(1.0, 2.0), "cw"))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_cannot_be_said(number):
    for make in (
        lambda: Velocity(number, 2.0),
        lambda: Velocity(0.0, number),
        lambda: Coordinate(number, 0.0),
        lambda: Stone(Coordinate(0.0, 1.0), number),
        lambda: PerTeam(1.0, number),
        lambda: Simulator("fcv1", number),
        lambda: GameSetting(sheet_width=number),
        lambda: Player("normal_dist", stddev_speed=number),
    ):
        with pytest.raises(ValueError, match="not finite"):
            make()


@pytest.mark.parametrize("order", [(), (0, 1, 2), (0, 1, 2, 2), (1, 2, 3, 4), (0, 1, 2, 3, 3)])
def test_every_player_has_one_place_in_the_order(order):
    with pytest.raises(ValueError, match="each of 0, 1, 2, 3 once"):
        ReadyOk(order)


def test_a_name_without_utf8_form_is_refused():
    with pytest.raises(ProtocolError, match="surrogates not allowed"):
        dc3_codec.encode(DcOk("\ud800"))


def test_an_error_says_what_and_where():
    with pytest.raises(ProtocolError) as caught:
        dc3_codec.decode_client(b'{"cmd":"move","move":{"type":"shot","velocity":{"x":"fast","y":2},"rotation":"cw"}}')
    assert str(caught.value) == (
        "Expected `float`, got `str` - at `$.move.velocity.x`: "
        """'{"cmd":"move","move":{"type":"shot","velocity":{"x":"fast","y":2},"rotation"..."""
    )


numbers = st.floats(allow_nan=False, allow_infinity=False)
lengths = st.floats(-1000.0, 1000.0)
teams = st.sampled_from(["team0", "team1"])
points = st.none() | st.integers(0, 255)
text = st.text(st.characters(exclude_categories=["Cs"]))
speeds = st.floats(-1000.0, 1000.0)
moves = st.builds(ShotMove, st.builds(Velocity, speeds, speeds), st.sampled_from(["cw", "ccw"])) | st.just(Concede())
stone = st.none() | st.builds(Stone, st.builds(Coordinate, lengths, lengths), numbers)
stones = st.lists(stone, min_size=8, max_size=8).map(tuple)


def both(values):
    return st.builds(PerTeam, values, values)


states = st.builds(
    State,
    st.integers(0, 1000),
    st.integers(0, 15),
    st.none() | teams,
    both(stones),
    both(st.lists(points, max_size=12).map(tuple)),
    both(numbers),
    both(points),
    st.none() | st.builds(GameResult, st.none() | teams, st.sampled_from(["score", "concede", "time_limit", "draw"])),
)
frames = st.lists(st.lists(st.builds(Difference, teams, st.integers(0, 7), stone), max_size=2).map(tuple), max_size=3)
trajectories = st.builds(Trajectory, numbers, both(stones), frames.map(tuple), both(stones))
players = st.just(IDENTICAL) | st.builds(
    Player, st.just("normal_dist"), numbers, numbers, numbers, st.none() | st.integers(0, 2**32 - 1)
)
games = st.builds(
    GameInfo,
    text,
    st.builds(GameSetting, st.integers(0, 255), numbers, st.booleans(), both(numbers), both(numbers)),
    st.builds(Simulator, text, numbers),
    both(st.lists(players, max_size=4).map(tuple)),
)
server_messages = st.one_of(
    st.builds(Dc, st.builds(Version, st.integers(0, 9), st.integers(0, 9)), text, text),
    st.builds(IsReady, teams, games),
    st.builds(NewGame, both(text)),
    st.just(GameOver()),
    st.builds(
        Update,
        st.none() | teams,
        states,
        st.none() | st.builds(LastMove, moves, st.booleans()) | st.builds(LastMove, moves, st.booleans(), trajectories),
    ),
)
client_messages = st.one_of(
    st.builds(DcOk, text), st.builds(ReadyOk, st.permutations(range(4)).map(tuple)), st.builds(Move, moves)
)


@given(message=server_messages)
@settings(max_examples=100)
def test_a_server_s_message_there_and_back(message):
    line = dc3_codec.encode(message)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert dc3_codec.decode_server(line) == message
    assert list(json.loads(line)) == sorted(json.loads(line))


@given(message=client_messages)
@settings(max_examples=100)
def test_a_client_s_message_there_and_back(message):
    line = dc3_codec.encode(message)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert dc3_codec.decode_client(line) == message
