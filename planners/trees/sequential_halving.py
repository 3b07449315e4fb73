"""Sequential halving at the root, UCT below it (Karnin, Koren, Somekh 2013; Pepels et al. 2014).

From Almost Optimal Exploration in Multi-Armed Bandits and Minimizing Simple and Cumulative Regret in Monte-Carlo Tree
Search (H-MCTS, here with halving in the root alone). The root's n actions are halved in ceil(log2 n) rounds with equal
parts of the budget; each round tries all that are left equally often and drops the worse half by their mean returns.

Unlike Karnin's, the means are over all rounds, as in trees they are (Cazenave 2015), nothing of the budget is lost to
rounding, and each action is tried once before any is dropped, if the budget allows it. A budget of seconds is divided
into equal seconds; a round ends at its time, also in the middle of a turn.
"""

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import MOST_ACTIONS, missing, missing_action_bounds, offers, require_count
from bonspiel.planners.core.actions import action_set, fixed_set, has_fixed_set, own_actions
from bonspiel.planners.core.jit import Problem, helper, model_helper
from bonspiel.planners.core.problem import PlanLength, search_kernel
from bonspiel.planners.core.search import LARGEST_GROWTH, decide, extend, first_nodes, root_of
from bonspiel.planners.core.tree.descent import choose_of_set, follow
from bonspiel.planners.core.tree.leaf import check_leaf, playouts_of
from bonspiel.planners.core.tree.nodes import MEAN, SEARCH_TREE, SearchTree, grow, new_tree
from bonspiel.planners.core.tree.selection import Bonus, Selection, check_selection, columns_of, selection_of
from bonspiel.planners.core.tree.simulation import simulate
from bonspiel.planners.core.tree.variation import variation
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, new_walk
from bonspiel.planners.kinds import KINDS
from bonspiel.planners.model import HasActions, HasRollout
from bonspiel.planners.planner import Traits, check_plan
from bonspiel.planners.spaces import EXPLORATION, LEAF, LOOKAHEAD, N_ACTIONS, Choice, Parameters


class HalvingSettings(NamedTuple):
    """The parameters of `SequentialHalving`, and the ranks of the root's actions that are left, int64 [any]."""

    left: NDArray[np.int64]
    selection: Selection
    actions: Array
    playouts: int


@helper
def _least_tried(tree: SearchTree, left: NDArray[np.int64]) -> int:
    """The root's edge with the fewest visits of those that are left, the first of equals."""
    first = tree.nodes[0]["first_edge"]
    best = first + left[0]
    for rank in left:
        if tree.edges[first + rank]["visits"] < tree.edges[best]["visits"]:
            best = first + rank
    return best


@model_helper
def _choose(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, settings: HalvingSettings) -> int:
    """The root's action of the fewest visits of those that are left; below the root that of UCT."""
    if node == 0:
        return _least_tried(tree, settings.left)
    return choose_of_set(tree, walk, problem, node, rng, settings)


@search_kernel(SEARCH_TREE, TREE_WALK, HalvingSettings(np.zeros(1, np.int64), selection_of(1.0), np.ones((1, 1)), 1))
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: HalvingSettings
) -> int:
    return simulate(tree, walk, problem, simulations, rng, settings, _choose, follow)


def _better_half(tree: SearchTree, left: NDArray[np.int64]) -> NDArray[np.int64]:
    """The half of these actions with the higher means, at least one, the best first; untried ones come last."""
    _, visits, value = root_of(tree)
    ranks = sorted(left.tolist(), key=lambda rank: (visits[rank] > 0, value[rank, MEAN]), reverse=True)
    return np.array(ranks[: (len(ranks) + 1) // 2])


def _grow(rounds: int, tree: SearchTree, walk: TreeWalk, factor: float) -> SearchTree:
    """Room for all the rounds to come, where `extend` foretells one: another copy would be larger and make it late."""
    return grow(tree, walk, min(rounds * factor, LARGEST_GROWTH))


@dataclass(frozen=True)
class SequentialHalving(PlanLength):
    """Halves the root's actions round by round, and searches below them by UCT.

    Args:
        exploration: C below the root, at least 0: the range of returns that the bonus of a few visits is for.
        n_root_actions: size of the set at the root, made like that of `uct`; a model with `actions` has one of its own.
        n_actions: size of the set below, made in the same way.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
    """

    traits: ClassVar[Traits] = Traits(divides_budget=True, action_kinds=KINDS)

    exploration: float = 1.0
    n_root_actions: int = 16
    n_actions: int = 8
    leaf: Literal["tree", "rollout"] = "tree"
    bonus: Bonus = "ucb1"

    tuning: ClassVar[Parameters] = {
        **LOOKAHEAD,
        **EXPLORATION,
        **N_ACTIONS,
        **LEAF,
        "n_root_actions": Choice((8, 16, 32, 64)),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_selection(self.exploration, self.bonus, None, False)
        require_count("n_root_actions", self.n_root_actions, 1, MOST_ACTIONS)
        require_count("n_actions", self.n_actions, 1, MOST_ACTIONS)
        check_leaf(self.leaf)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        reason = missing(model, HasRollout) if self.leaf == "rollout" else None
        return reason or (None if offers(model, HasActions) else missing_action_bounds(model))

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return offers(model, HasActions) or has_fixed_set(model, self.n_root_actions)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        problem = self.problem(model, state)
        if root_actions is None:
            own = own_actions(model, state) if offers(model, HasActions) else None
            root_actions = fixed_set(model, state, self.n_root_actions, rng) if own is None else own
        tree = new_tree(model, problem, first_nodes(budget), root_actions, True, columns_of(self.bonus))
        walk = new_walk(model, problem.steps)
        has_own = offers(model, HasActions)
        below = action_set(model, 0) if has_own else fixed_set(model, state, self.n_actions, rng)
        # those that a short round does not reach, and equals that are dropped, must not all be at one end of the set
        left = rng.permutation(len(root_actions))
        settings = HalvingSettings(left, selection_of(self.exploration, self.bonus), below, playouts_of(self.leaf))
        done, rounds = 0, max(1, math.ceil(math.log2(len(left))))
        for number in range(1, rounds + 1):
            part = _part(budget, done, time.perf_counter() - start, number / rounds, len(left))
            if part is not None:
                settings = settings._replace(left=left)
                tree, more = extend(
                    _search,
                    tree,
                    walk,
                    problem,
                    model=model,
                    settings=settings,
                    budget=part,
                    rng=rng,
                    grow=grow if budget.seconds is None else partial(_grow, rounds - number + 1),
                    earlier=done,
                )
                done += more
            left = _better_half(tree, left)
        return decide(
            *root_of(tree),
            done,
            start,
            rng,
            lambda *_: int(left[0]),
            problem=problem,
            plan=partial(variation, model, tree, problem.steps),
        )


def _part(budget: Budget, done: int, elapsed: float, share: float, left: int) -> Budget | None:
    """The budget of a round that ends when this share of the whole is spent; None if nothing is left.

    A round of simulations has as many as there are actions `left`, if that many remain.
    """
    if budget.simulations is not None:
        most = budget.simulations - done
        count = min(max(int(budget.simulations * share) - done, left), most)
        return Budget(simulations=count) if count > 0 else None
    seconds = (budget.seconds or 0.0) * share - elapsed
    if seconds <= 0.0 and done > 0:
        return None
    return Budget(seconds=max(seconds, 1e-9))
