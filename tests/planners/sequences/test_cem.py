"""The cross-entropy method and its relatives against rounds in plain Python: equal decisions."""

import math
import statistics
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.code.cache import SAID
from bonspiel.planners.sequences.gaussians import coloured_noise
from bonspiel.planners.sequences.mppi import weights
from tests.planners.tiny_models import Chain, Target, UnitBox

MODELS = [Target(), envs.TreasureHunt()]
COMMON = "population=100,sd=0.3,lookahead=30"
TEXTS = {
    "cem": f"cem:{COMMON},elite_fraction=0.1,momentum=0.1,beta=0",
    "icem": f"icem:{COMMON},elites=10,keep=0.3,momentum=0.1,decay=1.25,beta=2",
    "mppi": f"mppi:{COMMON},temperature=0.2,beta=0",
}


@dataclass(frozen=True)
class Push(UnitBox):
    """One step, whose reward is its action or the opposite."""

    sign: float
    state_dim = horizon = 1
    discount = 1.0
    compiled = False

    def step(self, state, action, next_state, params, rng):
        next_state[0] = 1.0
        return self.sign * action[0], True


class Rollouts:
    """Returns of sequences, one rollout after another, until the budget is spent."""

    def __init__(self, model, rng, left):
        self.model, self.rng, self.left = model, rng, left

    def __call__(self, sequence):
        self.left -= 1
        state, after = self.model.initial_state(None), np.empty(self.model.state_dim)
        total, weight = 0.0, 1.0
        for action in sequence:
            reward, terminated = self.model.step(state, action, after, self.model.params, self.rng)
            total += weight * reward
            if terminated:
                break
            weight *= self.model.discount
            state = after.copy()
        return total

    def round(self, sequences):
        """(return, sequence) of as many sequences as the budget allows."""
        return [(self(sequence), sequence) for sequence in sequences[: self.left]]


def around(model, mean, sd, noise):
    """Sequences around a mean, clipped to the bounds."""
    return [np.clip(mean + sd * one, model.action_low, model.action_high) for one in noise]


def fitted(elites, mean, sd, width):
    """Mean and deviation of each number of the elites, of which a tenth stays as it was."""
    columns = list(zip(*(elite.ravel().tolist() for elite in elites), strict=True))
    means = np.array([statistics.fmean(column) for column in columns]).reshape(mean.shape)
    sds = np.array([statistics.pstdev(column) for column in columns]).reshape(mean.shape)
    return 0.1 * mean + 0.9 * means, np.maximum(0.1 * sd + 0.9 * sds, 0.02 * width)


def start(model):
    width = model.action_high - model.action_low
    steps = min(model.horizon, 30)
    mean = np.tile((model.action_low + model.action_high) / 2, (steps, 1))
    return width, mean, np.tile(0.3 * width, (steps, 1))


def best_first(found):
    return [sequence for _, sequence in sorted(found, key=lambda pair: -pair[0])]


def cem(model, rng, budget, population):
    width, mean, sd = start(model)
    rollouts = Rollouts(model, rng, budget - 1)
    while rollouts.left > 0:
        found = rollouts.round(around(model, mean, sd, rng.standard_normal((population, *mean.shape))))
        if len(found) >= max(population / 2, 3):
            mean, sd = fitted(best_first(found)[: population // 10], mean, sd, width)
    return mean, rollouts(mean)


def icem(model, rng, budget, population):
    width, mean, sd = start(model)
    rollouts, kept, every = Rollouts(model, rng, budget - 2), [], []
    population = min(population, (budget - 1) // 4)
    n_elites, largest = min(10, population // 2), population
    while rollouts.left > 0:
        fresh = min(max(round(population), 2 * n_elites), largest - len(kept))
        sequences = around(model, mean, sd, coloured_noise((fresh, *mean.shape), 2.0, rng)) + kept
        found = rollouts.round(sequences)
        every += found
        if len(found) >= max(len(sequences) / 2, 3):
            elites = best_first(found)[:n_elites]
            kept = elites[: round(0.3 * n_elites)]
            mean, sd = fitted(elites, mean, sd, width)
        population /= 1.25
    best = best_first(every)[0]
    value, best_value = rollouts(mean), rollouts(best)
    chosen = rng.random() >= 0.5 if value == best_value else value < best_value
    return (best, best_value) if chosen else (mean, value)


def mppi(model, rng, budget, population):
    _, mean, sd = start(model)
    rollouts = Rollouts(model, rng, budget - 1)
    while rollouts.left > 0:
        found = rollouts.round(around(model, mean, sd, rng.standard_normal((population, *mean.shape))))
        if len(found) >= max(population / 2, 3):
            returns = [value for value, _ in found]
            scale = 0.2 * statistics.pstdev(returns)
            share = [math.exp((value - max(returns)) / scale) if scale else 1.0 for value in returns]
            mean = sum(w * sequence for w, (_, sequence) in zip(share, found, strict=True)) / sum(share)
    return mean, rollouts(mean)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("oracle", [cem, icem, mppi])
@pytest.mark.parametrize("budget", [400, 410, 950])
def test_rounds_are_those_of_the_paper(oracle, model, budget):
    """A last round of 99 of 100 or 24 of 29 sequences is taken in, and one of 9 or 49 of 100 or 14 of 29 is not."""
    check(oracle, model, budget)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("budget", [20, 60, 110])
def test_few_simulations_make_small_rounds_and_few_elites(model, budget):
    check(icem, model, budget)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("oracle", [cem, mppi])
def test_one_round_may_take_all_simulations(oracle, model):
    check(oracle, model, 100, ",rounds=1")


def check(oracle, model, budget, more=""):
    rng, oracle_rng = np.random.default_rng(7), np.random.default_rng(7)
    planner = planners.parse(TEXTS[oracle.__name__] + more)
    decision = planner.plan(model, model.initial_state(None), Budget(budget), rng)
    sequence, value = oracle(model, oracle_rng, budget, 100)
    np.testing.assert_allclose(decision.action, sequence[0], rtol=1e-9)
    assert decision.value == pytest.approx(value, rel=1e-9)
    assert rng.bit_generator.state == oracle_rng.bit_generator.state


@pytest.mark.parametrize("planner", ["cem", "icem", "mppi", "cem:population=2", "icem:population=2", "cem:rounds=50"])
@pytest.mark.parametrize("budget", [8, 29])
def test_few_simulations_learn_from_returns(planner, budget):
    """A round whose sequences are all elites, or a single one, moves the mean wherever they happen to be."""
    high, low = (
        np.mean(
            [
                planners.parse(planner)
                .plan(Push(sign), np.zeros(1), Budget(budget), np.random.default_rng(seed))
                .action
                for seed in range(30)
            ]
        )
        for sign in (1.0, -1.0)
    )
    assert high > 0.55
    assert low < 0.45


def test_two_sequences_move_nothing():
    """The mean of `cem` stays the middle of the box with three simulations, the last of which plays it."""
    decision = planners.make("cem").plan(Push(1.0), np.zeros(1), Budget(3), np.random.default_rng(0))
    np.testing.assert_array_equal(decision.action, [0.5])


def test_weights_of_mppi():
    """Returns 1, 2, 3 have the standard deviation sqrt(2 / 3)."""
    returns = np.array([1.0, 2.0, 3.0])
    raw = np.exp([-4.0, -2.0, 0.0])
    np.testing.assert_allclose(weights(returns, 0.5, standardised=False), raw / raw.sum())
    standardised = np.exp(np.array([-4.0, -2.0, 0.0]) / np.sqrt(2.0 / 3.0))
    np.testing.assert_allclose(weights(returns, 0.5, standardised=True), standardised / standardised.sum())
    np.testing.assert_allclose(weights(1e6 * returns - 5.0, 0.5, True), standardised / standardised.sum(), rtol=1e-6)
    assert weights(np.full(4, 0.3), 0.5, True).tolist() == [0.25] * 4


def test_weights_of_mppi_are_the_same_on_every_processor():
    """numpy's exp rounds otherwise where the processor has AVX-512."""
    returns = np.random.default_rng(0).random(200)
    raw = np.array([math.exp((value - max(returns.tolist())) / 0.25) for value in returns.tolist()])
    assert weights(returns, 0.25, standardised=False).tolist() == (raw / raw.sum()).tolist()


@pytest.mark.parametrize("hold", [1, 2])
def test_random_shooting_plays_the_best_of_its_sequences(hold):
    """The draws are uniform, so the sequences and their returns are known from the generator alone."""
    model = Chain()
    decision = planners.make("random_shooting", hold=hold).plan(
        model, np.zeros(1), Budget(41), np.random.default_rng(3)
    )
    drawn = np.repeat(np.random.default_rng(3).random((41, -(-5 // hold), 1)), hold, axis=1)[:40, :5]
    returns = Rollouts(model, np.random.default_rng(0), 40).round(list(drawn))
    best = max(value for value, _ in returns)
    assert decision.value == best
    assert decision.action == next(sequence for value, sequence in returns if value == best)[0]
    assert decision.actions[1:41].tolist() == drawn[:, 0].tolist()
    assert decision.values[1:41].tolist() == [value for value, _ in returns]


@pytest.mark.parametrize("name", ["cem", "icem", "mppi", "random_shooting"])
def test_repeats_that_leave_no_search_are_said_once(name, monkeypatch, capfd):
    monkeypatch.delenv(SAID, raising=False)
    for repeats in (5, 25, 25):
        planner = planners.make(name, repeats=repeats)
        planner.plan(Chain(), np.zeros(1), Budget(50), np.random.default_rng(0))
    said = [line for line in capfd.readouterr().err.splitlines() if "repeats" in line]
    assert len(said) == 1
    assert said[0].endswith("of 50 simulations for a search: give fewer repeats, or a larger budget")


@pytest.mark.parametrize("name", ["cem", "uct", "adaptive"])
def test_bounds_the_wrong_way_round_are_refused(name):
    class Swapped(Target):
        action_low, action_high = Target.action_high, Target.action_low

    assert planners.unsupported(planners.make(name), Swapped()) == "needs an `action_high` of at least `action_low`"
