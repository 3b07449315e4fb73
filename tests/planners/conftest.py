"""Tiny models with known answers, compiled and as plain Python."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

import planners
from planners.jit import compiled

TREE_PLANNERS = [name for name in planners.names() if name not in ("random", "presearch")]


@compiled("sample_action")
def sample_unit(state, action, params, rng):
    action[0] = rng.random()


class UnitBox:
    """What the tiny models have in common: actions in [0, 1] that mean `low half` or `high half`."""

    discount = 1.0
    compiled = True
    params = np.zeros(1)
    action_low = np.zeros(1)
    action_high = np.ones(1)
    sample_action = staticmethod(sample_unit)

    def initial_state(self, rng):
        return np.zeros(self.state_dim)


@compiled("step")
def bandit_step(state, action, next_state, params, rng):
    next_state[0] = 1.0
    return (0.6 if action[0] >= 0.5 else 0.3) + 0.04 * (rng.random() - 0.5), True


@dataclass(frozen=True)
class Bandit(UnitBox):
    """One pull: 0.3 or 0.6, with noise."""

    best = 0.6
    state_dim = 1
    horizon = 1
    state_low = np.zeros(1)
    state_high = np.ones(1) * 2
    step = staticmethod(bandit_step)


@compiled("step")
def chain_step(state, action, next_state, params, rng):
    right = action[0] >= 0.5
    next_state[0] = state[0] + 1.0 if right else 0.0
    if next_state[0] == 3.0:
        return 1.0, True
    return (0.0 if right else 0.05), False


@compiled("rollout")
def chain_rollout(state, scratch, depth, params, rng):
    return 0.1 * depth


@dataclass(frozen=True)
class Chain(UnitBox):
    """Deterministic: three times right earns 1, a step back to the start 0.05; discount 0.9, so the best is 0.81."""

    best = 0.81
    discount = 0.9
    state_dim = 1
    horizon = 5
    state_low = np.zeros(1)
    state_high = np.ones(1) * 4
    step = staticmethod(chain_step)
    rollout = staticmethod(chain_rollout)


@compiled("step")
def diamond_step(state, action, next_state, params, rng):
    high = action[0] >= 0.5
    next_state[1] = state[1] + 1.0
    if state[1] == 0.0:
        next_state[0] = 1.0 if high else 2.0
        return 0.0, False
    next_state[0] = 3.0
    if state[0] == 1.0:
        return (0.5 if high else 0.4), True
    return (0.9 if high else 0.1), True


@compiled("player")
def diamond_player(state, params):
    return 1.0 if state[1] == 0.0 else -1.0


@dataclass(frozen=True)
class Diamond(UnitBox):
    """Two players: high leads to 0.4 or 0.5, low to 0.1 or 0.9, as the opponent chooses; minimax is 0.4 by high."""

    best = 0.4
    state_dim = 2
    horizon = 2
    time_index = 1
    state_low = np.zeros(2)
    state_high = np.ones(2) * 4
    distance_weights = np.array([np.inf, np.inf])
    step = staticmethod(diamond_step)
    player = staticmethod(diamond_player)


def python_twin(model):
    """The same model as plain Python: the sources of its compiled functions, uncompiled."""

    def uncompiled(name):
        return staticmethod(getattr(model, name).py_func)

    roles = ("step", "sample_action", "rollout", "player", "cells", "actions", "step_exact")
    functions = {name: uncompiled(name) for name in roles if hasattr(model, name)}
    twin = type(f"Python{type(model).__name__}", (type(model),), {"compiled": False, **functions})
    return twin()


@pytest.fixture(params=[Bandit, Chain, Diamond], ids=lambda cls: cls.__name__)
def tiny_model(request):
    return request.param()


@pytest.fixture(params=TREE_PLANNERS)
def planner_name(request):
    return request.param


@pytest.fixture
def twin():
    return python_twin


@pytest.fixture
def models():
    return {"bandit": Bandit(), "chain": Chain(), "diamond": Diamond()}


def used_parts(tree):
    """What a search wrote, as comparable lists: the arrays of a tree without the room not yet used."""
    size = [int(n) for n in tree.size]
    if type(tree).__name__ == "SearchTree":
        parts = [tree.nodes[: size[0]].tolist(), tree.state[: size[0]].tolist()]
        for node in tree.nodes[: size[0]]:
            own = slice(node["first_edge"], node["first_edge"] + max(node["actions"], 0))
            edges = [array[own].tolist() for array in (tree.edges, tree.value, tree.action)]
            parts.append(edges if node["actions"] > 0 else [])
        return [size, parts]
    if type(tree).__name__ == "Trie":
        return [size, tree.stats[: size[0]].tolist(), tree.keys[: size[0]].tolist(), tree.root_value.tolist()]
    runs = [r for row in tree.runs[: size[2]] for r in row if r["count"]]
    events = itertools.chain.from_iterable(range(r["first"], r["first"] + r["count"]) for r in runs)
    return [size, [(tree.value[e], tree.precision[e], *tree.place[:, e]) for e in events]]


@pytest.fixture
def searched(monkeypatch):
    """Run a plan and return (decision, contents of the tree it left)."""
    import planners.abstraction.planner
    import planners.core.search
    import planners.weighted_uct.planner

    trees = []
    extend = planners.core.search.extend

    def recording(*arguments):
        result = extend(*arguments)
        trees.append(result[0])
        return result

    for module in (planners.core.search, planners.abstraction.planner, planners.weighted_uct.planner):
        monkeypatch.setattr(module, "extend", recording)

    def run(planner, *arguments, **named):
        decision = planner.plan(*arguments, **named)
        return decision, used_parts(trees.pop())

    return run
