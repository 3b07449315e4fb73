"""The layered graph of CMCGS: each layer, one for a step, has a memory of experiences and the nodes that own them.

An experience is a state, the action taken there and the return that followed. A node is a Gaussian of states, by which
a state finds its node, and a Gaussian of actions, its policy; both have a standard deviation for each coordinate.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.nodes import longer
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.model import Array

TOP = 3  # experiences that a node samples near to


class CMCGSSettings(NamedTuple):
    """The parameters of `CMCGS` as its kernel takes them, and the bounds of the actions, [action_dim]."""

    samples: int
    elite_ratio: float
    elite_probability: float
    elite_sd: float
    prior_shape: float
    prior_scale: float
    rollout_steps: int
    low: Array
    high: Array


class Graph(NamedTuple):
    """Arrays of a search with up to L layers, M experiences and K nodes in each.

    Attributes:
        layers: in use, int64 [1].
        seen: experiences that each layer has had, of which the last M are kept, int64 [L].
        nodes: of each layer, int64 [L].
        wait: experiences until a layer may try to split a node again, int64 [L].
        states: [L, M, state_dim].
        actions: [L, M, action_dim].
        returns: [L, M].
        valid: whether each simulation was, bool [L, M].
        owner: node of each experience, int64 [L, M].
        scale: standard deviation of the states of each layer when a node was split last, [L, state_dim].
        size: experiences of each node when its policy was fitted last, int64 [L, K].
        state_mean: of each node, [L, K, state_dim].
        state_sd: of each node, [L, K, state_dim].
        policy_mean: of each node, [L, K, action_dim].
        policy_sd: of each node, [L, K, action_dim].
        top: the actions with the highest returns of each node, the best first, [L, K, TOP, action_dim].
    """

    layers: NDArray[np.int64]
    seen: NDArray[np.int64]
    nodes: NDArray[np.int64]
    wait: NDArray[np.int64]
    states: Array
    actions: Array
    returns: Array
    valid: NDArray[np.bool_]
    owner: NDArray[np.int64]
    scale: Array
    size: NDArray[np.int64]
    state_mean: Array
    state_sd: Array
    policy_mean: Array
    policy_sd: Array
    top: Array


class GraphWalk(NamedTuple):
    """The simulation under way.

    Attributes:
        state: the state at each step in the graph, and two for the rollout, [layers + 2, state_dim].
        action: the action at each step in the graph, [layers, action_dim].
        node: its node, int64 [layers].
        reward: the reward of each step in the graph, [layers].
        last: the action below the graph, [action_dim].
        returns: of a node's experiences, to be sorted, [M].
        label: the half of a node that each experience falls to, int64 [M].
        centre: of both halves, [2, state_dim].
    """

    state: Array
    action: Array
    node: NDArray[np.int64]
    reward: Array
    last: Array
    returns: Array
    label: NDArray[np.int64]
    centre: Array


def new_graph(layers: int, memory: int, nodes: int, state_dim: int, action_dim: int, first: int) -> Graph:
    """A graph with room for this many layers, of which the `first` ones are in use, each with an empty node."""
    graph = Graph(
        layers=np.zeros(1, np.int64),
        seen=np.zeros(layers, np.int64),
        nodes=np.ones(layers, np.int64),
        wait=np.zeros(layers, np.int64),
        states=np.empty((layers, memory, state_dim)),
        actions=np.empty((layers, memory, action_dim)),
        returns=np.empty((layers, memory)),
        valid=np.empty((layers, memory), np.bool_),
        owner=np.empty((layers, memory), np.int64),
        scale=np.zeros((layers, state_dim)),
        size=np.zeros((layers, nodes), np.int64),
        state_mean=np.empty((layers, nodes, state_dim)),
        state_sd=np.empty((layers, nodes, state_dim)),
        policy_mean=np.empty((layers, nodes, action_dim)),
        policy_sd=np.empty((layers, nodes, action_dim)),
        top=np.empty((layers, nodes, TOP, action_dim)),
    )
    graph.layers[0] = first
    return graph


def new_graph_walk(layers: int, memory: int, state_dim: int, action_dim: int) -> GraphWalk:
    """Room for simulations through at most this many layers."""
    return GraphWalk(
        state=np.empty((layers + 2, state_dim)),
        action=np.empty((layers, action_dim)),
        node=np.empty(layers, np.int64),
        reward=np.empty(layers),
        last=np.empty(action_dim),
        returns=np.empty(memory),
        label=np.empty(memory, np.int64),
        centre=np.empty((2, state_dim)),
    )


def grow(graph: Graph, walk: GraphWalk, factor: float) -> Graph:
    """The same graph with room for `factor` times its layers, but for no more than a simulation has steps."""
    used = int(graph.layers[0])
    room = min(max(int(used * factor), used + 1), len(walk.node))
    grown = graph._replace(**{name: longer(getattr(graph, name), used, room) for name in Graph._fields[1:]})
    for array in (grown.seen, grown.wait, grown.scale, grown.size):
        array[used:] = 0
    grown.nodes[used:] = 1
    return grown


@helper
def kept(graph: Graph, layer: int) -> int:
    """The number of experiences in a layer's memory."""
    return min(graph.seen[layer], graph.returns.shape[1])


@helper
def remember(graph: Graph, layer: int, node: int, state: Array, action: Array, total: float, is_valid: bool) -> None:
    """Keep an experience, in place of the oldest where the memory is full."""
    slot = graph.seen[layer] % graph.returns.shape[1]
    graph.seen[layer] += 1
    copy(state, graph.states[layer, slot])
    copy(action, graph.actions[layer, slot])
    graph.returns[layer, slot] = total
    graph.valid[layer, slot] = is_valid
    graph.owner[layer, slot] = node


@helper
def find_node(graph: Graph, layer: int, state: Array) -> int:
    """The node of a layer whose Gaussian of states has the highest density at this state, the first of equals."""
    best, highest = 0, -math.inf
    if graph.nodes[layer] == 1:
        return best
    for node in range(graph.nodes[layer]):
        density = 0.0
        for i in range(len(state)):
            sd = graph.state_sd[layer, node, i]
            if sd > 0.0:  # a coordinate that differs in this layer
                density -= 0.5 * ((state[i] - graph.state_mean[layer, node, i]) / sd) ** 2 + math.log(sd)
        if density > highest:
            best, highest = node, density
    return best
