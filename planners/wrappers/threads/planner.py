"""Tree parallelisation: several threads search in one tree (Chaslot, Winands, van den Herik 2008)."""

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Budget, Decision, Model, Planner, Rng, unsupported
from bonspiel.planners.checks import require, require_at_least, require_count
from bonspiel.planners.core.jit import Problem, merged_validity
from bonspiel.planners.core.search import decide, first_nodes, keep_tree
from bonspiel.planners.core.tree.selection import BONUSES, OF_VARIANCE
from bonspiel.planners.kinds import ONLY_REAL
from bonspiel.planners.planner import Traits, check_plan, has_same_actions, traits_of
from bonspiel.planners.registry import NESTED
from bonspiel.planners.trees.dpw import DPW
from bonspiel.planners.trees.pw import PW
from bonspiel.planners.trees.uct import UCT
from bonspiel.planners.wrappers.root.workers import run_all
from bonspiel.planners.wrappers.threads.choice import Virtual
from bonspiel.planners.wrappers.threads.meeting import Meeting
from bonspiel.planners.wrappers.threads.search import (
    SharedDPWSettings,
    SharedPWSettings,
    SharedUCTSettings,
    search_dpw,
    search_pw,
    search_uct,
)
from bonspiel.planners.wrappers.threads.shared_tree import (
    COUNT,
    SHIFT,
    TOTAL,
    SharedTree,
    edges_below,
    new_shared_tree,
    new_shared_walk,
)

SHARED: dict[Any, tuple[Any, Any]] = {
    UCT: (search_uct, SharedUCTSettings),
    PW: (search_pw, SharedPWSettings),
    DPW: (search_dpw, SharedDPWSettings),
}
MOST_VIRTUAL = 1_000_000
ONLY = {"first_play": None, "scale_exploration": False, "blind_values": 0}  # where there are several


@dataclass(frozen=True)
class TreeParallel:
    """Threads that search the same state in one tree, for models that are compiled.

    With two threads or more a decision depends on which of them comes first, and differs from run to run. They
    do not report the best action so far (`planners.core.search.progress_to`).

    Args:
        inner: `uct`, `pw` or `dpw`, with a bonus without variance, first plays at once, no blind values and no memory;
            in writing, `threads:inner=(dpw:exploration=0.5),threads=4`.
        threads: number of threads; one runs `inner` itself.
        virtual: visits as which each visit under way counts in the bonus, at least 0; 0 turns it off.
        virtual_loss: whether a visit under way also counts as one with the lowest return met so far.
    """

    inner: Planner = field(default=UCT(), metadata={NESTED: True})
    threads: int = 2
    virtual: float = 1.0
    virtual_loss: bool = False

    def __post_init__(self) -> None:
        require_count("threads", self.threads, 1, 1024)
        require_at_least("virtual", self.virtual, 0.0)
        require(self.virtual <= MOST_VIRTUAL, "virtual", self.virtual, f"at most {MOST_VIRTUAL:,}")
        require(isinstance(self.virtual_loss, bool), "virtual_loss", self.virtual_loss, "true or false")
        require(
            type(self.inner) in SHARED, "inner", self.inner, "uct, pw or dpw, which can share a tree; root fits all"
        )
        bonus = self.inner.bonus  # type: ignore[attr-defined]
        fit = " or ".join(one for one in BONUSES if one not in OF_VARIANCE)
        require(bonus not in OF_VARIANCE or self.threads == 1, "inner.bonus", bonus, f"{fit} with several threads")
        remembered = self.inner.memory  # type: ignore[attr-defined]
        require(remembered == 0.0, "inner.memory", remembered, "0: threads build a new tree for each decision")
        for name, value in ONLY.items():
            given = getattr(self.inner, name, value)
            require(given == value or self.threads == 1, f"inner.{name}", given, f"{value} with several threads")

    @property
    def traits(self) -> Traits:
        """The traits of the inner planner, with real actions only; several threads decide differently with one seed."""
        return replace(traits_of(self.inner), action_kinds=ONLY_REAL, reproducible=self.threads == 1)

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return has_same_actions(self.inner, model)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        if self.threads > 1 and not model.compiled:
            return "needs a compiled model for several threads; root with run=processes fits"
        return unsupported(self.inner, model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        threads = min(self.threads, budget.simulations or self.threads)
        if threads == 1:
            return self.inner.plan(model, state, budget, rng, *([] if root_actions is None else [root_actions]))
        inner: Any = self.inner
        virtual = Virtual(float(self.virtual), self.virtual_loss)
        tree, done, problem = search_together(inner, virtual, model, state, budget, rng, root_actions, threads, start)
        keep_tree(tree)
        return decide(*root_of(tree), done, start, rng, problem=problem)


def search_together(
    inner: Any,
    virtual: Virtual,
    model: Model,
    state: Array,
    budget: Budget,
    rng: Rng,
    root_actions: Array | None,
    threads: int,
    start: float,
) -> tuple[SharedTree, int, Problem]:
    """The tree that `threads` threads build, each with a generator of its own, the simulations run, and the problem."""
    kernel, settings = SHARED[type(inner)]
    problem = inner.problem(model, state)
    tree = new_shared_tree(model, problem, first_nodes(budget), root_actions, threads)
    meeting = Meeting(tree, threads, problem.steps)
    seeds = rng.integers(2**63, size=threads).tolist()
    problems = [problem._replace(validity=problem.validity.copy()) for _ in seeds]
    tasks = [
        (
            kernel,
            model,
            new_shared_walk(model, problem.steps, part),
            own,
            settings(inner.settings(model), virtual),
            part,
            np.random.default_rng(seed),
            start,
        )
        for own, part, seed in zip(problems, budget.split(threads), seeds, strict=True)
    ]
    done = sum(run_all("threads", meeting.search, tasks, together=True))
    return (
        meeting.tree,
        done,
        problem._replace(validity=merged_validity([own.validity for own in problems], problem.validity)),
    )


def root_of(tree: SharedTree) -> tuple[Array, NDArray[np.int64], Array]:
    """The root's actions, [A, action_dim], their visits, [A], and their means, [A, 1], in order of trial."""
    _, rows = edges_below(tree, np.zeros(1, np.int64))
    visits = tree.edges[rows, COUNT] >> SHIFT
    return tree.action[rows], visits, (tree.edge_values[rows, TOTAL] / np.maximum(visits, 1))[:, None]
