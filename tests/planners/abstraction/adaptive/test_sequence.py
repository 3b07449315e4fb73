"""The best sequence of actions of `adaptive`: how it is changed, repeated and taken, and when it is played."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.adaptive.sequence import (
    CHANGED,
    CHANGES,
    FOUND,
    MEAN,
    NOISE,
    OTHERS,
    TAKEN,
    change,
    hand_on,
    is_itself,
    is_to_repeat,
    new_sequence,
    noise_of,
    repeat,
    rest_of,
    share_of_changes,
    take,
    worth,
)
from bonspiel.planners.abstraction.adaptive.smoothing import CHOSEN
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.kinds import ALL_REAL
from tests.planners.tiny_models import Diamond, Handover, python_twin


def known(*actions, returned=1.0):
    sequence = new_sequence(np.array(actions, float)[:, None], 0)
    repeat(sequence, returned, True)
    return sequence


def simulate(sequence, *actions, returned, is_change=False):
    sequence.tried[: len(actions), 0] = actions
    return take(sequence, len(actions), returned, 1.0, is_change)


def test_a_decision_begins_with_the_rest_of_the_last_one_and_plays_it_first():
    last = known(7, 3, 5, 9)
    sequence = new_sequence(rest_of(last, 4, 1), 0)
    assert sequence.actions.ravel().tolist() == [3, 5, 9, 9]
    assert not simulate(sequence, 1, 2, 3, 4, returned=1e9)
    repeat(sequence, -3.0, True)
    assert worth(sequence) == -3.0


def test_a_better_simulation_takes_its_place_and_a_worse_or_equal_one_does_not():
    sequence = known(1, 2, 3, returned=1.0)
    for returned in (0.5, 1.0, 1.0 + 1e-12, np.nan):
        assert not simulate(sequence, 4, 5, 6, returned=returned)
    assert simulate(sequence, 4, 5, 6, returned=1.1)
    assert sequence.actions.ravel().tolist() == [4, 5, 6] and sequence.record[TAKEN] == 1.1


def test_no_simulation_takes_its_place_by_less_than_its_returns_differ():
    sequence = known(1, 2, returned=0.0)
    for returned in (2.0, 0.0, 2.0):
        repeat(sequence, returned, True)
    assert noise_of(sequence) == pytest.approx(np.std([0.0, 2.0, 0.0, 2.0], ddof=1))
    assert not simulate(sequence, 3, 4, returned=2.1) and simulate(sequence, 3, 4, returned=2.2)


def test_the_last_action_goes_on_where_a_simulation_ended_early():
    sequence = known(1, 2, 3)
    assert simulate(sequence, 40, returned=2.0)
    assert sequence.actions.ravel().tolist() == [40, 40, 40]


def test_a_lucky_sequence_loses_its_place_as_it_is_repeated():
    sequence = known(1, 2)
    assert simulate(sequence, 3, 4, returned=10.0)
    repeat(sequence, 0.0, True)
    repeat(sequence, 2.0, True)
    assert worth(sequence) == 4.0 and sequence.record[MEAN] == 1.0


def test_it_is_repeated_the_more_the_longer_it_stands_and_seldom_where_nothing_is_random():
    quiet, noisy = known(1, 2), known(1, 2)
    repeat(noisy, 2.0, True)
    counts = []
    for sequence in (quiet, noisy):
        repeats = 0
        for _ in range(100):
            simulate(sequence, 5, 6, returned=-9.0)
            if is_to_repeat(sequence):
                repeats += 1
                repeat(sequence, worth(sequence) + (0.0 if sequence is quiet else 1e-9), True)
        counts.append(repeats)
    assert counts == [11, 13]  # and those with which they began


def test_changes_are_more_where_they_succeed_and_the_next_decision_knows():
    sequence = known(1, 2)
    assert share_of_changes(sequence, 0.1) == pytest.approx(0.1)
    sequence.record[[CHANGES, CHANGED, OTHERS, FOUND]] = 90.0, 9.0, 90.0, 0.0
    assert share_of_changes(sequence, 0.1) == pytest.approx(1 / (1 + 9 / 10))
    sequence.record[NOISE] = 5.0
    following = known(1, 2)
    hand_on(sequence, following)
    assert following.record[[NOISE, CHANGES, CHANGED]].tolist() == [4.0, 72.0, 7.2]
    sequence.record[[CHANGES, CHANGED]] = 90.0, 90.0
    assert share_of_changes(sequence, 0.1) == 0.8


@settings(max_examples=100)
@given(st.integers(1, 30), st.integers(1, 3), st.integers(0, 1), st.integers(0, 10**6))
def test_a_change_stays_within_the_bounds_and_begins_where_it_says(steps, dim, begin, seed):
    begin = min(begin, steps - 1)
    rng = np.random.default_rng(seed)
    low, high = -np.arange(1.0, dim + 1.0), np.full(dim, 2.0)
    sequence = new_sequence(rng.uniform(low, high, (steps, dim)), 0)
    before = sequence.actions.copy()
    first = change(sequence, low, high, ALL_REAL, begin, rng)
    assert begin <= first < steps
    np.testing.assert_array_equal(sequence.actions, before)
    np.testing.assert_array_equal(sequence.tried[:first], before[:first])
    assert ((low <= sequence.tried) & (sequence.tried <= high)).all()
    assert (sequence.tried != before).any()


def test_changes_are_of_every_scale():
    rng, low, high = np.random.default_rng(0), np.full(1, -10.0), np.full(1, 10.0)
    sequence, apart = new_sequence(np.zeros((20, 1)), 0), []
    for _ in range(4000):
        change(sequence, low, high, ALL_REAL, 0, rng)
        apart.append(np.abs(sequence.tried).max())
    shares = np.histogram(np.log10(apart), bins=[-9.0, -2.0, -1.0, 0.0, 1.01])[0] / len(apart)
    assert (shares > 0.02).all() and shares[:3].sum() > 0.4


def test_changes_of_whole_numbers_are_whole_and_differ():
    rng, kinds = np.random.default_rng(0), np.array([1, 2, 3])  # integer, boolean, categorical
    low, high = np.array([-3.0, 0.0, 0.0]), np.array([3.0, 1.0, 4.0])
    sequence = new_sequence(np.tile([0.0, 1.0, 2.0], (6, 1)), 0)
    found = [set() for _ in range(3)]
    for _ in range(2000):
        change(sequence, low, high, kinds, 0, rng)
        assert ((low <= sequence.tried) & (sequence.tried <= high)).all()
        for k in range(3):
            found[k].update(sequence.tried[:, k].tolist())
    assert [sorted(values) for values in found] == [[-3, -2, -1, 0, 1, 2, 3], [0, 1], [0, 1, 2, 3, 4]]


@pytest.mark.parametrize("model", [Diamond(), Handover()], ids=lambda model: type(model).__name__)
def test_two_players_have_none(model):
    one, other = (
        planners.make("adaptive", memory=share, changes=share).plan(
            model, model.initial_state(None), Budget(200), np.random.default_rng(1)
        )
        for share in (0.0, 1.0)
    )
    np.testing.assert_array_equal(one.visits, other.visits)
    np.testing.assert_array_equal(one.values, other.values)


def test_following_does_not_count_for_the_last_choice():
    model = envs.Trap()
    with kept_trees() as trees:
        search = planners.begin_episode(planners.make("adaptive", memory=1.0), model)
        search.plan(np.zeros(2), Budget(200), np.random.default_rng(0))
        decision = search.plan(np.zeros(2), Budget(200), np.random.default_rng(0))
    chosen = trees[1].root.stats[CHOSEN, : len(decision.visits)]
    assert 0 < chosen.sum() < 0.5 * decision.visits.sum()


def test_the_first_actions_of_the_root_are_tried_before_anything_is_followed():
    model = envs.Trap()
    search = planners.begin_episode(planners.make("adaptive", memory=1.0, changes=0.0), model)
    for _ in range(2):
        decision = search.plan(np.zeros(2), Budget(19), np.random.default_rng(0))
        assert (decision.visits > 0).all() and decision.visits.sum() == 19  # three repeat the sequence


def test_given_actions_alone_are_played():
    given_actions = np.array([[0.31], [0.77]])
    search = planners.begin_episode(planners.make("adaptive", changes=0.9), envs.Trap())
    for seed in range(5):
        with kept_trees() as trees:
            decision = search.plan(np.zeros(2), Budget(60), np.random.default_rng(seed), given_actions)
        assert decision.action.tolist() in given_actions.tolist() and decision.visits.sum() == 60
        assert trees[0].sequence.actions[0].tolist() in given_actions.tolist()


def test_a_goal_that_needs_a_run_up_is_reached():
    model = envs.HillCar()
    planner, returns = planners.make("adaptive"), []
    for seed in range(4):
        noise, rng = np.random.default_rng(seed), np.random.default_rng(100 + seed)
        search, state, over, total = planners.begin_episode(planner, model), model.initial_state(noise), False, 0.0
        for _ in range(model.horizon):
            after = np.empty_like(state)
            reward, over = model.step(state, search.plan(state, Budget(500), rng).action, after, model.params, noise)
            state, total = after, total + reward
            if over:
                break
        returns.append(total)
    assert np.mean(returns) > 55.0  # 62; without a sequence 26, as half of the cars stand still


def test_a_sequence_with_a_rare_loss_is_not_played():
    """An action above 0.5 pays 1, or loses 20 with probability 0.1; others pay 0.5."""

    class Risky(type(python_twin(envs.Trap()))):
        horizon = 1

        @staticmethod
        def step(state, action, next_state, params, rng):
            next_state[:] = state
            return (0.5 if action[0] <= 0.5 else (-20.0 if rng.random() < 0.1 else 1.0)), True

    planner = planners.make("adaptive")
    plans = [planner.plan(Risky(), np.zeros(2), Budget(300), np.random.default_rng(seed)) for seed in range(40)]
    assert np.mean([plan.action[0] > 0.5 for plan in plans]) < 0.5


def test_copies_of_the_sequence_are_repeats():
    sequence = known(1, 2, returned=0.0)
    sequence.tried[:] = sequence.actions
    assert is_itself(sequence, 2)
    sequence.tried[1] += 1e-9
    assert is_itself(sequence, 1) and not is_itself(sequence, 2)
