"""The trie of the abstraction tree whose nodes, cells of states, cut the actions into cells as well.

Every node begins with the same cells of actions. A cell that is divided becomes three, along each coordinate in turn.
The middle one has the action of the whole, so it goes on with its statistics, and no visit is lost.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.cells import CELL_BLOCK, node_key
from bonspiel.planners.core.bandit import Bandit, new_bandit
from bonspiel.planners.core.hash_table import fill_slots, find_or_add, new_slots
from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.returns import no_returns
from bonspiel.planners.core.tree.nodes import longer
from bonspiel.planners.model import Array

NODES, ACTION_CELLS = 0, 1  # entries of RefinedTrie.size
VISITS, RETURNS, SQUARES = 0, 1, 2  # columns of RefinedTrie.totals and, but for the squares, of RefinedTrie.stats
PARTS = 3
DIVISIONS = 16  # of each coordinate, into widths of 2e-8


class RefinedTrie(NamedTuple):
    """Arrays of a search that begins with A actions.

    Attributes:
        size: nodes in use, action cells in use, int64 [2].
        keys: of each node but the first, the decision's own state, the hash of its cell, uint64 [n].
        slots: hash table over the keys, int64 [power of two].
        totals: of each node the visits, the summed returns of its mover and their summed squares, [n, 3].
        first: the first of its A action cells, int64 [n].
        stats: of each action cell the visits and the summed returns, [m, 2]; action cell 0 is not used.
        action: the action in its middle, [m, action_dim].
        depth: how often it was divided to get it, int64 [m].
        parts: the first of the three cells that it is divided into, or 0, int64 [m].
        around: the cell that it is a part of, which has the visits of all parts, or 0, int64 [m].
        grid: the actions that every state begins with, [A, action_dim].
        width: of their cells, [action_dim].
        bandit: the root's actions if they are given; else empty.
        returns: the least and the largest return at the root, [2].
    """

    size: NDArray[np.int64]
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]
    totals: Array
    first: NDArray[np.int64]
    stats: Array
    action: Array
    depth: NDArray[np.int64]
    parts: NDArray[np.int64]
    around: NDArray[np.int64]
    grid: Array
    width: Array
    bandit: Bandit
    returns: Array


class RefinedWalk(NamedTuple):
    """The simulation under way, with at most L = max_depth + 1 levels and D divisions of an action cell.

    Attributes:
        nodes: nodes passed at each step, coarse to fine, int64 [steps, L].
        levels: how many, int64 [steps].
        taken: the action cell chosen, or less than 0: minus the cell around it, which is not divided there;
            int64 [steps, L].
        reward: reward of each step, and the sign of the player who moved, [steps, 2].
        cells: hashes of the current state, uint64 [CELL_BLOCK].
        pending: action cells to look at, likewise in the nodes of the current state, int64 [2 D + 3, L].
        prior: visits and returns that they have from the start, [2 D + 3, 2].
        state: the current state and the next, [2, state_dim].
    """

    nodes: NDArray[np.int64]
    levels: NDArray[np.int64]
    taken: NDArray[np.int64]
    reward: Array
    cells: NDArray[np.uint64]
    pending: NDArray[np.int64]
    prior: Array
    state: Array


def first_cells(low: Array, high: Array, most: int) -> tuple[Array, Array]:
    """The actions in the middle of the cells of a grid, [A, action_dim], and their width, [action_dim].

    One coordinate is cut into `most` parts. Several are cut into the same odd number each, so that the middle of the
    box is one of the actions; where even three are too many, the first of them alone, as long as there are no more than
    `most` cells.
    """
    dim = len(low)
    number = most if dim == 1 else max(3, int(most ** (1.0 / dim) + 1e-9 + 1) // 2 * 2 - 1)
    counts, cells = np.ones(dim, np.int64), 1
    for i in range(dim):
        if cells * number <= most:
            counts[i] = number
            cells *= number
    indices = np.stack(np.unravel_index(np.arange(cells), counts), -1)
    return np.ascontiguousarray(low + (high - low) * ((indices + 0.5) / counts)), (high - low) / counts


def new_trie(grid: Array, width: Array, root_actions: Array, steps: int, nodes: int) -> RefinedTrie:
    """A root without visits, and room for `nodes` nodes; `root_actions` may be empty, [0, action_dim]."""
    count, dim = grid.shape
    node_room = nodes + 2 * steps + 1
    cell_room = 1 + count * node_room + PARTS * steps
    trie = RefinedTrie(
        size=np.array([1, 1 + count]),
        keys=np.empty(node_room, np.uint64),
        slots=new_slots(node_room),
        totals=np.empty((node_room, 3)),
        first=np.empty(node_room, np.int64),
        stats=np.empty((cell_room, 2)),
        action=np.empty((cell_room, dim)),
        depth=np.empty(cell_room, np.int64),
        parts=np.empty(cell_room, np.int64),
        around=np.empty(cell_room, np.int64),
        grid=grid,
        width=width,
        bandit=new_bandit(root_actions),
        returns=no_returns(),
    )
    root = slice(1, 1 + count)
    trie.totals[0], trie.first[0] = 0.0, 1
    trie.stats[root], trie.action[root] = 0.0, grid
    trie.depth[root], trie.parts[root], trie.around[root] = 0, 0, 0
    return trie


def new_walk(state_dim: int, steps: int, max_depth: int, divisions: int) -> RefinedWalk:
    """Room for simulations of at most this many steps, and for so many divisions of an action cell."""
    levels, pending = max_depth + 1, (PARTS - 1) * divisions + PARTS
    return RefinedWalk(
        nodes=np.empty((steps, levels), np.int64),
        levels=np.zeros(steps, np.int64),
        taken=np.empty((steps, levels), np.int64),
        reward=np.empty((steps, 2)),
        cells=np.empty(CELL_BLOCK, np.uint64),
        pending=np.empty((pending, levels), np.int64),
        prior=np.empty((pending, 2)),
        state=np.empty((2, state_dim)),
    )


def grow(trie: RefinedTrie, walk: RefinedWalk, factor: float) -> RefinedTrie:
    """The same trie with room for `factor` times its contents."""
    nodes, cells = trie.size.tolist()
    steps = len(walk.nodes)
    node_room = int(nodes * factor) + 2 * steps
    cell_room = int(cells * factor) + steps * (2 * len(trie.grid) + PARTS)
    grown = trie._replace(
        keys=longer(trie.keys, nodes, node_room),
        slots=new_slots(node_room),
        totals=longer(trie.totals, nodes, node_room),
        first=longer(trie.first, nodes, node_room),
        stats=longer(trie.stats, cells, cell_room),
        action=longer(trie.action, cells, cell_room),
        depth=longer(trie.depth, cells, cell_room),
        parts=longer(trie.parts, cells, cell_room),
        around=longer(trie.around, cells, cell_room),
    )
    fill_slots(grown.slots, grown.keys, 1, nodes)
    return grown


@helper
def has_room(trie: RefinedTrie, steps: int) -> bool:
    """Whether a simulation fits: each step may add the node of depth 0 and one more, and divide one action cell."""
    nodes = trie.size[NODES] + 2 * steps
    cells = trie.size[ACTION_CELLS] + steps * (2 * len(trie.grid) + PARTS)
    return nodes <= len(trie.first) and cells <= len(trie.parts)


@helper
def _add_cells(trie: RefinedTrie, count: int, depth: int, around: int) -> int:
    """The first of `count` new action cells without visits; their actions are to be written."""
    first = trie.size[ACTION_CELLS]
    trie.size[ACTION_CELLS] = first + count
    for cell in range(first, first + count):
        trie.stats[cell, VISITS] = 0.0
        trie.stats[cell, RETURNS] = 0.0
        trie.depth[cell] = depth
        trie.parts[cell] = 0
        trie.around[cell] = around
    return first


@helper
def find(trie: RefinedTrie, cell: np.uint64, depth: int, mover: float, create: bool) -> int:
    """The node of this cell with this player to move; if there is none, a new one, or NOWHERE unless `create`."""
    node, new = find_or_add(trie.slots, trie.keys, trie.size, node_key(cell, depth, mover), create)
    if new:
        for i in range(3):
            trie.totals[node, i] = 0.0
        first = _add_cells(trie, len(trie.grid), 0, 0)
        trie.first[node] = first
        for i in range(len(trie.grid)):
            for k in range(trie.grid.shape[1]):
                trie.action[first + i, k] = trie.grid[i, k]
    return node


@helper
def divide(trie: RefinedTrie, cell: int) -> None:
    """Cut an action cell into three along the coordinate whose turn it is; the middle one keeps the statistics."""
    dim, depth = trie.action.shape[1], trie.depth[cell]
    first = _add_cells(trie, PARTS, depth + 1, cell)
    trie.parts[cell] = first
    offset = trie.width[depth % dim] / 3.0 ** (depth // dim + 1)
    for part in range(PARTS):
        for k in range(dim):
            trie.action[first + part, k] = trie.action[cell, k]
        trie.action[first + part, depth % dim] += (part - 1) * offset
    trie.stats[first + 1, VISITS] = trie.stats[cell, VISITS]
    trie.stats[first + 1, RETURNS] = trie.stats[cell, RETURNS]


def root_cells(trie: RefinedTrie) -> NDArray[np.int64]:
    """The action cells of the root that are not divided, int64 [A]."""
    found, generation = [], trie.first[0] + np.arange(len(trie.grid))
    while len(generation) > 0:
        parts = trie.parts[generation]
        found.append(generation[parts == 0])
        generation = (parts[parts != 0, None] + np.arange(PARTS)).ravel()
    return np.concatenate(found)
