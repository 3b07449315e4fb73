"""CMCGS against its algorithm on lists and dictionaries, with numpy's sorting, means and deviations."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.cells.cmcgs import planner
from tests.planners.tiny_models import Bandit, Chain, Target, UnitBox, python_twin


@dataclass
class Layer:
    """Experiences are [state, action, return, owner]; nodes are dictionaries."""

    memory: list = field(default_factory=list)
    seen: int = 0
    wait: int = 0
    nodes: list = field(default_factory=lambda: [{}])
    scale: np.ndarray | None = None


class Oracle:
    def __init__(self, model, rng, samples, experiences, elite_ratio=0.1, first_layers=3, rollout_steps=10):
        self.model, self.rng, self.samples, self.size = model, rng, samples, experiences
        self.ratio, self.layers = elite_ratio, [Layer() for _ in range(min(first_layers, model.horizon))]
        self.low, self.high = model.action_low, model.action_high
        self.rollout_steps = model.horizon if rollout_steps is None else rollout_steps

    def draw(self, mean, sd):
        return np.array(
            [
                min(max(m + s * self.rng.standard_normal(), a), b)
                for m, s, a, b in zip(mean, sd, self.low, self.high, strict=True)
            ]
        )

    def act(self, node, near_top):
        if not node:
            return self.draw(0.5 * (self.low + self.high), 0.5 * (self.high - self.low))
        if near_top:
            return self.draw(node["top"][int(self.rng.random() * len(node["top"]))], 0.1 * (self.high - self.low))
        return self.draw(node["mean"], node["sd"])

    def density(self, node, state):
        differs = node["state_sd"] > 0.0
        z = (state - node["state_mean"])[differs] / node["state_sd"][differs]
        return -0.5 * float(z @ z) - float(np.log(node["state_sd"][differs]).sum())

    def simulate(self):
        state, model = self.model.initial_state(None), self.model
        near_top, passed, ended, total = self.rng.random() < 0.3, [], False, 0.0
        for layer in self.layers:
            if ended:
                break
            q = 0
            if len(layer.nodes) > 1:
                q = int(np.argmax([self.density(node, state) for node in layer.nodes]))
            action, after = self.act(layer.nodes[q], near_top), np.empty_like(state)
            reward, ended = model.step(state, action, after, model.params, self.rng)
            passed.append((layer, q, state, action, reward))
            state = after
        factor = 1.0
        for _ in range(0 if ended else min(model.horizon - len(passed), self.rollout_steps)):
            action, after = np.empty(len(self.low)), np.empty_like(state)
            model.sample_action(state, action, model.params, self.rng)
            reward, over = model.step(state, action, after, model.params, self.rng)
            total, factor, state = total + factor * reward, factor * model.discount, after
            if over:
                break
        for layer, q, state, action, reward in reversed(passed):
            total = reward + model.discount * total
            self.learn(layer, q, [state, action, total, q])
        if len(self.layers) < model.horizon and self.layers[-1].seen > self.samples:
            self.layers.append(Layer())

    def learn(self, layer, q, experience):
        layer.memory[layer.seen % self.size : layer.seen % self.size + 1] = [experience]
        layer.seen += 1
        layer.wait = max(layer.wait - 1, 0)
        if layer is not self.layers[0] and len(layer.nodes) < len(layer.memory) // self.samples and not layer.wait:
            sizes = [sum(known[3] == each for known in layer.memory) for each in range(len(layer.nodes))]
            ones = self.half(layer, int(np.argmax(sizes)))
            if min(len(ones), max(sizes) - len(ones)) >= 0.5 * self.samples:
                layer.nodes.append({})
                for known in ones:
                    known[3] = len(layer.nodes) - 1
                for each in range(len(layer.nodes)):
                    self.fit(layer, each)
                return
            layer.wait = self.samples // 2
        self.fit(layer, q)

    def half(self, layer, q):
        """The experiences of the second of two means."""
        layer.scale = np.std([known[0] for known in layer.memory], axis=0)
        differs = layer.scale > 0.0
        members = [known for known in layer.memory if known[3] == q]
        states = np.array([known[0] for known in members])[:, differs] / layer.scale[differs]

        def gaps(centre):
            return ((states - centre) ** 2).sum(1)

        middle = np.mean([known[0] for known in layer.memory], axis=0)[differs] / layer.scale[differs]
        second = states[np.argmax(gaps(middle))]
        first = states[np.argmax(gaps(second))]
        labels = np.full(len(states), -1)
        for _ in range(10):
            before, labels = labels, (gaps(second) < gaps(first)).astype(int)
            if (labels == before).all() or not 0 < labels.sum() < len(labels):
                break
            first, second = states[labels == 0].mean(0), states[labels == 1].mean(0)
        return [known for known, label in zip(members, labels, strict=True) if label]

    def fit(self, layer, q):
        own = [known for known in layer.memory if known[3] == q]
        if len(own) < max(self.samples // 2, 1):
            return
        states, actions, returns = (np.array([known[i] for known in own]) for i in range(3))
        best = np.argsort(-returns, kind="stable")
        lowest, highest = returns.min(), returns.max()
        elites, weights = best, np.ones(len(best))
        if highest > lowest:
            elites = best[: min(max(5, int(self.ratio * len(own))), len(own))]
            weights = (returns[elites] - lowest) / (highest - lowest)
        mean = np.average(actions[elites], axis=0, weights=weights)
        half = 0.5 * (self.high - self.low)
        squares = ((actions[elites] - mean) ** 2).sum(0)
        sd = np.sqrt((2.0 * half**2 + 0.5 * squares) / (5.0 + 0.5 * len(elites) - 1.0))
        layer.nodes[q] = {"top": actions[best[:3]], "mean": mean, "sd": np.clip(sd, 0.01 * half, half)}
        if len(layer.nodes) > 1:
            layer.nodes[q] |= {"state_mean": states.mean(0), "state_sd": np.maximum(states.std(0), 0.1 * layer.scale)}


@dataclass(frozen=True)
class Fork(UnitBox):
    """The first action leads left or right by a little noise; there the best one is near 0.2 or near 0.9."""

    state_dim = 3
    horizon = 6
    discount = 0.9

    def initial_state(self, rng):
        return np.zeros(3)

    compiled = False

    @staticmethod
    def sample_action(state, action, params, rng):
        action[0] = rng.random()

    @staticmethod
    def step(state, action, next_state, params, rng):
        side = state[0] if state[1] > 0.0 else (1.0 if action[0] > 0.5 else -1.0)
        next_state[:] = side + 0.01 * rng.standard_normal(), state[1] + 1.0, 0.0
        if state[1] == 0.0:
            return 0.0, False
        return 1.0 - abs(action[0] - (0.9 if state[0] > 0.0 else 0.2)), False


MODELS = [Fork(), Target(), envs.Trap(), python_twin(envs.TreasureHunt(size=4.0))]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    "given",
    [
        {"samples": 25, "experiences": 500},
        {"samples": 8, "experiences": 40, "elite_ratio": 0.3, "rollout_steps": None},
        {"samples": 8, "experiences": 500, "rollout_steps": 0},
    ],
)
def test_is_the_algorithm_of_the_paper(model, given):
    simulations = 60 if model.horizon > 6 else 300
    rng, oracle_rng = np.random.default_rng(4), np.random.default_rng(4)
    planner = planners.make("cmcgs", **given)
    decision = planner.plan(model, model.initial_state(None), Budget(simulations), rng)
    oracle = Oracle(model, oracle_rng, **given)
    for _ in range(simulations):
        oracle.simulate()
    root = oracle.layers[0]
    np.testing.assert_allclose(decision.action, root.nodes[0]["mean"], rtol=1e-7)
    assert decision.visits.sum() == min(simulations, given["experiences"])
    total = sum(known[2] for known in root.memory)
    assert (decision.visits * decision.values).sum() == pytest.approx(total)
    assert rng.bit_generator.state == oracle_rng.bit_generator.state
    if isinstance(model, Fork):
        assert max(len(layer.nodes) for layer in oracle.layers) > 1


def test_plays_the_first_action_of_the_best_simulation():
    decision = planners.make("cmcgs", final="best").plan(Chain(), np.zeros(1), Budget(300), np.random.default_rng(0))
    assert decision.value == decision.values.max() == pytest.approx(0.81)


def test_few_simulations_are_played_from_the_whole_range():
    decision = planners.make("cmcgs").plan(Bandit(), np.zeros(1), Budget(5), np.random.default_rng(0))
    assert decision.visits.tolist() == [1] * 5


@pytest.mark.parametrize("rollout_steps", [0, 5, None])
def test_random_steps_end_after_their_number(rollout_steps):
    """With one layer and no experience for a second one, all steps but the first of each simulation are random."""
    steps = []

    class Endless(Fork):
        horizon = 20

        @staticmethod
        def step(state, action, next_state, params, rng):
            steps.append(action[0])
            return Fork.step(state, action, next_state, params, rng)

    planner = planners.make("cmcgs", first_layers=1, rollout_steps=rollout_steps)
    planner.plan(Endless(), np.zeros(3), Budget(20), np.random.default_rng(0))
    assert len(steps) == 20 * (20 if rollout_steps is None else 1 + rollout_steps)


@pytest.mark.parametrize("rollout_steps", [-1, 2.5])
def test_a_rollout_of_no_number_of_steps_is_named(rollout_steps):
    with pytest.raises(ValueError, match=f"rollout_steps={rollout_steps}: must be"):
        planners.make("cmcgs", rollout_steps=rollout_steps)


def test_a_memory_smaller_than_a_node_is_refused():
    with pytest.raises(ValueError, match=r"experiences=10: must be at least samples=25"):
        planners.make("cmcgs", experiences=10)


def test_a_mean_that_rounding_put_beside_a_bound_is_played_within_it(monkeypatch):
    def rounded(*arguments, **named):
        graph, done = extend(*arguments, **named)
        graph.policy_mean[0, 0] = np.nextafter(1.0, 2.0)
        return graph, done

    extend = planner.extend
    monkeypatch.setattr(planner, "extend", rounded)
    decision = planners.make("cmcgs").plan(Bandit(), np.zeros(1), Budget(60), np.random.default_rng(0))
    assert decision.action[0] == 1.0
