import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.physics import DC2
from bonspiel.curling.ice.sheet import DC2_SHEET, no_stones, present
from bonspiel.curling.match.rules import row, score
from bonspiel.curling.protocols import ProtocolError, dc2_codec, dc2_coordinates, dc3_codec
from bonspiel.curling.protocols.dc2 import (
    BestShot,
    Concede,
    Connected,
    Disconnect,
    GameOver,
    Go,
    IsReady,
    Login,
    LoginOk,
    NewGame,
    Position,
    ReadyOk,
    RunShot,
    Score,
    SetState,
    Timeout,
    TotalScore,
)
from tests.curling.protocols.transcripts import names, transcript

LINES = transcript("dc2", "full_game_first")
SERVER = [dc2_codec.decode_server(line.text) for line in LINES if line.from_server]


def test_there_is_one_transcript():
    assert names("dc2") == ["full_game_first"]


def test_recorded_messages_survive_byte_for_byte():
    assert len(LINES) > 100
    for line in LINES:
        decode = dc2_codec.decode_server if line.from_server else dc2_codec.decode_client
        expected = line.text.replace(b"-32.0 1", b"-32.000000 1") if not line.from_server else line.text
        assert dc2_codec.encode(decode(line.text)) == expected + b"\0"
        assert dc2_codec.encode(decode(line.text + b"\r\n\0")) == expected + b"\0"


def test_a_recorded_match_in_messages():
    assert SERVER[:4] == [Connected(), LoginOk(), IsReady(), NewGame("alice", "bob")]
    assert SERVER[4] == Position(((0.0, 0.0),) * 16)
    assert SERVER[5:8] == [SetState(0, 0, 2, 0), Go(60000, 60000), RunShot(-1.001364, -29.526649, 0)]
    assert SERVER[8] == Position(((2.354967, 4.960383), *((0.0, 0.0),) * 15))
    assert SERVER[-5:] == [SetState(0, 2, 2, 1), Score(-2), TotalScore(3, 2), GameOver("WIN"), Disconnect()]
    client = [dc2_codec.decode_client(line.text) for line in LINES if not line.from_server]
    assert client[:3] == [Login("alice", "pw", "alice"), ReadyOk(), BestShot(-0.99074, -29.559774, 0)]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (Login("a", "b", "c"), b"LOGIN a b c\0"),
        (Concede(), b"CONCEDE\0"),
        (BestShot(1.0, -30.0, 1), b"BESTSHOT 1.000000 -30.000000 1\0"),
        (LoginOk(), b"LOGIN OK\0"),
        (Timeout("alice"), b"TIMEOUT alice\0"),
        (GameOver("DRAW"), b"GAMEOVER DRAW\0"),
        (TotalScore(3, 2), b"TOTALSCORE 3 2\0"),
        (Score(-2), b"SCORE -2\0"),
        (Go(-3, 7), b"GO -3 7\0"),
    ],
)
def test_texts(message, text):
    assert dc2_codec.encode(message) == text
    decode = dc2_codec.decode_client if isinstance(message, Login | Concede | BestShot) else dc2_codec.decode_server
    assert decode(text) == message


@pytest.mark.parametrize("first", [0, 1])
def test_rows_are_those_of_the_rules(first):
    assert dc2_coordinates.stone_rows(first) == [row(shot, 1 - first) for shot in range(16)]


def test_the_frame():
    places = np.array([[2.375, 4.88], [2.375, 41.28], [3.375, 11.28]])
    ours = np.array([[0.0, DC2_SHEET.tee], [0.0, 0.0], [1.0, DC2_SHEET.hog_line]])
    np.testing.assert_allclose(dc2_coordinates.to_sheet(places), ours, atol=1e-12)
    np.testing.assert_allclose(dc2_coordinates.from_sheet(ours), places, atol=1e-12)


@pytest.mark.parametrize("shot", [BestShot(-0.99074, -29.559774, 0), RunShot(1.5, -32.0, 1)])
def test_throws_point_to_the_house_and_back(shot):
    vx, vy, rotation = dc2_coordinates.throw_to_sheet(shot)
    assert (vx, vy, rotation) == (shot.vx, -shot.vy, 1.0 if shot.spin else -1.0)
    assert type(shot)(*dc2_coordinates.throw_from_sheet(vx, vy, rotation)) == shot


@pytest.mark.parametrize("shot", [BestShot(-0.99074, -29.559774, 0), BestShot(0.99074, -29.559774, 1)])
def test_the_tee_shot_stops_at_the_tee(shot):
    vx, vy, rotation = dc2_coordinates.throw_to_sheet(shot)
    final = make_engine("analytic", "dc2").shot(no_stones(), 0, (vx, vy), rotation * DC2.launch_spin)
    assert math.hypot(final[0, 0], final[0, 1] - DC2_SHEET.tee) < 0.01
    (x, y), *others = dc2_coordinates.position_of_stones(final, 0).xy
    assert math.hypot(x - 2.375, y - 4.88) < 0.01
    assert others == [(0.0, 0.0)] * 15


def test_stones_of_shots_thrown_in_turn():
    position = Position(((2.375, 4.88), (2.0, 5.0), (3.0, 6.0), (0.0, 0.0), (0.0, 7.0), *((0.0, 0.0),) * 11))
    board = no_stones()
    board[[8, 0, 9, 10]] = (0.0, 36.4), (-0.375, 36.28), (0.625, 35.28), (-2.375, 34.28)
    np.testing.assert_allclose(dc2_coordinates.stones_of_position(position, 1), board, atol=1e-12)
    other = np.concatenate([board[8:], board[:8]])
    np.testing.assert_allclose(dc2_coordinates.stones_of_position(position, 0), other, atol=1e-12)
    np.testing.assert_allclose(dc2_coordinates.position_of_stones(board, 1).xy, position.xy, atol=1e-12)


def test_recorded_shots_lead_to_the_recorded_positions():
    """alice, our team 0, throws first in both ends: she scored in the first one."""
    engine, apart, shot, before = make_engine("analytic", "dc2"), [], 0, no_stones()
    for message, following in itertools.pairwise(SERVER):
        if isinstance(message, RunShot):
            assert isinstance(following, Position)
            after, thrown = dc2_coordinates.stones_of_position(following, 0), dc2_coordinates.stone_rows(0)[shot]
            assert not present(before)[thrown]
            vx, vy, rotation = dc2_coordinates.throw_to_sheet(message)
            final = engine.shot(before, thrown, (vx, vy), rotation * DC2.launch_spin)
            assert (present(final) == present(after)).all()
            apart.append(np.hypot(*(final - after)[present(after)].T).max(initial=0.0))
            before = after
        elif isinstance(message, SetState):
            shot = message.shot
            if isinstance(following, Score):
                assert score(before, DC2_SHEET.tee, DC2_SHEET.in_house) == following.points
                before = no_stones()
    assert len(apart) == 32
    assert np.median(apart) < 0.01


@pytest.mark.parametrize(
    "message",
    [
        Login("a b", "c", "d"),
        Login("", "c", "d"),
        Login("a", "b\n", "d"),
        Login("a\0", "c", "d"),
        Login("ä", "c", "d"),
        Login("\ud800", "c", "d"),
        NewGame("a", " "),
        Timeout(""),
        SetState(16, 0, 2, 0),
        SetState(0, 0, 2, 2),
        Score(9),
        BestShot(1.0, -30.0, 2),
        Position(((0.0, 0.0),) * 15),
        Position(((0.0, 1e30),) * 16),
        Login("a" * 5000, "b", "c"),
    ],
)
def test_what_the_other_side_would_refuse_is_not_encoded(message):
    with pytest.raises(ProtocolError):
        dc2_codec.encode(message)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_cannot_be_said(number):
    for make in (
        lambda: BestShot(number, -30.0, 0),
        lambda: RunShot(1.0, number, 1),
        lambda: Position(((number, 1.0), *((0.0, 0.0),) * 15)),
    ):
        with pytest.raises(ValueError, match="not finite"):
            make()


@pytest.mark.parametrize(
    ("decode", "text", "error"),
    [
        (dc2_codec.decode_client, b"BESTSHOT 1 2", "BESTSHOT needs 3 values, not 2: 'BESTSHOT 1 2'"),
        (dc2_codec.decode_client, b"HELLO", "not one of LOGIN, READYOK, BESTSHOT, CONCEDE: 'HELLO'"),
        (dc2_codec.decode_client, b"READYOK a\x1b b c", r"a message must be printable ASCII: 'READYOK a\x1b b c'"),
        (dc2_codec.decode_server, b"SETSTATE 16 0 2 0", "Expected `int` <= 15 - at `$[0]`: 'SETSTATE 16 0 2 0'"),
        (dc2_codec.decode_server, b"POSITION 1 2", "POSITION needs 32 values, not 2: 'POSITION 1 2'"),
    ],
)
def test_an_error_says_what_is_wrong(decode, text, error):
    with pytest.raises(ProtocolError) as caught:
        decode(text)
    assert str(caught.value) == error


words = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
speeds = st.floats(-100.0, 100.0).map(lambda v: round(v, 6))
lengths = st.floats(-1000.0, 1000.0).map(lambda v: round(v, 6))
spins, naturals = st.integers(0, 1), st.integers(0, 10**9)
times = st.integers(-(10**9), 10**9)
xy = st.lists(st.tuples(lengths, lengths), min_size=16, max_size=16).map(tuple)
client_messages = st.one_of(
    st.just(ReadyOk()),
    st.just(Concede()),
    st.builds(Login, words, words, words),
    st.builds(BestShot, speeds, speeds, spins),
)
server_messages = st.one_of(
    *(st.just(message) for message in (Connected(), LoginOk(), IsReady(), Disconnect())),
    st.builds(NewGame, words, words),
    st.builds(Position, xy),
    st.builds(SetState, st.integers(0, 15), naturals, naturals, spins),
    st.builds(Go, times, times),
    st.builds(RunShot, speeds, speeds, spins),
    st.builds(Score, st.integers(-8, 8)),
    st.builds(TotalScore, naturals, naturals),
    st.builds(GameOver, st.sampled_from(["WIN", "LOSE", "DRAW"])),
    st.builds(Timeout, words),
)


@pytest.mark.parametrize(
    ("decode", "messages"),
    [(dc2_codec.decode_server, server_messages), (dc2_codec.decode_client, client_messages)],
    ids=["server", "client"],
)
@given(data=st.data())
@settings(max_examples=100)
def test_a_message_there_and_back(decode, messages, data):
    message = data.draw(messages)
    text = dc2_codec.encode(message)
    assert text.count(b"\0") == 1 and text.endswith(b"\0") and len(text) <= dc2_codec.MAX_TEXT
    assert decode(text) == decode(text[:-1]) == message


@pytest.mark.parametrize(
    "text",
    [
        b"LOGIN alice s3cret my team",
        b"login alice s3cret alice",
        b" \tLogin a s3cret a\x1b",
        b"LOGIN a s3cret\0LOGIN a",
        b"xLOGIN a s3cret a",
    ],
)
def test_passwords_are_not_shown(text):
    for decode in dc2_codec.decode_client, dc2_codec.decode_server, dc3_codec.decode_client:
        with pytest.raises(ProtocolError) as error:
            decode(text)
        assert "s3cret" not in str(error.value)
