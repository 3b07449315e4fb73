"""Independent searches whose decisions are combined: the same wherever they run, and every error with its line."""

import os
import re
import signal
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from joblib import Parallel, delayed

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.search import kept_trees
from bonspiel.planners.planner import Decision, has_same_actions, traits_of
from bonspiel.planners.testing import Walk
from bonspiel.planners.wrappers.root import Root
from bonspiel.planners.wrappers.root.workers import run_all
from tests.planners.tiny_models import Duel, Target, python_twin


def plan(text, budget=300, seed=0, model=None, root_actions=None):
    model = model or envs.Trap()
    budget = budget if isinstance(budget, Budget) else Budget(budget)
    planner = planners.parse(text) if isinstance(text, str) else text
    return planner.plan(model, model.initial_state(None), budget, np.random.default_rng(seed), root_actions)


def rows(decision):
    return decision.action.tolist(), decision.actions.tolist(), decision.visits.tolist(), decision.values.tolist()


@pytest.mark.parametrize("combine", ["sum", "majority", "max", "similarity_vote"])
@pytest.mark.parametrize("inner", ["uct", "abstraction", "weighted_uct"])
def test_one_worker_decides_as_its_planner(combine, inner):
    own = Root(planners.parse(inner), workers=1, combine=combine)
    for seed in range(3):
        seed_of_worker = int(np.random.default_rng(seed).integers(2**63, size=1)[0])
        assert rows(plan(own, seed=seed)) == rows(plan(inner, seed=seed_of_worker))


COMBINED = [
    "root:workers=3",
    "root:inner=dpw,workers=3,combine=similarity_vote",
    "root:inner=pw,workers=3,combine=similarity_merge,share=split",
    "root:inner=(abstraction:exploration=0.5),workers=3,combine=tries,rounds=4",
    "root:inner=scaled_abstraction,workers=3,combine=tries,rounds=2,share=split",
]


@pytest.mark.parametrize("text", COMBINED)
def test_it_decides_the_same_wherever_its_workers_run(text):
    one, threads, processes = (plan(f"{text},run={run}", 100) for run in ("one", "threads", "processes"))
    assert rows(one) == rows(threads) == rows(processes)
    assert one.simulations == threads.simulations == processes.simulations
    assert rows(plan(f"{text},run=one", 100)) == rows(one) != rows(plan(f"{text},run=one", 100, seed=1))


def test_python_models_are_searched_in_processes_as_compiled_ones_on_threads():
    compiled = plan("root:workers=3", 50)
    assert rows(plan("root:workers=3,run=processes", 50, model=python_twin(envs.Trap()))) == rows(compiled)


def test_workers_have_seeds_of_their_own_drawn_first():
    rng = np.random.default_rng(7)
    seeds = np.random.default_rng(7).integers(2**63, size=2)
    model, state = envs.Trap(), np.zeros(2)
    decision = planners.parse("root:inner=dpw,workers=2,combine=max").plan(model, state, Budget(200), rng)
    workers = [planners.make("dpw").plan(model, state, Budget(200), np.random.default_rng(seed)) for seed in seeds]
    assert decision.actions.tolist() == [*workers[0].actions.tolist(), *workers[1].actions.tolist()]
    assert decision.action == max(workers, key=lambda worker: worker.value).action
    assert decision.seconds > max(worker.seconds for worker in workers) / 2


@pytest.mark.parametrize(("share", "visits"), [("each", [300, 300, 300]), ("split", [101, 101, 100])])
def test_shares_of_the_budget(share, visits):
    """One action each, so that its visits tell the worker's simulations."""
    planner = planners.parse(f"root:inner=(dpw:k_action=1,alpha_action=0.0001),workers=3,combine=max,share={share}")
    decision = plan(planner, 300 if share == "each" else 302)
    by_worker = decision.visits.reshape(3, -1).sum(axis=1)
    assert by_worker.tolist() == visits and decision.simulations == sum(visits)
    assert traits_of(planner).budget_multiple == (3 if share == "each" else 1)


@dataclass(frozen=True)
class Meeting:
    """Decides when as many workers as it has are asked; the value is the seconds of its budget."""

    folder: str
    workers: int

    def plan(self, model, state, budget, rng, root_actions=None):
        Path(self.folder, str(rng.integers(2**62))).touch()
        end = time.monotonic() + 60.0
        while len(os.listdir(self.folder)) < self.workers:
            assert time.monotonic() < end, "the workers are not asked at the same time"
            time.sleep(0.01)
        decision = planners.make("random").plan(model, state, budget, rng)
        return replace(decision, visits=np.ones(1, np.int64), values=np.array([budget.seconds]))


@pytest.mark.parametrize(("run", "workers"), [("threads", 6), ("processes", 3)])
def test_each_worker_has_the_seconds_of_the_budget(run, workers, tmp_path):
    """At the same time, also where there are fewer cores."""
    decision = plan(Root(Meeting(str(tmp_path), workers), workers, "max", run=run), Budget(seconds=0.5))
    assert decision.values.tolist() == [0.5] * workers


def test_root_actions_go_to_every_worker():
    actions = np.array([[0.1], [0.8], [0.5]])
    decision = plan("root:inner=dpw,workers=4,combine=similarity_vote", root_actions=actions)
    assert decision.actions.tolist() == actions.tolist() and decision.visits.sum() == 1200
    assert not traits_of(planners.parse("root:inner=cem,combine=max")).takes_root_actions


def test_planners_say_whether_all_searches_consider_the_same_actions():
    model, same = envs.Trap(), {"uct", "abstraction", "scaled_abstraction", "weighted_uct", "sequential_halving"}
    same |= {"threads", "rave_uct", "territory_uct"}  # threads of uct
    assert {name for name in planners.names() if has_same_actions(planners.make(name), model)} == same
    assert has_same_actions(planners.make("uct"), Duel()), "the sets that the model gives each state"


@pytest.mark.parametrize("name", ["uct", "abstraction", "scaled_abstraction", "weighted_uct", "sequential_halving"])
@pytest.mark.parametrize("model", [envs.Trap(), Duel()], ids=["fixed", "own"])
def test_what_they_say_is_true(name, model):
    found = [plan(name, 400, seed, model).actions for seed in (1, 2)]
    assert sorted(found[0].tolist()) == sorted(found[1].tolist())


@pytest.mark.parametrize("text", ["uct", "uct:leaf=rollout", "abstraction"])
def test_trees_of_workers_are_kept_where_they_are_searched_one_after_the_other(text):
    with kept_trees() as trees:
        plan(f"root:inner=({text}),workers=3,run=one")
    assert len(trees) == 3


BAD = [
    ("workers=0", "workers=0: .*at least 1"),
    ("bandwidth=0", "bandwidth=0: .*above 0"),
    ("bandwidth=-1", "bandwidth=-1: .*above 0"),
    ("bandwidth=wide", "bandwidth='wide': .*above 0"),
    ("combine=vote", "combine='vote': .*'majority'"),
    ("run=gpu", "run='gpu': .*'threads'"),
    ("cells=4", "cells=4: .*combine='majority'"),
    ("combine=majority,cells=0", "cells=0: .*at least 1"),
    ("rounds=2", "rounds=2: .*combine='tries'"),
    ("inner=(root:workers=2)", "inner=Root.*more workers fit"),
]


@pytest.mark.parametrize(("text", "line"), BAD)
def test_parameters_that_make_no_sense_are_refused(text, line):
    with pytest.raises(ValueError, match=line):
        planners.parse(f"root:{text}")


class WithoutBounds(Target):
    action_high = np.array([np.inf])


UNSUPPORTED = [
    ("inner=dpw,combine=sum", envs.Trap(), "similarity_vote fits"),
    ("inner=pw,combine=mean", envs.Trap(), "similarity_vote fits"),
    ("inner=kr_uct,combine=majority", envs.Trap(), "similarity_vote fits"),
    ("inner=dpw,combine=tries", envs.Trap(), "as inner=abstraction has"),
    ("inner=abstraction,combine=tries", Duel(), "without `actions`"),
    ("inner=dpw,combine=similarity_vote,bandwidth=noise", envs.Trap(), "needs `action_sd`"),
    ("inner=dpw,combine=similarity_merge", WithoutBounds(), "finite `action_low`"),
    ("inner=dpw,combine=majority,cells=3", WithoutBounds(), "finite `action_low`"),
    ("inner=(uct:leaf=rollout)", type("Plain", (envs.Trap,), {"rollout": None})(), "needs `rollout`"),
]


@pytest.mark.parametrize(("text", "model", "line"), UNSUPPORTED)
def test_what_does_not_fit_together_is_refused_with_what_does(text, model, line):
    planner = planners.parse(f"root:{text}")
    assert line in planners.unsupported(planner, model)
    with pytest.raises(TypeError, match=re.escape(line)):
        plan(planner, model=model)


@pytest.mark.parametrize(
    ("text", "budget", "line"),
    [
        ("run=one", Budget(seconds=0.1), "run='one': .*threads or processes"),
        ("share=split", Budget(seconds=0.1), "share='split': .*each"),
        ("share=split", Budget(7), "simulations=7: .*at least workers=8"),
        ("inner=abstraction,combine=tries,rounds=5", Budget(4), "rounds=5: .*at most .*4"),
        ("inner=abstraction,combine=tries,rounds=5,share=split", Budget(39), "rounds=5: .*at most .*4"),
    ],
)
def test_budgets_that_do_not_fit_are_refused(text, budget, line):
    with pytest.raises(ValueError, match=line):
        plan(f"root:{text}", budget)


@dataclass(frozen=True)
class Failing:
    """The second of its workers fails at once, when the first has begun to search for hours."""

    def plan(self, model, state, budget, rng, root_actions=None):
        if rng.integers(2**62) == second_draw():
            raise RuntimeError("lost the stone")
        return planners.make("uct").plan(model, state, budget, rng)

    def same_actions(self, model):
        return True


def second_draw():
    seeds = np.random.default_rng(0).integers(2**63, size=2)
    return np.random.default_rng(int(seeds[1])).integers(2**62)


@pytest.mark.parametrize("run", ["one", "threads"])
def test_a_worker_that_fails_ends_the_plan(run):
    before, start = threading.active_count(), time.perf_counter()
    with pytest.raises(RuntimeError, match="lost the stone"):
        plan(Root(Failing(), workers=2, run=run), 10**10 if run == "threads" else 10)
    assert time.perf_counter() - start < 60.0 and threading.active_count() == before


class Broken(Walk):
    """Fails at the first step."""

    def step(self, state, action, next_state, params, rng):
        raise RuntimeError("lost the stone")


def test_a_worker_that_fails_in_another_process_ends_the_plan():
    with pytest.raises(ValueError, match=r"^all rollouts of the model are invalid: .* lost the stone"):
        plan("root:workers=2,run=processes", model=Broken())


class Unsendable(Walk):
    """Holds what no other process can have."""

    def __init__(self):
        self.lock = threading.Lock()


def test_a_model_that_cannot_be_sent_to_processes_is_named():
    with pytest.raises(TypeError, match=r"cannot send .*run=threads fits"):
        plan("root:workers=2,run=processes", model=Unsendable())


@pytest.mark.parametrize(
    ("run", "model"), [("threads", envs.Trap()), ("threads", Walk()), ("processes", Walk())], ids=str
)
def test_ctrl_c_ends_the_plan(run, model):
    plan(f"root:workers=2,run={run}", 1, model=model)
    before = threading.active_count()
    timer = threading.Timer(0.3, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
    start = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        plan(f"root:workers=2,run={run}", 10**8, model=model)
    assert time.perf_counter() - start < 60.0
    timer.join()
    if run == "threads":
        assert threading.active_count() <= before  # threads of other tests may have ended


def test_results_come_in_the_order_of_the_tasks():
    assert run_all("threads", _later, [(0.05,), (0.0,)], together=True) == [0.05, 0.0]


def _processes():
    return os.getpid(), set(run_all("processes", os.getpid, [(), ()], together=True))


def test_a_worker_of_joblib_starts_no_further_processes():
    """Else a benchmark with jobs would have as many for each of them, and leave them behind."""
    own, others = _processes()
    assert own not in others
    for own, others in Parallel(2, backend="loky")(delayed(_processes)() for _ in range(2)):
        assert others == {own}


def _later(seconds):
    time.sleep(seconds)
    return seconds


def test_a_memory_of_the_inner_planner_is_not_used():
    model, planner = envs.Trap(), Root(planners.parse("abstraction:memory=1"), workers=2)
    search = planners.begin_episode(planner, model)
    remembered, fresh = np.random.default_rng(1), np.random.default_rng(1)
    for state in (np.array([0.0, 0.0]), np.array([0.8, 1.0])):
        decisions = [search.plan(state, Budget(50), remembered), replace(planner).plan(model, state, Budget(50), fresh)]
        assert rows(decisions[0]) == rows(decisions[1])
        assert isinstance(decisions[0], Decision)


@pytest.mark.parametrize("inner", ["icem:rate_limit=0.05", "cem:rate_cost=1"])
def test_a_planner_that_needs_the_last_action_is_refused(inner):
    with pytest.raises(ValueError, match="without rate_limit and rate_cost"):
        planners.parse(f"root:inner=({inner}),combine=max")
