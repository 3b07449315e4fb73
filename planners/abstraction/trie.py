"""The trie of the abstraction tree: cells of states at finer and finer resolution, shared by all states of a search.

The cell of a state at depth d is part of its cell at depth d - 1, so a node is found by the hash of its own cell and
the walk needs no links. The root's bandit is kept beside it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planners.base import Array
from planners.core.hash_table import fill_slots, find_or_add, new_slots
from planners.core.jit import helper, typeof
from planners.core.tree import UNTRIED, longer
from planners.core.zobrist import combine


class Trie(NamedTuple):
    """Arrays of a search with A actions.

    Attributes:
        size: nodes in use, int64 [1].
        stats: of each node the visits and the summed returns of every action and the visits in all, [n, 2 A + 1].
        keys: hash of each node's cell, uint64 [n].
        slots: hash table over the keys, int64 [power of two].
        root_visits: visits of each root action, int64 [B].
        root_value: mean return and 1/sqrt(visits) of each root action, [B, 2].
        walk: nodes walked through at each step of the simulation under way, int64 [steps, max_depth + 1].
        walked: how many, int64 [steps].
        chosen: action of each step, int64 [steps].
        reward: reward of each step, with the sign of the player who moved, [steps, 2].
        cells: hashes of the state under way, uint64 [8].
        sums: weighted visits and returns of every action, [2 A].
        state: the state under way and the next, [2, state_dim].
    """

    size: NDArray[np.int64]
    stats: Array
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]
    root_visits: NDArray[np.int64]
    root_value: Array
    walk: NDArray[np.int64]
    walked: NDArray[np.int64]
    chosen: NDArray[np.int64]
    reward: Array
    cells: NDArray[np.uint64]
    sums: Array
    state: Array


CELL_BLOCK = 8  # depths whose cells are asked for at once


def new_trie(state_dim: int, steps: int, n_actions: int, n_root_actions: int, max_depth: int, nodes: int) -> Trie:
    """An empty trie with room for `nodes` nodes."""
    room = nodes + 2 * steps
    value = np.zeros((n_root_actions, 2))
    value[:, 0] = UNTRIED
    return Trie(
        size=np.zeros(1, np.int64),
        stats=np.empty((room, 2 * n_actions + 1)),
        keys=np.empty(room, np.uint64),
        slots=new_slots(room),
        root_visits=np.zeros(n_root_actions, np.int64),
        root_value=value,
        walk=np.empty((steps, max_depth + 1), np.int64),
        walked=np.zeros(steps, np.int64),
        chosen=np.empty(steps, np.int64),
        reward=np.empty((steps, 2)),
        cells=np.empty(CELL_BLOCK, np.uint64),
        sums=np.empty(2 * n_actions),
        state=np.empty((2, state_dim)),
    )


TRIE = typeof(new_trie(1, 1, 1, 1, 1, 1))


def grow(trie: Trie, factor: float) -> Trie:
    """The same trie with room for `factor` times what it holds."""
    nodes = int(trie.size[0])
    room = int(nodes * factor) + 2 * len(trie.walk)
    grown = trie._replace(
        stats=longer(trie.stats, nodes, room), keys=longer(trie.keys, nodes, room), slots=new_slots(room)
    )
    fill_slots(grown.slots, grown.keys, 0, nodes)
    return grown


@helper
def has_room(trie: Trie, steps: int) -> bool:
    """Whether a simulation of `steps` steps fits: each may add the node of depth 0 and one more."""
    return trie.size[0] + 2 * steps <= len(trie.stats)


@helper
def node_key(cell: np.uint64, depth: int, mover: float) -> np.uint64:
    """The key of a cell at this depth with this player to move."""
    return combine(cell, np.uint64(2 * depth + (mover < 0.0)))


@helper
def find(trie: Trie, cell: np.uint64, depth: int, mover: float, create: bool) -> int:
    """The node of this cell with this player to move; if there is none, a new one, or NOWHERE unless `create`."""
    node, new = find_or_add(trie.slots, trie.keys, trie.size, node_key(cell, depth, mover), create)
    if new:
        for i in range(trie.stats.shape[1]):
            trie.stats[node, i] = 0.0
    return node
