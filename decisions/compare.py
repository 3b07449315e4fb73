"""Decisions of every planner, recorded before a refactoring and compared after it, bit for bit, on one machine.

python decisions/compare.py --record      # writes decisions/recorded.json
python decisions/compare.py               # exit status 1 and a line for each difference
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import envs
from curling import players
from planners import Budget

RECORDED = Path(__file__).with_name("recorded.json")
ROLES = ("step", "sample_action", "rollout", "player", "cells", "actions", "step_exact")

SMALL = [
    "random",
    "uct",
    "uct:n_actions=3,exploration=0.3",
    "pw",
    "pw:alpha_action=0.5,k_action=2",
    "dpw",
    "dpw:outcome=least_visited,alpha_state=0.5",
    "dpw:k_action=1,exploration=1",
    "weighted_uct",
    "wuct:neighbours=all",
    "weighted_uct:action_bandwidth=0.2,bandwidth=0.1",
    "abstraction",
    "abstraction:root=trie",
    "abstraction:threshold=0.5,threshold_base=1,max_depth=20",
    "abstraction:max_depth=0",
    "kr_uct",
    "kr_uct:n_initial=3,tau=0.2",
    "kr_uct:outcome=sampled",
]
CURLING = [
    "random",
    "uct",
    "uct:leaf=rollout",
    "pw:leaf=rollout",
    "dpw",
    "dpw:leaf=rollout",
    "weighted_uct",
    "abstraction",
    "abstraction:tree_steps=1,policy_visits=2",
    "kr_uct",
    "kr_uct:leaf=tree",
    "presearch:size=400",
    "presearch:inner=uct,size=300,candidates=4",
    "presearch:inner=(dpw:leaf=rollout),share=0.3,size=200",
    "rulebased",
    "rulebased:evaluation=playouts",
    "expectimax",
    "expectimax:plies=2",
]


def python_twin(model):
    """The same model as plain Python."""
    functions = {name: staticmethod(getattr(model, name).py_func) for name in ROLES if hasattr(model, name)}
    twin = type(f"Python{type(model).__name__}", (type(model),), {"compiled": False, **functions})
    return twin()


def digest(decision, rng):
    """Every number of a decision but the seconds, and where it leaves the generator."""
    result = hashlib.blake2b(digest_size=12)
    for array in (decision.action, decision.actions, decision.visits, decision.values, np.float64(decision.value)):
        result.update(np.ascontiguousarray(array).tobytes() + b"|")
    result.update(f"{decision.simulations} {rng.bit_generator.state['state']}".encode())
    return result.hexdigest()


def episode(label, model, planner, simulations, seed, decisions=3, root_actions=None):
    """Digests of the first decisions of an episode."""
    rng = np.random.default_rng(seed)
    state = model.initial_state(np.random.default_rng(seed + 1))
    after = np.empty_like(state)
    for i in range(decisions):
        if hasattr(model, "time_index") and state[model.time_index] >= model.horizon:
            return  # recorded when a finished state was planned from; it is refused now
        decision = planner.plan(model, state, Budget(simulations), rng, root_actions)
        yield f"{label} | {simulations} | {seed} | {i}", digest(decision, rng)
        step = getattr(model.step, "py_func", model.step)
        if step(state, decision.action, after, model.params, np.random.default_rng(seed + 2 + i))[1]:
            return
        state = after.copy()


def all_decisions():
    """(label, digest) of every decision."""
    for env in ("trap:noise_range=0.1", "trap:noise_range=0.01", "treasure_hunt", "treasure_hunt:size=15"):
        model = envs.parse(env)
        for text in SMALL:
            for simulations in (7, 100, 3_000):
                slow = "treasure" in env and text.startswith(("weighted", "wuct", "kr_uct"))
                for seed in (0, 1):
                    n = min(simulations, 300) if slow else simulations
                    yield from episode(f"{env} | {text}", model, players.parse(text), n, seed)
        roots = np.random.default_rng(3).uniform(model.action_low, model.action_high, (5, len(model.action_low)))
        for text in SMALL:
            if "root=trie" not in text:
                yield from episode(f"{env} | {text} | root_actions", model, players.parse(text), 60, 5, 1, roots)
    for env in ("trap", "treasure_hunt"):
        twin = python_twin(envs.parse(env))
        for text in SMALL:
            yield from episode(f"{env} | python | {text}", twin, players.parse(text), 20, 4, 1)
    for env in ("curling:reward=win_probability", "curling:ends=2,physics=dc2,reward=win_probability"):
        model = envs.parse(env)
        for text in CURLING:
            for simulations in (5, 400):
                yield from episode(f"{env} | {text}", model, players.parse(text), simulations, 2, 4)
        for text in ("abstraction", "uct:leaf=rollout", "presearch"):
            state = model.initial_state(np.random.default_rng(0))
            late = state.copy()
            rng = np.random.default_rng(1)
            for _ in range(13):
                action = np.empty(3)
                model.sample_action(late, action, model.params, rng)
                after = np.empty_like(late)
                model.step(late, action, after, model.params, rng)
                late = after
            decision = players.parse(text).plan(model, late, Budget(2_000), rng)
            yield f"{env} | {text} | late", digest(decision, rng)


def main():
    """Record or compare."""
    found = {}
    for label, value in all_decisions():
        assert label not in found, label
        found[label] = value
        if sys.stderr.isatty() or len(found) % 200 == 0:
            print(len(found), label, file=sys.stderr)
    if "--record" in sys.argv:
        RECORDED.write_text(json.dumps(found, indent=0) + "\n")
        print(f"{len(found)} decisions recorded")
        return 0
    recorded = {label: value for label, value in json.loads(RECORDED.read_text()).items() if label in found}
    different = [label for label in recorded if found.get(label) != recorded[label]]
    for label in different:
        print(f"differs: {label}")
    print(f"{len(recorded) - len(different)} of {len(recorded)} decisions are as recorded")
    return 1 if different or found.keys() != recorded.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
