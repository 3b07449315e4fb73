"""Hierarchical optimistic optimization (HOO, Bubeck et al. 2011) in one tree of a forest.

A cell of depth h with n visits has U = mean + spread n^-decay + nu rho^h, and B = min(U, max of the children's B); both
are infinite without visits. The spread grows with the visits of the whole tree, so all bounds would change at every
visit. It is that of the next power of two instead, the doubling trick: then only the bounds on the path change, and all
of them at each doubling.
"""

import math

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.cells.hoot.forest import FOREST, Forest, ForestWalk, HOOTSettings, halve
from bonspiel.planners.core.jit import MATRIX, RNG, VECTOR, helper, int64, kernel
from bonspiel.planners.core.tree.nodes import MEAN
from bonspiel.planners.model import Array, Rng


@helper
def select(forest: Forest, walk: ForestWalk, step: int, node: int, depths: int, rng: Rng) -> int:
    """Follow the larger B, ties at random, to a cell without visits or of the last depth; halve cells on the way."""
    cell, length = forest.nodes[node]["cell"], 0
    while True:
        walk.path[step, length] = cell
        length += 1
        if forest.cells[cell]["visits"] == 0 or length == depths:
            break
        if forest.cells[cell]["child"] == 0:
            halve(forest, node, cell)
        lower = forest.cells[cell]["child"]
        bound, other = forest.cells[lower]["bound"], forest.cells[lower + 1]["bound"]
        upper_first = rng.random() < 0.5 if bound == other else bound < other
        cell = lower + 1 if upper_first else lower
    walk.nodes[step] = node
    walk.length[step] = length
    return cell


@helper
def middle(forest: Forest, cell: int, low: Array, high: Array, axes: NDArray[np.int64], action: Array) -> None:
    """Write the action in the middle of a cell."""
    for i in range(len(action)):
        action[i] = 0.5
    while forest.cells[cell]["depth"] > 0:
        parent = forest.cells[cell]["parent"]
        i = axes[(forest.cells[cell]["depth"] - 1) % len(axes)]
        action[i] = 0.5 * (cell - forest.cells[parent]["child"] + action[i])
        cell = parent
    for i in range(len(action)):
        action[i] = low[i] + (high[i] - low[i]) * action[i]


@helper
def _set_bound(forest: Forest, cell: int, spread: float, settings: HOOTSettings) -> None:
    """B of a cell whose children have theirs."""
    visits = forest.cells[cell]["visits"]
    if visits == 0:
        return
    u = forest.cells[cell]["mean"] + spread * float(visits) ** -settings.decay
    u += settings.diameter[forest.cells[cell]["depth"]]
    child = forest.cells[cell]["child"]
    if child != 0:
        u = min(u, max(forest.cells[child]["bound"], forest.cells[child + 1]["bound"]))
    forest.cells[cell]["bound"] = u


@helper
def update(forest: Forest, walk: ForestWalk, step: int, gain: float, settings: HOOTSettings) -> None:
    """Average a return into the cells of a step's path, and bring the bounds up to date."""
    node, length = walk.nodes[step], walk.length[step]
    visits = forest.nodes[node]["visits"] + 1
    forest.nodes[node]["visits"] = visits
    for i in range(length):
        cell = walk.path[step, i]
        forest.cells[cell]["visits"] += 1
        forest.cells[cell]["mean"] += (gain - forest.cells[cell]["mean"]) / forest.cells[cell]["visits"]
    pulled = walk.path[step, length - 1]
    forest.cells[pulled]["pulls"] += 1
    forest.cells[pulled]["own"] += (gain - forest.cells[pulled]["own"]) / forest.cells[pulled]["pulls"]
    if visits & (visits - 1) == 0:
        if settings.growth > 0.0:
            growing = (2.0 * float(visits)) ** settings.growth
        else:
            growing = math.sqrt(2.0 * math.log(2.0 * visits))
        forest.nodes[node]["spread"] = settings.exploration * growing
        pair = forest.nodes[node]["newest"]
        while pair != 0:  # children are younger than their parents
            _set_bound(forest, pair, forest.nodes[node]["spread"], settings)
            _set_bound(forest, pair + 1, forest.nodes[node]["spread"], settings)
            pair = forest.cells[pair]["older"]
    else:
        for i in range(length - 1, 0, -1):  # the bound of all actions is compared with nothing
            _set_bound(forest, walk.path[step, i], forest.nodes[node]["spread"], settings)


@helper
def _most_visited(forest: Forest, rng: Rng) -> int:
    """The cell of the action to play: at the root, from all actions to the half with most visits.

    Of equals it is the half of the higher mean, and then one of both at random.
    """
    best = forest.nodes[0]["cell"]
    while forest.cells[best]["child"] != 0:
        lower = forest.cells[best]["child"]
        upper = lower + 1
        more = float(forest.cells[upper]["visits"] - forest.cells[lower]["visits"])
        if more == 0.0:
            more = forest.cells[upper]["mean"] - forest.cells[lower]["mean"]
        if more > 0.0 or (more == 0.0 and rng.random() < 0.5):
            lower = upper
        if forest.cells[lower]["visits"] == 0:
            break
        best = lower
    return best


@kernel(FOREST, VECTOR, VECTOR, int64[::1], MATRIX, int64[::1], MATRIX, RNG)
def read_root(
    forest: Forest,
    low: Array,
    high: Array,
    axes: NDArray[np.int64],
    actions: Array,
    visits: NDArray[np.int64],
    value: Array,
    rng: Rng,
) -> tuple[int, int]:
    """Write the actions that were played at the root, how often, and their mean returns.

    Args:
        forest: the trees.
        low: smallest action, [action_dim].
        high: largest action, [action_dim].
        axes: coordinates along which cells are halved in turn.
        actions: receives the actions, [visits of the root, action_dim].
        visits: receives how often they were played, int64, as many.
        value: receives their mean returns in the first column, as many.
        rng: draws between equal halves.

    Returns:
        The number of actions, and the row of the one to play.
    """
    best = _most_visited(forest, rng)
    count, chosen, cell, pair = 0, 0, forest.nodes[0]["cell"], forest.nodes[0]["newest"]
    while True:
        if forest.cells[cell]["pulls"] > 0:
            middle(forest, cell, low, high, axes, actions[count])
            visits[count] = forest.cells[cell]["pulls"]
            value[count, MEAN] = forest.cells[cell]["own"]
            if cell == best:
                chosen = count
            count += 1
        if pair == 0:
            return count, chosen
        if cell == pair:
            cell, pair = pair + 1, forest.cells[pair]["older"]
        else:
            cell = pair
