"""The trie of the abstraction tree: cells of states at finer and finer resolution, shared by all states of a search.

The cell of a state at depth d is part of its cell at depth d - 1: a node is found by the hash of its own cell, and
knows the nodes of all coarser ones.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.cells import node_key
from bonspiel.planners.core.hash_table import fill_slots, find_or_add, new_slots
from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.returns import no_returns
from bonspiel.planners.core.tree.bandit import Bandit, new_bandit
from bonspiel.planners.core.tree.nodes import longer
from bonspiel.planners.model import Array


class FixedTrie(NamedTuple):
    """Arrays of a search with A actions.

    Attributes:
        size: nodes in use, int64 [1].
        stats: of each node the visits and the summed returns of every action, the visits in all and, if they are
            needed, the summed squares of returns, [n, 2 A + 1 or 2 A + 2].
        paths: of each node the nodes from depth 0 to itself, uint32 [n, max_depth + 1].
        keys: hash of each node's cell, uint64 [n].
        slots: hash table over the keys, int64 [power of two].
        bandit: the root's.
        returns: the least and the largest return at the root, [2].
    """

    size: NDArray[np.int64]
    stats: Array
    paths: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]
    bandit: Bandit
    returns: Array


class FixedWalk(NamedTuple):
    """The simulation under way.

    Attributes:
        nodes: the finest node of each step, int64 [steps].
        levels: number of nodes that hold the state, int64 [steps].
        chosen: action of each step, int64 [steps].
        reward: reward of each step, and the sign of the player who moved, [steps, 2].
        cells: hashes of the current state, uint64 [max_depth + 1].
        guesses: depth of the finest node met last time, by the hash of a coarser cell, int8 [GUESSES].
        sums: weighted visits and returns of every action, [2 A].
        arms: mean and score of every action, [2, A].
        state: the current state and the next, [2, state_dim].
    """

    nodes: NDArray[np.int64]
    levels: NDArray[np.int64]
    chosen: NDArray[np.int64]
    reward: Array
    cells: NDArray[np.uint64]
    guesses: NDArray[np.int8]
    sums: Array
    arms: Array
    state: Array


GUESSED_BY = 6  # depth of the cells by which `FixedWalk.guesses` is looked up
GUESSES = 4_096  # a power of two


def new_trie(
    steps: int, n_actions: int, root_actions: Array, nodes: int, max_depth: int, squares: bool = False
) -> FixedTrie:
    """An empty trie with room for `nodes` nodes, and for squares of returns if they are needed."""
    room = nodes + 2 * steps
    return FixedTrie(
        size=np.zeros(1, np.int64),
        stats=np.empty((room, 2 * n_actions + 1 + squares)),
        paths=np.empty((room, max_depth + 1), np.uint32),
        keys=np.empty(room, np.uint64),
        slots=new_slots(room),
        bandit=new_bandit(root_actions),
        returns=no_returns(),
    )


def new_walk(state_dim: int, steps: int, n_actions: int, max_depth: int) -> FixedWalk:
    """Room for simulations of at most this many steps."""
    return FixedWalk(
        nodes=np.empty(steps, np.int64),
        levels=np.zeros(steps, np.int64),
        chosen=np.empty(steps, np.int64),
        reward=np.empty((steps, 2)),
        cells=np.empty(max_depth + 1, np.uint64),
        guesses=np.zeros(GUESSES, np.int8),
        sums=np.empty(2 * n_actions),
        arms=np.empty((2, n_actions)),
        state=np.empty((2, state_dim)),
    )


def grow(trie: FixedTrie, walk: FixedWalk, factor: float) -> FixedTrie:
    """The same trie with room for `factor` times its contents."""
    nodes = int(trie.size[0])
    room = int(nodes * factor) + 2 * len(walk.nodes)
    grown = trie._replace(
        stats=longer(trie.stats, nodes, room),
        paths=longer(trie.paths, nodes, room),
        keys=longer(trie.keys, nodes, room),
        slots=new_slots(room),
    )
    fill_slots(grown.slots, grown.keys, 0, nodes)
    return grown


def aged(trie: FixedTrie, memory: float, root_actions: Array) -> FixedTrie:
    """The trie for the next decision: the same cells with `memory` times their statistics, and a new root."""
    trie.stats[: trie.size[0]] *= memory
    return trie._replace(bandit=new_bandit(root_actions), returns=no_returns())


@helper
def has_room(trie: FixedTrie, steps: int) -> bool:
    """True if a simulation of `steps` steps fits: each may add the node of depth 0 and one more."""
    return trie.size[0] + 2 * steps <= len(trie.stats)


@helper
def find(trie: FixedTrie, cell: np.uint64, depth: int, mover: float, create: bool) -> int:
    """The node of this cell with this player to move; if there is none, a new one, or NOWHERE unless `create`."""
    node, new = find_or_add(trie.slots, trie.keys, trie.size, node_key(cell, depth, mover), create)
    if new:
        for i in range(trie.stats.shape[1]):
            trie.stats[node, i] = 0.0
        trie.paths[node, depth] = node
    return node


@helper
def add_child(trie: FixedTrie, parent: int, cell: np.uint64, depth: int, mover: float) -> int:
    """The new node of a cell within the parent's."""
    node = find(trie, cell, depth, mover, True)
    for level in range(depth):
        trie.paths[node, level] = trie.paths[parent, level]
    return node
