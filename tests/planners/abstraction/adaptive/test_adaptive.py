"""`adaptive` against its pseudo-code in docs/guides/abstraction-tree.md, and what it promises."""

import math

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.adaptive.first_cells import first_cells
from bonspiel.planners.abstraction.adaptive.proposals import Proposals, takes_proposals
from bonspiel.planners.abstraction.adaptive.root import CELLS, add_return, new_root
from bonspiel.planners.abstraction.adaptive.sight import best_sight, misleads, new_sights, note_rewards
from bonspiel.planners.abstraction.adaptive.smoothing import GAIN, SMOOTHED, VISITS, choose_bandwidth, smooth
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.testing import check_planner
from tests.planners.abstraction.adaptive.plain_search import PlainSights, nearness, plain_search
from tests.planners.tiny_models import Bandit, Chain, Diamond, Handover, Target, python_twin

NEVER = np.array([])


@pytest.mark.parametrize(
    ("model", "simulations", "hold", "memory", "changes"),
    [
        (Bandit(), 150, 40.0, 0.1, 0.1),
        (Chain(), 100, 40.0, 0.1, 0.1),
        (Diamond(), 100, 40.0, 0.1, 0.1),
        (Handover(), 100, 40.0, 0.1, 0.1),
        (Target(), 150, 40.0, 0.1, 0.1),
        (envs.Trap(), 150, 40.0, 0.1, 0.1),
        (Target(), 150, 0.0, 0.1, 0.5),
        (Target(), 150, 40.0, 0.0, 0.0),
        (envs.Trap(), 150, 40.0, 0.5, 0.0),
        (envs.Pendulum(), 30, 40.0, 0.1, 0.5),
        (envs.Pendulum(), 25, 40.0, 0.5, 0.1),
        (envs.CartPole(noise=10.0), 60, 40.0, 0.1, 0.3),
        (envs.DoubleIntegrator(), 60, 40.0, 0.1, 0.7),
        (envs.DoubleIntegrator(), 90, 40.0, 0.1, 0.1),  # with proposals
    ],
    ids=lambda value: value if isinstance(value, float) else type(value).__name__,
)
def test_two_decisions_of_an_episode_follow_the_pseudo_code(model, simulations, hold, memory, changes):
    rng, plain_rng = np.random.default_rng(7), np.random.default_rng(7)
    state, over, last, sights = model.initial_state(rng), False, None, PlainSights()
    model = python_twin(model)
    plain_rng.bit_generator.state = rng.bit_generator.state
    planner = planners.make("adaptive", hold_visits=hold, memory=memory, changes=changes)
    search = planners.begin_episode(planner, model)
    proposals = Proposals(planner, model) if takes_proposals(model) and (memory > 0 or changes > 0) else None
    decisions = 1 if isinstance(model, (Bandit, Target)) else 2  # Target's last actions are all worth the same
    for _ in range(decisions):
        root, sequence = plain_search(
            model, state, simulations, plain_rng, last, sights, hold, memory, changes, proposals
        )
        last = sequence if memory > 0 else None
        decision = search.plan(state, Budget(simulations), rng)
        visits, _ = root.arrays()
        np.testing.assert_allclose(decision.actions[:, 0], root.middles, rtol=1e-12)
        np.testing.assert_array_equal(decision.visits, visits)
        means = [np.mean(returned) for returned in root.returned if returned]
        np.testing.assert_allclose(decision.values[visits > 0], means, rtol=1e-9)
        assert decision.action[0] == pytest.approx(root.decided(sequence), rel=1e-12)
        assert rng.bit_generator.state == plain_rng.bit_generator.state
        after = np.empty_like(state)
        _, over = model.step(state, decision.action, after, model.params, np.random.default_rng(8))
        if over:
            break
        state = after


def sums_of(wholes, returns):
    """Sums of one simulation each with rewards whose returns are these in the first step, and the rest in the last."""
    sums = new_sights()
    for whole, first in zip(wholes, returns, strict=True):
        rewards = np.zeros((200, 2))
        rewards[[0, -1], 0] = first, whole - first
        note_rewards(sums, rewards, 200, 1.0)
    return sums


def test_the_sight_is_the_shortest_that_explains_the_variance_of_whole_returns():
    rng = np.random.default_rng(0)
    soon, late = rng.standard_normal((2, 500))
    assert best_sight(sums_of(soon, soon), 0.75, 100) == 16.0  # all is decided by the first step
    assert best_sight(sums_of(soon + 0.2 * late, soon), 0.75, 100) == 16.0
    assert best_sight(sums_of(soon + 2.0 * late, soon), 0.75, 100) > 100.0
    assert best_sight(sums_of(late - soon, -0.3 * soon), 0.75, 100) > 100.0
    assert best_sight(sums_of(late, late * -100.0), 0.75, 100) == math.inf  # what comes soon is the opposite
    assert best_sight(sums_of(soon + 1e9, soon), 0.75, 100) == 16.0  # a level that they share tells nothing
    assert best_sight(sums_of(soon, soon), 1.0, 100) == math.inf
    assert best_sight(sums_of(np.ones(9), np.ones(9)), 0.75, 100) == best_sight(new_sights(), 0.75, 100) == 36.0


class Patience:
    """An action above a half ends the episode and earns 0.5; 1 for whoever never does so, at the end."""

    state_dim, time_index, horizon, discount, compiled, params = 1, 0, 100, 1.0, False, np.zeros(1)
    state_low, state_high = np.zeros(1), np.full(1, 100.0)
    action_low, action_high = np.array([-1.0]), np.array([1.0])

    def initial_state(self, rng):
        return np.zeros(1)

    def step(self, state, action, next_state, params, rng):
        next_state[0] = state[0] + 1.0
        if action[0] > 0.5:
            return 0.5, True
        return float(next_state[0] == self.horizon), False

    def sample_action(self, state, action, params, rng):
        action[:] = rng.uniform(self.action_low, self.action_high)


@pytest.mark.parametrize("budget", [Budget(20), Budget(100), Budget(seconds=0.05)])
@pytest.mark.parametrize("more", ["", ":memory=0,changes=0"])
def test_the_first_decision_begins_anew_where_its_sight_misleads(budget, more):
    for seed in range(5):
        search, rng = planners.begin_episode(planners.parse(f"adaptive{more}"), Patience()), np.random.default_rng(seed)
        decision = search.plan(np.zeros(1), budget, rng)
        assert budget.simulations in (None, decision.simulations)
        assert decision.action <= 0.5 or decision.simulations < 20  # on a busy machine


class Either:
    """Either bound is best, if it is held; strong noise decides which one a search prefers."""

    state_dim, time_index, horizon, discount, compiled, params = 2, 1, 6, 1.0, False, np.zeros(1)
    state_low, state_high = np.array([-1.0, 0.0]), np.array([1.0, 6.0])
    action_low, action_high = np.array([-1.0]), np.array([1.0])

    def initial_state(self, rng):
        return np.zeros(2)

    def step(self, state, action, next_state, params, rng):
        next_state[:] = action[0], state[1] + 1.0
        change = action[0] - state[0] if state[1] > 0.0 else 0.0
        return action[0] ** 2 - change**2 + 3.0 * rng.standard_normal(), False

    def sample_action(self, state, action, params, rng):
        action[:] = rng.uniform(self.action_low, self.action_high)


def test_a_plan_goes_on_with_the_sequence_only_near_its_first_action():
    lengths = []
    for seed in range(20):
        with kept_trees() as trees:
            decision = planners.make("adaptive").plan(Either(), np.zeros(2), Budget(200), np.random.default_rng(seed))
        known = trees[0].sequence.actions
        lengths.append(len(decision.plan))
        assert decision.plan[0] == decision.action and decision.plan[1:].tolist() in ([], known[1:].tolist())
        assert (abs(decision.action - known[0]) <= 0.5) == (len(decision.plan) > 1)
    assert set(lengths) == {1, 6}


def test_no_sight_misleads_by_chance():
    rng = np.random.default_rng(0)
    soon, late = rng.standard_normal((2, 500))
    assert misleads(sums_of(late - 5.0 * soon, soon))
    assert not misleads(sums_of(late - 0.2 * soon, soon)) and not misleads(sums_of(late, late))
    assert not misleads(sums_of(np.ones(9), np.ones(9))) and not misleads(new_sights())
    assert not misleads(sums_of(*rng.standard_normal((2, 2))))
    assert sum(misleads(sums_of(*rng.standard_normal((2, 8)))) for _ in range(1_000)) < 60


def test_the_more_simulations_the_better_a_sight_must_explain_their_returns():
    rng = np.random.default_rng(0)
    soon, late = rng.standard_normal((2, 20_000))
    few, many = (best_sight(sums_of(soon[:n] + 0.45 * late[:n], soon[:n]), 0.75, n) for n in (5_000, 20_000))
    assert few == 16.0 and many > 100.0
    assert best_sight(new_sights(), 0.75, 5_000) == 36.0
    assert best_sight(new_sights(), 0.75, 5_001) == math.inf


def test_without_memory_an_episode_is_decided_as_by_plan_sight_included():
    check_planner(planners.make("adaptive", memory=0.0), np.random.default_rng(0))


def filled(returns, thresholds=NEVER):
    """A root of one dimension whose actions got these returns, [rounds, actions]."""
    actions, width = first_cells(np.zeros(1), np.ones(1), returns.shape[1])
    root = new_root(actions, width, np.ones(1), np.arange(len(actions)))
    for row in returns:
        for cell, gain in enumerate(row):
            add_return(root, cell, gain, 0.0, 0.0, thresholds)
    return root


def bandwidth_of(root):
    """Smooth anew."""
    used = int(root.counts[CELLS])
    choose_bandwidth(root.smoothing, root.stats, used)
    smooth(root.smoothing, root.stats, used)
    return root.smoothing.bandwidth[0]


def test_means_are_smoothed_as_far_as_the_noise_demands():
    rng = np.random.default_rng(0)
    zigzag, slope = np.arange(16) % 2 * 1.0, np.linspace(0.0, 1.0, 16)
    assert bandwidth_of(filled(zigzag + 0.01 * rng.standard_normal((3, 16)))) == 0.0
    assert bandwidth_of(filled(rng.standard_normal((10, 16)))) >= 0.25
    off, raw_off = 0.0, 0.0
    for _ in range(20):
        noisy = filled(slope + rng.standard_normal((10, 16)))
        bandwidth_of(noisy)
        off += ((noisy.stats[SMOOTHED, :16] - slope) ** 2).sum()
        raw_off += ((noisy.stats[GAIN, :16] - slope) ** 2).sum()
    assert off < 0.6 * raw_off


def test_sums_kept_up_to_date_are_those_made_anew():
    rng = np.random.default_rng(1)
    root = filled(np.linspace(0.0, 1.0, 16) + rng.standard_normal((4, 16)), thresholds=np.array([3.0, 100.0]))
    count = int(root.counts[CELLS])
    assert count == 48 and root.smoothing.bandwidth[0] > 0.0
    visits, means = root.stats[VISITS, :count], root.stats[GAIN, :count]
    near = nearness(root.action[:count], root.smoothing.bandwidth[0])
    alone = visits == 0
    np.testing.assert_allclose(
        root.stats[SMOOTHED, :count], (near @ (visits * means) + alone * means) / (near @ visits + alone)
    )


def test_cells_of_two_coordinates_are_divided_along_each_in_turn():
    actions, width = first_cells(np.zeros(2), np.array([1.0, 3.0]), 9)
    root = new_root(actions, width, np.array([1.0, 1.0 / 3.0]), np.arange(9))
    for _ in range(3):
        add_return(root, 4, 0.5, 0.5, 0.5, np.array([1.0, 2.0, 100.0]))
    assert root.counts[CELLS] == 13 and root.divisions[[4, 9, 10, 11, 12]].tolist() == [2, 1, 1, 2, 2]
    (x, y), (width_x, width_y) = actions[4], width
    parts = [[x - width_x / 3, y], [x + width_x / 3, y], [x, y - width_y / 3], [x, y + width_y / 3]]
    np.testing.assert_allclose(root.action[9:13], parts)
    assert root.action[4].tolist() == [x, y]


def test_as_many_coordinates_as_a_recommender_has_are_no_overflow():
    thresholds = planners.parse("adaptive").settings((-1.0,) * 100, (1.0,) * 100).thresholds
    assert len(thresholds) == 1_600 and np.isfinite(thresholds).all()


def test_many_actions_can_be_given_and_are_not_smoothed():
    given = np.linspace(0.0, 1.0, 300)[:, None]
    with kept_trees() as trees:
        decision = planners.make("adaptive").plan(
            envs.Trap(), np.zeros(2), Budget(2_000), np.random.default_rng(0), given
        )
    assert len(decision.actions) == 300 and (decision.visits > 0).all()
    assert trees[0].root.smoothing.bandwidth[0] == 0.0


def test_one_reward_without_end_counts_as_the_worst():
    plain = type(python_twin(envs.Trap()))

    class Forbidden(plain):
        @staticmethod
        def step(state, action, next_state, params, rng):
            reward, over = plain.step(state, action, next_state, params, rng)
            return (-np.inf if action[0] < 0.05 else reward), over

    decision = planners.make("adaptive").plan(Forbidden(), np.zeros(2), Budget(60), np.random.default_rng(0))
    assert decision.invalid > 0 and decision.action[0] >= 0.05 and 0.0 <= decision.value <= 2.0


class Rescaled:
    """Python model: another one whose rewards are multiplied, and then raised."""

    compiled = False

    def __init__(self, model, factor, raised):
        self.model, self.factor, self.raised = python_twin(model), factor, raised

    def __getattr__(self, name):
        return getattr(self.__dict__["model"], name)

    def step(self, state, action, next_state, params, rng):
        reward, terminated = self.model.step(state, action, next_state, params, rng)
        return self.factor * reward + self.raised, terminated


@pytest.mark.parametrize(("factor", "raised"), [(1024.0, 0.0), (1000.0, 500.0)])
def test_rewards_multiplied_and_raised_change_no_decision(factor, raised):
    for model, simulations in ((envs.Trap(), 100), (envs.Donut(), 60), (envs.Pendulum(), 18)):
        state = model.initial_state(np.random.default_rng(3))
        one, other = (
            planners.begin_episode(planners.make("adaptive", memory=0.3), either)
            for either in (Rescaled(model, 1.0, 0.0), Rescaled(model, factor, raised))
        )
        for seed in (4, 5):  # the second begins with the sequence of the first
            decisions = [each.plan(state, Budget(simulations), np.random.default_rng(seed)) for each in (one, other)]
            np.testing.assert_array_equal(decisions[0].visits, decisions[1].visits)
            np.testing.assert_array_equal(decisions[0].action, decisions[1].action)


@pytest.mark.parametrize("model", [envs.Trap(), envs.Donut(), envs.Hovering()], ids=lambda model: type(model).__name__)
def test_compiled_and_interpreted_searches_are_the_same(model, searched):
    planner, state = planners.make("adaptive", root_threshold=3.0), model.initial_state(np.random.default_rng(5))
    compiled, plain = (planners.begin_episode(planner, either) for either in (model, python_twin(model)))
    for seed in (4, 5):
        one, other = (searched(search, state, Budget(60), np.random.default_rng(seed)) for search in (compiled, plain))
        np.testing.assert_array_equal(one[0].values, other[0].values)
        assert one[1] == other[1]
        assert 40 < one[0].visits.sum() <= 60  # all but those whose first action was none of the root's


def test_the_root_has_at_most_so_many_cells_and_loses_no_simulation():
    with kept_trees() as trees:
        decision = planners.make("adaptive").plan(envs.Trap(), np.zeros(2), Budget(30_000), np.random.default_rng(0))
    assert 32 < len(decision.actions) <= 65
    assert decision.visits.sum() < 30_000 == trees[0].baseline[0, 0]
    assert ((decision.actions >= 0.0) & (decision.actions <= 1.0)).all()


def test_few_simulations_try_actions_that_lie_far_apart():
    planner = planners.make("adaptive", changes=0.0)
    decision = planner.plan(envs.Trap(), np.zeros(2), Budget(5), np.random.default_rng(0))
    assert decision.visits[16] == 1 and decision.actions[16] == 0.0  # the sequence that does nothing
    tried = np.sort(decision.actions[:16][decision.visits[:16] > 0, 0])
    assert len(tried) >= 3 and np.diff(tried).min() > 0.15


@pytest.mark.parametrize("width", [20.0, 60.0])
def test_a_wide_box_costs_little(width):
    """The same plant, whose best actions lie within 1 of 0."""
    plain = envs.DoubleIntegrator()

    class Wide:
        def __getattr__(self, name):
            return getattr(plain, name)

        action_low, action_high = np.array([-width]), np.array([width])

    planner, returns = planners.make("adaptive"), []
    for seed in range(5):
        noise, rng = np.random.default_rng(seed), np.random.default_rng(seed)
        search, state, total = planners.begin_episode(planner, Wide()), plain.initial_state(noise), 0.0
        for _ in range(plain.horizon):
            after = np.empty_like(state)
            reward, _ = plain.step(state, search.plan(state, Budget(100), rng).action, after, plain.params, noise)
            state, total = after, total + reward
        returns.append(total)
    assert np.mean(returns) > -30.0  # the optimum is -7; random actions of this size earn less than -1,000


def test_bounds_of_whole_numbers_are_bounds_of_real_actions():
    class Whole(type(python_twin(envs.Trap()))):
        action_low, action_high = np.array([0]), np.array([1])

    decisions = [
        planners.make("adaptive").plan(model, np.zeros(2), Budget(40), np.random.default_rng(0))
        for model in (Whole(), python_twin(envs.Trap()))
    ]
    np.testing.assert_array_equal(decisions[0].values, decisions[1].values)
