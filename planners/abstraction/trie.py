"""The trie of the abstraction tree: cells of states at finer and finer resolution, shared by all states of a search.

The cell of a state at depth d is part of its cell at depth d - 1, so a node is found by the hash of its own cell and
a walk needs no links.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planners.base import Array
from planners.core.bandit import Bandit, new_bandit
from planners.core.hash_table import fill_slots, find_or_add, new_slots
from planners.core.jit import helper
from planners.core.returns import no_returns
from planners.core.tree import longer
from planners.core.zobrist import combine


class Trie(NamedTuple):
    """Arrays of a search with A actions.

    Attributes:
        size: nodes in use, int64 [1].
        stats: of each node the visits and the summed returns of every action, the visits in all and, if they are
            needed, the summed squares of returns, [n, 2 A + 1 or 2 A + 2].
        keys: hash of each node's cell, uint64 [n].
        slots: hash table over the keys, int64 [power of two].
        bandit: the root's.
        returns: the least and the largest return at the root, [2].
    """

    size: NDArray[np.int64]
    stats: Array
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]
    bandit: Bandit
    returns: Array


class TrieWalk(NamedTuple):
    """The simulation under way.

    Attributes:
        nodes: nodes passed at each step, coarse to fine, int64 [steps, max_depth + 1].
        levels: how many, int64 [steps].
        chosen: action of each step, int64 [steps].
        reward: reward of each step, and the sign of the player who moved, [steps, 2].
        cells: hashes of the current state, uint64 [8].
        sums: weighted visits and returns of every action, [2 A].
        arms: mean and 1/sqrt(visits) of every action, [A, 2].
        state: the current state and the next, [2, state_dim].
    """

    nodes: NDArray[np.int64]
    levels: NDArray[np.int64]
    chosen: NDArray[np.int64]
    reward: Array
    cells: NDArray[np.uint64]
    sums: Array
    arms: Array
    state: Array


CELL_BLOCK = 8  # depths whose cells are computed by one call


def new_trie(steps: int, n_actions: int, root_actions: Array, nodes: int, squares: bool = False) -> Trie:
    """An empty trie with room for `nodes` nodes, and for squares of returns if they are needed."""
    room = nodes + 2 * steps
    return Trie(
        size=np.zeros(1, np.int64),
        stats=np.empty((room, 2 * n_actions + 1 + squares)),
        keys=np.empty(room, np.uint64),
        slots=new_slots(room),
        bandit=new_bandit(root_actions),
        returns=no_returns(),
    )


def new_trie_walk(state_dim: int, steps: int, n_actions: int, max_depth: int) -> TrieWalk:
    """Room for simulations of at most this many steps."""
    return TrieWalk(
        nodes=np.empty((steps, max_depth + 1), np.int64),
        levels=np.zeros(steps, np.int64),
        chosen=np.empty(steps, np.int64),
        reward=np.empty((steps, 2)),
        cells=np.empty(CELL_BLOCK, np.uint64),
        sums=np.empty(2 * n_actions),
        arms=np.empty((n_actions, 2)),
        state=np.empty((2, state_dim)),
    )


def grow(trie: Trie, walk: TrieWalk, factor: float) -> Trie:
    """The same trie with room for `factor` times its contents."""
    nodes = int(trie.size[0])
    room = int(nodes * factor) + 2 * len(walk.nodes)
    grown = trie._replace(
        stats=longer(trie.stats, nodes, room), keys=longer(trie.keys, nodes, room), slots=new_slots(room)
    )
    fill_slots(grown.slots, grown.keys, 0, nodes)
    return grown


def aged(trie: Trie, memory: float, root_actions: Array) -> Trie:
    """What the next decision starts with: the same cells with `memory` times their statistics, and a new root."""
    trie.stats[: trie.size[0]] *= memory
    return trie._replace(bandit=new_bandit(root_actions), returns=no_returns())


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
