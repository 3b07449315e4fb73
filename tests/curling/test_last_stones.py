"""Scores forced with the last stones: those of trying all candidates, and some worked by hand."""

import numpy as np
import pytest

from bonspiel.curling.benchmarks.positions import state_after
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.last_stones import SCORES, forced_scores
from bonspiel.curling.match.state import LEAD, hammer_of, shot_of, state_of, team_of
from bonspiel.curling.model import Curling
from tests.curling.choice.test_candidates import actions, board

RNG = np.random.default_rng(0)
LAST, LAST_BUT_ONE = STONES - 1, STONES - 2


def thrown(model, state, action):
    following = np.empty(model.state_dim)
    model.step_exact(state, action, following, model.params, RNG)
    return following


def points_after(model, state, action):
    """Points of the team with the hammer if both teams go on with their best candidates."""
    following = thrown(model, state, action)
    if shot_of(state) == LAST:
        return (following[LEAD] - state[LEAD]) * (1 if hammer_of(state) == 0 else -1)
    return minimax(model, following)


def minimax(model, state):
    points = [points_after(model, state, action) for action in actions(model, state).values()]
    return max(points) if team_of(state) == hammer_of(state) else min(points)


def crowded(stones_to_come, seed, model):
    """A state with stones anywhere in the house, so that they matter."""
    rng, stones = np.random.default_rng(seed), board(model.law.sheet.tee)
    for row in range(STONES):
        if row % 8 < 8 - stones_to_come and rng.random() < 0.5:
            place = np.array([0.0, model.law.sheet.tee]) + rng.uniform(-1.8, 1.8, 2)
            if not (np.hypot(*(stones - place).T) < 0.3).any():
                stones[row] = place
    return state_of(stones, STONES - stones_to_come, hammer=seed % 2)


@pytest.mark.parametrize("physics", ["fcv1", "dc2"])
@pytest.mark.parametrize(("stones_to_come", "positions"), [(1, 12), (2, 8), (3, 2)])
def test_scores_are_those_of_trying_all_candidates(physics, stones_to_come, positions):
    model, found = Curling(physics=physics), set()
    for seed in range(positions):
        state = crowded(stones_to_come, seed, model)
        forced = forced_scores(model, state)
        found.add(forced.points)
        assert forced.points == minimax(model, state) == points_after(model, state, forced.best)
        assert forced.verdicts == {points: points <= forced.points for points in SCORES}
    assert len(found) > 1 or stones_to_come == 3


def test_positions_of_play_are_solved_in_any_match():
    """With either hammer, whatever the noise, the reward and the ends to come, also in mixed doubles."""
    for stones_to_come in (1, 2):
        for seed in range(4):
            state = state_after(seed, STONES - stones_to_come)
            points = {
                forced_scores(model, state).points
                for model in (Curling(), Curling(noise="none", ends=3), Curling(ends=2, reward="win_probability"))
            }
            assert points == {minimax(Curling(), state)}


def test_mixed_doubles_is_solved_too():
    model = Curling(ends=2, game="mixed_doubles")
    state, scratch, rng = model.initial_state(RNG), np.empty(model.state_dim), np.random.default_rng(1)
    while shot_of(state) < LAST_BUT_ONE:
        model.rollout(state.copy(), scratch, 1, model.params, rng)
        state = scratch.copy()
    assert forced_scores(model, state).points == minimax(model, state)


def test_a_draw_to_the_empty_house_scores_one():
    for hammer in (0, 1):
        assert forced_scores(Curling(), state_of(board(38.405), LAST, hammer)).points == 1


def test_the_last_draw_adds_to_stones_that_count():
    three = board(38.405, b0=(0.9, 0.3), b1=(-0.9, 0.3), b2=(0.4, 1.2))
    assert forced_scores(Curling(), state_of(three, LAST, hammer=1)).points == 4


def test_a_stone_in_front_of_the_tee_is_beaten_by_the_last_stone():
    """By a take-out that stays in the house, or by a draw nearer to the tee."""
    stones = board(38.405, a0=(0.0, -0.5))
    assert forced_scores(Curling(), state_of(stones, LAST, hammer=1)).points == 1


def test_more_stones_are_refused():
    with pytest.raises(ValueError, match=r"^stones to come=4: must be 1 to 3$"):
        forced_scores(Curling(), state_of(board(38.405), STONES - 4))
