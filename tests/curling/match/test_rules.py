import numpy as np
import pytest

from bonspiel.curling.ice.sheet import DC3_SHEET, STONE_RADIUS, no_stones
from bonspiel.curling.match import rules
from bonspiel.curling.match.state import state_of, worth_of
from bonspiel.curling.model import Curling
from tests.curling.recorded import dc3_shots

TEE, IN_HOUSE = DC3_SHEET.tee, DC3_SHEET.in_house


def board(**places: tuple[float, float]) -> np.ndarray:
    """Stones by name, e.g. a0=(x, y - tee) for stone 0 of team 0, b3 for stone 3 of team 1."""
    stones = no_stones()
    for name, (x, y) in places.items():
        stones[8 * (name[0] == "b") + int(name[1])] = x, TEE + y
    return stones


@pytest.mark.parametrize(
    ("stones", "points"),
    [
        (board(), 0),
        (board(a0=(0.0, 0.0)), 1),
        (board(b7=(0.0, 0.0)), -1),
        (board(a0=(0.5, 0.0), a3=(0.0, -0.6), b0=(0.0, 0.7)), 2),
        (board(a0=(0.5, 0.0), a3=(0.0, -0.8), b0=(0.0, 0.7)), 1),
        (board(a0=(1.0, 0.0), b0=(0.0, 0.5), b1=(0.2, 0.5), b2=(1.1, 0.0)), -2),
        (board(a0=(0.5, 0.0), b0=(-0.5, 0.0)), 0),  # equally near
        (board(a0=(IN_HOUSE - 1e-9, 0.0)), 1),  # touches the house
        (board(a0=(IN_HOUSE, 0.0)), 0),
        (board(a0=(0.0, -3.0), b0=(0.0, 1.0)), -1),  # a guard does not count
    ],
)
def test_score(stones, points):
    assert rules.score(stones, TEE, IN_HOUSE) == points
    swapped = np.concatenate([stones[8:], stones[:8]])
    assert rules.score(swapped, TEE, IN_HOUSE) == -points


def test_score_of_recorded_positions():
    for shot in dc3_shots():
        assert rules.score(shot.final, TEE, IN_HOUSE) == shot.points


def is_foul(before, after, shot=1, team=1, rule="five_rock"):
    return rules.is_foul(before, after, shot, team, *rules.rule_of(rule), TEE, IN_HOUSE)


GUARD = (0.5, -3.0)
NO_STONES = board()


def test_a_guard_of_the_opponent_may_not_be_removed():
    assert is_foul(board(a0=GUARD), board(b0=(0.0, 0.0)))


@pytest.mark.parametrize(
    "place",
    [
        (0.0, 0.0),
        (0.0, -IN_HOUSE + 1e-9),  # bites the house
        (2.0, -STONE_RADIUS + 1e-9),  # beside the house, touches the tee line
        (2.0, 1.0),  # behind the tee line
    ],
)
def test_other_stones_may_be_removed(place):
    assert not is_foul(board(a0=place), NO_STONES)


@pytest.mark.parametrize("place", [(0.0, -IN_HOUSE - 1e-9), (2.0, -STONE_RADIUS - 1e-9), (0.0, -6.0)])
def test_the_free_guard_zone_includes_its_borders(place):
    assert is_foul(board(a0=place), NO_STONES)


def test_guards_may_be_moved_and_own_guards_removed():
    assert not is_foul(board(a0=GUARD), board(a0=(0.0, 1.0)))
    assert not is_foul(board(a0=GUARD), NO_STONES, shot=2, team=0)
    assert is_foul(board(b0=GUARD), NO_STONES, shot=2, team=0)


@pytest.mark.parametrize(("rule", "protected"), [("five_rock", 5), ("four_rock", 4), ("no_tick", 5), ("none", 0)])
def test_protection_lasts_for_the_first_shots(rule, protected):
    assert [is_foul(board(a0=GUARD), NO_STONES, shot, rule=rule) for shot in range(16)] == [
        shot < protected for shot in range(16)
    ]


def test_no_tick():
    on_line, ticked = board(a0=(0.1, -3.0)), board(a0=(0.2, -3.0))
    assert is_foul(on_line, ticked, rule="no_tick")
    assert not is_foul(on_line, ticked, rule="five_rock")
    assert not is_foul(on_line, board(a0=(-STONE_RADIUS, -2.0)), rule="no_tick")  # still on the line
    assert not is_foul(board(a0=GUARD), board(a0=(0.9, -3.0)), rule="no_tick")  # was not on the line
    assert not is_foul(on_line, ticked, shot=5, rule="no_tick")


def test_turns():
    assert [rules.thrower(shot, 1) for shot in range(4)] == [0, 1, 0, 1]
    assert [rules.thrower(shot, 0) for shot in range(4)] == [1, 0, 1, 0]
    assert sorted(rules.row(shot, 0) for shot in range(16)) == list(range(16))
    assert (rules.row(3, 1), rules.row(4, 1)) == (9, 2)


def test_the_scorer_loses_the_hammer():
    assert [rules.next_hammer(points, 0) for points in (-2, 0, 3)] == [0, 0, 1]
    assert [rules.next_hammer(points, 1) for points in (-2, 0, 3)] == [0, 1, 1]


def test_unknown_rule():
    with pytest.raises(ValueError, match="five_rock"):
        rules.rule_of("five_rok")


@pytest.mark.parametrize("hammer", [0, 1])
def test_points_in_the_last_end_are_worth_the_match_to_the_team_with_the_hammer(hammer):
    worth = np.empty(17)
    worth_of(state_of(no_stones(), 15, hammer=hammer), Curling(1, reward="win_probability").params, worth)
    assert worth.tolist() == 8 * [0.0] + [0.5] + 8 * [1.0]
