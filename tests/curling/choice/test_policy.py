import numpy as np
import pytest

from bonspiel.curling.choice.policy import default_shot
from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.match.state import FREE_GUARD, LAW, shot_of, state_of, stones_of, team_of
from bonspiel.curling.model import Curling
from tests.curling.choice.test_candidates import board, random_states

PHYSICS = pytest.mark.parametrize("physics", ["fcv1", "dc2"])


def choose(model, state, rng):
    """The default policy's action."""
    aim, params = np.empty(3), model.params
    law, free_guard = int(params[LAW]), int(params[FREE_GUARD])
    default_shot(law, stones_of(state), shot_of(state), team_of(state), free_guard, False, aim, rng)
    return model.aim(*aim)


def play(model, state, choosers, rng):
    """Play an end; team 0's points."""
    following = np.empty(model.state_dim)
    for _ in range(STONES):
        action = choosers[team_of(state)](model, state, rng)
        reward, _ = model.step(state, action, following, model.params, rng)
        state = following.copy()
    return reward


def sampled(model, state, rng):
    action = np.empty(3)
    model.sample_action(state, action, model.params, rng)
    return action


def uniform(model, state, rng):
    return rng.uniform(model.action_low, model.action_high)


def value_of_shot(model, state, rng):
    """Team 0's reward for the policy's shot without noise."""
    return model.step_exact(state, choose(model, state, rng), np.empty(model.state_dim), model.params, rng)[0]


@PHYSICS
@pytest.mark.parametrize(("opponent", "least"), [(uniform, 1.5), (sampled, 1.0)])
def test_the_policy_beats_random_shots_with_and_without_the_hammer(physics, opponent, least):
    model, rng = Curling(physics=physics), np.random.default_rng(0)
    for team in (0, 1):
        choosers = [opponent, opponent]
        choosers[team] = choose
        for hammer in (0, 1):
            points = [play(model, state_of(no_stones(), 0, hammer), choosers, rng) for _ in range(60)]
            assert np.mean(points) * (1 - 2 * team) > least


@PHYSICS
def test_the_last_stone_takes_an_open_shot_stone_and_scores(physics):
    model, rng = Curling(physics=physics), np.random.default_rng(0)
    state = state_of(board(model.law.sheet.tee, a0=(0.3, 0.1)), 15)
    assert [value_of_shot(model, state, rng) for _ in range(50)] == [-1.0] * 50


@PHYSICS
def test_the_last_stone_is_drawn_to_an_empty_house(physics):
    model, rng = Curling(physics=physics), np.random.default_rng(0)
    assert [value_of_shot(model, state_of(no_stones(), 15), rng) for _ in range(50)] == [-1.0] * 50


@PHYSICS
def test_a_protected_guard_is_not_removed(physics):
    model, rng = Curling(physics=physics), np.random.default_rng(0)
    state, following = state_of(board(model.law.sheet.tee, a0=(0.1, -2.9)), 3), np.empty(model.state_dim)
    for _ in range(200):
        model.step_exact(state, choose(model, state, rng), following, model.params, rng)
        # a foul would put the guard back and take the thrown stone away
        stones = stones_of(following)
        assert np.isfinite(stones[[0, 9]]).all()


@PHYSICS
def test_scores_of_ends_in_self_play_are_realistic(physics):
    model, rng = Curling(physics=physics), np.random.default_rng(0)
    start, scratch = model.initial_state(rng), np.empty(model.state_dim)
    points = np.array([-model.rollout(start.copy(), scratch, STONES, model.params, rng) for _ in range(4000)])
    assert 0.2 < points.mean() < 1.0  # the hammer is an advantage
    shares = [(points == n).mean() for n in (-2, -1, 1, 2)]
    # of the thesis's table: 0.055, 0.172, 0.391, 0.195
    assert np.abs(np.array(shares) - (0.055, 0.172, 0.391, 0.195)).max() < 0.1
    assert (np.abs(points) > 4).mean() < 0.05


def test_rollouts_end_with_the_end_or_the_depth():
    model, rng = Curling(ends=2), np.random.default_rng(0)
    scratch, params = np.empty(model.state_dim), model.params
    start = model.initial_state(rng)
    assert all(model.rollout(start.copy(), scratch, 15, params, rng) == 0.0 for _ in range(20))
    assert any(model.rollout(start.copy(), scratch, 16, params, rng) != 0.0 for _ in range(20))


@PHYSICS
def test_a_rollout_is_the_policy_played_step_by_step(physics):
    model = Curling(physics=physics)
    following, scratch, params = np.empty(model.state_dim), np.empty(model.state_dim), model.params
    for seed, state in enumerate(random_states(model, 800)):
        rng, again = np.random.default_rng(seed), np.random.default_rng(seed)
        points = model.rollout(state.copy(), scratch, STONES - shot_of(state), params, again)
        while shot_of(state) < STONES - 1:
            one = np.random.default_rng(seed)
            one.bit_generator.state = rng.bit_generator.state
            model.rollout(state.copy(), scratch, 1, params, one)
            model.step(state, choose(model, state, rng), following, params, rng)
            assert scratch.tolist() == following.tolist()
            state = following.copy()
        # the last stone may be thrown away
        assert model.rollout(state, scratch, 1, params, rng) == points
        assert rng.random() == again.random()


def test_a_step_without_noise_is_a_step_of_a_model_without_noise():
    noisy, exact, rng = Curling(), Curling(noise="none"), np.random.default_rng(0)
    for state in random_states(noisy, 32):
        action = sampled(noisy, state, rng)
        before = rng.bit_generator.state
        found, expected = np.empty(noisy.state_dim), np.empty(noisy.state_dim)
        result = noisy.step_exact(state, action, found, noisy.params, rng)
        assert rng.bit_generator.state == before
        assert result == exact.step(state, action, expected, exact.params, rng)
        assert found.tolist() == expected.tolist()


@PHYSICS
def test_sampled_actions_are_within_bounds_and_differ(physics):
    model, rng = Curling(physics=physics, velocity_unit="box"), np.random.default_rng(0)
    for state in random_states(model, 32):
        found = np.array([sampled(model, state, rng) for _ in range(50)])
        assert ((found >= model.action_low) & (found <= model.action_high)).all()
        assert len(np.unique(found[:, 0])) == 50


def test_interpreted_and_compiled_choices_are_the_same():
    model = Curling()
    for seed, state in enumerate(random_states(model, 16, seed=2)):
        arguments = 0, stones_of(state), shot_of(state), team_of(state), 5, bool(state[0] % 2)
        found = []
        for function in (default_shot, default_shot.py_func):
            aim, rng = np.empty(3), np.random.default_rng(seed)
            function(*arguments, aim, rng)
            found.append((aim.tolist(), rng.bit_generator.state))
        assert found[0] == found[1]
