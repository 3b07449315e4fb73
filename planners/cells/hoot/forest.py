"""The trees of hierarchical optimistic optimization (HOO, Bubeck et al. 2011), one for each abstract state.

A cell of depth h is a box of actions; its children are its halves, along each coordinate in turn.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.hash_table import fill_slots, new_slots
from bonspiel.planners.core.jit import helper, typeof
from bonspiel.planners.core.tree.bandit import Bandit, new_bandit
from bonspiel.planners.core.tree.nodes import longer
from bonspiel.planners.model import Array

NODES, CELLS = 0, 1  # entries of Forest.size
NODE = np.dtype(
    [
        ("visits", "i8"),
        ("cell", "i8"),  # all actions
        ("newest", "i8"),  # the first cell of the pair made last; 0: none
        ("spread", "f8"),
    ]
)
CELL = np.dtype(
    [
        ("visits", "i8"),
        ("pulls", "i8"),  # visits that ended here: the action in the middle was played
        ("depth", "i8"),
        ("parent", "i8"),
        ("child", "i8"),  # the lower half, which the upper one follows; 0: none
        ("older", "i8"),  # of the first cell of a pair: that of the pair made before it; 0: none
        ("mean", "f8"),
        ("own", "f8"),  # mean return of the pulls
        ("bound", "f8"),  # B
    ]
)


_ROOT = (0, 0, 0, 0.0)
_ROOT_CELL = (0, 0, 0, 0, 0, 0, 0.0, 0.0, math.inf)


class HOOTSettings(NamedTuple):
    """The parameters of a planner, and the bounds of the actions, [action_dim].

    `axes` are the coordinates whose bounds differ, int64, along which cells are halved in turn.
    `diameter` is nu rho^h of every depth h, as far as cells go; the spread is C n^growth, or C sqrt(2 ln n) where
    growth is 0; `cell_depth` is that of the abstract states.
    """

    exploration: float
    growth: float
    decay: float
    diameter: Array
    cell_depth: int
    low: Array
    high: Array
    axes: NDArray[np.int64]


class Forest(NamedTuple):
    """Arrays of a search.

    Attributes:
        size: nodes and cells in use, int64 [2].
        nodes: NODE [n]; node 0 is the decision's own state, the others are abstract states.
        keys: of each node but the first the hash of its abstract state, uint64 [n].
        slots: hash table over the keys, int64 [power of two].
        cells: CELL [m]; cell 0 is that of node 0, and has no parent.
        bandit: the root's actions if they are given; else empty.
    """

    size: NDArray[np.int64]
    nodes: NDArray[np.void]
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]
    cells: NDArray[np.void]
    bandit: Bandit


class ForestWalk(NamedTuple):
    """The simulation under way.

    Attributes:
        state: the current state and the next, [2, state_dim].
        action: the action to play, [action_dim].
        hash: of the current abstract state, uint64 [1].
        nodes: node of each step, int64 [steps].
        path: its cells, from all actions to the one pulled, int64 [steps, depths].
        length: number of these, int64 [steps].
        reward: reward of each step, and the sign of the player who moved, [steps, 2].
    """

    state: Array
    action: Array
    hash: NDArray[np.uint64]
    nodes: NDArray[np.int64]
    path: NDArray[np.int64]
    length: NDArray[np.int64]
    reward: Array


def new_forest(steps: int, root_actions: Array, nodes: int) -> Forest:
    """A root without visits, and room for `nodes` nodes; `root_actions` may be empty, [0, action_dim]."""
    room = nodes + steps
    forest = Forest(
        size=np.ones(2, np.int64),
        nodes=np.empty(room, NODE),
        keys=np.empty(room, np.uint64),
        slots=new_slots(room),
        cells=np.empty(2 * room, CELL),
        bandit=new_bandit(root_actions),
    )
    forest.nodes[0] = _ROOT
    forest.cells[0] = _ROOT_CELL
    return forest


FOREST = typeof(new_forest(1, np.empty((0, 1)), 1))


def new_forest_walk(state_dim: int, action_dim: int, steps: int, depths: int) -> ForestWalk:
    """Room for simulations of at most this many steps."""
    return ForestWalk(
        state=np.empty((2, state_dim)),
        action=np.empty(action_dim),
        hash=np.empty(1, np.uint64),
        nodes=np.empty(steps, np.int64),
        path=np.empty((steps, depths), np.int64),
        length=np.empty(steps, np.int64),
        reward=np.empty((steps, 2)),
    )


def grow(forest: Forest, walk: ForestWalk, factor: float) -> Forest:
    """The same trees with room for `factor` times their contents."""
    nodes, cells = map(int, forest.size)
    steps = len(walk.nodes)
    room = int(nodes * factor) + steps
    grown = forest._replace(
        nodes=longer(forest.nodes, nodes, room),
        keys=longer(forest.keys, nodes, room),
        slots=new_slots(room),
        cells=longer(forest.cells, cells, int(cells * factor) + 2 * steps),
    )
    fill_slots(grown.slots, grown.keys, 1, nodes)
    return grown


@helper
def has_room(forest: Forest, steps: int) -> bool:
    """True if a simulation fits: each step begins a tree or halves one cell."""
    nodes, cells = forest.size[NODES] + steps, forest.size[CELLS] + 2 * steps
    return nodes <= len(forest.nodes) and cells <= len(forest.cells)


@helper
def _add_cell(forest: Forest, parent: int, depth: int) -> int:
    cell = forest.size[CELLS]
    forest.size[CELLS] = cell + 1
    forest.cells[cell]["visits"] = 0
    forest.cells[cell]["pulls"] = 0
    forest.cells[cell]["depth"] = depth
    forest.cells[cell]["parent"] = parent
    forest.cells[cell]["child"] = 0
    forest.cells[cell]["older"] = 0
    forest.cells[cell]["mean"] = 0.0
    forest.cells[cell]["own"] = 0.0
    forest.cells[cell]["bound"] = math.inf
    return cell


@helper
def plant(forest: Forest, node: int) -> None:
    """Begin the tree of a new node."""
    forest.nodes[node]["visits"] = 0
    forest.nodes[node]["newest"] = 0
    forest.nodes[node]["spread"] = 0.0
    forest.nodes[node]["cell"] = _add_cell(forest, 0, 0)


@helper
def halve(forest: Forest, node: int, cell: int) -> None:
    """Give a cell its two children."""
    depth = forest.cells[cell]["depth"] + 1
    first = _add_cell(forest, cell, depth)
    _add_cell(forest, cell, depth)
    forest.cells[cell]["child"] = first
    forest.cells[first]["older"] = forest.nodes[node]["newest"]
    forest.nodes[node]["newest"] = first
