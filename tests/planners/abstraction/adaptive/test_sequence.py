"""The best sequence of actions of `adaptive`: when it is followed and left, and which simulation it is."""

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.adaptive.sequence import RETURNED, hand_on, leave_at, no_sequence, remember
from bonspiel.planners.abstraction.adaptive.smoothing import CHOSEN
from bonspiel.planners.abstraction.fixed.trie import new_walk
from bonspiel.planners.core.search import kept_trees
from tests.planners.tiny_models import Diamond, Handover


def simulate(sequence, *chosen, leave=0, total=1.0, final=-1):
    walk = new_walk(1, len(sequence.chosen), 1, 1)
    walk.chosen[: len(chosen)] = chosen
    remember(sequence, walk, len(chosen), final, leave, total)


def known(*chosen, mean=1.0):
    sequence = no_sequence(len(chosen))
    simulate(sequence, *chosen, total=mean)
    return sequence


def test_a_part_follows_and_leaves_at_any_step_or_never():
    rng, steps, count = np.random.default_rng(0), 8, 20_000
    left = np.array([leave_at(known(*range(steps)), 0.5, rng) for _ in range(count)])
    parts = np.bincount(left, minlength=steps + 1) / count
    expected = [0.5 + 0.5 * 0.1, *[0.5 * 0.1] * (steps - 1), 0.5 * 0.2]
    np.testing.assert_allclose(parts, expected, atol=0.01)


def test_nothing_is_drawn_where_nothing_is_followed():
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    assert leave_at(no_sequence(5), 1.0, rng) == 0 == leave_at(known(1, 2, 3), 0.0, rng)
    assert rng.bit_generator.state == before


def test_what_was_handed_on_is_played_first_and_then_has_a_return():
    sequence = no_sequence(4)
    hand_on(known(7, 3, 5, 9), sequence, 12)
    assert sequence.chosen.tolist() == [12, 5, 9, 9]
    simulate(sequence, 1, 2, 3, 4, total=1e9)
    assert sequence.chosen.tolist() == [12, 5, 9, 9]
    assert leave_at(sequence, 1e-9, np.random.default_rng(0)) == 4
    simulate(sequence, 12, 5, 9, 9, leave=4, total=-3.0)
    assert sequence.record.tolist() == [-3.0, 1.0]


def test_a_better_simulation_takes_its_place_and_a_worse_or_equal_one_does_not():
    sequence = known(1, 2, 3, mean=1.0)
    for total in (0.5, 1.0, 1.0 + 1e-12):
        simulate(sequence, 4, 5, 6, leave=1, total=total)
        assert sequence.chosen.tolist() == [1, 2, 3] and sequence.record[RETURNED] == 1.0
    simulate(sequence, 4, 5, 6, leave=1, total=1.1)
    assert sequence.chosen.tolist() == [4, 5, 6] and sequence.record.tolist() == [1.1, 1.0]


def test_the_last_action_goes_on_where_a_simulation_ended_early():
    sequence = no_sequence(3)
    simulate(sequence, 40, final=15)  # cell 40 of the root, whose action is nearest to 15 of the grid
    assert sequence.chosen.tolist() == [40, 15, 15]


def test_a_lucky_sequence_loses_its_place_as_it_is_repeated():
    sequence = known(1, 2, mean=10.0)
    for total in (0.0, 2.0):
        simulate(sequence, 1, 2, leave=2, total=total)
    assert sequence.record.tolist() == [4.0, 3.0]
    simulate(sequence, 3, 4, total=5.0)
    assert sequence.chosen.tolist() == [3, 4]


@pytest.mark.parametrize("model", [Diamond(), Handover()], ids=lambda model: type(model).__name__)
def test_two_players_follow_none(model):
    one, other = (
        planners.make("adaptive", memory=memory).plan(
            model, model.initial_state(None), Budget(200), np.random.default_rng(1)
        )
        for memory in (0.0, 1.0)
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
    assert 0 < chosen.sum() < decision.visits.sum() == 200
    assert chosen[(decision.actions == decision.action).all(1)] >= 0.5 * chosen.max()
    assert decision.visits[np.argmax(chosen)] < decision.visits.max()


def test_the_first_actions_of_the_root_are_tried_before_anything_is_followed():
    model = envs.Trap()
    search = planners.begin_episode(planners.make("adaptive", memory=1.0), model)
    for _ in range(2):
        decision = search.plan(np.zeros(2), Budget(16), np.random.default_rng(0))
        assert decision.visits.tolist() == [1] * 16


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
    assert np.mean(returns) > 45.0  # 62 with the memory; without it 26, as half of the cars stand still
