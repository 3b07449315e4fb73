"""The decisions of an episode by the abstraction tree over one set of actions."""

import time
from typing import Any

import numpy as np

from bonspiel.planners.abstraction.fixed.search import FixedSettings, search
from bonspiel.planners.abstraction.fixed.trie import FixedTrie, FixedWalk, aged, grow, new_trie, new_walk
from bonspiel.planners.checks import check_actions, offers, require
from bonspiel.planners.core.actions import fixed_set, nearest
from bonspiel.planners.core.jit import Problem
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.model import Array, HasCells, Model, Rng
from bonspiel.planners.planner import Budget, Decision, check_plan

FIRST_NODES = 4_096


def task_of(
    planner: Any,
    model: Model,
    state: Array,
    root_actions: Array | None,
    budget: Budget,
    rng: Rng,
    earlier: Array | None = None,
) -> tuple[Problem, FixedSettings, Array]:
    """The problem, the settings and the root's actions, [B, action_dim], of a decision in a state that was checked.

    The set of actions is that of `earlier` decisions, [A, action_dim], if there were any.
    """
    require(root_actions is None or planner.root != "trie", "root_actions", root_actions, "None with root='trie'")
    problem = planner.problem(model, state, cells=True, budget=budget)
    actions = fixed_set(model, state, planner.n_actions, rng) if earlier is None else earlier
    if root_actions is None:
        at_root, like_root = actions, np.arange(len(actions))
    else:
        at_root = check_actions(model, root_actions)
        like_root = nearest(model, actions, at_root, rng)
    return problem, planner.settings(actions, like_root), at_root


def empty_trie(problem: Problem, settings: FixedSettings, at_root: Array, budget: Budget) -> FixedTrie:
    """A trie to start with."""
    nodes = min(budget.simulations or FIRST_NODES, FIRST_NODES)
    max_depth = len(settings.weights) - 1
    return new_trie(problem.steps, len(settings.actions), at_root, nodes, max_depth, squares=settings.spread > 0.0)


def walk_for(problem: Problem, settings: FixedSettings) -> FixedWalk:
    """Room for a simulation."""
    return new_walk(len(problem.state), problem.steps, len(settings.actions), len(settings.weights) - 1)


class FixedEpisode:
    """Decisions each of which may start from the cells of the one before: they hold for all states.

    Args:
        planner: an AbstractionTree.
        model: one without `actions`.
    """

    def __init__(self, planner: Any, model: Model) -> None:
        self.planner, self.model = planner, model
        self.last: FixedTrie | None = None
        self._actions: Array | None = None
        self._cell_params = np.empty(0)
        self._held = 0  # simulations that its trie has statistics of

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.EpisodeSearch.plan`."""
        start = time.perf_counter()
        planner, model = self.planner, self.model
        state = check_plan(planner, model, state, budget, rng)
        problem, settings, at_root = task_of(planner, model, state, root_actions, budget, rng, self._actions)
        self._actions = settings.actions
        # bounds that are known better make other cells
        same_cells = offers(model, HasCells) or np.array_equal(self._cell_params, problem.cell_params, equal_nan=True)
        self._cell_params = problem.cell_params.copy()
        if self.last is None or planner.memory == 0.0 or not same_cells:
            self._held = 0
            trie = empty_trie(problem, settings, at_root, budget)
        else:
            trie = aged(self.last, planner.memory, at_root)
        walk = walk_for(problem, settings)
        trie, done = extend(
            search,
            trie,
            walk,
            problem,
            model=model,
            settings=settings,
            budget=budget,
            rng=rng,
            grow=grow,
            start=start,
            earlier=self._held,
        )
        self.last, self._held = trie, self._held + done
        return decide(trie.bandit.actions, trie.bandit.visits, trie.bandit.value, done, start, rng, problem=problem)
