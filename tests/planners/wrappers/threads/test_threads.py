"""Several threads in one tree: what must hold of the tree, and that one thread alone searches as the inner planner."""

import functools
import itertools
import math
import operator
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.core.jit import compiled
from bonspiel.planners.core.problem import problem_of
from bonspiel.planners.core.search import Stopped, kept_trees, stopped_by
from bonspiel.planners.core.tree.selection import selection_of
from bonspiel.planners.planner import traits_of
from bonspiel.planners.trees.dpw import DPW
from bonspiel.planners.trees.pw import PW
from bonspiel.planners.trees.uct import UCT, UCTSettings
from bonspiel.planners.wrappers.threads import TreeParallel
from bonspiel.planners.wrappers.threads import planner as planner_module
from bonspiel.planners.wrappers.threads.additions import find_child
from bonspiel.planners.wrappers.threads.choice import Virtual, best_edge, choose_of_set
from bonspiel.planners.wrappers.threads.meeting import Meeting
from bonspiel.planners.wrappers.threads.planner import root_of, search_together
from bonspiel.planners.wrappers.threads.search import SharedUCTSettings
from bonspiel.planners.wrappers.threads.shared_tree import (
    ACTIONS,
    ADDING,
    COUNT,
    DUE,
    EXAMPLE_TREE,
    EXAMPLE_WALK,
    LINE,
    NEXT_BLOCK,
    PLAYER,
    SHOWN_INV_SQRT,
    SHOWN_MEAN,
    TOTAL,
    VISIT,
    VISITS,
    SharedWalk,
    new_shared_tree,
    new_shared_walk,
)
from tests.planners.oracles import TreeOracle, fixed_actions, proposed_actions
from tests.planners.tiny_models import Bandit, Chain, Diamond, Duel, Handover, Target, python_twin
from tests.planners.wrappers.threads.invariants import faults

MODELS = [Bandit(), Chain(), Diamond(), Handover(), Target(), Duel(), envs.Trap(), envs.TreasureHunt(5)]
INNER = {
    "uct": UCT(leaf="tree"),
    "pw": PW(alpha_action=0.5, k_action=1.0, leaf="tree"),
    "dpw": DPW(alpha_action=0.5, k_action=1.0, leaf="tree"),
    "least": DPW(alpha_action=0.5, k_action=1.0, leaf="tree", outcome="least_visited"),
}


WIDENING = {"actions": (1, 0.5)}
RULES = {
    "uct": lambda model: {"choices": proposed_actions(model) if hasattr(model, "actions") else fixed_actions(model, 8)},
    "pw": lambda _: WIDENING,
    "dpw": lambda _: WIDENING | {"outcomes": (1, 0.25)},
    "least": lambda _: WIDENING | {"outcomes": (1, 0.25), "least_visited": True},
}


def search(inner, model, simulations, threads, seed=0, virtual=1.0, loss=False):
    """The tree and the number of simulations."""
    return search_together(
        inner,
        Virtual(virtual, loss),
        model,
        model.initial_state(None),
        Budget(simulations),
        np.random.default_rng(seed),
        None,
        threads,
        time.perf_counter(),
    )[:2]


def check_tree(tree, simulations, by_state, rollout=False):
    """Check the invariants of a tree, whatever the threads did."""
    assert faults(tree, simulations, by_state, ends_within=rollout or not by_state) == []
    if by_state:
        for node in tree.slots[tree.slots != 0] - 1:
            assert find_child.py_func(tree, tree.keys[node]) == node


class SumOracle(TreeOracle):
    """The plain recursion with means as sums over counts, as threads keep them, so that equal scores are the same."""

    def __init__(self, model, rng, **rule):
        super().__init__(model, rng, **rule)

    def scores(self, node):
        for edge in node.edges:
            edge.mean = functools.reduce(operator.add, edge.gains, 0.0) / edge.visits
        return super().scores(node)


@pytest.mark.parametrize("model", MODELS[1::2], ids=repr)
@pytest.mark.parametrize("inner", INNER)
def test_one_thread_searches_as_the_inner_planner(inner, model):
    tree, done = search(INNER[inner], model, 200, 1, 5)
    rng = np.random.default_rng(int(np.random.default_rng(5).integers(2**63, size=1)[0]))
    oracle = SumOracle(model, rng, **RULES[inner](model))
    edges = oracle.search(model.initial_state(None), model.horizon, 200)
    actions, visits, means = root_of(tree)
    assert done == 200
    assert actions.tolist() == [edge.action.tolist() for edge in edges]
    assert visits.tolist() == [edge.visits for edge in edges]
    np.testing.assert_allclose(means[:, 0], [edge.mean for edge in edges], rtol=1e-12)
    check_tree(tree, 200, by_state=inner in ("uct", "pw"))


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(INNER)),
    st.sampled_from(MODELS),
    st.integers(2, 5),
    st.integers(5, 3_000),
    st.integers(0, 99),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.booleans(),
    st.sampled_from([1, 3_000]),
    st.sampled_from([0, 1, 3]),
)
def test_what_must_hold_of_the_tree(inner, model, threads, simulations, seed, virtual, loss, nodes, playouts):
    planner = INNER[inner]
    if playouts and hasattr(model, "rollout"):
        planner = replace(planner, leaf="rollout", playouts=playouts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner_module, "first_nodes", lambda _: nodes)  # 1: the tree grows often
        tree, done = search(planner, model, simulations, threads, seed, virtual, loss)
    assert done == simulations
    check_tree(tree, simulations, inner in ("uct", "pw"), planner.leaf == "rollout")


def test_a_visit_under_way_sends_the_next_thread_elsewhere():
    """Two threads choose in the root before either backs up; the means of all four edges are equal."""
    differ = {0.0: 0, 1.0: 0}
    for virtual, seed in itertools.product(differ, range(40)):
        model, actions = Bandit(), np.array([[0.1], [0.2], [0.3], [0.4]])
        problem = problem_of(python_twin(model), np.zeros(1))
        tree = new_shared_tree(model, problem, 10, actions, 2)
        tree.edges[:4, COUNT], tree.edge_values[:4, TOTAL] = 5 * VISIT, 2.5
        tree.edge_values[:4, SHOWN_MEAN], tree.edge_values[:4, SHOWN_INV_SQRT] = 0.5, 1.0 / math.sqrt(5)
        tree.nodes[0, VISITS] = 20
        given = SharedUCTSettings(UCTSettings(selection_of(1.0), actions, 1), Virtual(virtual, False))
        rng = np.random.default_rng(seed)
        walks = [new_shared_walk(model, 1) for _ in range(2)]
        differ[virtual] += len({choose_of_set(tree, walk, problem, 0, rng, given) for walk in walks}) == 2
    assert differ[1.0] == 40
    assert 20 < differ[0.0] < 40  # 3 of 4 by chance


def test_a_visit_under_way_can_count_as_lost():
    """An edge that is ahead is left for another where its visit under way counts at the lowest return."""
    nodes, edges = np.zeros((1, LINE), np.int64), np.zeros((2, LINE), np.int64)
    tree = EXAMPLE_TREE._replace(nodes=nodes, node_values=nodes.view(float), edges=edges, edge_values=edges.view(float))
    nodes[0, [VISITS, ACTIONS]], tree.node_values[0, PLAYER] = [10, 2], 1.0
    edges[0, [COUNT, NEXT_BLOCK]], tree.edge_values[0, TOTAL] = [5 * VISIT + 1, 1], 4.0
    edges[1, COUNT], tree.edge_values[1, [TOTAL, SHOWN_MEAN, SHOWN_INV_SQRT]] = 5 * VISIT, [2.5, 0.5, 5**-0.5]
    walk = SharedWalk(EXAMPLE_WALK.walk, EXAMPLE_WALK.pool, np.array([-4.0, 1.0]))
    rng = np.random.default_rng(0)
    rule = selection_of(0.01)
    chosen = [best_edge.py_func(tree, walk, 0, 2, rule, Virtual(1.0, loss), rng) for loss in (False, True)]
    assert chosen == [0, 1]


@pytest.mark.parametrize("mean", [-math.inf, math.nan])
@pytest.mark.parametrize("under_way", [0, 1])
def test_an_edge_is_followed_whatever_the_rewards_were(mean, under_way):
    """Without an edge, the count at row -1 would be written, in memory that is not the tree's."""
    nodes, edges = np.zeros((1, LINE), np.int64), np.zeros((2, LINE), np.int64)
    tree = EXAMPLE_TREE._replace(nodes=nodes, node_values=nodes.view(float), edges=edges, edge_values=edges.view(float))
    nodes[0, [VISITS, ACTIONS]] = 10, 2
    edges[:, COUNT], edges[0, NEXT_BLOCK] = 5 * VISIT + under_way, 1
    tree.edge_values[:, [TOTAL, SHOWN_MEAN, SHOWN_INV_SQRT]] = mean, mean, 5**-0.5
    given = selection_of(1.0), Virtual(1.0, False), np.random.default_rng(0)
    assert best_edge.py_func(tree, EXAMPLE_WALK, 0, 2, *given) in (0, 1)


def test_threads_wait_for_an_action_that_another_adds_at_the_root(monkeypatch):
    """Else, while that one has no processor, all visits go to the first actions, and the most visited one is played."""
    model = Bandit()
    search(UCT(), model, 10, 2)  # compiles
    tree = new_shared_tree(model, problem_of(model, np.zeros(1)), 10_000, np.array([[0.1]]), 2)
    tree.nodes[0, DUE] = ADDING
    monkeypatch.setattr(planner_module, "new_shared_tree", lambda *_: tree)
    decisions = []
    plan = functools.partial(TreeParallel().plan, model, np.zeros(1), Budget(1_000), np.random.default_rng(0))
    planning = threading.Thread(target=lambda: decisions.append(plan()), daemon=True)
    planning.start()
    planning.join(0.5)
    assert tree.nodes[0, VISITS] == 0
    tree.nodes[0, DUE] = 0
    planning.join(60.0)
    assert len(decisions[0].actions) > 1


@pytest.mark.parametrize("inner", ["uct", "pw", "dpw", "dpw:outcome=least_visited", "uct:leaf=rollout,playouts=3"])
def test_two_threads_find_the_best_action(inner):
    model = Chain()
    decision = planners.parse(f"threads:inner=({inner}),threads=2").plan(
        model, model.initial_state(None), Budget(4_000), np.random.default_rng(1)
    )
    assert decision.simulations == decision.visits.sum() == 4_000
    assert model.is_best(decision.action)


def test_one_thread_decides_as_the_inner_planner():
    model, state = envs.Trap(), np.zeros(2)
    for inner in ("uct", "dpw:exploration=0.5", "pw:bonus=ucb_v"):
        alone, within = (
            planners.parse(text).plan(model, state, Budget(500), np.random.default_rng(3))
            for text in (inner, f"threads:inner=({inner}),threads=1")
        )
        assert alone.visits.tolist() == within.visits.tolist()


def test_says_whether_it_is_reproducible():
    assert traits_of(TreeParallel(threads=1)).reproducible
    assert not traits_of(TreeParallel(threads=2)).reproducible
    assert not traits_of(planners.parse("root:inner=(threads:threads=2),workers=2")).reproducible
    assert traits_of(planners.parse("root:workers=2")).reproducible


def test_a_hybrid_adds_up_the_trees_of_several_threads():
    model = Chain()
    hybrid = planners.parse("root:inner=(threads:inner=uct,threads=2),workers=3")
    decision = hybrid.plan(model, model.initial_state(None), Budget(1_000), np.random.default_rng(0))
    assert decision.simulations == decision.visits.sum() == 3_000
    assert model.is_best(decision.action)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("threads:threads=0", "threads=0"),
        ("threads:virtual=-1", "virtual=-1"),
        ("threads:virtual=nan", "virtual"),
        ("threads:virtual=1e18", "virtual.*at most 1,000,000"),
        ("threads:inner=cem", "uct, pw or dpw"),
        ("threads:inner=(threads:threads=2)", "uct, pw or dpw"),
        ("threads:inner=(dpw:bonus=ucb_v)", "bonus.*must be ucb1"),
        ("threads:inner=(pw:blind_values=5)", "blind_values.*must be 0"),
        ("threads:inner=(uct:memory=1)", "inner.memory.*must be 0"),
    ],
)
def test_bad_parameters_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        planners.parse(text)


def test_a_python_model_is_refused():
    model = python_twin(Chain())
    with pytest.raises(TypeError, match=r"compiled model.*root with run=processes"):
        TreeParallel().plan(model, model.initial_state(None), Budget(10), np.random.default_rng(0))


class Failing(Bandit):
    """Fails after some steps, but not within one."""

    horizon = 2

    @staticmethod
    @compiled("step")
    def step(state, action, next_state, params, rng):
        next_state[0] = rng.random()
        return 0.0, False

    @staticmethod
    @compiled("player")
    def player(state, params):
        if state[0] > 0.99:
            raise RuntimeError("lost the stone")
        return 1.0


@pytest.mark.parametrize("inner", ["uct", "pw", "dpw"])
def test_an_error_of_one_thread_ends_the_plan(inner):
    planner = planners.parse(f"threads:inner={inner},threads=4")
    with pytest.raises(RuntimeError, match="lost the stone"):
        planner.plan(Failing(), np.zeros(1), Budget(100_000), np.random.default_rng(0))


@pytest.mark.parametrize("text", ["threads", "root:inner=(threads:inner=uct,threads=2),workers=2"])
def test_ctrl_c_ends_the_plan(text):
    model, before, start = envs.Trap(), threading.active_count(), time.perf_counter()
    plan = planners.parse(text).plan
    plan(model, np.zeros(2), Budget(10), np.random.default_rng(0))
    timer = threading.Timer(0.2, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        plan(model, np.zeros(2), Budget(seconds=600.0), np.random.default_rng(0))
    assert time.perf_counter() - start < 60.0
    timer.join()
    assert threading.active_count() == before


def test_seconds_are_those_of_each_thread():
    decision = TreeParallel(threads=3).plan(envs.Trap(), np.zeros(2), Budget(seconds=0.05), np.random.default_rng(0))
    assert decision.visits.sum() == decision.simulations > 3


def test_the_tree_is_kept_for_pictures():
    with kept_trees() as trees:
        TreeParallel().plan(envs.Trap(), np.zeros(2), Budget(100), np.random.default_rng(0))
    assert len(trees) == 1
    assert root_of(trees[0])[1].sum() == 100


@pytest.mark.parametrize("inner", INNER)
def test_no_visit_is_lost(inner):
    tree, done = search(INNER[inner], envs.Trap(), 200_000, 4)
    assert done == 200_000
    assert faults(tree, 200_000, inner in ("uct", "pw"), inner not in ("uct", "pw")) == []


def test_faults_are_found():
    """Each of these is one that threads without atomic additions would leave."""
    for by_state, inner in ((True, UCT()), (False, DPW())):
        tree, _ = search(inner, Chain(), 300, 2)
        for change in (
            lambda tree: tree.nodes.__setitem__((0, VISITS), 299),
            lambda tree: tree.edges.__setitem__((0, COUNT), tree.edges[0, COUNT] + 1),
            lambda tree: tree.edges.__setitem__((0, COUNT), tree.edges[0, COUNT] - VISIT),
        ):
            broken = tree._replace(nodes=tree.nodes.copy(), edges=tree.edges.copy())
            change(broken)
            assert faults(broken, 300, by_state, not by_state)


def test_a_search_that_is_told_to_stop_stops_its_threads():
    event = threading.Event()
    threading.Timer(0.2, event.set).start()
    with stopped_by(event), pytest.raises(Stopped):
        TreeParallel().plan(envs.Trap(), np.zeros(2), Budget(seconds=600.0), np.random.default_rng(0))


class Narrow(Bandit):
    """Has one action."""

    action_low = action_high = np.array([0.5])


def test_equal_actions_of_a_set_are_tried_like_others():
    decision = TreeParallel().plan(Narrow(), np.zeros(1), Budget(100), np.random.default_rng(0))
    assert decision.actions.tolist() == [[0.5]] * 8


@compiled("sample_action")
def one_of_five(state, action, params, rng):
    action[0] = 0.25 * np.floor(5.0 * rng.random())


class Listed(Bandit):
    """Has five actions and no others."""

    discrete, max_actions = True, 5
    sample_action = staticmethod(one_of_five)


@pytest.mark.parametrize("inner", ["pw", "dpw"])
def test_listed_actions_are_tried_once_each(inner):
    for seed in range(20):
        rngs, budget = [np.random.default_rng(seed) for _ in range(2)], Budget(200)
        within = planners.parse(f"threads:inner={inner},threads=1").plan(Listed(), np.zeros(1), budget, rngs[0])
        alone = planners.make(inner).plan(Listed(), np.zeros(1), budget, rngs[1])
        assert within.actions.tolist() == alone.actions.tolist()
        assert within.visits.tolist() == alone.visits.tolist()
        both = planners.parse(f"threads:inner={inner},threads=2").plan(Listed(), np.zeros(1), budget, rngs[0])
        assert len(np.unique(both.actions)) == len(both.actions) >= 4


def test_a_thread_that_lags_behind_does_not_make_the_tree_huge(monkeypatch):
    """It has run nothing when the tree is full, and by itself would foretell the whole budget for each simulation."""
    tree, _ = search(UCT(), envs.TreasureHunt(5), 100, 2)
    meeting, factors = Meeting(tree, 2, 50), []
    monkeypatch.setattr(
        "bonspiel.planners.wrappers.threads.meeting.grow", lambda tree, threads, steps, factor: factors.append(factor)
    )
    walks = [new_shared_walk(envs.TreasureHunt(5), 50) for _ in range(2)]
    monkeypatch.setattr(meeting, "_is_over", lambda: False)
    lagging = threading.Thread(target=meeting._more_room, args=(None, walks[0], 4096.0))
    lagging.start()
    meeting._more_room(None, walks[1], 2.5)
    lagging.join()
    assert factors == [2.5]
