"""The rules of mixed doubles, each in a case worked by hand."""

import numpy as np
import pytest

from bonspiel.curling.checks import check_match_state
from bonspiel.curling.choice.actions import sample_action
from bonspiel.curling.choice.policy import default_shot
from bonspiel.curling.dynamics import step
from bonspiel.curling.ice.sheet import no_stones, present
from bonspiel.curling.match.mixed_doubles import decider_of, first_state, is_setup_due, mixed_state_of
from bonspiel.curling.match.rules import removes_stone, row, thrower
from bonspiel.curling.match.setup_value import CHOICES
from bonspiel.curling.match.state import (
    DECIDER,
    HAMMER,
    LEAD,
    MIXED_STATE_DIM,
    POWER,
    TIME,
    apply_rules,
    row_of,
    stones_of,
    team_of,
)
from bonspiel.curling.model import Curling
from bonspiel.curling.players import parse
from bonspiel.planners.planner import Budget
from tests.curling.random_mixed_doubles import play

MATCH = Curling(ends=3, extra_ends=2, game="mixed_doubles", physics="dc4", reward="win", pattern=2)
TEE = 38.405
FIRST, LAST = 6, 15
AWAY = (0.0, 3.9)  # through an empty house


def begun(choice, decider=1, end=0, model=MATCH, **others):
    """The state after this set-up."""
    return model.begin_end(mixed_state_of(no_stones(), 0, end=end, decider=decider, **others), choice)


def placed(state):
    """The stones on the sheet by their rows."""
    stones = stones_of(state)
    return {int(i): tuple(stones[i]) for i in np.flatnonzero(present(stones))}


def after(state, stones, model=MATCH):
    """(next state, team 0's reward, over) after a shot that leaves these stones."""
    next_state = np.empty_like(state)
    reward, over = apply_rules(state, stones, next_state, model.params)
    return next_state, reward, over


def ended(points, decider=1, choice="center_house", end=0, lead=0, model=MATCH, **others):
    """The state after an end in which team 0 scored so many points, above 0, or team 1, below."""
    state = begun(choice, decider, end, model, lead=lead, **others)
    stones = no_stones()
    first = 3 if points > 0 else 11
    for i in range(abs(points)):
        stones[first + i if i < 5 else first - 1] = 0.4 * (i - 2), TEE
    state[TIME] += 9
    return after(state, stones, model)


def test_a_match_begins_before_the_set_up_by_team_1_with_a_power_play_for_each_team():
    state = first_state()
    assert is_setup_due(state) and decider_of(state) == 1
    assert state.tolist() == [0.0, 1.0, 0.0, *[0.0] * 32, 1.0, 1.0, 1.0]
    assert not is_setup_due(MATCH.initial_state(np.random.default_rng(0)))


@pytest.mark.parametrize("decider", [0, 1])
@pytest.mark.parametrize(
    ("choice", "hammer", "guard", "house"),
    [
        ("center_guard", False, (0.0, 34.435), (0.0, 38.870)),
        ("center_house", True, (0.0, 34.435), (0.0, 38.870)),
        ("pp_left", True, (-1.073, 34.435), (-1.219, 38.260)),
        ("pp_right", True, (1.073, 34.435), (1.219, 38.260)),
    ],
)
def test_set_ups(decider, choice, hammer, guard, house):
    """The house stone is the hammer's; who leaves the hammer to the other team owns the guard."""
    state = begun(choice, decider)
    with_hammer = decider if hammer else 1 - decider
    assert placed(state) == {8 * with_hammer + 2: house, 8 * (1 - with_hammer) + 2: guard}
    assert (state[TIME], state[HAMMER], state[DECIDER]) == (FIRST, with_hammer, decider)
    assert team_of(state) == 1 - with_hammer
    left = [1.0, 1.0]
    left[decider] -= choice.startswith("pp")
    assert state[POWER:].tolist() == left


@pytest.mark.parametrize("pattern", range(6))
def test_patterns_of_the_guard(pattern):
    y = (35.350, 35.060, 34.435, 34.145, 33.520, 33.230)[pattern]
    x = (1.093, 1.087, 1.073, 1.067, 1.053, 1.047)[pattern]
    model = Curling(game="mixed_doubles", pattern=pattern)
    assert placed(begun("center_house", model=model))[2] == (0.0, y)
    assert placed(begun("pp_left", model=model))[2] == (-x, y)


@pytest.mark.parametrize("side", ["pp_left", "pp_right"])
def test_a_power_play_is_for_once_and_for_regular_ends(side):
    used = begun(side, 0, power_plays=(False, True))
    np.testing.assert_array_equal(used, begun("center_house", 0, power_plays=(False, True)))
    extra = begun(side, 0, end=3)
    np.testing.assert_array_equal(extra, begun("center_house", 0, end=3))
    assert extra[POWER:].tolist() == [1.0, 1.0]
    assert begun(side, 0, end=2)[POWER:].tolist() == [0.0, 1.0]  # the last regular end


def test_a_team_throws_five_stones_and_the_hammer_the_last_one():
    for hammer in (0, 1):
        turns = [thrower(shot, hammer) for shot in range(FIRST, LAST + 1)]
        assert turns == [1 - hammer, hammer] * 5
        rows = {team: [row(shot, hammer) - 8 * team for shot in range(FIRST, LAST + 1) if thrower(shot, hammer) == team]
                for team in (0, 1)}  # fmt: skip
        assert rows == {0: [3, 4, 5, 6, 7], 1: [3, 4, 5, 6, 7]}


@pytest.mark.parametrize("shot", [FIRST, FIRST + 2, FIRST + 3, LAST])
@pytest.mark.parametrize("lost", [2, 10, 3])
def test_the_first_three_shots_may_remove_no_stone_of_either_team(shot, lost):
    """Row 2 is team 0's guard, row 10 team 1's house stone, row 3 the first stone thrown."""
    state = begun("center_house")
    before = stones_of(state)
    before[3] = 0.5, 36.0
    state = mixed_state_of(before, shot, hammer=1)
    stones = before.copy()
    stones[lost] = np.nan
    if row_of(state) == lost:
        return
    stones[row_of(state)] = 0.0, TEE
    next_state, _, _ = after(state, stones)
    if shot == LAST:
        assert is_setup_due(next_state)
    else:
        kept = before if shot < FIRST + 3 else stones
        np.testing.assert_array_equal(stones_of(next_state), kept)
    assert next_state[TIME] == shot + 1


def test_a_stone_may_be_moved_and_the_thrown_one_lost_without_a_foul():
    state = begun("center_house")
    stones = stones_of(state)
    stones[2] = 0.7, 37.0
    assert not removes_stone(stones_of(state), stones)
    next_state, _, _ = after(state, stones)
    np.testing.assert_array_equal(stones_of(next_state), stones)


def test_six_stones_of_a_team_can_score():
    state, _, _ = ended(6)
    assert state[LEAD] == 6
    state, _, _ = ended(-6)
    assert state[LEAD] == -6


def test_the_stones_that_were_set_up_score_too():
    state = begun("center_house")
    stones = stones_of(state)
    state[TIME] = LAST
    next_state, _, _ = after(state, stones)
    assert next_state[LEAD] == -1  # team 1's, in the house


@pytest.mark.parametrize("decider", [0, 1])
@pytest.mark.parametrize("choice", CHOICES)
def test_the_team_that_did_not_score_decides_and_after_a_blank_end_the_other_one(decider, choice):
    for points, expected in ((2, 1), (-1, 0), (0, 1 - decider)):
        state, _, over = ended(points, decider, choice)
        assert is_setup_due(state) and not over and not placed(state)
        assert (decider_of(state), state[TIME], state[LEAD]) == (expected, 16, points)


def test_the_match_is_over_after_the_last_end_unless_tied():
    assert not ended(1, end=1)[2]
    state, reward, over = ended(1, end=2)
    assert (reward, over, state[TIME]) == (1.0, True, 48)
    assert ended(-1, end=2)[1:] == (0.0, True)
    assert not ended(1, end=2, lead=-1)[2]  # a tie
    assert ended(1, end=3)[1:] == (1.0, True)


def test_a_blank_extra_end_is_repeated_by_the_other_decider():
    state, _, over = ended(0, decider=1, end=3)
    assert not over and decider_of(state) == 0 and state[TIME] == 64
    assert ended(0, decider=0, end=4)[1:] == (0.5, True)  # the model's last one


def test_a_step_sets_up_the_next_end():
    state = begun("center_house")
    state[TIME] = LAST
    next_state = np.empty_like(state)
    rng = np.random.default_rng(0)
    reward, over = MATCH.step(state, MATCH.aim(*AWAY, 1.0), next_state, MATCH.params, rng)
    assert (reward, over, next_state[TIME], next_state[DECIDER]) == (0.0, False, 22, 0)
    pending, _, _ = after(state, stones_of(state))
    np.testing.assert_array_equal(next_state, MATCH.begin_end(pending))


def test_shots_left():
    state = MATCH.initial_state(np.random.default_rng(0))
    assert MATCH.steps_left(state) == 50
    state[TIME] = 16 + 15
    assert MATCH.steps_left(state) == 31
    assert MATCH.planning().steps_left(state) == 1
    assert MATCH.steps_left(ended(1, end=2)[0]) == 0


def test_random_matches_reach_no_illegal_state():
    """Random set-ups and shots; see `tests.curling.random_mixed_doubles` for what is legal."""
    for pattern in range(5):
        model = Curling(2, game="mixed_doubles", physics="dc4", extra_ends=1, reward="win", pattern=pattern)
        counts, bad = play(model, 2_000, seed=pattern)
        assert bad == "" and (counts > 0).all(), bad


def test_states_of_a_match_pass_the_check_and_others_do_not():
    rng = np.random.default_rng(3)
    state, over = MATCH.initial_state(rng), False
    while not over:
        check_match_state(MATCH, state)
        action, following = np.empty(3), np.empty(MIXED_STATE_DIM)
        sample_action(state, action, MATCH.params, rng)
        _, over = step(state, action, following, MATCH.params, rng)
        state = following
    for change, named in (
        ({TIME: 16.0}, "set up"),
        ({DECIDER: 2.0}, "decider"),
        ({POWER + 1: 0.5}, "power play of team 1"),
        ({LEAD: 7.0}, "lead"),
        ({3: 1.0, 4: 38.0}, "rows"),
        ({17: 1.0, 18: 38.0}, "row"),
        ({7: 0.0, 8: 0.0}, "placed stones=1"),
        ({7: 0.0, 8: 0.0, TIME: 16.0 + FIRST + 3}, "placed stones=1"),
    ):
        wrong = begun("center_house", end=1)
        for index, value in change.items():
            wrong[index] = value
        with pytest.raises(ValueError, match=named):
            check_match_state(MATCH, wrong)
    wrong[TIME] += 1.0
    check_match_state(MATCH, wrong)  # the fourth stone may have removed one that was placed


@pytest.mark.parametrize("wrong", [{"physics": "dc2"}, {"rule": "five_rock"}, {"table": "thesis"}, {"pattern": 6}])
def test_arguments_of_the_other_game_are_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}="):
        Curling(game="mixed_doubles", **wrong)
    with pytest.raises(ValueError, match="unknown rule"):
        Curling(rule="modified")
    with pytest.raises(ValueError, match="unknown choice"):
        MATCH.begin_end(first_state(), "center")


def test_early_shots_of_the_default_policy_and_the_candidates_hit_nothing():
    rng, aim, out = np.random.default_rng(1), np.empty(3), np.empty((24, 3))
    for shot in range(FIRST, FIRST + 3):
        stones = stones_of(begun("center_house"))
        state = mixed_state_of(stones, shot)
        for _ in range(50):
            default_shot(2, stones, shot, team_of(state), 9, True, aim, rng)
            assert np.hypot(aim[0], aim[1]) < 2.5
        count = MATCH.actions(state, MATCH.params, out, np.empty(24, np.uint64))
        assert count > 5 and (np.hypot(out[:count, 0], out[:count, 1]) < 2.5).all()


@pytest.mark.parametrize("name", ["presearch", "rulebased", "dpw", "champion:threads=1", "expectimax"])
def test_planners_play(name):
    model = MATCH.planning()
    state = begun("center_house")
    decision = parse(name).plan(model, state, Budget(simulations=300), np.random.default_rng(0))
    assert 0.0 <= abs(decision.value) <= 1.0
    next_state = np.empty_like(state)
    model.step(state, decision.action, next_state, model.params, np.random.default_rng(1))
    check_match_state(MATCH, next_state)


def test_cells_know_who_decided_and_the_power_plays():
    def cells(state):
        out = np.empty(4, np.uint64)
        MATCH.cells(state, 0, 4, MATCH.params, out)
        return out.tolist()

    state = begun("center_house")
    assert cells(state) == cells(state.copy())
    for index in (DECIDER, POWER, POWER + 1):
        other = state.copy()
        other[index] = 1.0 - other[index]
        assert cells(other)[0] == cells(state)[0]
        assert all(np.array(cells(other))[1:] != np.array(cells(state))[1:])
