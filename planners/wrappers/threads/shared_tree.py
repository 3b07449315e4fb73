"""The search tree of UCT, PW and DPW in a form that several threads extend at once.

Edges lie in linked blocks of 1, 2, 4, ... that never move. A thread writes what it adds completely before it publishes
the number, index or slot by which others find it; one thread at a time adds to a node or to an edge. Visits and returns
are added atomically, so that none is lost.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import check_actions, offers
from bonspiel.planners.core.hash_table import new_slots
from bonspiel.planners.core.jit import Problem, helper, int64, kernel, uint64
from bonspiel.planners.core.jit.atomics import read_published
from bonspiel.planners.core.returns import no_returns
from bonspiel.planners.core.tree.nodes import NEVER, longer
from bonspiel.planners.core.walk import EXAMPLE_WALK as EXAMPLE_TREE_WALK
from bonspiel.planners.core.walk import TreeWalk, new_walk
from bonspiel.planners.model import Array, HasPlayer, Model
from bonspiel.planners.planner import Budget

NODES, EDGES, STOPPED = 0, 1, 2  # columns of SharedTree.size
VISITS, ACTIONS, FIRST_EDGE, SIBLING, REWARD, PLAYER = 0, 1, 2, 3, 4, 5  # columns of nodes
COUNT, TOTAL, SHOWN_MEAN, SHOWN_INV_SQRT, OUTCOMES, FIRST_OUTCOME, NEXT_BLOCK = 0, 1, 2, 3, 4, 5, 6  # columns of edges
DUE = 7  # of both: visits at which the next action or outcome is due, NEVER or ADDING
LINE = 8  # columns: 64 bytes, a line of the processor's cache
SHIFT = 20  # bits of an edge's count that hold its visits under way; those above hold its visits
VISIT = 1 << SHIFT
UNDER_WAY = VISIT - 1
NONE = -1  # in place of an edge
ADDING = NEVER + 1  # while a thread adds one
CHUNK = 256  # rows that a thread takes at a time, at least
FREE, FREE_END, NEXT, NEXT_END = 0, 1, 2, 3  # columns of SharedWalk.pool
WANTS_ROOM = 2  # row of SharedWalk.pool


class SharedTree(NamedTuple):
    """Arrays of a search by several threads.

    Attributes:
        size: rows of nodes and of edges that threads have taken, and whether to stop, int64 [1, 3].
        nodes: int64 [n, LINE]; the root is node 0.
        node_values: the same memory as floats: the reward of the step that leads here, and the player, [n, LINE].
        state: [n, state_dim].
        keys: of each node the hash of the history that leads there, uint64 [n].
        edges: int64 [m, LINE]; a block's first edge has the link to the next block.
        edge_values: the same memory as floats: the sum of returns for the player to move, and what selections read,
            the mean and 1/sqrt(visits), which a thread writes again after every visit, [m, LINE].
        action: [m, action_dim].
        slots: hash table over the keys, int64 [power of two, 1].
    """

    size: NDArray[np.int64]
    nodes: NDArray[np.int64]
    node_values: Array
    state: Array
    keys: NDArray[np.uint64]
    edges: NDArray[np.int64]
    edge_values: Array
    action: Array
    slots: NDArray[np.int64]


class SharedWalk(NamedTuple):
    """The simulation of one thread.

    Attributes:
        walk: see `TreeWalk`.
        pool: rows of nodes and of edges that are this thread's to use, and whether it had too few, int64 [3, 4].
        returns: the least and the largest return that this thread has met, [2].
    """

    walk: TreeWalk
    pool: NDArray[np.int64]
    returns: Array


def new_shared_tree(model: Model, problem: Problem, nodes: int, root_actions: Array | None, threads: int) -> SharedTree:
    """A tree of one root, with room for `nodes` nodes."""
    root_actions = None if root_actions is None else check_actions(model, root_actions)
    count = 0 if root_actions is None else len(root_actions)
    room = nodes + threads * (CHUNK + problem.steps)
    edge_room = room + 2 * count + _slack(threads, problem.steps)
    rows, edges = _lines(room), _lines(edge_room)
    tree = SharedTree(
        size=np.array([[1, 0, 0]]),
        nodes=rows,
        node_values=rows.view(float),
        state=np.empty((room, model.state_dim)),
        keys=np.empty(room, np.uint64),
        edges=edges,
        edge_values=edges.view(float),
        action=np.empty((edge_room, len(model.action_low))),
        slots=new_slots(room)[:, None],
    )
    tree.state[0], tree.keys[0], tree.nodes[0] = problem.state, 0, 0
    tree.node_values[0, PLAYER] = model.player(problem.state, model.params) if offers(model, HasPlayer) else 1.0
    if root_actions is not None:
        blocks = count.bit_length()
        starts = (1 << np.arange(blocks)) - 1  # the blocks follow each other, so that edge k lies in row k
        tree.edges[:count] = 0
        tree.edges[starts[:-1], NEXT_BLOCK] = starts[1:]
        tree.action[:count] = root_actions
        tree.size[0, EDGES] = (1 << blocks) - 1
        tree.nodes[0, [ACTIONS, DUE]] = count, NEVER
    return tree


def edges_below(tree: SharedTree, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The place in `nodes` of each of their edges, and its row, block by block."""
    owners, rows = [], []
    owner, left, first, size = np.arange(len(nodes)), tree.nodes[nodes, ACTIONS], tree.nodes[nodes, FIRST_EDGE], 1
    while (left > 0).any():
        owner, first, left = owner[left > 0], first[left > 0], left[left > 0]
        in_block = np.minimum(left, size)
        starts = np.repeat(first - np.cumsum(in_block) + in_block, in_block)
        rows.append(starts + np.arange(in_block.sum()))
        owners.append(np.repeat(owner, in_block))
        left = left - size
        first, size = np.where(left > 0, tree.edges[first, NEXT_BLOCK], first), 2 * size
    empty = [np.empty(0, np.int64)]
    return np.concatenate(owners or empty), np.concatenate(rows or empty)


def _lines(count: int) -> NDArray[np.int64]:
    """`count` rows, each in one line of the cache, so that threads at neighbouring rows do not wait for each other."""
    memory = np.empty((count + 1) * LINE, np.int64)
    first = -memory.ctypes.data % (LINE * memory.itemsize) // memory.itemsize
    return memory[first : first + count * LINE].reshape(count, LINE)


def _slack(threads: int, steps: int) -> int:
    """Edges to have in reserve for what threads take; untouched memory costs nothing."""
    return threads * (CHUNK + steps) + min(1024 * steps, 65_536)


def new_shared_walk(model: Model, steps: int, budget: Budget | None = None) -> SharedWalk:
    """The walk of one thread, which has taken no rows yet."""
    return SharedWalk(new_walk(model, steps, budget=budget), np.zeros((3, 4), np.int64), no_returns())


def grow(tree: SharedTree, threads: int, steps: int, factor: float) -> SharedTree:
    """The same tree with room for `factor` times what it holds; no thread may work in it meanwhile."""
    nodes, edges = int(tree.size[0, NODES]), int(tree.size[0, EDGES])
    node_room = int(nodes * factor) + threads * (CHUNK + steps)
    edge_room = int(edges * factor) + _slack(threads, steps)
    rows, stats = _lines(node_room), _lines(edge_room)
    rows[:nodes], stats[:edges] = tree.nodes[:nodes], tree.edges[:edges]
    grown = tree._replace(
        nodes=rows,
        node_values=rows.view(float),
        state=longer(tree.state, nodes, node_room),
        keys=longer(tree.keys, nodes, node_room),
        edges=stats,
        edge_values=stats.view(float),
        action=longer(tree.action, edges, edge_room),
        slots=new_slots(node_room)[:, None],
    )
    _move_slots(tree.slots, grown.slots, tree.keys)
    return grown


@helper
def find_slot(slots: NDArray[np.int64], keys: NDArray[np.uint64], key: np.uint64) -> int:
    """The slot that holds the index of this key, or the empty one where it belongs."""
    last, one = np.uint64(len(slots) - 1), np.uint64(1)
    slot = key & last
    index = read_published(slots, slot, 0)
    while index != 0 and keys[index - 1] != key:
        slot = (slot + one) & last
        index = read_published(slots, slot, 0)
    return slot  # type: ignore[return-value]


@kernel(int64[:, ::1], int64[:, ::1], uint64[::1])
def _move_slots(old: NDArray[np.int64], new: NDArray[np.int64], keys: NDArray[np.uint64]) -> int:
    for slot in range(len(old)):
        if old[slot, 0] != 0:
            new[find_slot(new, keys, keys[old[slot, 0] - 1]), 0] = old[slot, 0]
    return len(old)


_INTEGERS, _FLOATS = np.zeros((1, 1), np.int64), np.zeros((1, 1))
EXAMPLE_TREE = SharedTree(
    _INTEGERS, _INTEGERS, _FLOATS, _FLOATS, np.zeros(1, np.uint64), _INTEGERS, _FLOATS, _FLOATS, _INTEGERS
)
EXAMPLE_WALK = SharedWalk(EXAMPLE_TREE_WALK, _INTEGERS, np.zeros(2))
