"""The trie of the abstraction tree for sets of actions that depend on the state: a node lists the actions tried there.

Actions are known by keys; the same kind of action has the same key in every state. The entries of a node are a linked
list, since few actions are tried in a fine cell and a coarse one stays in the processor's cache.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planners.abstraction.trie import CELL_BLOCK, node_key
from planners.base import Array
from planners.core.hash_table import NOWHERE, fill_slots, find_or_add, find_slot, new_slots
from planners.core.jit import helper, typeof
from planners.core.tree import longer

NODES, ENTRIES = 0, 1  # entries of ActionTrie.size
VISITS, RETURNS = 0, 1  # columns of ActionTrie.totals and ActionTrie.stats


class ActionTrie(NamedTuple):
    """Arrays of a search with at most A actions in a state and L = max_depth + 1 levels.

    Attributes:
        size: nodes in use, entries in use, int64 [2].
        keys: hash of each node's cell, uint64 [n].
        slots: hash table over the keys, int64 [power of two].
        totals: of each node the visits and the summed returns of its mover, [n, 2].
        first: its entry made last, int64 [n].
        stats: of each entry, an action tried in a node, the visits and the summed returns, [m, 2].
        action: its key, uint64 [m].
        following: the node's next entry, or NOWHERE, int64 [m].
        walk: nodes walked through at each step of the simulation under way, int64 [steps, L].
        taken: the entries there of the action chosen, int64 [steps, L].
        walked: how many nodes, int64 [steps].
        reward: reward of each step, and the sign of the player who moved, [steps, 2].
        cells: hashes of the state under way, uint64 [8].
        actions: what can be done in the state under way, [A, action_dim].
        action_keys: their keys, uint64 [A].
        action_slots: hash table over these, int64 [power of two].
        sums: weighted visits and returns of each, [A, 2].
        found: its entry at each level of the walk, or NOWHERE, int64 [L, A].
        state: the state under way and the next, [2, state_dim].
    """

    size: NDArray[np.int64]
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]
    totals: Array
    first: NDArray[np.int64]
    stats: Array
    action: NDArray[np.uint64]
    following: NDArray[np.int64]
    walk: NDArray[np.int64]
    taken: NDArray[np.int64]
    walked: NDArray[np.int64]
    reward: Array
    cells: NDArray[np.uint64]
    actions: Array
    action_keys: NDArray[np.uint64]
    action_slots: NDArray[np.int64]
    sums: Array
    found: NDArray[np.int64]
    state: Array


def new_action_trie(
    state_dim: int, action_dim: int, steps: int, max_actions: int, max_depth: int, simulations: int
) -> ActionTrie:
    """An empty trie with room for a few simulations at least."""
    levels = max_depth + 1
    nodes, entries = simulations + 2 * steps, simulations + steps * levels
    return ActionTrie(
        size=np.zeros(2, np.int64),
        keys=np.empty(nodes, np.uint64),
        slots=new_slots(nodes),
        totals=np.empty((nodes, 2)),
        first=np.empty(nodes, np.int64),
        stats=np.empty((entries, 2)),
        action=np.empty(entries, np.uint64),
        following=np.empty(entries, np.int64),
        walk=np.empty((steps, levels), np.int64),
        taken=np.empty((steps, levels), np.int64),
        walked=np.zeros(steps, np.int64),
        reward=np.empty((steps, 2)),
        cells=np.empty(CELL_BLOCK, np.uint64),
        actions=np.empty((max_actions, action_dim)),
        action_keys=np.empty(max_actions, np.uint64),
        action_slots=new_slots(max_actions),
        sums=np.empty((max_actions, 2)),
        found=np.empty((levels, max_actions), np.int64),
        state=np.empty((2, state_dim)),
    )


ACTION_TRIE = typeof(new_action_trie(1, 1, 1, 1, 1, 1))


def grow_action_trie(trie: ActionTrie, factor: float) -> ActionTrie:
    """The same trie with room for `factor` times what it holds."""
    nodes, entries = trie.size.tolist()
    steps, levels = trie.walk.shape
    node_room, entry_room = int(nodes * factor) + 2 * steps, int(entries * factor) + steps * levels
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
def has_room(trie: ActionTrie) -> bool:
    """Whether a simulation fits: each step may add the node of depth 0 and one more, and an entry to every node."""
    steps, levels = trie.walk.shape
    return trie.size[NODES] + 2 * steps <= len(trie.keys) and trie.size[ENTRIES] + steps * levels <= len(trie.action)


@helper
def find(trie: ActionTrie, cell: np.uint64, depth: int, mover: float, create: bool) -> int:
    """The node of this cell with this player to move; if there is none, a new one, or NOWHERE unless `create`."""
    node, new = find_or_add(trie.slots, trie.keys, trie.size, node_key(cell, depth, mover), create)
    if new:
        trie.totals[node, VISITS] = 0.0
        trie.totals[node, RETURNS] = 0.0
        trie.first[node] = NOWHERE
    return node


@helper
def enter_actions(trie: ActionTrie, count: int) -> None:
    """Prepare to find the actions of the state under way by their keys."""
    trie.action_slots[:] = 0
    for i in range(count):
        trie.sums[i, VISITS] = 0.0
        trie.sums[i, RETURNS] = 0.0
        trie.action_slots[find_slot(trie.action_slots, trie.action_keys, trie.action_keys[i])] = i + 1


@helper
def add_entry(trie: ActionTrie, node: int, key: np.uint64) -> int:
    """A new entry of the node for the action of this key."""
    entry = trie.size[ENTRIES]
    trie.size[ENTRIES] = entry + 1
    trie.stats[entry, VISITS] = 0.0
    trie.stats[entry, RETURNS] = 0.0
    trie.action[entry] = key
    trie.following[entry] = trie.first[node]
    trie.first[node] = entry
    return entry
