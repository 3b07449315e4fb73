"""The search of CMCGS: simulations through the layered graph and on by random actions (algorithm 1 of the paper)."""

import numpy as np

from bonspiel.planners.cells.cmcgs.graph import (
    CMCGSSettings,
    Graph,
    GraphWalk,
    find_node,
    new_graph,
    new_graph_walk,
    remember,
)
from bonspiel.planners.cells.cmcgs.nodes import draw_action, learn
from bonspiel.planners.core.jit import Problem, gain_of, model_helper, sample_action, step
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.model import Rng


@model_helper
def _random_return(walk: GraphWalk, problem: Problem, depth: int, steps: int, rng: Rng) -> float:
    """The return of at most `steps` random actions, from the state at this depth."""
    total, weight = 0.0, 1.0
    for passed in range(min(steps, problem.steps - depth)):
        state, next_state = walk.state[depth + passed % 2], walk.state[depth + 1 - passed % 2]
        sample_action(problem, state, walk.last, rng)
        reward, terminated = step(problem, state, walk.last, next_state, rng)
        total += weight * reward
        weight *= problem.discount
        if terminated:
            break
    return total


_EXAMPLE = CMCGSSettings(1, 1.0, 1.0, 1.0, 1.0, 1.0, 1, np.empty(1), np.empty(1))


@search_kernel(new_graph(1, 1, 1, 1, 1, 1), new_graph_walk(1, 1, 1, 1), _EXAMPLE)
def search(graph: Graph, walk: GraphWalk, problem: Problem, simulations: int, rng: Rng, settings: CMCGSSettings) -> int:
    """Simulate from the root through the layers, from node to node, then on at random; learn from the last step on."""
    for simulation in range(simulations):
        layers = graph.layers[0]
        if layers == len(graph.seen) and layers < problem.steps:
            return simulation
        near_top = rng.random() < settings.elite_probability
        copy(problem.state, walk.state[0])
        depth, terminated = 0, False
        while depth < layers and not terminated:
            state, action = walk.state[depth], walk.action[depth]
            walk.node[depth] = find_node(graph, depth, state)
            draw_action(graph, depth, walk.node[depth], near_top, action, rng, settings)
            walk.reward[depth], terminated = step(problem, state, action, walk.state[depth + 1], rng)
            depth += 1
        total = 0.0 if terminated else _random_return(walk, problem, depth, settings.rollout_steps, rng)
        for i in range(depth - 1, -1, -1):
            total = walk.reward[i] + problem.discount * total
            gain = gain_of(problem.validity, i, 1.0, total)
            remember(graph, i, walk.node[i], walk.state[i], walk.action[i], gain)
            learn(graph, walk, i, walk.node[i], settings)
        if layers < problem.steps and graph.seen[layers - 1] > settings.samples:
            graph.layers[0] = layers + 1
    return simulations
