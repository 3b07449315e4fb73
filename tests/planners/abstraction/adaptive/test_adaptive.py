"""`adaptive` against its pseudo-code in docs/guides/abstraction-tree.md, and what it promises."""

import math
from collections import defaultdict

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.abstraction.adaptive.root import CELLS, add_return, first_cells, new_root
from bonspiel.planners.abstraction.adaptive.smoothing import GAIN, SMOOTHED, VISITS, choose_bandwidth, smooth
from bonspiel.planners.checks import steps_left
from bonspiel.planners.core.search import kept_trees
from tests.planners.oracles import best_of, cells_of
from tests.planners.tiny_models import Bandit, Chain, Diamond, Handover, Target, python_twin

NEVER = np.array([])


def nearness(actions, bandwidth):
    """Of every two of the actions, [n, n], given in ranges of an action."""
    squared = ((actions[:, None] - actions[None]) ** 2).sum(-1)
    return np.eye(len(actions)) if bandwidth == 0 else np.exp(-squared / (2 * bandwidth**2))


class PlainRoot:
    """The root's actions in one dimension with all of their returns."""

    def __init__(self, low, high, rng):
        n, golden, self.rng = 16, (math.sqrt(5) - 1) / 2, rng
        order = sorted(range(n), key=lambda i: i * golden % 1)
        if rng.random() < 0.5:
            order = [n - 1 - i for i in order]
        self.middles = [low + (high - low) * (i + 0.5) / n for i in order]
        self.range, self.gains = high - low, [[] for _ in order]
        self.divided, self.began = [0] * n, [0.0] * n
        self.bandwidth, self.due, self.pulls = 0.0, 0, 0
        self.chosen = [0] * n

    def arrays(self):
        visits = np.array([len(g) for g in self.gains], float)
        means = np.array([np.mean(g) if g else m for g, m in zip(self.gains, self.began, strict=True)])
        return visits, means

    def smoothed(self):
        visits, means = self.arrays()
        near = nearness(np.array(self.middles)[:, None] / self.range, self.bandwidth)
        alone = visits == 0
        return (near @ (visits * means) + alone * means) / np.maximum(near @ visits + alone, 1e-300)

    def choose(self, c):
        cell = sum(self.chosen)
        if cell >= 16:
            visits, _ = self.arrays()
            bonus = c * np.sqrt(2 * np.log(self.pulls) / np.maximum(visits, 1))
            cell = best_of(self.smoothed() + bonus, self.rng)
        self.chosen[cell] += 1
        return cell

    def decided(self):
        often = np.array(self.chosen) >= 0.5 * max(self.chosen)
        return self.middles[best_of(np.where(often, self.smoothed(), -np.inf), self.rng)]

    def add(self, cell, gain):
        self.gains[cell].append(gain)
        self.pulls += 1
        split = len(self.gains[cell]) >= 5 * 2 ** self.divided[cell]
        if split:
            self.divided[cell] += 1
            for side in (-1, 1):
                self.middles.append(self.middles[cell] + side * self.range / 16 / 3 ** self.divided[cell])
                self.gains.append([])
                self.chosen.append(0)
                self.divided.append(self.divided[cell])
                self.began.append(np.mean(self.gains[cell]))
        if (split or self.pulls >= self.due) and self.pulls > 16:
            self.bandwidth, self.due = self.best_bandwidth(), int(1.1 * self.pulls) + 1

    def best_bandwidth(self):
        visits, means = self.arrays()
        tried = visits > 0
        visits, means, actions = visits[tried], means[tried], np.array(self.middles)[tried, None] / self.range
        degrees = (visits - 1).sum()
        if degrees == 0:
            return 0.0
        noise = sum(((np.array(g) - np.mean(g)) ** 2).sum() for g in self.gains if g) / degrees

        def risk(bandwidth):
            weights = nearness(actions, bandwidth) * visits
            average = weights / weights.sum(1, keepdims=True)
            return (visits * (average @ means - means) ** 2).sum() + 2 * noise * np.trace(average)

        return min([0.0, *(2.0**i / 32 for i in range(7))], key=risk)


def plain_search(model, state, simulations, rng, last, hold, memory):
    """The root, the means and the best sequence after a search with dictionaries; `last` is the last decision's."""
    exploration, spread, trace, steps = 0.15, 0.5, 0.9, steps_left(model, state)
    low, high = model.action_low[0], model.action_high[0]
    grid = [low + (high - low) * (i + 0.5) / 16 for i in range(16)]
    root, cell = PlainRoot(low, high, rng), cells_of(model)
    known, stats = set(), defaultdict(lambda: np.zeros((2, 16)))
    squares, totals = defaultdict(float), []
    baseline, returned = defaultdict(list), defaultdict(list)
    memory, sequence, repeats = 0.0 if hasattr(model, "player") else memory, None, []
    if last is not None and memory > 0:
        sequence = (last[1:] + [last[-1]] * steps)[:steps]
        sequence[0] = min(range(16), key=lambda i: abs(root.middles[i] - grid[sequence[0]]))

    def player(x):
        return model.player(x, model.params) if hasattr(model, "player") else 1.0

    for _ in range(simulations):
        c_root = exploration
        if totals:
            c_root *= max(max(totals) - min(totals), 1e-9 * abs(max(totals)), 1e-300)
        leave = 0
        if memory > 0 and sequence is not None and root.pulls >= 16:
            if not repeats:
                leave = steps
            elif rng.random() < memory:
                leave = min(int(rng.random() * steps / 0.8), steps)
        x, terminated, path = state, False, []
        while not terminated and len(path) < steps:
            mover, walk, value = player(x), [], 0.0
            if not path:
                arm = root.choose(c_root) if leave == 0 else sequence[0]
                action = root.middles[arm]
            else:
                held = min(range(16), key=lambda i: abs(grid[i] - action))
                n, r, total, square = np.full(16, 1e-3), np.zeros(16), 0.0, 0.0
                for d in range(25):
                    s = (mover, *cell(x, d))
                    if s not in known and d > 0 and stats[walk[-1]][0].sum() < 1.8 * 2.9 ** (d - 1):
                        break
                    new = s not in known
                    known.add(s)
                    walk.append(s)
                    w = (d + 1.0) ** 2
                    n, r = n + w * stats[s][0], r + w * stats[s][1]
                    total, square = total + w * stats[s][0].sum(), square + w * squares[s]
                    if new and d > 0:
                        break
                own = stats[walk[-1]][0].sum()
                value = r.sum() / (total + len(walk) ** 2)
                if len(path) < leave:
                    arm = sequence[len(path)]
                elif len(path) != leave and mover == path[-1][0] and rng.random() * (hold + own) < hold:
                    arm = held
                else:
                    c = c_root
                    if total >= 2:
                        c = max(spread * math.sqrt(max(square / total - (r.sum() / total) ** 2, 0)), 0.01 * c_root)
                    count, q = total + 16 * 1e-3, 2 / 3
                    width = c * math.sqrt(2 * max(q * math.log(count), 0) * math.exp((1 - q) * math.log(count)))
                    means = r * (1 / n)
                    scores = means + width * np.sqrt(1 / n)
                    arm = held if scores[held] == max(scores) else best_of(scores, rng)
                action = grid[arm]
            after = np.empty_like(x)
            reward, terminated = model.step(x, np.array([action]), after, model.params, rng)
            path.append((mover, walk, arm, value, reward))
            x = after
        total = target = expected = 0.0
        for i in reversed(range(len(path))):
            mover, walk, arm, value, reward = path[i]
            following = 0.0 if i == len(path) - 1 else trace * target + (1 - trace) * expected
            total, target = reward + model.discount * total, reward + model.discount * following
            baseline[i].append(total)
            expected = np.mean(baseline[i]) + mover * value
            gain = mover * (target - np.mean(baseline[i]))
            for s in walk:
                stats[s][:, arm] += 1, gain
                squares[s] += gain**2
        totals.append(total)
        if sequence is not None and leave >= len(path):
            repeats.append(total)
        elif sequence is None or (repeats and total > np.mean(repeats) + 1e-9 * abs(np.mean(repeats))):
            arms = [step[2] for step in path]
            final = min(range(16), key=lambda i: abs(grid[i] - action))
            sequence, repeats = (arms + [final] * steps)[:steps], [total]
        root.add(arm, gain)
        returned[arm].append(mover * total)
    return root, [np.mean(gains) for _, gains in sorted(returned.items())], sequence


@pytest.mark.parametrize(
    ("model", "simulations", "hold", "memory"),
    [
        (Bandit(), 150, 40.0, 0.1),
        (Chain(), 100, 40.0, 0.1),
        (Diamond(), 100, 40.0, 0.1),
        (Handover(), 100, 40.0, 0.1),
        (Target(), 150, 40.0, 0.1),
        (envs.Trap(), 150, 40.0, 0.1),
        (Target(), 150, 0.0, 0.1),
        (Target(), 150, 40.0, 0.0),
        (envs.Trap(), 150, 40.0, 0.5),
        (envs.Pendulum(), 25, 40.0, 0.1),
        (envs.Pendulum(), 25, 40.0, 0.5),
        (envs.CartPole(noise=10.0), 60, 40.0, 0.1),
    ],
    ids=lambda value: value if isinstance(value, float) else type(value).__name__,
)
def test_two_decisions_of_an_episode_follow_the_pseudo_code(model, simulations, hold, memory):
    rng, plain_rng = np.random.default_rng(7), np.random.default_rng(7)
    state, over, last = model.initial_state(rng), False, None
    model = python_twin(model)
    plain_rng.bit_generator.state = rng.bit_generator.state
    search = planners.begin_episode(planners.make("adaptive", hold_visits=hold, memory=memory), model)
    decisions = 1 if isinstance(model, (Bandit, Target)) else 2  # Target's last actions are all worth the same
    for _ in range(decisions):
        root, means, last = plain_search(model, state, simulations, plain_rng, last, hold, memory)
        decision = search.plan(state, Budget(simulations), rng)
        visits, _ = root.arrays()
        np.testing.assert_allclose(decision.actions[:, 0], root.middles, rtol=1e-12)
        np.testing.assert_array_equal(decision.visits, visits)
        np.testing.assert_allclose(decision.values[visits > 0], means, rtol=1e-9)
        assert decision.action[0] == pytest.approx(root.decided(), rel=1e-12)
        assert rng.bit_generator.state == plain_rng.bit_generator.state
        after = np.empty_like(state)
        _, over = model.step(state, decision.action, after, model.params, np.random.default_rng(8))
        if over:
            break
        state = after


def filled(returns, thresholds=NEVER):
    """A root of one dimension whose actions got these returns, [rounds, actions]."""
    actions, width = first_cells(np.zeros(1), np.ones(1), returns.shape[1])
    root = new_root(actions, width, np.ones(1), np.arange(len(actions)))
    for row in returns:
        for cell, gain in enumerate(row):
            add_return(root, cell, gain, 0.0, thresholds)
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
        add_return(root, 4, 0.5, 0.5, np.array([1.0, 2.0, 100.0]))
    assert root.counts[CELLS] == 13 and root.divisions[[4, 9, 10, 11, 12]].tolist() == [2, 1, 1, 2, 2]
    (x, y), (width_x, width_y) = actions[4], width
    parts = [[x - width_x / 3, y], [x + width_x / 3, y], [x, y - width_y / 3], [x, y + width_y / 3]]
    np.testing.assert_allclose(root.action[9:13], parts)
    assert root.action[4].tolist() == [x, y]


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
        assert one[0].visits.sum() == 60


def test_the_root_has_at_most_so_many_cells_and_loses_no_visit():
    with kept_trees() as trees:
        decision = planners.make("adaptive").plan(envs.Trap(), np.zeros(2), Budget(30_000), np.random.default_rng(0))
    assert 32 < len(decision.actions) <= 64
    assert decision.visits.sum() == 30_000 == trees[0].baseline[0, 0]
    assert ((decision.actions >= 0.0) & (decision.actions <= 1.0)).all()


def test_few_simulations_try_actions_that_lie_far_apart():
    decision = planners.make("adaptive").plan(envs.Trap(), np.zeros(2), Budget(4), np.random.default_rng(0))
    tried = np.sort(decision.actions[decision.visits > 0, 0])
    assert np.diff(tried).min() > 0.15
