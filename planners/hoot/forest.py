"""The trees of hierarchical optimistic optimization (HOO, Bubeck et al. 2011), one for each abstract state.

A cell of depth h is a box of actions; its children are its halves, along each coordinate in turn. A cell with n visits
has U = mean + spread n^-decay + nu rho^h, and B = min(U, max of the children's B); both are infinite without
visits. The spread grows with the visits of the whole tree, so that all bounds would change at every visit. It is that
of the next power of two instead, the doubling trick: then only the bounds on the path change, and all of them at each
doubling.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planners.base import Array, Rng
from planners.core.bandit import Bandit, new_bandit
from planners.core.hash_table import fill_slots, new_slots
from planners.core.jit import MATRIX, VECTOR, helper, int64, kernel, typeof
from planners.core.tree import MEAN, longer

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


class HOOTSettings(NamedTuple):
    """The parameters of a planner, and the bounds of the actions, [action_dim].

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


class Forest(NamedTuple):
    """Arrays of a search.

    Attributes:
        size: nodes and cells in use, int64 [2].
        nodes: NODE [n]; node 0 is the decision's own state, the others are abstract states.
        keys: of each node but the first the hash of its abstract state, uint64 [n].
        slots: hash table over the keys, int64 [power of two].
        cells: CELL [m]; cell 0 is that of node 0, and nobody's child.
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
        length: how many, int64 [steps].
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
        size=np.zeros(2, np.int64),
        nodes=np.empty(room, NODE),
        keys=np.empty(room, np.uint64),
        slots=new_slots(room),
        cells=np.empty(2 * room, CELL),
        bandit=new_bandit(root_actions),
    )
    forest.size[NODES] = 1
    _plant(forest, 0)
    return forest


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
    """Whether a simulation fits: each step begins a tree or halves one cell."""
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
def _halve(forest: Forest, node: int, cell: int) -> None:
    depth = forest.cells[cell]["depth"] + 1
    first = _add_cell(forest, cell, depth)
    _add_cell(forest, cell, depth)
    forest.cells[cell]["child"] = first
    forest.cells[first]["older"] = forest.nodes[node]["newest"]
    forest.nodes[node]["newest"] = first


@helper
def select(forest: Forest, walk: ForestWalk, step: int, node: int, depths: int, rng: Rng) -> int:
    """Follow the larger B, ties at random, to a cell without visits or of the last depth; halve cells on the way."""
    cell, length = forest.nodes[node]["cell"], 0
    while True:
        walk.path[step, length] = cell
        length += 1
        if forest.cells[cell]["visits"] == 0 or length == depths:
            break
        if forest.cells[cell]["child"] == 0:
            _halve(forest, node, cell)
        lower = forest.cells[cell]["child"]
        bound, other = forest.cells[lower]["bound"], forest.cells[lower + 1]["bound"]
        upper_first = rng.random() < 0.5 if bound == other else bound < other
        cell = lower + 1 if upper_first else lower
    walk.nodes[step] = node
    walk.length[step] = length
    return cell


@helper
def middle(forest: Forest, cell: int, low: Array, high: Array, action: Array) -> None:
    """Write the action in the middle of a cell."""
    for i in range(len(action)):
        action[i] = 0.5
    while forest.cells[cell]["depth"] > 0:
        parent = forest.cells[cell]["parent"]
        i = (forest.cells[cell]["depth"] - 1) % len(action)
        action[i] = 0.5 * (cell - forest.cells[parent]["child"] + action[i])
        cell = parent
    for i in range(len(action)):
        action[i] = low[i] + (high[i] - low[i]) * action[i]


@helper
def _set_bound(forest: Forest, cell: int, spread: float, settings: HOOTSettings) -> None:
    """B of a cell whose children have theirs."""
    visits = forest.cells[cell]["visits"]
    if visits == 0:
        return
    u = forest.cells[cell]["mean"] + spread * float(visits) ** -settings.decay
    u += settings.diameter[forest.cells[cell]["depth"]]
    child = forest.cells[cell]["child"]
    if child != 0:
        u = min(u, max(forest.cells[child]["bound"], forest.cells[child + 1]["bound"]))
    forest.cells[cell]["bound"] = u


@helper
def update(forest: Forest, walk: ForestWalk, step: int, gain: float, settings: HOOTSettings) -> None:
    """Average a return into the cells of a step's path, and bring the bounds up to date."""
    node, length = walk.nodes[step], walk.length[step]
    visits = forest.nodes[node]["visits"] + 1
    forest.nodes[node]["visits"] = visits
    for i in range(length):
        cell = walk.path[step, i]
        forest.cells[cell]["visits"] += 1
        forest.cells[cell]["mean"] += (gain - forest.cells[cell]["mean"]) / forest.cells[cell]["visits"]
    pulled = walk.path[step, length - 1]
    forest.cells[pulled]["pulls"] += 1
    forest.cells[pulled]["own"] += (gain - forest.cells[pulled]["own"]) / forest.cells[pulled]["pulls"]
    if visits & (visits - 1) == 0:
        if settings.growth > 0.0:
            growing = (2.0 * float(visits)) ** settings.growth
        else:
            growing = math.sqrt(2.0 * math.log(2.0 * visits))
        forest.nodes[node]["spread"] = settings.exploration * growing
        pair = forest.nodes[node]["newest"]
        while pair != 0:  # children are younger than their parents
            _set_bound(forest, pair, forest.nodes[node]["spread"], settings)
            _set_bound(forest, pair + 1, forest.nodes[node]["spread"], settings)
            pair = forest.cells[pair]["older"]
    else:
        for i in range(length - 1, 0, -1):  # the bound of all actions is compared with nothing
            _set_bound(forest, walk.path[step, i], forest.nodes[node]["spread"], settings)


_EMPTY = np.empty(0, np.int64)
FOREST = typeof(
    Forest(_EMPTY, np.empty(0, NODE), np.empty(0, np.uint64), _EMPTY, np.empty(0, CELL), new_bandit(np.empty((0, 1))))
)


@kernel(FOREST, int64)
def _plant(forest: Forest, node: int) -> int:
    plant(forest, node)
    return node


@helper
def _most_visited(forest: Forest) -> int:
    """The cell of the action to play: at the root, from all actions to the half with most visits, ties by the mean."""
    best = forest.nodes[0]["cell"]
    while forest.cells[best]["child"] != 0:
        lower = forest.cells[best]["child"]
        upper = lower + 1
        more = forest.cells[upper]["visits"] - forest.cells[lower]["visits"]
        if more > 0 or (more == 0 and forest.cells[upper]["mean"] > forest.cells[lower]["mean"]):
            lower = upper
        if forest.cells[lower]["visits"] == 0:
            break
        best = lower
    return best


@kernel(FOREST, VECTOR, VECTOR, MATRIX, int64[::1], MATRIX)
def read_root(
    forest: Forest, low: Array, high: Array, actions: Array, visits: NDArray[np.int64], value: Array
) -> tuple[int, int]:
    """Write the actions that were played at the root, how often, and their mean returns.

    Args:
        forest: the trees.
        low: smallest action, [action_dim].
        high: largest action, [action_dim].
        actions: receives the actions, [visits of the root, action_dim].
        visits: receives how often they were played, int64, as many.
        value: receives their mean returns in the first column, as many.

    Returns:
        The number of actions, and the row of the one to play.
    """
    best = _most_visited(forest)
    count, chosen, cell, pair = 0, 0, forest.nodes[0]["cell"], forest.nodes[0]["newest"]
    while True:
        if forest.cells[cell]["pulls"] > 0:
            middle(forest, cell, low, high, actions[count])
            visits[count] = forest.cells[cell]["pulls"]
            value[count, MEAN] = forest.cells[cell]["own"]
            if cell == best:
                chosen = count
            count += 1
        if pair == 0:
            return count, chosen
        if cell == pair:
            cell, pair = pair + 1, forest.cells[pair]["older"]
        else:
            cell = pair
