"""No planner prefers a side: in problems that are mirror images of each other it earns the same.

The reward lies further away than plans reach, so that all actions are equal until it is near: a planner that takes the
first of equals goes to one side in every episode.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.planners import Budget
from bonspiel.planners.jit import compiled
from bonspiel.planners.model import AimBlock
from bonspiel.planners.planner import traits_of

EPISODES, SIMULATIONS = 40, 20
ERRORS = 3.5  # combined standard errors that two means may be apart
MORE = [
    "abstraction:root=trie",
    "abstraction:memory=0.5",
    "cmcgs:final=best",
    "dpw:bonus=ucb_v",
    "dpw:first_play=0.5",
    "root:workers=3,inner=abstraction,combine=tries",
    "root:workers=3,combine=majority,cells=4,inner=dpw",
]


@compiled("step_exact")
def step_exact(state, action, next_state, params, rng):
    dim = len(action)
    there = True
    for i in range(dim):
        next_state[i] = state[i] + action[i]
        there = there and next_state[i] * params[i] > params[dim]
    next_state[dim] = state[dim] + 1.0
    return (1.0 if there else 0.0), there


@compiled("step")
def step(state, action, next_state, params, rng):
    dim = len(action)
    step_exact(state, action, next_state, params, rng)
    there = True
    for i in range(dim):
        next_state[i] += 0.3 * rng.standard_normal()
        there = there and next_state[i] * params[i] > params[dim]
    return (1.0 if there else 0.0), there


@compiled("sample_action")
def sample_action(state, action, params, rng):
    for i in range(len(action)):
        action[i] = 2.0 * rng.random() - 1.0


@compiled("rollout")
def rollout(state, scratch, depth, params, rng):
    dim = len(state) - 1
    for _ in range(depth):
        there = True
        for i in range(dim):
            state[i] += 2.0 * rng.random() - 1.0
            there = there and state[i] * params[i] > params[dim]
        if there:
            return 1.0
    return 0.0


@compiled("actions")
def actions(state, params, out, keys):
    dim = len(state) - 1
    for k in range(3**dim):
        for i in range(dim):
            out[k, i] = k // 3**i % 3 - 1.0
        keys[k] = np.uint64(1_000_003 * (k + 1))
    return 3**dim


@compiled("traced_rollout")
def traced_rollout(state, scratch, depth, params, rng, keys, movers, owners):
    movers[0], owners[0] = 0.0, 0.0
    total = rollout(state, scratch, depth, params, rng)
    owners[1] = 2.0 * total - 1.0
    return total


@compiled("region")
def region(action, params):
    return 0


@dataclass(frozen=True)
class Walk:
    """A walk with noise on a line or in a plane, to beyond `goal` on one side of every axis."""

    sides: tuple[float, ...] = (1.0,)
    goal: float = 3.0

    horizon = 10
    lookahead = 2
    discount = 1.0
    compiled = True
    step, step_exact, sample_action = staticmethod(step), staticmethod(step_exact), staticmethod(sample_action)
    rollout, value = staticmethod(rollout), staticmethod(rollout)

    def __post_init__(self):
        dim = len(self.sides)
        own = {
            "state_dim": dim + 1,
            "time_index": dim,
            "params": np.array([*self.sides, self.goal]),
            "action_low": -np.ones(dim),
            "action_high": np.ones(dim),
            "state_low": np.array([-20.0] * dim + [0.0]),
            "state_high": np.array([20.0] * dim + [self.horizon]),
            "max_actions": 3**dim,
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def initial_state(self, rng):
        return np.zeros(self.state_dim)

    def aim_grid(self, state, size):
        count = max(round(size ** (1.0 / len(self.sides))), 1)
        axis = (np.arange(count) + 0.5) * (2.0 / count) - 1.0
        axes = [axis if i < len(self.sides) else [0.0] for i in range(2)]
        places = np.stack(np.meshgrid(*axes, indexing="ij"), -1)[..., : len(self.sides)]
        return [AimBlock(places, (0.1 * count, 0.1 * count))]


@dataclass(frozen=True)
class Listed(Walk):
    """The same with a list of actions for each state, from one side to the other."""

    n_regions = 1
    actions, traced_rollout = staticmethod(actions), staticmethod(traced_rollout)
    region = staticmethod(region)


def earned(text, model, seed):
    """The share of the episodes that reached the reward."""
    reached = 0
    for episode in range(EPISODES):
        rng, over = np.random.default_rng([seed, episode]), False
        search, state = planners.begin_episode(planners.parse(text), model), model.initial_state(None)
        while not over and state[-1] < model.horizon:
            decision = search.plan(state, Budget(SIMULATIONS), rng)
            next_state = np.empty_like(state)
            _, over = model.step(state, decision.action, next_state, model.params, rng)
            state = next_state
        reached += over
    return reached / EPISODES


def can_search(text, model):
    return planners.unsupported(planners.parse(text), model) is None


def cases():
    """Planners by their defaults and some variants; lists of actions for those that choose by rules of their own.

    The sides of a plane are those of a line too, so that a line is for lists and for what divides one axis otherwise.
    """
    for text in [*(name for name in planners.names() if name not in ("do_nothing", "constant")), *MORE]:
        divides = text.partition(":")[0] in DIVIDE
        for kind, dim in ((Walk, 2), *[(Walk, 1)] * divides, (Listed, 1)):
            if can_search(text, kind()):
                yield pytest.param(text, kind, dim, id=f"{text}-{kind.__name__}-{dim}")


DIVIDE = ("abstraction", "scaled_abstraction", "adaptive", "hoot", "poly_hoot", "uct", "constant")
GOALS = {1: 3.0, 2: 1.8}
SIDES = {1: [(-1.0,), (1.0,)], 2: [(-1.0, -1.0), (1.0, 1.0), (1.0, -1.0)]}  # a fourth would show no other direction


@pytest.mark.parametrize(("text", "kind", "dim"), list(cases()))
def test_mirrored_problems_are_worth_the_same(text, kind, dim):
    shares = np.array([earned(text, kind(sides, GOALS[dim]), seed) for seed, sides in enumerate(SIDES[dim])])
    mean = shares.mean()
    error = math.sqrt(2.0 * mean * (1.0 - mean) / EPISODES)
    assert 0.05 < mean < 0.95, "a test of nothing: the reward is too near or too far"
    assert np.ptp(shares) <= ERRORS * error


def takers():
    """Planners that take root actions, each with the first of the two kinds that it searches."""
    for text in planners.names():
        kinds = [kind for kind in (Walk, Listed) if can_search(text, kind())]
        if kinds and traits_of(planners.parse(text)).takes_root_actions and text != "do_nothing":
            yield text, kinds[0]


@pytest.mark.parametrize(("text", "kind"), list(takers()))
def test_equal_root_actions_are_played_equally_often(text, kind):
    planner, model, given = planners.parse(text), kind(goal=100.0), np.array([[-0.5], [0.5]])
    rng, counts = np.random.default_rng(5), dict.fromkeys((-0.5, 0.5), 0)
    for _ in range(2 * EPISODES):
        counts[planner.plan(model, np.zeros(2), Budget(SIMULATIONS), rng, given).action[0]] += 1
    assert abs(counts[-0.5] - counts[0.5]) <= ERRORS * math.sqrt(2.0 * EPISODES)
