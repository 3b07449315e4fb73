"""Rows that a thread takes of a shared tree, and the edges and nodes that it adds there."""

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.jit.atomics import compare_and_swap, load, publish, read_published
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.zobrist import combine, hash_vector
from bonspiel.planners.model import Array
from bonspiel.planners.wrappers.threads.shared_tree import (
    ACTIONS,
    ADDING,
    CHUNK,
    COUNT,
    DUE,
    EDGES,
    FIRST_EDGE,
    FREE,
    FREE_END,
    LINE,
    NEXT,
    NEXT_BLOCK,
    NEXT_END,
    NODES,
    NONE,
    PLAYER,
    REWARD,
    STOPPED,
    WANTS_ROOM,
    SharedTree,
    SharedWalk,
    find_slot,
)


@helper
def _left(pool: NDArray[np.int64], kind: int) -> int:
    """Rows of this kind that a thread may use."""
    return pool[kind, FREE_END] - pool[kind, FREE] + pool[kind, NEXT_END] - pool[kind, NEXT]


@helper
def _take(tree: SharedTree, kind: int, count: int, room: int) -> int:
    """Take `count` rows for this thread and return the first; NONE if fewer are left. Rows are never given back."""
    while True:
        first = load(tree.size, 0, kind)
        if first + count > room:
            return NONE
        if compare_and_swap(tree.size, 0, kind, first, first + count) == first:
            return first


@helper
def _has_rows(tree: SharedTree, walk: SharedWalk, kind: int, count: int, room: int) -> bool:
    """True if the thread has `count` rows to use, after taking more where there are any."""
    if _left(walk.pool, kind) >= count:
        return True
    more = max(CHUNK, count)
    first = _take(tree, kind, more, room)
    if first == NONE:
        return False
    # the rest of the rows before is used first
    at = FREE if walk.pool[kind, FREE] == walk.pool[kind, FREE_END] else NEXT
    walk.pool[kind, at], walk.pool[kind, at + 1] = first, first + more
    return True


@helper
def _take_row(walk: SharedWalk, kind: int) -> int:
    """A row of the thread's own; `has_room` has seen to it that there is one."""
    pool = walk.pool
    row = pool[kind, FREE]
    pool[kind, FREE] = row + 1
    if pool[kind, FREE] == pool[kind, FREE_END]:
        pool[kind, FREE], pool[kind, FREE_END] = pool[kind, NEXT], pool[kind, NEXT_END]
        pool[kind, NEXT], pool[kind, NEXT_END] = 0, 0
    return row


@helper
def has_room(tree: SharedTree, walk: SharedWalk, steps: int) -> bool:
    """True if the thread may run a simulation of `steps` steps, each of which may add a node and its first edge."""
    if load(tree.size, 0, STOPPED) != 0 or walk.pool[WANTS_ROOM, 0] != 0:
        return False
    return _has_rows(tree, walk, NODES, steps, len(tree.nodes)) and _has_rows(tree, walk, EDGES, steps, len(tree.edges))


@helper
def may_add(table: NDArray[np.int64], row: int, visits: int) -> bool:
    """True if a node or an edge with this number of visits gets one more child, and this thread alone may add it.

    It must then publish when the next one is due.
    """
    due = load(table, row, DUE)
    return visits >= due and compare_and_swap(table, row, DUE, due, ADDING) == due


@helper
def next_edge(tree: SharedTree, edge: int, rank: int) -> int:
    """The edge after that of this rank, counted from 0; where there is none yet, any row."""
    if (rank + 2) & (rank + 1) == 0:  # the last of its block of rank / 2 + 1 edges
        return tree.edges[edge - rank // 2, NEXT_BLOCK]
    return edge + 1


@helper
def add_edge(tree: SharedTree, walk: SharedWalk, node: int) -> int:
    """A new edge of a node, with a visit under way; NONE if there is no room for the block that it needs.

    Its action is left to the caller to write, before `publish_edge`.
    """
    count = load(tree.nodes, node, ACTIONS)
    last, first = 1, tree.nodes[node, FIRST_EDGE]  # the size of the last block, and where it begins
    while 2 * last - 1 < count:
        first, last = tree.edges[first, NEXT_BLOCK], 2 * last
    if count == 0:
        edge = _take_row(walk, EDGES)
        tree.nodes[node, FIRST_EDGE] = edge
    elif count == 2 * last - 1:  # the last block is full
        edge = _take(tree, EDGES, 2 * last, len(tree.edges))
        if edge == NONE:
            walk.pool[WANTS_ROOM, 0] = 1
            return NONE
        tree.edges[first, NEXT_BLOCK] = edge
    else:
        edge = first + count - (last - 1)
    for column in range(1, LINE):
        tree.edges[edge, column] = 0
    tree.edges[edge, COUNT] = 1
    return edge


@helper
def publish_edge(tree: SharedTree, node: int, due: int) -> None:
    """Show a node's new edge, and say at how many visits its next one is due."""
    publish(tree.nodes, node, ACTIONS, tree.nodes[node, ACTIONS] + 1)
    publish(tree.nodes, node, DUE, due)


@helper
def write_node(tree: SharedTree, walk: SharedWalk, state: Array, reward: float, player: float) -> int:
    """The thread's next row as a node without edges, which no other thread sees before it is published."""
    node = walk.pool[NODES, FREE]
    copy(state, tree.state[node])
    for column in range(LINE):
        tree.nodes[node, column] = 0
    tree.node_values[node, REWARD] = reward
    tree.node_values[node, PLAYER] = player
    return node


@helper
def keep_node(walk: SharedWalk) -> int:
    """Use up the row of the last `write_node`."""
    return _take_row(walk, NODES)


@helper
def child_key(tree: SharedTree, node: int, edge: int, state: Array) -> np.uint64:
    """Key of the history of `node`, the edge, and the exact state that it led to."""
    return hash_vector(combine(tree.keys[node], np.uint64(edge)), state)


@helper
def find_child(tree: SharedTree, key: np.uint64) -> int:
    """The node of this key, or NONE."""
    return read_published(tree.slots, find_slot(tree.slots, tree.keys, key), 0) - 1


@helper
def enter_child(tree: SharedTree, walk: SharedWalk, key: np.uint64, state: Array, player: float) -> tuple[int, bool]:
    """The node of this key, and whether it is new; another thread may have entered it since `find_child`."""
    node = write_node(tree, walk, state, 0.0, player)
    tree.keys[node] = key
    while True:
        slot = find_slot(tree.slots, tree.keys, key)
        found = compare_and_swap(tree.slots, slot, 0, 0, node + 1)
        if found == 0:
            return keep_node(walk), True
        if tree.keys[found - 1] == key:
            return found - 1, False
