"""Which edge to follow, which outcome to revisit, which action to choose in the end."""

import functools
import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import require, require_at_least, require_choice
from bonspiel.planners.core.argmax import argmax, argmax_by
from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.nodes import COLUMNS, INV_SQRT, MEAN, UNTRIED, VARIANCE, WITHOUT_VARIANCE, SearchTree
from bonspiel.planners.core.tree.widening import is_due
from bonspiel.planners.model import Array, Rng

Bonus = Literal["ucb1", "ucb_v", "ucb1_tuned"]
BONUSES = ("ucb1", "ucb_v", "ucb1_tuned")
UCB1, UCB_V, UCB1_TUNED = 0, 1, 2

_TABLE_SIZE = 4096
_SQRT_2_LOG = np.sqrt(2.0 * np.log(np.maximum(np.arange(_TABLE_SIZE), 1)))


@helper
def sqrt_2_log(visits: int) -> float:
    """sqrt(2 ln max(visits, 1)), from a table where visits are few."""
    if visits < _TABLE_SIZE:
        return _SQRT_2_LOG[visits]
    return math.sqrt(2.0 * math.log(visits))


class Selection(NamedTuple):
    """The rule that selects edges, as a kernel takes it; `selection_of` makes one.

    Attributes:
        exploration: C, the range of returns that the bonus is for.
        bonus: UCB1, UCB_V or UCB1_TUNED.
        first_play: value of an untried action; UNTRIED puts it first.
        scaled: whether C is multiplied by the range of the returns met so far.
    """

    exploration: float
    bonus: int
    first_play: float
    scaled: bool


def check_selection(exploration: float, bonus: str, first_play: float | None, scale_exploration: bool) -> None:
    """Raise ValueError unless these parameters of a planner are in range."""
    require_at_least("exploration", exploration, 0.0)
    require_choice("bonus", bonus, BONUSES)
    if first_play is not None:
        require_at_least("first_play", first_play, -UNTRIED)
    require(isinstance(scale_exploration, bool), "scale_exploration", scale_exploration, "true or false")


@functools.lru_cache(maxsize=64)  # made for every decision
def selection_of(
    exploration: float, bonus: Bonus = "ucb1", first_play: float | None = None, scale_exploration: bool = False
) -> Selection:
    """The rule that these parameters of a planner describe."""
    urgency = UNTRIED if first_play is None else first_play
    return Selection(exploration, BONUSES.index(bonus), urgency, scale_exploration)


def columns_of(bonus: Bonus) -> int:
    """Columns of `SearchTree.value` that this bonus reads."""
    return WITHOUT_VARIANCE if bonus == "ucb1" else COLUMNS


@helper
def bonus_of(inverse_root: float, variance: float, c: float, root: float, bonus: int) -> float:
    """The bonus of UCB1 or UCB1-Tuned for 1/sqrt(n) visits with this variance; see `score`."""
    if bonus == UCB1:
        return c * root * inverse_root
    width = root * inverse_root
    return width * math.sqrt(0.5 * min(0.25 * c * c, variance + c * c * width))


@helper
def score(value: Array, row: int, c: float, root: float, bonus: int) -> float:
    """The mean of a row and its bonus for returns in a range of `c`; `root` is sqrt(2 ln N).

    With w = sqrt(2 ln N / n) and the variance V of the returns, the bonus is C w in UCB1 and
    sqrt(ln N / n min(C^2 / 4, V + C^2 w)) in UCB1-Tuned (both Auer, Cesa-Bianchi, Fischer 2002), and
    w sqrt(V) + 3 C ln N / n in UCB-V (Audibert, Munos, Szepesvari 2009).
    """
    if bonus == UCB1:
        return value[row, MEAN] + bonus_of(value[row, INV_SQRT], 0.0, c, root, UCB1)
    width, variance = root * value[row, INV_SQRT], value[row, VARIANCE]
    if bonus == UCB_V:
        return value[row, MEAN] + math.sqrt(variance) * width + 1.5 * c * width * width
    return value[row, MEAN] + bonus_of(value[row, INV_SQRT], variance, c, root, UCB1_TUNED)


@helper
def _score(known: tuple[Array, float, float, int], row: int) -> float:
    value, c, root, bonus = known
    return score(value, row, c, root, bonus)


@helper
def _upper_bound(known: tuple[Array, float], row: int) -> float:
    value, width = known
    return value[row, MEAN] + width * value[row, INV_SQRT]


@helper
def ucb1(value: Array, first: int, count: int, width: float, rng: Rng) -> int:
    """Row of the largest mean + width / sqrt(n) among `count` rows from `first`, equals drawn."""
    return argmax(_upper_bound, (value, width), first, count, rng)


@helper
def best_edge(tree: SearchTree, node: int, exploration: float, rng: Rng) -> int:
    """UCB1: argmax of mean + C sqrt(2 ln N / n) (Auer, Cesa-Bianchi, Fischer 2002); untried first, equals drawn."""
    width = exploration * sqrt_2_log(tree.nodes[node]["visits"])
    return ucb1(tree.value, tree.nodes[node]["first_edge"], tree.nodes[node]["actions"], width, rng)


@helper
def terms_of(tree: SearchTree, node: int, selection: Selection) -> tuple[float, float]:
    """C and sqrt(2 ln N) of the scores at a node; a scaled C is the constant itself while all returns are equal."""
    c = selection.exploration
    if selection.scaled and tree.returns[1] > tree.returns[0]:
        c *= tree.returns[1] - tree.returns[0]
    return c, sqrt_2_log(tree.nodes[node]["visits"])


@helper
def select_edge(tree: SearchTree, node: int, selection: Selection, rng: Rng) -> int:
    """The edge of the node with the largest score, equals drawn.

    Untried ones come first, or where their first-play urgency puts them.
    """
    c, root = terms_of(tree, node, selection)
    if selection.bonus == UCB1:  # a loop of its own, which is faster
        return best_edge(tree, node, c, rng)
    known = (tree.value, c, root, selection.bonus)
    return argmax(_score, known, tree.nodes[node]["first_edge"], tree.nodes[node]["actions"], rng)


@helper
def tries_new(tree: SearchTree, node: int, selection: Selection) -> bool:
    """True if the node tries a new action: one is due, and its urgency is above the score of every tried action.

    First-play urgency (Gelly and Wang 2006): until then the best of the tried actions is followed.
    """
    if not is_due(tree, node):
        return False
    if selection.first_play == UNTRIED or tree.nodes[node]["actions"] == 0:
        return True
    c, root = terms_of(tree, node, selection)
    first = tree.nodes[node]["first_edge"]
    for edge in range(first, first + tree.nodes[node]["actions"]):
        if not selection.first_play > score(tree.value, edge, c, root, selection.bonus):
            return False
    return True


@helper
def draw_outcome(tree: SearchTree, edge: int, rng: Rng) -> int:
    """An outcome of the edge in proportion to its visits (Couetoux et al. 2011); the oldest, met first, have most."""
    left = int(rng.random() * tree.edges[edge]["visits"])
    outcome = tree.edges[edge]["first_outcome"]
    left -= tree.nodes[outcome]["visits"]
    while left >= 0:
        outcome = tree.nodes[outcome]["sibling"]
        left -= tree.nodes[outcome]["visits"]
    return outcome


@helper
def least_visited_outcome(tree: SearchTree, edge: int) -> int:
    """The outcome of the edge with the fewest visits, the oldest of equals."""
    best = tree.edges[edge]["first_outcome"]
    outcome = tree.nodes[best]["sibling"]
    while outcome != 0:
        if tree.nodes[outcome]["visits"] < tree.nodes[best]["visits"]:
            best = outcome
        outcome = tree.nodes[outcome]["sibling"]
    return best


def final_choice(visits: NDArray[np.int64], values: Array, rng: Rng) -> int:
    """Index of the action to play: most visits, then higher mean, equals drawn."""
    counts = visits.tolist()
    most = max(counts)
    if counts.count(most) == 1:
        return counts.index(most)
    return argmax_by(rng, visits, values)
