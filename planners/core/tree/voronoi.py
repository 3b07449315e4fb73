"""New actions from the Voronoi cell of the best one: Voronoi optimistic optimization, VOO (Kim et al. 2020).

The cell holds the actions that are nearer to the best action than to any other tried in the node. It is sampled as in
the authors' code (github.com/beomjoonkim/voot, generators/voo.py).
"""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.nodes import MEAN, SearchTree
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.kinds import CATEGORICAL, INTEGER, REAL, kind_codes
from bonspiel.planners.model import Array, Model, Rng

UNIFORM_TRIES = 100  # the authors' code makes 1,000 and notes that 100 do as well
TRIES = 16  # the last Gaussian with a standard deviation of 3e-7 of the range


class Voronoi(NamedTuple):
    """The rule, as a kernel takes it; `voronoi_of` makes one.

    Attributes:
        omega: probability of a new action from anywhere.
        uniform: uniform proposals before the Gaussian ones.
        box: bounds of the actions, low and high, and the codes of their kinds, 0 for a real one, [3, action_dim].
    """

    omega: float
    uniform: int
    box: Array


def voronoi_of(model: Model, omega: float, uniform: bool) -> Voronoi:
    """The rule for the actions of a model with bounds."""
    codes = kind_codes(model) if len(kind_codes(model)) > 0 else np.zeros(len(model.action_low))
    box = np.array((model.action_low, model.action_high, codes), np.float64)
    return Voronoi(omega, UNIFORM_TRIES if uniform else 0, box)


@helper
def distance(a: Array, b: Array, box: Array) -> float:
    """Squared distance of two actions, each coordinate as a part of its range; 1 for different categoricals."""
    low, high, codes = box[0], box[1], box[2]
    total = 0.0
    for i in range(len(a)):
        if codes[i] == CATEGORICAL:
            if a[i] != b[i]:
                total += 1.0
        elif high[i] > low[i]:
            total += ((a[i] - b[i]) / (high[i] - low[i])) ** 2
    return total


@helper
def _move(value: float, low: float, high: float, narrowed: int, is_ordered: bool, rng: Rng) -> float:
    """A whole number near another one: by a Gaussian, or without an order by drawing anew ever more rarely."""
    share = math.exp(-narrowed)
    if is_ordered:
        moved = math.floor(value + (high - low + 1.0) * share * rng.standard_normal() + 0.5)
        return min(max(moved, low), high)
    if rng.random() < share:
        return min(math.floor(low + (high - low + 1.0) * rng.random()), high)
    return value


@helper
def near_best(tree: SearchTree, node: int, edge: int, proposal: Array, rng: Rng, voronoi: Voronoi) -> None:
    """Write an action from the Voronoi cell of the node's best action into its last edge, which is new.

    Ties of the best are broken at random. Proposals end when one is nearer to it than to all others: uniform ones if
    the rule says so, then Gaussians around it, the first as wide as the range and each narrower than the one before,
    cut at the bounds. If none is, the one nearest to it stays.
    """
    box, codes = voronoi.box, voronoi.box[2]
    low, high, first = box[0], box[1], tree.nodes[node]["first_edge"]
    highest, equals = -math.inf, 0
    for other in range(first, edge):
        mean = tree.value[other, MEAN]
        equals = 1 if mean > highest else equals + (mean == highest)
        highest = max(highest, mean)
    best, skip = first, int(rng.random() * equals)
    while skip > 0 or tree.value[best, MEAN] < highest:
        skip -= tree.value[best, MEAN] == highest
        best += 1
    nearest = math.inf
    for attempt in range(-voronoi.uniform, TRIES):
        for i in range(len(proposal)):
            if codes[i] != REAL:
                if attempt < 0:
                    proposal[i] = min(math.floor(low[i] + (high[i] - low[i] + 1.0) * rng.random()), high[i])
                else:
                    known = tree.action[best, i]
                    proposal[i] = _move(known, low[i], high[i], attempt, codes[i] == INTEGER, rng)
            elif attempt < 0:
                proposal[i] = low[i] + (high[i] - low[i]) * rng.random()
            else:
                moved = tree.action[best, i] + (high[i] - low[i]) * math.exp(-attempt) * rng.standard_normal()
                proposal[i] = min(max(moved, low[i]), high[i])
        gap = distance(proposal, tree.action[best], box)
        inside = True
        for other in range(first, edge):
            if distance(proposal, tree.action[other], box) < gap:
                inside = False
                break
        if inside or gap < nearest:
            nearest = gap
            copy(proposal, tree.action[edge])
        if inside:
            break
