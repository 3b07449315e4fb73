"""New actions that are far from those tried, or near good ones (Couetoux, Doghmen, Teytaud 2012).

From Improving the Exploration in Upper Confidence Trees: of M random candidates y the new action is the one with the
largest blind value, min over the tried actions a of rho |y - a| + score(a), where rho is the standard deviation of the
scores over that of the candidates' distances to the centre of the box. Here distances are in widths of the box, so
that the units of an action's coordinates do not matter.
"""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.planners.checks import require
from bonspiel.planners.core.actions import inverse_widths
from bonspiel.planners.core.jit import Problem, helper, model_helper, sample_action
from bonspiel.planners.core.tree.nodes import SearchTree
from bonspiel.planners.core.tree.selection import Selection, score, terms_of
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.kinds import CATEGORICAL, kind_codes
from bonspiel.planners.model import Array, Model, Rng


class BlindValues(NamedTuple):
    """The rule, as a kernel takes it; `blind_values_of` makes one.

    Attributes:
        candidates: M; 0 without the rule.
        box: its centre, 0 in a coordinate without bounds, the factors of distances, and 1 for each categorical
            coordinate, whose distances are 0 or 1, [3, action_dim].
    """

    candidates: int
    box: Array


NO_BLIND_VALUES = BlindValues(0, np.empty((3, 1)))


def check_blind_values(candidates: int) -> None:
    """Raise ValueError unless it is 0 or a number of candidates among which there is a choice."""
    whole = isinstance(candidates, int | np.integer) and not isinstance(candidates, bool)
    require(whole and (candidates == 0 or candidates > 1), "blind_values", candidates, "0 or a whole number above 1")


def blind_values_of(model: Model, candidates: int) -> BlindValues:
    """The rule for the actions of a model."""
    if candidates == 0:
        return NO_BLIND_VALUES
    centre = 0.5 * (model.action_low + model.action_high)
    codes = kind_codes(model)
    unordered = codes == CATEGORICAL if len(codes) > 0 else np.zeros(len(centre))
    centre = np.where(unordered, -1.0, centre)  # as far from every value
    box = np.array([np.where(np.isfinite(centre), centre, 0.0), inverse_widths(model), unordered], np.float64)
    return BlindValues(candidates, box)


@helper
def distance(a: Array, b: Array, scale: Array, unordered: Array) -> float:
    """Euclidean distance of two actions with scaled coordinates; categoricals are 1 apart if they differ."""
    total = 0.0
    for i in range(len(a)):
        if unordered[i] == 0.0:
            total += ((a[i] - b[i]) * scale[i]) ** 2
        elif a[i] != b[i]:
            total += 1.0
    return math.sqrt(total)


@helper
def _deviation(count: int, total: float, squares: float) -> float:
    """Standard deviation of `count` numbers of this sum and this sum of squares."""
    return math.sqrt(max(squares / count - (total / count) ** 2, 0.0))


@model_helper
def best_by_blind_value(
    tree: SearchTree,
    walk: TreeWalk,
    problem: Problem,
    node: int,
    edge: int,
    rng: Rng,
    selection: Selection,
    blind: BlindValues,
) -> None:
    """Write the best of some drawn actions by blind values into the node's last edge, which is new, not the first."""
    first = tree.nodes[node]["first_edge"]
    centre, scale, unordered = blind.box[0], blind.box[1], blind.box[2]
    terms = terms_of(tree, node, selection)
    level = score(tree.value, first, terms)
    total = squares = 0.0
    for known in range(first, edge):
        above = score(tree.value, known, terms) - level
        total += above
        squares += above * above
    spread = _deviation(edge - first, total, squares)
    total = squares = 0.0
    for i in range(blind.candidates):
        sample_action(problem, tree.state[node], walk.actions[i], rng)
        off = distance(walk.actions[i], centre, scale, unordered)
        total += off
        squares += off * off
    pool = _deviation(blind.candidates, total, squares)
    rho = spread / pool if pool > 0.0 else 0.0
    best = -math.inf
    for i in range(blind.candidates):
        value = math.inf
        for known in range(first, edge):
            near = rho * distance(walk.actions[i], tree.action[known], scale, unordered)
            value = min(value, near + score(tree.value, known, terms))
        if value > best:
            best = value
            copy(walk.actions[i], tree.action[edge])
