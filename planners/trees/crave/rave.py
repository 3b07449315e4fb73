"""The steps of all simulations, and the RAVE values of edges by them; planner.py has the formula."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import gain_of, helper
from bonspiel.planners.core.tree.descent import Outcomes
from bonspiel.planners.core.tree.nodes import COLUMNS, NODES, SearchTree, longer
from bonspiel.planners.core.tree.nodes import grow as grow_tree
from bonspiel.planners.core.tree.selection import Selection
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Array

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


class CRAVETree(NamedTuple):
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


def new_rave_tree(tree: SearchTree) -> CRAVETree:
    """The tree without any steps, with room for as many steps as it has for nodes."""
    room, action_dim = len(tree.nodes), tree.action.shape[1]
    return CRAVETree(
        tree, np.empty(room, PLAYED), np.empty((room, action_dim)), np.zeros(room, np.int64), np.zeros(1, np.int64)
    )


def grow(known: CRAVETree, walk: TreeWalk, factor: float) -> CRAVETree:
    """The same with room for `factor` times what it holds."""
    tree, used, nodes = grow_tree(known.tree, walk, factor), int(known.used[0]), int(known.tree.size[NODES])
    room = int(used * factor) + len(walk.path)
    latest = np.zeros(len(tree.nodes), np.int64)
    latest[:nodes] = known.latest[:nodes]
    return CRAVETree(tree, longer(known.steps, used, room), longer(known.action, used, room), latest, known.used)


class CRAVESettings(NamedTuple):
    """The parameters of `CRAVE` as its kernel takes them; a coordinate's scale is its weight over the bandwidth."""

    selection: Selection
    k_action: float
    alpha_action: float
    outcomes: Outcomes
    equivalence: float
    action_scale: Array
    state_scale: Array
    playouts: int
    distinct: int


@helper
def _squared(a: Array, b: Array, scale: Array) -> float:
    """Squared distance of two vectors, whose coordinates are scaled; an infinite scale asks for equality."""
    total = 0.0
    for i in range(len(a)):
        if a[i] != b[i]:
            total += ((a[i] - b[i]) * scale[i]) ** 2
    return total


@helper
def _precision(tree: SearchTree, node: int) -> float:
    """Ln m of a node; 0 without a visit."""
    return math.floor(math.log2(max(tree.nodes[node]["visits"], 1))) * LOG_2


@helper
def _learn(known: CRAVETree, node: int, edge: int, step: int, precision: float, settings: CRAVESettings) -> None:
    """Extend the sums of an edge by the simulation that passed its node in this step; `precision` is the node's."""
    tree, weight = known.tree, 0.0
    for later in range(step, known.steps[step]["end"]):
        place = known.steps[later]["node"]
        if tree.nodes[place]["player"] == tree.nodes[node]["player"]:
            off = _squared(tree.action[edge], known.action[later], settings.action_scale)
            off += _squared(tree.state[node], tree.state[place], settings.state_scale)
            weight += math.exp(-precision * off) if precision > 0.0 else 1.0
    tree.value[edge, WEIGHT] += weight
    tree.value[edge, RAVE] += weight * known.steps[step]["gain"]


@helper
def renew(known: CRAVETree, node: int, edge: int, settings: CRAVESettings) -> None:
    """Sum up for an edge all simulations that passed its node."""
    known.tree.value[edge, WEIGHT] = 0.0
    known.tree.value[edge, RAVE] = 0.0
    precision, step = _precision(known.tree, node), known.latest[node] - 1
    while step >= 0:
        _learn(known, node, edge, step, precision, settings)
        step = known.steps[step]["before"] - 1


@helper
def remember(known: CRAVETree, walk: TreeWalk, depth: int, leaf_value: float, discount: float, validity: Array) -> None:
    """Keep the steps of the simulation."""
    first, total = known.used[0], leaf_value
    for i in range(depth - 1, -1, -1):
        node, step = walk.path[i]["node"], first + i
        total = walk.path[i]["reward"] + discount * total
        known.steps[step]["node"] = node
        known.steps[step]["gain"] = gain_of(validity, i, known.tree.nodes[node]["player"], total)
        known.steps[step]["before"] = known.latest[node]
        known.steps[step]["end"] = first + depth
        copy(known.tree.action[walk.path[i]["edge"]], known.action[step])
        known.latest[node] = step + 1
    known.used[0] = first + depth


@helper
def update_rave(known: CRAVETree, node: int, settings: CRAVESettings) -> None:
    """Take the latest simulation into all edges of a node; all sums anew when ln m has grown."""
    visits, first = known.tree.nodes[node]["visits"], known.tree.nodes[node]["first_edge"]
    precision = _precision(known.tree, node)
    for edge in range(first, first + known.tree.nodes[node]["actions"]):
        if visits & (visits - 1) == 0:
            renew(known, node, edge, settings)
        else:
            _learn(known, node, edge, known.latest[node] - 1, precision, settings)
