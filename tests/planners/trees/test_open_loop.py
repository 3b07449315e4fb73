"""Open-loop UCT against a plain recursion over dictionaries: equal visits, values, actions and random draws."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.jit import compiled
from tests.planners.oracles import best_of, may_widen, ucb1
from tests.planners.tiny_models import Bandit, Chain, Target, UnitBox


@dataclass
class Sequence:
    """A sequence of actions: each action that may follow, with its visits, mean return and the longer sequence."""

    visits: int = 0
    edges: list = field(default_factory=list)


def simulate(model, rng, sequence, state, left, exploration, widening):
    if may_widen(len(sequence.edges), sequence.visits, *widening):
        action = np.empty(len(model.action_low))
        model.sample_action(state, action, model.params, rng)
        sequence.edges.append({"action": action, "visits": 0, "mean": 0.0, "next": Sequence()})
        edge = sequence.edges[-1]
    else:
        means, visits = ([edge[key] for edge in sequence.edges] for key in ("mean", "visits"))
        edge = sequence.edges[ucb1(means, visits, sequence.visits, exploration, rng)]
    after = np.empty_like(state)
    value, terminated = model.step(state, edge["action"], after, model.params, rng)
    if not terminated and left > 1:
        value += model.discount * simulate(model, rng, edge["next"], after, left - 1, exploration, widening)
    sequence.visits += 1
    edge["visits"] += 1
    edge["mean"] += (value - edge["mean"]) / edge["visits"]
    return value


@pytest.mark.parametrize("model", [Bandit(), Chain(), Target(), envs.Trap(), envs.TreasureHunt()], ids=repr)
@pytest.mark.parametrize(
    ("text", "exploration", "widening"),
    [("open_loop", 1.0, (1, 0.3)), ("open_loop:exploration=0.3,alpha_action=0.5,k_action=2", 0.3, (2, 0.5))],
)
def test_open_loop_is_ucb1_on_sequences(model, text, exploration, widening):
    rng, oracle_rng, root = np.random.default_rng(11), np.random.default_rng(11), Sequence()
    state = model.initial_state(None)
    decision = planners.parse(text).plan(model, state, Budget(300), rng)
    for _ in range(300):
        simulate(model, oracle_rng, root, state, model.horizon, exploration, widening)
    assert decision.visits.tolist() == [edge["visits"] for edge in root.edges]
    assert decision.actions.tolist() == [edge["action"].tolist() for edge in root.edges]
    assert decision.values.tolist() == [edge["mean"] for edge in root.edges]
    best_of([(edge["visits"], edge["mean"]) for edge in root.edges], oracle_rng)  # the last choice draws too
    assert rng.bit_generator.state == oracle_rng.bit_generator.state


@compiled("step")
def coin_step(state, action, next_state, params, rng):
    next_state[1] = state[1] + 1.0
    guessed_high = action[0] >= 0.5
    if state[1] == 0.0:
        next_state[0] = -1.0 if guessed_high else (1.0 if rng.random() < 0.5 else 0.0)
        return (0.6 if guessed_high else 0.0), guessed_high
    return (1.0 if guessed_high == (state[0] == 1.0) else 0.0), True


@dataclass(frozen=True)
class Coin(UnitBox):
    """High earns 0.6 and ends; low throws a coin that the second action may see and then match for 1."""

    state_dim, horizon, time_index = 2, 2, 1
    step = staticmethod(coin_step)


def test_a_plan_cannot_react_to_noise():
    """Who sees the coin matches it, and throws it; a fixed sequence matches it half of the time, which is below 0.6."""
    decisions = {
        name: planners.make(name).plan(Coin(), np.zeros(2), Budget(3_000), np.random.default_rng(0))
        for name in ("open_loop", "dpw")
    }
    assert decisions["open_loop"].action[0] >= 0.5 > decisions["dpw"].action[0]
    assert decisions["open_loop"].value == pytest.approx(0.6)
