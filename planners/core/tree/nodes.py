"""The search tree of UCT, PW and DPW as a struct of arrays.

A node is a state; its edges are the actions tried there, contiguous so that a selection reads memory in one run. Every
node but the root was reached by one edge, so a node doubles as the record of one outcome of that edge.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import check_actions, offers
from bonspiel.planners.core.hash_table import fill_slots, new_slots
from bonspiel.planners.core.jit import MATRIX, Problem, helper, kernel, typeof
from bonspiel.planners.core.returns import no_returns
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.core.zobrist import combine, hash_vector
from bonspiel.planners.model import Array, HasPlayer, Model

NEVER = 2**62  # a number of visits that no search reaches
ENDED = -1  # in place of the number of actions: the episode is over
UNTRIED = 1e300  # mean of an untried edge, which puts it first in every selection
MEAN, INV_SQRT, VARIANCE = 0, 1, 2  # columns of SearchTree.value
COLUMNS = 3  # of them, which those that a search adds follow
WITHOUT_VARIANCE = 2  # columns of a search whose rules do not look at it
NODES, EDGES, BLOCK = 0, 1, 2  # entries of SearchTree.size

NODE = np.dtype(
    [
        ("visits", "i8"),
        ("actions", "i8"),  # number of edges, or ENDED
        ("first_edge", "i8"),
        ("due", "i8"),  # visits at which the next action is due
        ("sibling", "i8"),  # the next outcome of the same edge; 0 after the last
        ("reward", "f8"),  # of the step that leads here
        ("player", "f8"),  # +1 or -1, whose turn it is
    ]
)
EDGE = np.dtype(
    [
        ("visits", "i8"),
        ("due", "i8"),  # visits at which the next outcome is due
        ("outcomes", "i8"),
        ("first_outcome", "i8"),  # 0: none, since the root is never an outcome
    ]
)
_SIZE = np.array([1, 0, 1])  # of a tree of one root
_ROOT = (0, 0, 0, 0, 0, 0.0, 1.0)  # written as a tuple: five times as fast as from an array
_NO_KEYS, _NO_SLOTS = np.empty(0, np.uint64), np.zeros(1, np.int64)


class SearchTree(NamedTuple):
    """Arrays of a search; those of nodes and of edges grow together.

    Attributes:
        size: nodes in use, edges in use, edges of the largest block, int64 [3].
        nodes: NODE [n]; the root is node 0.
        state: [n, state_dim].
        keys: of each node the hash of the history that leads there, uint64 [n].
        edges: EDGE [m].
        value: mean return for the player to move, 1/sqrt(visits) and variance of the returns of each edge,
            [m, 2 or more].
        action: [m, action_dim].
        slots: hash table over the keys, int64 [power of two]; of length 1 where it is not used.
        returns: the smallest and the largest return of a simulation, [2].
    """

    size: NDArray[np.int64]
    nodes: NDArray[np.void]
    state: Array
    keys: NDArray[np.uint64]
    edges: NDArray[np.void]
    value: Array
    action: Array
    slots: NDArray[np.int64]
    returns: Array


def new_tree(
    model: Model,
    problem: Problem,
    nodes: int,
    root_actions: Array | None,
    by_state: bool,
    columns: int,
    first_play: float = UNTRIED,
) -> SearchTree:
    """A tree of one root, with room for `nodes` nodes; `by_state`: outcomes are found by their states.

    Each edge has this many `columns` of value: COLUMNS and those that a search adds, or WITHOUT_VARIANCE. Untried root
    actions have the mean `first_play`.
    """
    state, steps = problem.state, problem.steps
    room = nodes + steps
    edges = room + spare_edges(steps, 4)
    if root_actions is not None:
        root_actions = check_actions(model, root_actions)
        edges += 2 * len(root_actions) * (steps + 1)
    tree = SearchTree(
        size=_SIZE.copy(),
        nodes=np.empty(room, NODE),
        state=np.empty((room, model.state_dim)),
        keys=np.empty(room, np.uint64) if by_state else _NO_KEYS,
        edges=np.empty(edges, EDGE),
        value=np.empty((edges, columns)),
        action=np.empty((edges, len(model.action_low))),
        slots=new_slots(room) if by_state else _NO_SLOTS,
        returns=no_returns(),
    )
    tree.state[0] = state
    if by_state:
        tree.keys[0] = 0
    tree.nodes[0] = _ROOT
    if offers(model, HasPlayer):
        tree.nodes["player"][0] = model.player(state, model.params)
    if root_actions is not None:
        _set_root_actions(tree, root_actions)
        tree.value[: tree.size[EDGES], MEAN] = first_play
    return tree


def spare_edges(steps: int, block: int) -> int:
    """Edges to have in reserve for blocks to move, more than has_room asks for; untouched memory costs nothing."""
    return 4 * steps * block + min(1024 * steps, 65_536)


def longer(array: NDArray[Any], used: int, room: int) -> NDArray[Any]:
    """The first `used` rows in an array of `room` rows."""
    new = np.empty((room, *array.shape[1:]), array.dtype)
    new[:used] = array[:used]
    return new


def grow(tree: SearchTree, walk: TreeWalk, factor: float) -> SearchTree:
    """The same tree with room for `factor` times what it holds."""
    nodes, edges, block = map(int, tree.size)
    steps = len(walk.path)
    node_room = int(nodes * factor) + steps
    edge_room = int(edges * factor) + spare_edges(steps, block)
    grown = tree._replace(
        nodes=longer(tree.nodes, nodes, node_room),
        state=longer(tree.state, nodes, node_room),
        edges=longer(tree.edges, edges, edge_room),
        value=longer(tree.value, edges, edge_room),
        action=longer(tree.action, edges, edge_room),
    )
    if len(tree.slots) > 1:
        grown = grown._replace(keys=longer(tree.keys, nodes, node_room), slots=new_slots(len(grown.nodes)))
        fill_slots(grown.slots, grown.keys, 1, nodes)
    return grown


_ONE = np.empty((1, 1))
EXAMPLE_TREE = SearchTree(_SIZE, np.empty(1, NODE), _ONE, _NO_KEYS, np.empty(1, EDGE), _ONE, _ONE, _SIZE, np.empty(2))
SEARCH_TREE = typeof(EXAMPLE_TREE)


@helper
def has_room(tree: SearchTree, steps: int) -> bool:
    """True if a simulation of `steps` steps fits even if every step adds a node and moves a largest block."""
    nodes = tree.size[NODES] + steps
    edges = tree.size[EDGES] + 2 * steps * tree.size[BLOCK]
    return nodes <= len(tree.nodes) and edges <= len(tree.edges)


@helper
def add_edge(tree: SearchTree, node: int) -> int:
    """A new, untried edge of the node; its action is left to the caller to write."""
    count = tree.nodes[node]["actions"]
    if count & (count - 1) == 0:  # blocks hold 1, 2, 4, ... edges: this one is full and moves
        old = tree.nodes[node]["first_edge"]
        first = tree.size[EDGES]
        room = max(1, 2 * count)
        tree.size[EDGES] += room
        tree.size[BLOCK] = max(tree.size[BLOCK], room)
        for i in range(count):
            tree.edges[first + i] = tree.edges[old + i]
            copy(tree.value[old + i], tree.value[first + i])
            copy(tree.action[old + i], tree.action[first + i])
        tree.nodes[node]["first_edge"] = first
    edge = tree.nodes[node]["first_edge"] + count
    tree.nodes[node]["actions"] = count + 1
    tree.edges[edge]["visits"] = 0
    tree.edges[edge]["due"] = 0
    tree.edges[edge]["outcomes"] = 0
    tree.edges[edge]["first_outcome"] = 0
    tree.value[edge, MEAN] = UNTRIED
    tree.value[edge, INV_SQRT] = 0.0
    for column in range(VARIANCE, tree.value.shape[1]):
        tree.value[edge, column] = 0.0
    return edge


@helper
def add_node(tree: SearchTree, state: Array, reward: float, player: float) -> int:
    """A new node without edges."""
    node = tree.size[NODES]
    tree.size[NODES] = node + 1
    copy(state, tree.state[node])
    tree.nodes[node]["visits"] = 0
    tree.nodes[node]["actions"] = 0
    tree.nodes[node]["first_edge"] = 0
    tree.nodes[node]["due"] = 0
    tree.nodes[node]["sibling"] = 0
    tree.nodes[node]["reward"] = reward
    tree.nodes[node]["player"] = player
    return node


@helper
def child_key(tree: SearchTree, node: int, edge: int, state: Array) -> np.uint64:
    """Key of the history of `node`, the rank of the edge, and the exact state that it led to."""
    rank = np.uint64(edge - tree.nodes[node]["first_edge"])
    return hash_vector(combine(tree.keys[node], rank), state)


@helper
def add_child(tree: SearchTree, slot: int, key: np.uint64, state: Array, player: float) -> int:
    """A new node, found again by its key."""
    child = add_node(tree, state, 0.0, player)
    tree.keys[child] = key
    tree.slots[slot] = child + 1
    return child


@kernel(SEARCH_TREE, MATRIX)
def _set_root_actions(tree: SearchTree, actions: Array) -> int:
    """Give the root these actions and no others."""
    for i in range(len(actions)):
        edge = add_edge(tree, 0)
        copy(actions[i], tree.action[edge])
    tree.nodes[0]["due"] = NEVER
    return 0
