"""The tree of a decision from that of the one before: the part below the state that the episode has reached."""

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import offers
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.core.bounds import state_bounds, unusable_bounds
from bonspiel.planners.core.hash_table import NOWHERE, find_slot, new_slots
from bonspiel.planners.core.jit import VECTOR, Problem, helper, int64, kernel, run
from bonspiel.planners.core.jit.validity import hand_on, no_validity
from bonspiel.planners.core.passed import StepsPassed
from bonspiel.planners.core.tree.nodes import (
    BLOCK,
    EDGES,
    ENDED,
    NODES,
    SEARCH_TREE,
    SearchTree,
    child_key,
    longer,
    spare_edges,
)
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.kinds import is_discrete
from bonspiel.planners.model import Array, HasActions, HasPlayer, Model
from bonspiel.planners.planner import Budget

SHARE = 0.1  # of a time budget, for copying what is kept
CHUNK, PYTHON_CHUNK = 1_024, 8  # nodes copied between two looks at the clock


@kernel(SEARCH_TREE, VECTOR, int64, int64[::1])
def find_state(tree: SearchTree, state: Array, depth: int, queue: NDArray[np.int64]) -> int:
    """The node with this state that is fewest steps from the root, of equals the most visited.

    NOWHERE if none is within `depth` steps; `queue` has room for all nodes.
    """
    queue[0], first, last = 0, 0, 1
    for level in range(depth + 1):
        best = NOWHERE
        for place in range(first, last):
            node, same = queue[place], True
            for i in range(len(state)):
                if tree.state[node, i] != state[i]:
                    same = False
                    break
            if same and (best == NOWHERE or tree.nodes[node]["visits"] > tree.nodes[best]["visits"]):
                best = node
        if best != NOWHERE:
            return best
        end = last
        for place in range(first, last if level < depth else first):
            node = queue[place]
            for edge in range(
                tree.nodes[node]["first_edge"], tree.nodes[node]["first_edge"] + tree.nodes[node]["actions"]
            ):
                outcome = tree.edges[edge]["first_outcome"]
                while outcome != 0:
                    queue[end] = outcome
                    end += 1
                    outcome = tree.nodes[outcome]["sibling"]
        first, last = last, end
    return NOWHERE


@helper
def _apart(one: Array, other: Array, scale: Array) -> float:
    """Squared distance of two states."""
    total = 0.0
    for i in range(len(one)):
        off = scale[i] * (one[i] - other[i])
        total += off * off
    return total


@kernel(SEARCH_TREE, int64, VECTOR, VECTOR)
def nearest_outcome(tree: SearchTree, edge: int, state: Array, scale: Array) -> int:
    """The outcome of the root's edge nearest to a state; NOWHERE if that is not nearer to it than to the root."""
    best, least = NOWHERE, math.inf
    outcome = tree.edges[edge]["first_outcome"]
    while outcome != 0:
        apart = _apart(tree.state[outcome], state, scale)
        if tree.nodes[outcome]["actions"] != ENDED and apart < least:
            best, least = outcome, apart
        outcome = tree.nodes[outcome]["sibling"]
    if best != NOWHERE and not least < _apart(tree.state[best], tree.state[0], scale):
        return NOWHERE
    return best


@kernel(SEARCH_TREE, int64, SEARCH_TREE, int64[::1], int64, int64)
def _copy_below(tree: SearchTree, node: int, new: SearchTree, origin: NDArray[np.int64], done: int, chunk: int) -> int:
    """Copy a node and those below it into an empty tree, level by level, a chunk more of them with what they lead to.

    `origin` receives where each node was; `done` of the nodes have what they lead to, and it is returned for the next
    call.
    """
    if done == 0:
        origin[0] = node
        new.nodes[0] = tree.nodes[node]
        new.nodes[0]["sibling"] = 0
        copy(tree.state[node], new.state[0])
    by_state, end = len(new.slots) > 1, done + chunk
    while done < min(end, new.size[NODES]):
        old, count, first = tree.nodes[origin[done]]["first_edge"], new.nodes[done]["actions"], new.size[EDGES]
        if count > 0:
            room = 1
            while room < count:
                room *= 2
            new.nodes[done]["first_edge"] = first
            new.size[EDGES] += room
            new.size[BLOCK] = max(new.size[BLOCK], room)
        for i in range(count):
            new.edges[first + i] = tree.edges[old + i]
            copy(tree.value[old + i], new.value[first + i])
            copy(tree.action[old + i], new.action[first + i])
            last, outcome = 0, tree.edges[old + i]["first_outcome"]
            while outcome != 0:
                child = new.size[NODES]
                new.size[NODES] = child + 1
                origin[child] = outcome
                new.nodes[child] = tree.nodes[outcome]
                new.nodes[child]["sibling"] = 0
                copy(tree.state[outcome], new.state[child])
                if last == 0:
                    new.edges[first + i]["first_outcome"] = child
                else:
                    new.nodes[last]["sibling"] = child
                if by_state:
                    key = np.uint64(child_key(new, done, first + i, new.state[child]))
                    new.keys[child] = key
                    new.slots[find_slot(new.slots, new.keys, key)] = child + 1
                last, outcome = child, tree.nodes[outcome]["sibling"]
        done += 1
    return done


def tree_below(
    model: Model, tree: SearchTree, node: int, steps: int, nodes: int, until: float = math.inf
) -> tuple[SearchTree, NDArray[np.int64]]:
    """The part of a tree below a node, as a tree of its own.

    Args:
        model: that was searched.
        tree: stays as it is.
        node: to be the root.
        steps: of a simulation, at most.
        nodes: to have room for beside those that are kept.
        until: reading of the clock after which what is left, of the lowest levels, is left out.

    Returns:
        The new tree, and for each of its nodes where that was, int64 [at least its nodes].
    """
    used, edges, block = map(int, tree.size)
    node_room = 2 * used + nodes + steps  # the next search may make as many as the last one, and growing copies all
    edge_room = 2 * edges + nodes + steps + spare_edges(steps, max(block, 4))
    by_state = len(tree.slots) > 1
    new = SearchTree(
        size=np.array([1, 0, 1]),
        nodes=longer(tree.nodes, 0, node_room),
        state=longer(tree.state, 0, node_room),
        keys=longer(tree.keys, 0, node_room) if by_state else tree.keys,
        edges=longer(tree.edges, 0, edge_room),
        value=longer(tree.value, 0, edge_room),
        action=longer(tree.action, 0, edge_room),
        slots=new_slots(node_room) if by_state else tree.slots,
        returns=tree.returns.copy(),
    )
    if by_state:
        new.keys[0] = 0
    origin = np.empty(used, np.int64)
    done, chunk = 0, CHUNK if model.compiled else PYTHON_CHUNK
    while done == 0 or (done < new.size[NODES] and time.perf_counter() < until):
        done = int(run(_copy_below, model, tree, node, new, origin, done, chunk))
    cut = new.nodes[done : new.size[NODES]]
    cut["actions"], cut["due"] = np.minimum(cut["actions"], 0), 0  # as of new nodes; those that ended stay so
    return new, origin


class TreeMemory:
    """The tree of an episode's last decision, of which the next one takes a part.

    That is the part below the state that the episode has reached: the node with exactly this state, one step below the
    root, or as many as were passed, at least two in games of two players. Where there is none, in a game of one player
    and after one step, it is the outcome of the action played that is nearest to it, each coordinate as a part of its
    range, if that is nearer to it than to the last decision's state, and in a `discrete` model if the same actions are
    legal there; simulations then start from the true state.

    Under a time budget the levels nearest to that node are kept, as far as a tenth of it lasts to copy them.

    What is kept is approximate: values look ahead as far as the last decision did, the outcomes of a nearest node's
    actions start from its own state, and the range of returns is that of all searches since the tree began.

    Args:
        model: of the episode.

    Attributes:
        known: what the planner leaves for the next decision beside the tree; None before the first.
    """

    def __init__(self, model: Model) -> None:
        self.known: Any = None
        self._model, self._passed = model, StepsPassed(model)
        self._tree: SearchTree | None = None
        self._validity = no_validity()
        self._edge = 0  # of the action played

    def recall(self, problem: Problem, nodes: int, budget: Budget) -> tuple[SearchTree, NDArray[np.int64]] | None:
        """The tree to begin the decision of a problem with, as of `tree_below`; None if nothing is known of its state.

        At first, invalid simulations count as less than the worst valid return that the last decision met from the
        state's depth on.

        Raises:
            ValueError: the state is of an earlier step than the last decision's.
        """
        state, tree = problem.state, self._tree
        passed = self._passed.to(state)
        if tree is None:
            kernels: tuple[Any, ...] = (find_state, nearest_outcome, _copy_below)
            for one in kernels if self._model.compiled else ():
                one.load()  # for which the next decision has no time
            return None
        node = self._node_of(tree, state, passed, budget)
        if node == NOWHERE or tree.nodes[node]["actions"] <= 0:
            return None
        until = math.inf if budget.seconds is None else time.perf_counter() + SHARE * budget.seconds
        found, origin = tree_below(self._model, tree, node, problem.steps, nodes, until)
        found.state[0] = state
        hand_on(self._validity, problem.validity, passed)
        return found, origin

    def _node_of(self, tree: SearchTree, state: Array, passed: int, budget: Budget) -> int:
        model, two_players = self._model, offers(self._model, HasPlayer)
        depth = max(passed, 2) if two_players and passed > 0 else passed
        node = int(run(find_state, model, tree, state, depth, np.empty(tree.size[NODES], np.int64)))
        if node != NOWHERE or two_players or passed != 1 or unusable_bounds(model) is not None:
            return node
        low, high = state_bounds(model, budget).reshape(2, -1)
        scale = np.divide(1.0, high - low, out=np.zeros(len(state)), where=high > low)
        node = int(run(nearest_outcome, model, tree, self._edge, state, scale))
        if node == NOWHERE or not offers(model, HasActions) or not is_discrete(model):
            return node
        legal, kept = (own_actions(model, of) for of in (state, tree.state[node]))
        return node if np.array_equal(legal, kept) else NOWHERE

    def keep(self, tree: SearchTree, action: Array, validity: Array) -> None:
        """Remember the tree of a decision, the action that it chose, and what it knows of valid returns."""
        first, count = tree.nodes[0]["first_edge"], tree.nodes[0]["actions"]
        same = np.flatnonzero((tree.action[first : first + count] == action).all(1))
        self._edge = int(first + same[np.argmax(tree.edges["visits"][first + same])])
        self._tree, self._validity = tree, validity
        self._passed.decided()

    def forget(self) -> None:
        """Remember nothing of the decision, which was among actions given."""
        self._tree = None
