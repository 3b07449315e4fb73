"""Go-v0: moves, masks, refusals and pictures."""

import gymnasium
import numpy as np
import pytest

from bonspiel.go import state as fields
from bonspiel.go.env import GoEnv
from bonspiel.go.picture import star_points
from bonspiel.go.vertices import index_of, vertex_of
from tests.go.diagrams import state_of

KO = """
    . X O . .
    X O . O .
    . X O . .
    . . . . .
    . . . . ."""


def begun(drawing=KO, **arguments):
    env = GoEnv(size=5, **arguments)
    env.reset(options={"state": state_of(drawing)})
    return env


def test_a_game_is_played_by_two_passes_to_its_end():
    env = gymnasium.make("Go-v0", size=5, komi=0.5)
    observation, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [1] * 26 and observation[25] == 1.0
    observation, reward, terminated, _, info = env.step(12)
    assert (observation[12], observation[25], reward, terminated) == (1.0, -1.0, 0.0, False)
    assert info["action_mask"].tolist() == [1] * 12 + [0] + [1] * 13
    env.step(25)
    *ended, info = env.step(25)
    assert ended[1:] == [1.0, True, False] and info["action_mask"].tolist() == [0] * 26


@pytest.mark.parametrize("superko", [False, True])
def test_no_move_is_legal_after_the_last_ply(superko):
    env, state = GoEnv(size=5, superko=superko), state_of(KO, superko=superko)
    state[25 + fields.PLY], state[25 + fields.HISTORY :] = 74, -1.0
    env.reset(options={"state": state})
    *_, terminated, _, info = env.step(24)
    assert terminated and not info["action_mask"].any()


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (1, "B5 is illegal: the point is occupied"),
        (26, "action=array([26]): must be within [0.] and [25.]"),
        (-1, "within [0.] and [25.]"),
        ([3.0, 4.0], "action="),
        (12.5, "action=12.5: must be a whole number from 0 to 25"),
        (True, "action=True: must be a whole number from 0 to 25"),
        ([True], "action=[True]: must be a whole number from 0 to 25"),
        (float("nan"), "within [0.] and [25.]"),
        ("C3", "action=array(['C3'], dtype='<U2'): must be a vector of 1 numbers"),
    ],
)
def test_moves_that_are_refused(move, message):
    env = begun()
    with pytest.raises(ValueError) as error:
        env.step(move)
    assert message in str(error.value) and env.state.tolist() == state_of(KO).tolist()


def test_the_rule_that_a_move_breaks_is_named():
    env = begun()
    _, _, _, _, info = env.step(7)
    assert info["action_mask"][6] == 0
    with pytest.raises(ValueError, match=r"^B4 is illegal: ko"):
        env.step(6)
    env.reset(options={"state": state_of(KO.replace(". X O", ". X X"), "O")})
    with pytest.raises(ValueError, match=r"^A5 is illegal: it would be suicide"):
        env.step(0)


def test_superko_is_named():
    env = GoEnv(size=5, superko=True)
    drawing = """
        . O . O .
        X X O O O
        . X X O .
        X . X O O
        . X X O ."""
    env.reset(options={"state": state_of(drawing, superko=True)})
    for move in (25, 0, 2):
        env.step(move)
    with pytest.raises(ValueError, match=r"^B5 is illegal: superko"):
        env.step(1)


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        (0, 0.5, "state[0]=0.5: must be a whole number from -1 to 1"),
        (1, 2.0, "state[1]=2: must be a whole number from -1 to 1"),
        (25, 0.0, "state[25]=0: must be -1 or 1"),
        (28, 99.0, "state[28]=99: must be a whole number from -1 to 25"),
        (25 + fields.KO, 25.0, "state[26]=25: must be a whole number from -1 to 24"),
        (25 + fields.KO, 1.0, "state[26]=1: must be -1 or an empty point, which ko bars"),
        (25 + fields.KO, 14.0, "state[26]=14: must be -1 or a point among stones of the other player"),
        (25 + fields.LAST, 25.0, "state[29]=0: must be 1, as the last move was a pass"),
        (25 + fields.LAST, 0.0, "state[27]=0: must be -1, 25 or the point of a stone of the other player"),
        (25 + fields.LAST, 1.0, "state[27]=1: must be -1, 25 or the point of a stone of the other player"),
        (25 + fields.PASSES, 2.0, "state: the game must not be over, as it is after two passes or 75 plies"),
        (25 + fields.PLY, 75.0, "state: the game must not be over, as it is after two passes or 75 plies"),
        (29, 0.5, "state[29]=0.5: must be a whole number from 0 to 2"),
    ],
)
def test_states_that_are_refused(entry, value, message):
    state = state_of(KO)
    state[entry] = value
    with pytest.raises(ValueError) as error:
        GoEnv(size=5).reset(options={"state": state})
    assert str(error.value) == message


@pytest.mark.parametrize(
    "given",
    [{fields.KO: 7}, {fields.LAST: 25, fields.PASSES: 1}, {fields.PASSES: 1}, {fields.LAST: 2}, {fields.LAST: -1}],
)
def test_a_ko_and_a_last_move_that_fit_the_stones_are_taken(given):
    state = state_of(KO)
    for field, value in given.items():
        state[25 + field] = value
    assert GoEnv(size=5).reset(options={"state": state})[0].tolist() == state.tolist()


def test_hashes_have_to_be_those_of_the_positions():
    env, state = GoEnv(size=5, superko=True), state_of(KO, superko=True)
    now = 25 + fields.HISTORY
    assert env.reset(options={"state": state})[0].tolist() == state.tolist()
    unknown, foreign, late = (state.copy() for _ in range(3))
    unknown[now], foreign[now], late[now + 5] = -1.0, 17.0, 17.0
    assert env.reset(options={"state": unknown})[0].tolist() == state.tolist() and unknown[now] == -1.0
    with pytest.raises(ValueError, match=rf"^state\[31\]=17: must be the hash of the position, {state[now]:.0f},"):
        env.reset(options={"state": foreign})
    with pytest.raises(ValueError, match=r"state\[36\]=17: must be -1, since that position is still to come$"):
        env.reset(options={"state": late})


def test_chains_without_liberties_are_refused():
    state = state_of("""
        X O . . .
        O . . . .
        . . . . .
        . . . . .
        . . . . .""")
    with pytest.raises(ValueError, match="every chain must have a liberty, but 1 of them have none"):
        GoEnv(size=5).reset(options={"state": state})


def test_pictures_show_stones_and_the_last_move():
    env = begun(render_mode="rgb_array")
    before = env.render()
    env.step(24)
    changed = np.argwhere((env.render() != before).any(axis=2))
    assert before.shape == (640, 600, 3)
    assert (changed > 500).all(axis=1).any()


@pytest.mark.parametrize(("size", "stars"), [(5, 1), (6, 0), (9, 5), (10, 4), (13, 9), (19, 9)])
def test_star_points(size, stars):
    points = star_points(size)
    assert len(points) == stars and {(column, row) for row, column in points} == set(points)
    assert {(size - 1 - row, column) for row, column in points} == set(points)


def test_vertices():
    assert [vertex_of(index, 19) for index in (0, 18, 342, 360, 361)] == ["A19", "T19", "A1", "T1", "pass"]
    assert [index_of(vertex_of(index, 19), 19) for index in range(362)] == list(range(362))
    assert index_of("j9", 9) == 8 and index_of("PASS", 9) == 81
    for bad in ("", "I5", "A0", "A10", "K1", "A", "5", "AA1", "A\u00b2", "A-1", "A1\n", "D04"):
        with pytest.raises(ValueError, match=r"^vertex="):
            index_of(bad, 9)
    for bad in ("I1", "A20", "A" + "1" * 5000, "\u017f9"):
        with pytest.raises(ValueError, match=r"^vertex="):
            index_of(bad, 19)
