"""Open-loop UCT: UCB1 on a tree of action sequences, whose statistics average over the states that they lead to.

Perez, Dieskau, Huenermund, Mostaghim, Lucas, "Open loop search for general video game playing", GECCO 2015; Weinstein
and Littman, "Bandit-based planning and learning in continuous-action Markov decision processes", ICAPS 2012, plan over
sequences of continuous actions by another bandit, and Bubeck and Munos, "Open loop optimistic planning", COLT 2010,
bound the value of a sequence by those of its parts.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import missing, require_positive, two_players
from bonspiel.planners.core.jit import Problem, model_helper, sample_action, step
from bonspiel.planners.core.problem import PlanLength, search_kernel
from bonspiel.planners.core.search import plan_with_tree
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.leaf import check_leaf, playouts_of, value_leaf
from bonspiel.planners.core.tree.new_actions import add_sampled_action, make_distinct
from bonspiel.planners.core.tree.nodes import ENDED, SEARCH_TREE, SearchTree, add_node, has_room
from bonspiel.planners.core.tree.selection import Bonus, Selection, check_bonus, columns_of, select_edge, selection_of
from bonspiel.planners.core.tree.simulation import descend
from bonspiel.planners.core.tree.widening import is_due
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, record
from bonspiel.planners.kinds import KINDS, distinct_count, is_discrete
from bonspiel.planners.model import HasRollout
from bonspiel.planners.planner import Traits, check_plan
from bonspiel.planners.spaces import EXPLORATION, LEAF, LOOKAHEAD, WIDENING, Parameters


class OpenLoopSettings(NamedTuple):
    """The parameters of `OpenLoop` as its kernel takes them."""

    selection: Selection
    k_action: float
    alpha_action: float
    playouts: int
    distinct: int


@model_helper
def _draw(
    tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, edge: int, rng: Rng, settings: OpenLoopSettings
) -> None:
    sample_action(problem, walk.state[0], tree.action[edge], rng)


@model_helper
def _choose(tree: SearchTree, walk: TreeWalk, problem: Problem, node: int, rng: Rng, settings: OpenLoopSettings) -> int:
    if is_due(tree, node):
        edge = add_sampled_action(tree, problem, node, walk.state[0], rng, settings.k_action, settings.alpha_action)
        if settings.distinct == 0 or make_distinct(tree, walk, problem, node, edge, rng, settings, _draw):
            return edge
    return select_edge(tree, node, settings.selection, rng)


@model_helper
def _follow(
    tree: SearchTree,
    walk: TreeWalk,
    problem: Problem,
    depth: int,
    node: int,
    edge: int,
    rng: Rng,
    settings: OpenLoopSettings,
) -> tuple[int, float, int]:
    """Step from the simulation's own state to the child of the edge, whatever the state there is."""
    state, next_state = walk.state[0], walk.state[1]
    reward, terminated = step(problem, state, tree.action[edge], next_state, rng)
    record(walk, depth, node, edge, reward)
    copy(next_state, state)
    if terminated or depth + 1 == problem.steps:
        return ENDED, 0.0, 1
    child = tree.edges[edge]["first_outcome"]
    if child == 0:
        child = add_node(tree, state, reward, 1.0)
        tree.edges[edge]["first_outcome"] = child
        if settings.playouts > 0:
            value, weight = value_leaf(state, walk, problem, depth + 1, rng, settings.playouts)
            return ENDED, value, weight
    return child, 0.0, 1


@search_kernel(SEARCH_TREE, TREE_WALK, OpenLoopSettings(selection_of(1.0), 1.0, 1.0, 1, 0))
def _search(
    tree: SearchTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: OpenLoopSettings
) -> int:
    for simulation in range(simulations):
        if not has_room(tree, problem.steps):
            return simulation
        copy(problem.state, walk.state[0])
        depth, leaf_value, _ = descend(tree, walk, problem, rng, settings, _choose, _follow)
        back_up(tree, walk, depth, leaf_value, problem.discount, problem.validity)
    return simulations


@dataclass(frozen=True)
class OpenLoop(PlanLength):
    """UCT with progressive widening on sequences of actions; a node stands for all states that its sequence leads to.

    Noise of the model costs no nodes, and the value of a sequence includes it; but a plan cannot react to where the
    noise leads.

    Args:
        exploration: C, at least 0.
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
        bonus: "ucb1", or "ucb_v" or "ucb1_tuned", which look at the variance of the returns.
    """

    traits: ClassVar[Traits] = Traits(action_kinds=KINDS)

    exploration: float = 1.0
    alpha_action: float = 0.3
    k_action: float = 1.0
    leaf: Literal["tree", "rollout"] = "tree"
    bonus: Bonus = "ucb1"

    tuning: ClassVar[Parameters] = {**LOOKAHEAD, **EXPLORATION, **WIDENING, **LEAF}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bonus(self.exploration, self.bonus)
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        check_leaf(self.leaf)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        if is_discrete(model):
            return "plays an action in other states than that which listed it, where it may not be allowed"
        return two_players(model) or (missing(model, HasRollout) if self.leaf == "rollout" else None)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        state = check_plan(self, model, state, budget, rng)
        selection = selection_of(self.exploration, self.bonus)
        playouts, distinct = playouts_of(self.leaf), distinct_count(model)
        settings = OpenLoopSettings(selection, self.k_action, self.alpha_action, playouts, distinct)
        return plan_with_tree(
            _search,
            settings,
            model,
            state,
            budget,
            rng,
            root_actions,
            by_state=False,
            columns=columns_of(self.bonus),
            lookahead=self.lookahead,
        )
