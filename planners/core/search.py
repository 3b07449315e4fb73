"""The driver of every search: extends a tree until the budget is spent, and reads the decision off its root."""

import copy
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import require
from bonspiel.planners.core.jit import Problem, runner, seconds_loading
from bonspiel.planners.core.problem import Stopped as Stopped
from bonspiel.planners.core.problem import problem_of
from bonspiel.planners.core.returns import all_invalid, require_valid
from bonspiel.planners.core.tree.nodes import MEAN, UNTRIED, WITHOUT_VARIANCE, SearchTree, grow, new_tree
from bonspiel.planners.core.tree.selection import final_choice
from bonspiel.planners.core.tree.subtree import TreeMemory
from bonspiel.planners.core.tree.variation import variation
from bonspiel.planners.core.walk import TreeWalk, new_walk
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision

LARGEST_KEPT = (32 << 20) - (64 << 10)  # bytes of an array, with its header below glibc's DEFAULT_MMAP_THRESHOLD_MAX


def keep_freed_memory() -> None:
    """Let glibc keep the memory of freed arrays of up to 32 MB, instead of giving it back to the system.

    An array above its threshold is given back when it is freed, and the next one pays for every page anew: a third of a
    decision of UCT in Treasure Hunt. The threshold is 128 kB at first and rises to the size of each such array that is
    freed (mallopt(3), M_MMAP_THRESHOLD), so that decisions were slow or fast by what their process had done before. One
    array of the largest size that counts, never written, settles it. Other C libraries take no notice.
    """
    np.empty(LARGEST_KEPT, np.uint8)


Tree = TypeVar("Tree")
Walk = TypeVar("Walk")

FIRST_CHUNK = 1_024  # simulations
INTERRUPT_SECONDS = 0.1  # between two chances for Ctrl-C to be heard
CHUNK_SECONDS = 0.0005  # between two looks at the clock, under a time budget
LEAST_SECONDS = 1e-9  # that passed, where a coarse clock has not moved
MOST_GROWTH = 16  # times the simulations done before the next look at the clock, which may not have moved
MOST_CHUNK = 1 << 30  # simulations
MOST_IN_VAIN = 100  # calls in a row that make no simulation, though the tree grows; threads may take each other's room
PROGRESS_SECONDS = 0.005  # between two reports of the best action so far
CLOSING_SECONDS = 0.00005  # of a time budget, for reading the decision off the tree and giving its memory back
LARGEST_GROWTH = 4_096.0
COPIED, SMALL_COPY = 1e9, 0.05  # bytes a second of a large tree that grows; s of one that is copied much faster
FIRST_NODES = 4_096
MOST_NODES_AT_FIRST = 1 << 24  # 2 GB of address space; memory is used as nodes are, and growing would copy it

keep_freed_memory()

_kept: ContextVar[list[Any] | None] = ContextVar("kept", default=None)
_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)

Choose = Callable[[NDArray[np.int64], Array, Rng], int]
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
    tree: Tree,
    walk: Walk,
    problem: Problem,
    *,
    model: Model,
    settings: Any,
    budget: Budget,
    rng: Rng,
    grow: Callable[[Tree, Walk, float], Tree] | None = None,
    start: float | None = None,
    earlier: int = 0,
    keeps: bool = True,
    decide: Callable[[Tree, int, Rng], Decision] | None = None,
) -> tuple[Tree, int]:
    """Run simulations until the budget is spent.

    A budget of seconds is exceeded by one simulation at most, as far as the time of compiled ones can be foretold.

    Args:
        kernel: a `search_kernel`.
        tree: the tree to extend, in place while there is room.
        walk: the simulation under way.
        problem: see `problem_of`.
        model: the model of the problem.
        settings: the planner's parameters as the kernel takes them.
        budget: simulations or seconds.
        rng: the source of every random draw.
        grow: (tree, walk, factor) returns the same tree with room for `factor` times its contents; None for a tree that
            is never full, or if the search ends when it is.
        start: clock when the budget of seconds began; now if None. The time to make the tree belongs to the budget.
        earlier: simulations of earlier calls that the tree holds.
        keeps: whether `kept_trees` has the tree; not if the same decision goes on.
        decide: (tree, simulations, rng) returns the decision after these simulations, for reports of progress; None if
            there is no decision before the end.

    Returns:
        The tree and the number of simulations run.

    Raises:
        Stopped: see `stopped_by`.
        ValueError: what the kernel returned is not the number of simulations that it made.
    """
    start = time.perf_counter() if start is None else start
    search = runner(kernel, model, tree, walk, problem, 1, rng, settings)
    start += seconds_loading(start)  # the first decision of a process is late, but as good as any
    by_count, stop, report, due = budget.simulations is not None, _stop.get(), _report.get(), 0.0
    seconds = max((budget.seconds or 0.0) - CLOSING_SECONDS, 1e-9)
    grown, vain, done, chunk = earlier > 0, 0, 0, FIRST_CHUNK if by_count and stop is None else 1
    rollouts = None if by_count else _rollouts_left(walk)
    if rollouts is not None:
        rollouts[0] = 1
    while True:
        if budget.simulations is not None:
            chunk = min(chunk, budget.simulations - done)
        did = int(search(tree, walk, problem, chunk, rng, settings))
        done += did
        vain = vain + 1 if did == 0 else 0
        made = "the number of simulations that it made, within the budget, and not 0 again and again as the tree grows"
        is_count = did >= 0 and done <= (budget.simulations or math.inf) and vain <= MOST_IN_VAIN
        require(is_count, "what the kernel returned", did, made)
        if stop is not None and stop.is_set():
            raise Stopped
        elapsed = max(time.perf_counter() - start, LEAST_SECONDS)
        spent = done / budget.simulations if budget.simulations is not None else elapsed / seconds
        stops = False
        if report is not None and decide is not None and done > 0 and due <= elapsed and spent < 1.0:
            if not all_invalid(problem.validity):
                now = decide(tree, done, copy.deepcopy(rng))  # drawn as it would be at the end, without a trace
                stops, due = report(now), elapsed + PROGRESS_SECONDS
        if did == 0 and grown and done > 0 and not by_count:
            stops = stops or _bytes(tree) / COPIED > max(seconds - elapsed, SMALL_COPY)  # no time for another copy
        if stops or (done > 0 and spent >= 1.0) or (did < chunk and grow is None):
            if keeps:
                keep_tree(tree)
            return tree, done
        if did == 0 and grow is not None:
            # Doubling a large tree would overrun a time budget: make room at once for the predicted rest.
            grown = True
            tree = grow(tree, walk, _growth(earlier, done, max(spent, 1e-9)))
        if done > 0 and by_count:
            chunk = max(1, int(min(done / elapsed * INTERRUPT_SECONDS, MOST_GROWTH * done)))
        elif done > 0:
            left = done / elapsed * (seconds - elapsed)
            # half of what is left, as later simulations may take longer; interpreted ones take longer than the clock
            most = min(done / elapsed * CHUNK_SECONDS, 0.5 * left, MOST_GROWTH * done)
            chunk = min(max(1, int(most)), MOST_CHUNK) if model.compiled else 1
            if rollouts is not None:
                rollouts[0] = max(chunk, int(left))


def _rollouts_left(walk: Any) -> NDArray[np.int64] | None:
    """The number of rollouts that a new leaf may take at most, in a TreeWalk or in one of several threads."""
    walk = getattr(walk, "walk", walk)
    return walk.left if isinstance(walk, TreeWalk) else None


def _bytes(tree: Any) -> int:
    """The size of all arrays in a tree."""
    if isinstance(tree, tuple):
        return sum(map(_bytes, tree))
    return int(getattr(tree, "nbytes", 0))


def _growth(earlier: int, done: int, spent: float) -> float:
    """The factor by which to grow a tree with `earlier` simulations and `done` of this search's budget.

    `spent` is the share of the budget that these have taken, above 0.
    """
    predicted = (earlier + done / spent) / (earlier + done) if earlier + done > 0 else 1.0 / spent
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
    choose: Choose | None = None,
    memory: TreeMemory | None = None,
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
        memory: what the search begins with and leaves its tree to, unless there are `root_actions`; None for neither.
    """
    start = time.perf_counter()
    problem, nodes, kept = problem_of(model, state, lookahead), first_nodes(budget), None
    if memory is not None and root_actions is None:
        kept = memory.recall(problem, nodes, budget)
    if kept is None:
        tree = new_tree(model, problem, nodes, root_actions, by_state, columns, first_play)
    else:
        tree, _ = kept
    walk = new_walk(model, problem.steps, candidates, budget)

    def decided(tree: SearchTree, simulations: int, rng: Rng) -> Decision:
        return decide(
            *root_of(tree),
            simulations,
            start,
            rng,
            choose,
            problem=problem,
            plan=partial(variation, model, tree, problem.steps),
        )

    tree, done = extend(
        kernel,
        tree,
        walk,
        problem,
        model=model,
        settings=settings,
        budget=budget,
        rng=rng,
        grow=grow,
        start=start,
        earlier=0 if kept is None else int(tree.nodes[0]["visits"]),
        decide=decided,
    )
    decision = decided(tree, done, rng)
    if memory is not None and root_actions is None:
        memory.keep(tree, decision.action, problem.validity)
    elif memory is not None:
        memory.forget()
    return decision


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
    rng: Rng,
    choose: Choose | None = None,
    *,
    problem: Problem,
    plan: Callable[[int], Array] | None = None,
) -> Decision:
    """The decision by the statistics of the root.

    Args:
        actions: [A, action_dim].
        visits: [A].
        value: rows that begin with the mean return, [A, 2 or more].
        simulations: number of simulations run.
        start: clock at the beginning of the search.
        rng: draws between equal actions.
        choose: (visits, value, rng) gives the index of the action to play, one that has visits; `final_choice` if None.
        problem: that was searched.
        plan: gives the actions to play from that of an index on, [steps, action_dim]; that one alone if None.

    Raises:
        InvalidRollouts: no rollout was valid.
        ValueError: the action or its value is not finite.
    """
    invalid = require_valid(problem)
    values = value[:, MEAN].copy()
    if 0 in visits.tolist():
        values[visits == 0] = np.nan
    best = final_choice(visits, values, rng) if choose is None else choose(visits, value, rng)
    if not math.isfinite(values[best] + sum(actions[best].tolist())):
        found = f"action={actions[best]}, value={values[best]}"
        raise ValueError(f"{found}: must be finite in state={problem.state}; bonspiel.envs.check_model tests models")
    seconds = time.perf_counter() - start
    planned = actions[best : best + 1] if plan is None else plan(best)
    return Decision(actions[best], float(values[best]), simulations, seconds, actions, visits, values, invalid, planned)
