"""Learning in the nodes of CMCGS: Gaussians fitted to their experiences, and a split where these are enough."""

import math

from bonspiel.planners.cells.cmcgs.graph import TOP, CMCGSSettings, Graph, GraphWalk, kept
from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.model import Array, Rng

FEWEST_ELITES = 5
LEAST_SD = 0.01  # of a policy, as a part of half the range
LEAST_STATE_SD = 0.1  # of a node, as a part of the layer's
EVERYONE = -1  # in place of a node
ROUNDS = 10  # of two-means at most


@helper
def clipped_normal(mean: float, sd: float, low: float, high: float, rng: Rng) -> float:
    """A draw, or the bound that it is beyond."""
    return min(max(mean + sd * rng.standard_normal(), low), high)


@helper
def draw_action(
    graph: Graph, layer: int, node: int, near_top: bool, action: Array, rng: Rng, settings: CMCGSSettings
) -> None:
    """Draw from the node's policy, or `near_top`: around one of its best actions; at first from the whole range."""
    low, high = settings.low, settings.high
    if graph.size[layer, node] == 0:
        for i in range(len(action)):
            action[i] = clipped_normal(0.5 * (low[i] + high[i]), 0.5 * (high[i] - low[i]), low[i], high[i], rng)
    elif near_top:
        best = graph.top[layer, node, int(rng.random() * min(TOP, graph.size[layer, node]))]
        for i in range(len(action)):
            action[i] = clipped_normal(best[i], settings.elite_sd * (high[i] - low[i]), low[i], high[i], rng)
    else:
        mean, sd = graph.policy_mean[layer, node], graph.policy_sd[layer, node]
        for i in range(len(action)):
            action[i] = clipped_normal(mean[i], sd[i], low[i], high[i], rng)


@helper
def elite_count(size: int, ratio: float) -> int:
    """Number of elites among a node's experiences."""
    return min(max(FEWEST_ELITES, int(ratio * size)), size)


@helper
def nth_highest(values: Array, count: int, n: int) -> float:
    """The n-th highest of the first `count` values, n from 1; changes their order (Hoare 1961)."""
    first, last = 0, count - 1
    while first < last:
        pivot = values[(first + last) // 2]
        i, j = first, last
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if n - 1 <= j:
            last = j
        elif n - 1 >= i:
            first = i
        else:
            break
    return values[n - 1]


@helper
def _moments(graph: Graph, layer: int, node: int, mean: Array, sd: Array) -> None:
    """Write mean and standard deviation of the states of a node, or of the layer for EVERYONE.

    Both are updated state by state (Welford 1962), which gives 0 where a coordinate is always the same.
    """
    size = 0
    for i in range(len(mean)):
        mean[i] = 0.0
        sd[i] = 0.0
    for slot in range(kept(graph, layer)):
        if node == EVERYONE or graph.owner[layer, slot] == node:
            size += 1
            for i in range(len(mean)):
                before = graph.states[layer, slot, i] - mean[i]
                mean[i] += before / size
                sd[i] += before * (graph.states[layer, slot, i] - mean[i])
    for i in range(len(mean)):
        sd[i] = math.sqrt(sd[i] / size)


@helper
def _find_top(graph: Graph, layer: int, node: int) -> None:
    """Keep the actions of the highest returns, the best first."""
    first, second, third = -1, -1, -1
    for slot in range(kept(graph, layer)):
        if graph.owner[layer, slot] == node:
            total = graph.returns[layer, slot]
            if first < 0 or total > graph.returns[layer, first]:
                first, second, third = slot, first, second
            elif second < 0 or total > graph.returns[layer, second]:
                second, third = slot, second
            elif third < 0 or total > graph.returns[layer, third]:
                third = slot
    for rank, slot in enumerate((first, second, third)):
        if slot >= 0:
            copy(graph.actions[layer, slot], graph.top[layer, node, rank])


@helper
def fit(graph: Graph, walk: GraphWalk, layer: int, node: int, settings: CMCGSSettings) -> None:
    """Fit a node to its experiences, once it has half of what a split takes.

    The policy's mean is that of the elites, weighted by their returns from the lowest of the node's to the highest; its
    variance has an inverse gamma prior: (b + sum d^2 / 2) / (a + k / 2 - 1) for k elites at distances d from the mean.
    """
    size, lowest, highest = 0, math.inf, -math.inf
    for slot in range(kept(graph, layer)):
        if graph.owner[layer, slot] == node:
            total = graph.returns[layer, slot]
            walk.returns[size] = total
            size += 1
            lowest = min(lowest, total)
            highest = max(highest, total)
    if size < max(settings.samples // 2, 1):
        return
    graph.size[layer, node] = size
    if graph.nodes[layer] > 1:
        spread = graph.state_sd[layer, node]
        _moments(graph, layer, node, graph.state_mean[layer, node], spread)
        for i in range(len(spread)):
            spread[i] = max(spread[i], LEAST_STATE_SD * graph.scale[layer, i])
    _find_top(graph, layer, node)
    elites = elite_count(size, settings.elite_ratio) if highest > lowest else size
    threshold = nth_highest(walk.returns, size, elites)
    ties = 0  # elites that only just are
    for i in range(elites):
        ties += walk.returns[i] == threshold
    mean, sd = graph.policy_mean[layer, node], graph.policy_sd[layer, node]
    for i in range(len(mean)):
        mean[i] = 0.0
        sd[i] = 0.0
    for pick in range(2):
        weights, left = 0.0, ties
        for slot in range(kept(graph, layer)):
            total = graph.returns[layer, slot]
            if graph.owner[layer, slot] != node or total < threshold or (total == threshold and left == 0):
                continue
            left -= total == threshold
            weight = (total - lowest) / (highest - lowest) if highest > lowest else 1.0
            weights += weight
            for i in range(len(mean)):
                if pick == 0:
                    mean[i] += weight * graph.actions[layer, slot, i]
                else:
                    sd[i] += (graph.actions[layer, slot, i] - mean[i]) ** 2
        if pick == 0:
            for i in range(len(mean)):
                mean[i] /= weights
    for i in range(len(sd)):
        half = 0.5 * (settings.high[i] - settings.low[i])
        variance = (settings.prior_scale * half * half + 0.5 * sd[i]) / (settings.prior_shape + 0.5 * elites - 1.0)
        sd[i] = min(max(math.sqrt(variance), LEAST_SD * half), half)


@helper
def _gap(graph: Graph, layer: int, slot: int, centre: Array) -> float:
    """Squared distance of an experience's state, each coordinate in standard deviations of the layer."""
    total = 0.0
    for i in range(len(centre)):
        scale = graph.scale[layer, i]
        if scale > 0.0:
            total += ((graph.states[layer, slot, i] - centre[i]) / scale) ** 2
    return total


@helper
def _farthest(graph: Graph, layer: int, node: int, centre: Array) -> int:
    """The experience of the node whose state is farthest from the centre."""
    best, most = 0, -1.0
    for slot in range(kept(graph, layer)):
        if graph.owner[layer, slot] == node:
            gap = _gap(graph, layer, slot, centre)
            if gap > most:
                best, most = slot, gap
    return best


@helper
def two_means(graph: Graph, walk: GraphWalk, layer: int, node: int) -> int:
    """Label the node's experiences 0 or 1 by two-means of their states; returns the size of the smaller half.

    It begins with the state farthest from the layer's mean and the one farthest from that.
    """
    _moments(graph, layer, EVERYONE, walk.centre[0], graph.scale[layer])
    copy(graph.states[layer, _farthest(graph, layer, node, walk.centre[0])], walk.centre[1])
    copy(graph.states[layer, _farthest(graph, layer, node, walk.centre[1])], walk.centre[0])
    for slot in range(kept(graph, layer)):
        walk.label[slot] = -1
    smaller = 0
    for _ in range(ROUNDS):
        changed, size, ones = False, 0, 0
        for slot in range(kept(graph, layer)):
            if graph.owner[layer, slot] == node:
                near = _gap(graph, layer, slot, walk.centre[1]) < _gap(graph, layer, slot, walk.centre[0])
                label = 1 if near else 0
                changed = changed or label != walk.label[slot]
                walk.label[slot] = label
                size += 1
                ones += label
        smaller = min(ones, size - ones)
        if not changed or smaller == 0:
            break
        for i in range(walk.centre.shape[1]):
            walk.centre[0, i] = 0.0
            walk.centre[1, i] = 0.0
            for slot in range(kept(graph, layer)):
                if graph.owner[layer, slot] == node:
                    members = ones if walk.label[slot] == 1 else size - ones
                    walk.centre[walk.label[slot], i] += graph.states[layer, slot, i] / members
    return smaller


@helper
def learn(graph: Graph, walk: GraphWalk, layer: int, node: int, settings: CMCGSSettings) -> None:
    """Take a new experience of the node in: split the layer's largest node where that is due, else fit this one.

    A layer may have one node for every `samples` experiences kept; the root's has one. Both halves of a node need half
    as many; where one has fewer, the layer waits for as many more before it tries again.
    """
    if graph.wait[layer] > 0:
        graph.wait[layer] -= 1
    allowed = min(kept(graph, layer) // settings.samples, graph.size.shape[1])
    if layer == 0 or graph.nodes[layer] >= allowed or graph.wait[layer] > 0:
        fit(graph, walk, layer, node, settings)
        return
    largest, most = 0, 0
    for candidate in range(graph.nodes[layer]):
        size = 0
        for slot in range(kept(graph, layer)):
            size += graph.owner[layer, slot] == candidate
        if size > most:
            largest, most = candidate, size
    if 2 * two_means(graph, walk, layer, largest) < settings.samples:
        graph.wait[layer] = settings.samples // 2
        fit(graph, walk, layer, node, settings)
        return
    new = graph.nodes[layer]
    graph.nodes[layer] = new + 1
    for slot in range(kept(graph, layer)):
        if graph.owner[layer, slot] == largest and walk.label[slot] == 1:
            graph.owner[layer, slot] = new
    for each in range(graph.nodes[layer]):
        fit(graph, walk, layer, each, settings)
