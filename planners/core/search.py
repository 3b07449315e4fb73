"""The driver of every search: extends a tree until the budget is spent, and reads the decision off its root."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import Problem, runner, seconds_loading
from bonspiel.planners.core.problem import Stopped as Stopped
from bonspiel.planners.core.problem import problem_of
from bonspiel.planners.core.returns import all_invalid, first_playable, invalid_in, require_valid, valid_trial
from bonspiel.planners.core.tree.nodes import MEAN, UNTRIED, WITHOUT_VARIANCE, SearchTree, grow, new_tree
from bonspiel.planners.core.tree.selection import final_choice
from bonspiel.planners.core.walk import new_walk
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision

Tree = TypeVar("Tree")
Walk = TypeVar("Walk")

FIRST_CHUNK = 1_024  # simulations
INTERRUPT_SECONDS = 0.1  # between two chances for Ctrl-C to be heard
CHUNK_SECONDS = 0.0005  # between two looks at the clock, under a time budget
PROGRESS_SECONDS = 0.005  # between two reports of the best action so far
CLOSING_SECONDS = 0.00005  # of a time budget, for reading the decision off the tree and giving its memory back
LARGEST_GROWTH = 4_096.0
FIRST_NODES = 4_096
MOST_NODES_AT_FIRST = 1 << 24  # 2 GB of address space; memory is used as nodes are, and growing would copy it


_kept: ContextVar[list[Any] | None] = ContextVar("kept", default=None)
_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)

Report = Callable[[Decision], bool]
_report: ContextVar[Report | None] = ContextVar("report", default=None)


@contextmanager
def stopped_by(event: threading.Event) -> Iterator[None]:
    """Searches of this thread within the block raise Stopped when another thread has set the event."""
    token = _stop.set(event)
    try:
        yield
    finally:
        _stop.reset(token)


def stopping() -> bool:
    """True if searches of this thread are to end; see `stopped_by`."""
    stop = _stop.get()
    return stop is not None and stop.is_set()


@contextmanager
def progress_to(report: Report) -> Iterator[None]:
    """Searches of this thread within the block report the decision so far, every 5 ms.

    So do only planners whose tree has a decision at any time. Reports change no decision, but one that returns True
    ends the search with the decision that it was given.
    """
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)


@contextmanager
def progress_valued_at(value: float) -> Iterator[None]:
    """Override the value that searches within this block report, which is of another reward."""
    report = _report.get()
    if report is None:
        yield
        return
    with progress_to(lambda decision: report(replace(decision, value=value))):
        yield


def reported(decision: Decision) -> bool:
    """Report the decision so far, for searches without `extend`; whether it is to be the last."""
    report = _report.get()
    return report is not None and report(decision)


@contextmanager
def kept_trees() -> Iterator[list[Any]]:
    """A list of the trees that the searches of this thread leave within the block, in order, for pictures and tests."""
    trees: list[Any] = []
    token = _kept.set(trees)
    try:
        yield trees
    finally:
        _kept.reset(token)


def keep_tree(tree: Any) -> None:
    """Hand a tree that a search leaves to `kept_trees`."""
    if (kept := _kept.get()) is not None:
        kept.append(tree)


def extend(
    kernel: Any,
    model: Model,
    tree: Tree,
    walk: Walk,
    problem: Problem,
    settings: Any,
    more_room: Callable[[Tree, Walk, float], Tree] | None,
    budget: Budget,
    rng: Rng,
    start: float | None = None,
    held: int = 0,
    so_far: Callable[[Tree, int], Decision] | None = None,
) -> tuple[Tree, int]:
    """Run simulations until the budget is spent.

    Args:
        kernel: a `search_kernel`.
        model: the model of the problem.
        tree: the tree to extend, in place while there is room.
        walk: the simulation under way.
        problem: see `problem_of`.
        settings: the planner's parameters as the kernel takes them.
        more_room: (tree, walk, factor) gives the same tree with room for `factor` times its contents; None if it is
            never full.
        budget: simulations or seconds.
        rng: the source of every random draw.
        start: clock at the beginning of the seconds, the making of the tree included; now if None.
        held: simulations that the tree holds from before.
        so_far: (tree, simulations) gives the decision after these; None if the tree has none before the end.

    Returns:
        The tree and the number of simulations run.

    Raises:
        Stopped: see `stopped_by`.
    """
    start = time.perf_counter() if start is None else start
    search = runner(kernel, model, tree, walk, problem, 1, rng, settings)
    start += seconds_loading(start)  # the first decision of a process is late, but as good as any
    by_count, stop, report, due = budget.simulations is not None, _stop.get(), _report.get(), 0.0
    seconds = max((budget.seconds or 0.0) - CLOSING_SECONDS, 1e-9)
    done, chunk = 0, FIRST_CHUNK if by_count and stop is None else 1
    while True:
        if budget.simulations is not None:
            chunk = min(chunk, budget.simulations - done)
        did = int(search(tree, walk, problem, chunk, rng, settings))
        done += did
        if stop is not None and stop.is_set():
            raise Stopped
        elapsed = time.perf_counter() - start
        spent = done / budget.simulations if budget.simulations is not None else elapsed / seconds
        stops = False
        is_due = done > 0 and due <= elapsed and spent < 1.0 and not all_invalid(problem.validity)
        if report is not None and so_far is not None and is_due:
            stops, due = report(so_far(tree, done)), elapsed + PROGRESS_SECONDS
        if stops or (done > 0 and spent >= 1.0):
            keep_tree(tree)
            return tree, done
        if did == 0 and more_room is not None:
            # Doubling a large tree would overrun a time budget: make room at once for the predicted rest.
            tree = more_room(tree, walk, _growth(held, done, max(spent, 1e-9)))
        if done > 0:
            left = INTERRUPT_SECONDS if by_count else min(CHUNK_SECONDS, seconds - elapsed)
            chunk = max(1, int(done / elapsed * left))


def _growth(held: int, done: int, spent: float) -> float:
    """The factor by which to grow a tree with `held` simulations from before and `done` of this search's budget.

    `spent` is the share of the budget that these have taken, above 0.
    """
    predicted = (held + done / spent) / (held + done) if held + done > 0 else 1.0 / spent
    return min(max(1.25 * predicted, 2.0), LARGEST_GROWTH)


def plan_with_tree(
    kernel: Any,
    settings: Any,
    model: Model,
    state: Array,
    budget: Budget,
    rng: Rng,
    root_actions: Array | None,
    *,
    by_state: bool = True,
    columns: int = WITHOUT_VARIANCE,
    first_play: float = UNTRIED,
    candidates: int = 0,
    lookahead: int | None = None,
    choose: Callable[[NDArray[np.int64], Array], int] | None = None,
) -> Decision:
    """Plan with a kernel over a SearchTree.

    Args:
        kernel: a `search_kernel` of SearchTree and TreeWalk.
        settings: the planner's parameters as the kernel takes them.
        model: see `planners.Planner.plan`, as for the rest.
        state: [state_dim], checked by `check_plan`.
        budget: simulations or seconds.
        rng: the source of every random draw.
        root_actions: [A, action_dim] or None.
        by_state: whether outcomes are found by their states.
        columns: see `new_tree`.
        first_play: see `new_tree`.
        candidates: see `new_walk`.
        lookahead: see `problem_of`.
        choose: see `decide`.
    """
    start = time.perf_counter()
    problem = problem_of(model, state, lookahead)
    tree = new_tree(model, problem, first_nodes(budget), root_actions, by_state, columns, first_play)
    walk = new_walk(model, problem.steps, candidates, budget)

    def decided(tree: SearchTree, simulations: int) -> Decision:
        return decide(*root_of(tree), simulations, start, choose, problem=problem, given=root_actions is not None)

    return decided(*extend(kernel, model, tree, walk, problem, settings, grow, budget, rng, start, so_far=decided))


def first_nodes(budget: Budget) -> int:
    """Nodes to have room for at first."""
    return min(budget.simulations or FIRST_NODES, MOST_NODES_AT_FIRST)


def root_of(tree: SearchTree) -> tuple[Array, NDArray[np.int64], Array]:
    """The root's actions, [A, action_dim], their visits, [A], and rows of value, [A, columns], in order of trial."""
    _, count, first, *_ = tree.nodes[0].item()
    root = slice(first, first + count)
    return tree.action[root].copy(), tree.edges["visits"][root].copy(), tree.value[root]


def decide(
    actions: Array,
    visits: NDArray[np.int64],
    value: Array,
    simulations: int,
    start: float,
    choose: Callable[[NDArray[np.int64], Array], int] | None = None,
    *,
    problem: Problem,
    given: bool = False,
) -> Decision:
    """The decision by the statistics of the root.

    Args:
        actions: [A, action_dim].
        visits: [A].
        value: rows that begin with the mean return, [A, 2 or more].
        simulations: number of simulations run.
        start: clock at the beginning of the search.
        choose: (visits, value) gives the index of the action to play, one that has visits; `final_choice` if None.
        problem: that was searched.
        given: whether no other actions may be played.

    Raises:
        InvalidRollouts: no rollout was valid.
        ValueError: the action or its value is not finite.
    """
    invalid = invalid_in(problem.validity)
    if all_invalid(problem.validity):
        trial = None if given else valid_trial(problem)
        if trial is None:
            require_valid(problem)
        else:  # such as one of the many actions that widening has not added
            action, gain = trial
            seconds, row, one = time.perf_counter() - start, np.array([gain]), np.ones(1, np.int64)
            return Decision(action, gain, simulations, seconds, action[None], one, row, invalid)
    values = value[:, MEAN].copy()
    if 0 in visits.tolist():
        values[visits == 0] = np.nan
    best = final_choice(visits, values) if choose is None else choose(visits, value)
    if invalid > 0:
        best = first_playable(problem, actions, visits, values, best)
    if not math.isfinite(values[best] + sum(actions[best].tolist())):
        found = f"action={actions[best]}, value={values[best]}"
        raise ValueError(f"{found}: must be finite in state={problem.state}; bonspiel.envs.check_model tests models")
    seconds = time.perf_counter() - start
    return Decision(actions[best], float(values[best]), simulations, seconds, actions, visits, values, invalid)
