"""Continuous rapid action value estimates on double progressive widening (Couetoux et al. 2011).

From Continuous Rapid Action Value Estimates: a simulation through a node s tells about an action a of s as far as
actions like a were played in it, from s on. The RAVE value of (s, a) is the mean of the returns from s, weighted by
exp(-ln m (|a - a'|^2 / sigma_a^2 + |s - s'|^2 / sigma_s^2)) for every action a' that was played, in s', at s or later;
m simulations went through s. Selection mixes it with the mean of the edge,
beta RAVE + (1 - beta) mean with beta = sqrt(k / (3 n + k)) (Gelly and Silver 2007), and adds the bonus of UCB1.

Unlike in the paper, m is rounded down to a power of two, so that the sums of a node are renewed rarely and extended in
between; distances of actions are in widths of the box; the opponent's actions do not count in games of two players.
"""

import math
import time
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.checks import missing, offers, require_at_least, require_choice, require_positive
from bonspiel.planners.core.actions import inverse_widths
from bonspiel.planners.core.jit import Problem, helper, rollout, sample_action
from bonspiel.planners.core.problem import problem_of, search_kernel
from bonspiel.planners.core.search import decide, extend, first_nodes, root_of
from bonspiel.planners.core.tree.backup import back_up
from bonspiel.planners.core.tree.descent import follow_outcome
from bonspiel.planners.core.tree.nodes import (
    COLUMNS,
    ENDED,
    EXAMPLE_TREE,
    INV_SQRT,
    MEAN,
    NODES,
    SearchTree,
    add_edge,
    copy,
    has_room,
    longer,
    new_tree,
)
from bonspiel.planners.core.tree.nodes import grow as grow_tree
from bonspiel.planners.core.tree.selection import sqrt_2_log
from bonspiel.planners.core.tree.widening import due
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, new_walk
from bonspiel.planners.model import HasDistanceWeights, HasRollout
from bonspiel.planners.planner import check_plan
from bonspiel.planners.spaces import EXPLORATION, LEAF, WIDENING, Parameters, Range

WEIGHT, RAVE = COLUMNS, COLUMNS + 1  # columns of SearchTree.value: sum of the kernels, and of kernels times returns
LOG_2 = math.log(2.0)

PLAYED = np.dtype(
    [
        ("node", "i8"),  # where it was played
        ("gain", "f8"),  # return from there for its player
        ("before", "i8"),  # 1 + the step of the last simulation that passed the same node; 0: none
        ("end", "i8"),  # 1 + the last step of the simulation
    ]
)


class RaveTree(NamedTuple):
    """A tree, and all steps of all simulations.

    Attributes:
        tree: the nodes and edges.
        steps: PLAYED [k].
        action: that of each step, [k, action_dim].
        latest: for each node 1 + the latest step from there, int64 [n]; 0: none.
        used: number of steps, int64 [1].
    """

    tree: SearchTree
    steps: NDArray[np.void]
    action: Array
    latest: NDArray[np.int64]
    used: NDArray[np.int64]


def grow(known: RaveTree, walk: TreeWalk, factor: float) -> RaveTree:
    """The same with room for `factor` times what it holds."""
    tree, used, nodes = grow_tree(known.tree, walk, factor), int(known.used[0]), int(known.tree.size[NODES])
    room = int(used * factor) + len(walk.path)
    latest = np.zeros(len(tree.nodes), np.int64)
    latest[:nodes] = known.latest[:nodes]
    return RaveTree(tree, longer(known.steps, used, room), longer(known.action, used, room), latest, known.used)


class CRAVESettings(NamedTuple):
    """The parameters of `CRAVE` as its kernel takes them; a coordinate's scale is its weight over the bandwidth."""

    exploration: float
    k_action: float
    alpha_action: float
    k_state: float
    alpha_state: float
    equivalence: float
    action_scale: Array
    state_scale: Array
    use_rollout: bool


@helper
def _squared(a: Array, b: Array, scale: Array) -> float:
    """Squared distance of two vectors, whose coordinates are scaled; an infinite scale asks for equality."""
    total = 0.0
    for i in range(len(a)):
        if a[i] != b[i]:
            total += ((a[i] - b[i]) * scale[i]) ** 2
    return total


@helper
def _learn(known: RaveTree, node: int, edge: int, step: int, settings: CRAVESettings) -> None:
    """Extend the sums of an edge by the simulation that passed its node in this step."""
    tree = known.tree
    precision = math.floor(math.log2(tree.nodes[node]["visits"])) * LOG_2  # ln m
    weight = 0.0
    for later in range(step, known.steps[step]["end"]):
        place = known.steps[later]["node"]
        if tree.nodes[place]["player"] == tree.nodes[node]["player"]:
            off = _squared(tree.action[edge], known.action[later], settings.action_scale)
            off += _squared(tree.state[node], tree.state[place], settings.state_scale)
            weight += math.exp(-precision * off) if precision > 0.0 else 1.0
    tree.value[edge, WEIGHT] += weight
    tree.value[edge, RAVE] += weight * known.steps[step]["gain"]


@helper
def _renew(known: RaveTree, node: int, edge: int, settings: CRAVESettings) -> None:
    """Sum up for an edge all simulations that passed its node."""
    known.tree.value[edge, WEIGHT] = 0.0
    known.tree.value[edge, RAVE] = 0.0
    step = known.latest[node] - 1
    while step >= 0:
        _learn(known, node, edge, step, settings)
        step = known.steps[step]["before"] - 1


@helper
def _remember(known: RaveTree, walk: TreeWalk, depth: int, leaf_value: float, discount: float) -> None:
    """Keep the steps of the simulation."""
    first, total = known.used[0], leaf_value
    for i in range(depth - 1, -1, -1):
        node, step = walk.path[i]["node"], first + i
        total = walk.path[i]["reward"] + discount * total
        known.steps[step]["node"] = node
        known.steps[step]["gain"] = known.tree.nodes[node]["player"] * total
        known.steps[step]["before"] = known.latest[node]
        known.steps[step]["end"] = first + depth
        copy(known.tree.action[walk.path[i]["edge"]], known.action[step])
        known.latest[node] = step + 1
    known.used[0] = first + depth


@helper
def _update_rave(known: RaveTree, node: int, settings: CRAVESettings) -> None:
    """Take the latest simulation into all edges of a node; all sums anew when ln m has grown."""
    visits, first = known.tree.nodes[node]["visits"], known.tree.nodes[node]["first_edge"]
    for edge in range(first, first + known.tree.nodes[node]["actions"]):
        if visits & (visits - 1) == 0:
            _renew(known, node, edge, settings)
        else:
            _learn(known, node, edge, known.latest[node] - 1, settings)


@helper
def _best_edge(tree: SearchTree, node: int, settings: CRAVESettings) -> int:
    """Argmax of beta RAVE + (1 - beta) mean + C sqrt(2 ln N / n); untried first."""
    width = settings.exploration * sqrt_2_log(tree.nodes[node]["visits"])
    first = tree.nodes[node]["first_edge"]
    best, best_score = first, -math.inf
    for edge in range(first, first + tree.nodes[node]["actions"]):
        visits, mean = tree.edges[edge]["visits"], tree.value[edge, MEAN]
        if visits == 0:
            return edge
        if tree.value[edge, WEIGHT] > 0.0:
            beta = math.sqrt(settings.equivalence / (3.0 * visits + settings.equivalence))
            mean += beta * (tree.value[edge, RAVE] / tree.value[edge, WEIGHT] - mean)
        score = mean + width * tree.value[edge, INV_SQRT]
        if score > best_score:
            best, best_score = edge, score
    return best


_NUMBERS = np.zeros(1, np.int64)
_EXAMPLE = RaveTree(EXAMPLE_TREE, np.empty(1, PLAYED), np.empty((1, 1)), _NUMBERS, _NUMBERS)
_SETTINGS = CRAVESettings(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, np.empty(1), np.empty(1), False)


@search_kernel(_EXAMPLE, TREE_WALK, _SETTINGS)
def _search(
    known: RaveTree, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: CRAVESettings
) -> int:
    tree, next_state, scratch = known.tree, walk.state[0], walk.state[1]
    for simulation in range(simulations):
        if not has_room(tree, problem.steps) or known.used[0] + problem.steps > len(known.steps):
            return simulation
        node, depth, leaf_value = 0, 0, 0.0
        while True:
            if tree.nodes[node]["visits"] >= tree.nodes[node]["due"]:
                edge = add_edge(tree, node)
                sample_action(problem, tree.state[node], tree.action[edge], rng)
                tree.nodes[node]["due"] = due(tree.nodes[node]["actions"], settings.k_action, settings.alpha_action)
                _renew(known, node, edge, settings)
            else:
                edge = _best_edge(tree, node, settings)
            node = follow_outcome(
                tree, walk, problem, depth, node, edge, rng, settings.k_state, settings.alpha_state, False
            )
            depth += 1
            if depth == problem.steps or tree.nodes[node]["actions"] == ENDED:
                break
            if settings.use_rollout and tree.nodes[node]["visits"] == 0:
                copy(tree.state[node], next_state)
                leaf_value = rollout(problem, next_state, scratch, problem.steps - depth, rng)
                break
        tree.nodes[node]["visits"] += 1
        back_up(tree, walk, depth, leaf_value, problem.discount)
        _remember(known, walk, depth, leaf_value, problem.discount)
        for i in range(depth):
            _update_rave(known, walk.path[i]["node"], settings)
    return simulations


@dataclass(frozen=True)
class CRAVE:
    """DPW whose actions also learn from like actions that were played later.

    Args:
        exploration: C of UCB1, at least 0.
        alpha_action: exponent of action widening, in (0, 1].
        k_action: factor of action widening, above 0.
        alpha_state: exponent of state widening, in (0, 1].
        k_state: factor of state widening, above 0.
        equivalence: k, visits at which the mean of an edge counts as much as its RAVE value, at least 0.
        bandwidth: sigma_a of the kernel between actions, in widths of the box, above 0.
        state_bandwidth: sigma_s of the kernel between states, in the units of the model's `distance_weights`, above 0;
            none: actions inform whatever the states are.
        leaf: value of a new leaf by acting on in the "tree", or by the model's "rollout".
    """

    exploration: float = 1.0
    alpha_action: float = 0.3
    k_action: float = 1.0
    alpha_state: float = 0.25
    k_state: float = 1.0
    equivalence: float = 5.0
    bandwidth: float = 0.3
    state_bandwidth: float | None = None
    leaf: Literal["tree", "rollout"] = "tree"

    tuning: ClassVar[Parameters] = {
        **EXPLORATION,
        **WIDENING,
        **LEAF,
        "equivalence": Range(1.0, 300.0, log=True),
        "bandwidth": Range(0.03, 1.0, log=True),
    }

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_positive("alpha_action", self.alpha_action, 1.0)
        require_positive("k_action", self.k_action)
        require_positive("alpha_state", self.alpha_state, 1.0)
        require_positive("k_state", self.k_state)
        require_at_least("equivalence", self.equivalence, 0.0)
        require_positive("bandwidth", self.bandwidth)
        if self.state_bandwidth is not None:
            require_positive("state_bandwidth", self.state_bandwidth)
        require_choice("leaf", self.leaf, ("tree", "rollout"))

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasRollout) if self.leaf == "rollout" else None

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng, root_actions)
        problem, nodes = problem_of(model, state), first_nodes(budget)
        tree = new_tree(model, problem, nodes, root_actions, False, RAVE + 1)
        room = len(tree.nodes)
        known = RaveTree(
            tree,
            np.empty(room, PLAYED),
            np.empty((room, len(model.action_low))),
            np.zeros(room, np.int64),
            np.zeros(1, np.int64),
        )
        settings = CRAVESettings(
            self.exploration,
            self.k_action,
            self.alpha_action,
            self.k_state,
            self.alpha_state,
            self.equivalence,
            inverse_widths(model) / self.bandwidth,
            self._state_scale(model),
            self.leaf == "rollout",
        )
        walk = new_walk(model, problem.steps)
        known, done = extend(_search, model, known, walk, problem, settings, grow, budget, rng, start)
        return decide(*root_of(known.tree), done, start)

    def _state_scale(self, model: Model) -> Array:
        if self.state_bandwidth is None:
            return np.zeros(model.state_dim)
        weights = model.distance_weights if offers(model, HasDistanceWeights) else np.ones(model.state_dim)
        scale: Array = np.sqrt(weights) / self.state_bandwidth
        return scale
