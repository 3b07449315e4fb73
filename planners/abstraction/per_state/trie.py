"""The trie of the abstraction tree for sets of actions that depend on the state: a node lists the actions tried there.

Actions are known by keys; the same kind of action has the same key in every state. The entries of a node are a linked
list, since few actions are tried in a fine cell and a coarse one stays in the processor's cache.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.abstraction.cells import node_key
from bonspiel.planners.core.hash_table import NOWHERE, fill_slots, find_or_add, find_slot, new_slots
from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.returns import no_returns
from bonspiel.planners.core.rounds import NO_ROUNDS, Rounds
from bonspiel.planners.core.tree.bandit import Bandit, new_bandit
from bonspiel.planners.core.tree.nodes import longer
from bonspiel.planners.model import Array

NODES, ENTRIES = 0, 1  # entries of PerStateTrie.size
CELL_BLOCK = 8  # depths whose cells are computed by one call
VISITS, RETURNS, SQUARES = 0, 1, 2  # columns of PerStateTrie.totals and, but for the squares, of PerStateTrie.stats


class PerStateTrie(NamedTuple):
    """Arrays of a search.

    Attributes:
        size: nodes in use, entries in use, int64 [2].
        keys: hash of each node's cell, uint64 [n].
        slots: hash table over the keys, int64 [power of two].
        totals: of each node the visits, the summed returns of its mover and their summed squares, [n, 3].
        first: its newest entry, int64 [n].
        stats: of each entry, an action tried in a node, the visits and the summed returns, [m, 2].
        action: its key, uint64 [m].
        following: the node's next entry, or NOWHERE, int64 [m].
        bandit: the root's.
        rounds: the states to evaluate instead of the root.
        returns: the least and the largest return of a simulation, [2].
    """

    size: NDArray[np.int64]
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]
    totals: Array
    first: NDArray[np.int64]
    stats: Array
    action: NDArray[np.uint64]
    following: NDArray[np.int64]
    bandit: Bandit
    rounds: Rounds
    returns: Array


class PerStateWalk(NamedTuple):
    """The simulation under way, with at most A actions in a state and L = max_depth + 1 levels.

    Attributes:
        nodes: nodes passed at each step, coarse to fine, int64 [steps, L].
        taken: the entries there of the action chosen, int64 [steps, L].
        levels: number of nodes passed, int64 [steps].
        reward: reward of each step, and the sign of the player who moved, [steps, 2].
        cells: hashes of the current state, uint64 [CELL_BLOCK].
        actions: the actions of the current state, [A, action_dim].
        keys: their keys, uint64 [A].
        slots: hash table over these, int64 [power of two].
        sums: weighted visits and returns of each, [A, 2].
        arms: mean and 1/sqrt(visits) of each, [A, 2].
        found: its entry at each level, or NOWHERE, int64 [L, A].
        state: the current state and the next, [2, state_dim].
    """

    nodes: NDArray[np.int64]
    taken: NDArray[np.int64]
    levels: NDArray[np.int64]
    reward: Array
    cells: NDArray[np.uint64]
    actions: Array
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]
    sums: Array
    arms: Array
    found: NDArray[np.int64]
    state: Array


def new_trie(steps: int, max_depth: int, simulations: int) -> PerStateTrie:
    """An empty trie with room for a few simulations at least, for a root without actions."""
    nodes, entries = simulations + 2 * steps, simulations + steps * (max_depth + 1)
    return PerStateTrie(
        size=np.zeros(2, np.int64),
        keys=np.empty(nodes, np.uint64),
        slots=new_slots(nodes),
        totals=np.empty((nodes, 3)),
        first=np.empty(nodes, np.int64),
        stats=np.empty((entries, 2)),
        action=np.empty(entries, np.uint64),
        following=np.empty(entries, np.int64),
        bandit=new_bandit(np.empty((0, 1))),
        rounds=NO_ROUNDS,
        returns=no_returns(),
    )


def new_walk(state_dim: int, action_dim: int, steps: int, max_actions: int, max_depth: int) -> PerStateWalk:
    """Room for simulations of at most this many steps."""
    levels = max_depth + 1
    return PerStateWalk(
        nodes=np.empty((steps, levels), np.int64),
        taken=np.empty((steps, levels), np.int64),
        levels=np.zeros(steps, np.int64),
        reward=np.empty((steps, 2)),
        cells=np.empty(CELL_BLOCK, np.uint64),
        actions=np.empty((max_actions, action_dim)),
        keys=np.empty(max_actions, np.uint64),
        slots=new_slots(max_actions),
        sums=np.empty((max_actions, 2)),
        arms=np.empty((max_actions, 2)),
        found=np.empty((levels, max_actions), np.int64),
        state=np.empty((2, state_dim)),
    )


def grow(trie: PerStateTrie, walk: PerStateWalk, factor: float) -> PerStateTrie:
    """The same trie with room for `factor` times its contents."""
    nodes, entries = trie.size.tolist()
    node_room, entry_room = int(nodes * factor) + 2 * len(walk.nodes), int(entries * factor) + walk.nodes.size
    grown = trie._replace(
        keys=longer(trie.keys, nodes, node_room),
        slots=new_slots(node_room),
        totals=longer(trie.totals, nodes, node_room),
        first=longer(trie.first, nodes, node_room),
        stats=longer(trie.stats, entries, entry_room),
        action=longer(trie.action, entries, entry_room),
        following=longer(trie.following, entries, entry_room),
    )
    fill_slots(grown.slots, grown.keys, 0, nodes)
    return grown


@helper
def has_room(trie: PerStateTrie, walk: PerStateWalk) -> bool:
    """True if a simulation fits: each step may add the node of depth 0 and one more, and an entry to every node."""
    steps, levels = walk.nodes.shape
    return trie.size[NODES] + 2 * steps <= len(trie.keys) and trie.size[ENTRIES] + steps * levels <= len(trie.action)


@helper
def find(trie: PerStateTrie, cell: np.uint64, depth: int, mover: float, create: bool) -> int:
    """The node of this cell with this player to move; if there is none, a new one, or NOWHERE unless `create`."""
    node, new = find_or_add(trie.slots, trie.keys, trie.size, node_key(cell, depth, mover), create)
    if new:
        trie.totals[node, VISITS] = 0.0
        trie.totals[node, RETURNS] = 0.0
        trie.totals[node, SQUARES] = 0.0
        trie.first[node] = NOWHERE
    return node


@helper
def enter_actions(walk: PerStateWalk, count: int) -> None:
    """Prepare to find the actions of the current state by their keys."""
    walk.slots[:] = 0
    for i in range(count):
        walk.sums[i, VISITS] = 0.0
        walk.sums[i, RETURNS] = 0.0
        walk.slots[find_slot(walk.slots, walk.keys, walk.keys[i])] = i + 1


@helper
def add_entry(trie: PerStateTrie, node: int, key: np.uint64) -> int:
    """A new entry of the node for the action of this key."""
    entry = trie.size[ENTRIES]
    trie.size[ENTRIES] = entry + 1
    trie.stats[entry, VISITS] = 0.0
    trie.stats[entry, RETURNS] = 0.0
    trie.action[entry] = key
    trie.following[entry] = trie.first[node]
    trie.first[node] = entry
    return entry
