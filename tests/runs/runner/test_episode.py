import itertools
import re
import time
from types import SimpleNamespace

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners.random import RandomPlanner
from bonspiel.runs.draws import environment_rng, planner_rng
from bonspiel.runs.experiment import Setting
from bonspiel.runs.results.rows import Episode, Failure
from bonspiel.runs.runner.episode import play, play_batch
from tests.planners.tiny_models import Chain


def setting(planner="constant", budget=1, env="trap", seed=3):
    return Setting(env, planner, budget, "simulations", seed)


def test_a_return_by_hand(fakes):
    # two steps of 0.45 and noise below 0.1: x stays below 1 in the first (0.7), the second ends at 0.9 to 1.1
    model = envs.Trap(noise_range=0.1)
    noise = [0.1 * environment_rng(3, 5, step).random() for step in (1, 2)]
    batch = play_batch(setting("constant:action=0.45", env="trap:noise_range=0.1"), [5])
    expected = 0.7 + (0.7 if 0.9 + sum(noise) < 1.0 else 0.0)
    assert batch.results[0][:3] == (5, expected, model.horizon)


def test_what_is_kept_beside_the_return():
    for unit, budget in (("simulations", 30), ("ms", 0.5)):
        (episode,) = play_batch(Setting("trap", "dpw", budget, unit, 3), [2]).results
        action = np.frombuffer(episode.first_action, "<f8")
        assert action.shape == (1,) and -1.0 <= action[0] <= 1.0
        if unit == "simulations":
            assert episode.simulations == 30 * episode.steps and episode.times is None
        else:
            times = np.frombuffer(episode.times, "<f4")
            assert len(times) == episode.steps and times.sum() == pytest.approx(episode.seconds)
            assert episode.simulations >= episode.steps


def test_what_a_planner_needs_at_first_is_no_part_of_its_times(fakes, monkeypatch):
    constant, asked = type(planners.make("constant")), []
    plan = constant.plan

    def slow_at_first(*given):
        asked.append(given)
        return plan(*given)

    monkeypatch.setattr(constant, "plan", slow_at_first)
    monkeypatch.setattr(time, "perf_counter", lambda: 1000.0 * bool(asked))
    batch = play_batch(setting("constant"), range(3))
    assert len(asked) > 3 and batch.seconds == 0.0


def test_each_episode_is_played_by_a_search_of_its_own(fakes):
    """Chain's reward of 0.05 for each step back, and 1 for three steps to the right, tell the actions apart."""

    class Third:
        """Steps to the right from the third decision of an episode on."""

        def begin_episode(self, model):
            count = itertools.count(1)
            left, right = planners.make("constant", action=0.0), planners.make("constant", action=1.0)
            return SimpleNamespace(plan=lambda *given: (right if next(count) >= 3 else left).plan(model, *given))

    first, second = (play(Chain(), Third(), setting(), index) for index in range(2))
    assert first.total == second.total == pytest.approx(0.05 + 0.9 * 0.05 + 0.9**4)
    assert first.steps == second.steps == 5


def test_all_planners_meet_the_same_noise(fakes):
    few, many = (
        play_batch(setting(text), range(30)).results
        for text in ("constant:action=0.47,draws=1", "constant:action=0.47,draws=9")
    )
    assert [result[:3] for result in few] == [result[:3] for result in many]
    assert len({result.total for result in few}) > 1


def test_own_draws_differ_between_planners_budgets_episodes_and_seeds():
    base = planner_rng(setting("a"), 0).random()
    others = [
        planner_rng(setting("b"), 0),
        planner_rng(setting("a", budget=2), 0),
        planner_rng(setting("a"), 1),
        planner_rng(setting("a", seed=4), 0),
        planner_rng(Setting("trap", "a", 1, "ms", 3), 0),
    ]
    assert base not in [rng.random() for rng in others]
    assert base == planner_rng(setting("a"), 0).random()
    assert base == pytest.approx(0.4813899748801299)  # the same in every process, unlike hash()


def test_the_noise_of_every_step_is_new():
    draws = [environment_rng(1, episode, step).random() for episode in range(3) for step in range(3)]
    assert len(set(draws)) == 9


def test_an_episode_ends_where_the_model_says(fakes):
    result = play_batch(Setting("treasure_hunt", "constant:action=0.0", 1, "simulations", 0), [0, 1]).results
    assert all(1 <= episode.steps <= 50 for episode in result)


class Steps:
    """Three steps, each with the same reward, at a discount of a half."""

    state_dim, horizon, discount, compiled = 1, 3, 0.5, False
    action_low, action_high, params = np.zeros(1), np.ones(1), np.zeros(0)

    def __init__(self, reward, breaks_after=np.inf):
        self.reward, self.breaks_after = reward, breaks_after

    def initial_state(self, rng):
        return np.zeros(1)

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state + 1.0 if state < self.breaks_after else np.nan
        return self.reward, False


def test_rewards_are_discounted(fakes):
    assert play(Steps(1.0), planners.make("constant"), setting(), 0)[:3] == (0, 1.75, 3)


class Later(Steps):
    """Begins two steps before the end, as its states say."""

    time_index = 0

    def initial_state(self, rng):
        return np.ones(1)


def test_an_episode_that_begins_later_ends_at_the_same_time(fakes):
    assert play(Later(1.0), planners.make("constant"), setting(), 0)[:3] == (0, 1.5, 2)


class Still(Steps):
    """A state that no step changes, and the best action somewhere else at each of them."""

    horizon = 9

    def step(self, state, action, next_state, params, rng):
        next_state[:] = state
        return -((action[0] - rng.random()) ** 2), False

    def sample_action(self, state, action, params, rng):
        action[0] = rng.random()


@pytest.mark.parametrize("memory", [0, 1])
def test_changes_of_the_action_are_limited_in_a_state_that_stays_the_same(fakes, memory):
    seen = []
    planner = planners.parse(f"cem:rate_limit=0.02,memory={memory}")
    play(Still(0.0), planner, setting(budget=40), 0, watch=lambda state, decision, reward: seen.append(decision.action))
    assert np.abs(np.diff(seen, axis=0)).max() <= 0.02 + 1e-12


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Steps(float("nan")), "my:Steps gave reward=nan in step 1: must be finite"),
        (Steps(1.5e308), "my:Steps gave rewards whose sum is inf: must be finite"),
        (Steps(1.0, breaks_after=1), r"my:Steps gave state=\[nan\] after 2 steps: must be finite"),
    ],
)
def test_the_environment_is_named_that_gives_what_is_not_a_number(fakes, model, words):
    with pytest.raises(ValueError, match=words):
        play(model, planners.make("constant"), setting(env="my:Steps"), 0)


def test_a_last_state_that_is_not_finite_hurts_nobody(fakes):
    assert play(Steps(1.0, breaks_after=2), planners.make("constant"), setting(), 0)[:3] == (0, 1.75, 3)


def test_a_failed_episode_is_reported_and_the_others_go_on(fakes):
    results = play_batch(setting("clumsy"), range(20)).results
    failures = [result for result in results if isinstance(result, Failure)]
    assert 0 < len(failures) < 20
    assert len([result for result in results if isinstance(result, Episode)]) == 20 - len(failures)
    assert re.fullmatch(r"RuntimeError: dropped the stone \(\w+\.py, line \d+, in plan\)", failures[0].error)


def test_an_action_outside_the_bounds_is_a_failure(fakes):
    (failure,) = play_batch(setting("constant:action=1.5"), [0]).results
    assert isinstance(failure, Failure)
    assert "action=array([1.5]): must be within" in failure.error
    assert "checks.py" not in failure.error  # where it was found, which tells nothing


def test_a_planner_that_leaves_the_program_is_a_failure(monkeypatch):
    def leaves(*_):
        raise SystemExit(3)

    monkeypatch.setattr(RandomPlanner, "plan", leaves)
    (failure,) = play_batch(setting("random"), [0]).results
    assert isinstance(failure, Failure)
    assert "SystemExit: 3" in failure.error
