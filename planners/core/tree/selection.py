"""Which edge to follow, which outcome to revisit, which action to choose in the end."""

import functools
import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import require, require_at_least, require_choice
from bonspiel.planners.core.argmax import argmax, argmax_by
from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.nodes import COLUMNS, INV_SQRT, MEAN, UNTRIED, VARIANCE, WITHOUT_VARIANCE, SearchTree
from bonspiel.planners.core.tree.widening import is_due
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.spaces import Choice, Parameters

Bonus = Literal["ucb1", "ucb_v", "ucb1_tuned"]
BONUSES: tuple[Bonus, ...] = get_args(Bonus)
UCB1, UCB_V, UCB1_TUNED = range(len(BONUSES))
OF_VARIANCE = ("ucb_v", "ucb1_tuned")  # bonuses that read the variance of the returns
BONUS: Parameters = {"bonus": Choice(BONUSES)}  # `first_play` and `scale_exploration` depend on the units of returns

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


def check_bonus(exploration: float, bonus: str) -> None:
    """Raise ValueError unless these parameters of a planner are in range."""
    require_at_least("exploration", exploration, 0.0)
    require_choice("bonus", bonus, BONUSES)


def check_selection(exploration: float, bonus: str, first_play: float | None, scale_exploration: bool) -> None:
    """Raise ValueError unless these parameters of a planner are in range."""
    check_bonus(exploration, bonus)
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
    return COLUMNS if bonus in OF_VARIANCE else WITHOUT_VARIANCE


class Terms(NamedTuple):
    """What the scores of all actions of one node share; `terms_of` makes them.

    Attributes:
        c: C, the range of returns that the bonus is for.
        root: sqrt(2 ln N).
        lowest: the least return met so far, for the player to move; inf if there is none.
        bonus: UCB1, UCB_V or UCB1_TUNED.
    """

    c: float
    root: float
    lowest: float
    bonus: int


@helper
def upper_bound(mean: float, inverse_root: float, variance: float, terms: Terms) -> float:
    """The score of every selection: a mean of returns and its bonus for 1/sqrt(n) visits, for returns in a range of C.

    With w = sqrt(2 ln N / n) and the variance V of the returns, the bonus is C w in UCB1 and
    sqrt(ln N / n min(C^2 / 4, V + C^2 w)) in UCB1-Tuned (both Auer, Cesa-Bianchi, Fischer 2002), and
    w sqrt(V) + 3 C ln N / n in UCB-V (Audibert, Munos, Szepesvari 2009).
    """
    c, width = terms.c, terms.root * inverse_root
    if terms.bonus == UCB1:
        return mean + c * terms.root * inverse_root
    if terms.bonus == UCB_V:
        return mean + math.sqrt(variance) * width + 1.5 * c * width * width
    return mean + width * math.sqrt(0.5 * min(0.25 * c * c, variance + c * c * width))


@helper
def score(value: Array, row: int, terms: Terms) -> float:
    """The score of a row of `SearchTree.value`."""
    if terms.bonus == UCB1:
        return upper_bound(value[row, MEAN], value[row, INV_SQRT], 0.0, terms)
    variance = value[row, VARIANCE] if value.shape[1] > VARIANCE else 0.0
    return upper_bound(value[row, MEAN], value[row, INV_SQRT], variance, terms)


@helper
def _score(known: tuple[Array, Terms], row: int) -> float:
    value, terms = known
    return score(value, row, terms)


@helper
def best_by(score: Callable[[Any, int], float], known: Any, terms: Terms, first: int, count: int, rng: Rng) -> int:
    """The index of the largest `score((known, terms), index)` among `count` from `first`, equals drawn."""
    if terms.bonus == UCB1:  # compiled as a loop of its own, which is faster by 4 %
        return argmax(score, (known, Terms(terms.c, terms.root, terms.lowest, UCB1)), first, count, rng)
    return argmax(score, (known, terms), first, count, rng)


@helper
def _ucb1(known: tuple[Array, float], row: int) -> float:
    value, width = known
    return value[row, MEAN] + width * value[row, INV_SQRT]


@helper
def ucb1(value: Array, first: int, count: int, width: float, rng: Rng) -> int:
    """Row of the largest mean + width / sqrt(n) among `count` rows from `first`, equals drawn."""
    return argmax(_ucb1, (value, width), first, count, rng)


@helper
def best_edge(tree: SearchTree, node: int, exploration: float, rng: Rng) -> int:
    """UCB1: argmax of mean + C sqrt(2 ln N / n) (Auer, Cesa-Bianchi, Fischer 2002); untried first, equals drawn."""
    width = exploration * sqrt_2_log(tree.nodes[node]["visits"])
    return ucb1(tree.value, tree.nodes[node]["first_edge"], tree.nodes[node]["actions"], width, rng)


@helper
def lowest_return(returns: Array, player: float) -> float:
    """The least return met so far for this player, +1 or -1; inf if there is none."""
    return returns[0] if player > 0.0 else -returns[1]


@helper
def terms_of(tree: SearchTree, node: int, selection: Selection) -> Terms:
    """The terms of the scores at a node; a scaled C is the constant itself while all returns are equal."""
    c = selection.exploration
    if selection.scaled and tree.returns[1] > tree.returns[0]:
        c *= tree.returns[1] - tree.returns[0]
    lowest = lowest_return(tree.returns, tree.nodes[node]["player"])
    return Terms(c, sqrt_2_log(tree.nodes[node]["visits"]), lowest, selection.bonus)


@helper
def select_edge(tree: SearchTree, node: int, selection: Selection, rng: Rng) -> int:
    """The edge of the node with the largest score, equals drawn.

    Untried ones come first, or where their first-play urgency puts them.
    """
    terms, first, count = terms_of(tree, node, selection), tree.nodes[node]["first_edge"], tree.nodes[node]["actions"]
    if terms.bonus == UCB1:  # faster than by `best_by`
        return ucb1(tree.value, first, count, terms.c * terms.root, rng)
    return argmax(_score, (tree.value, terms), first, count, rng)


@helper
def tries_new(tree: SearchTree, node: int, selection: Selection) -> bool:
    """True if the node tries a new action: one is due, and its urgency is above the score of every tried action.

    First-play urgency (Gelly and Wang 2006): until then the best of the tried actions is followed.
    """
    if not is_due(tree, node):
        return False
    if selection.first_play == UNTRIED or tree.nodes[node]["actions"] == 0:
        return True
    terms, first = terms_of(tree, node, selection), tree.nodes[node]["first_edge"]
    for edge in range(first, first + tree.nodes[node]["actions"]):
        if not selection.first_play > score(tree.value, edge, terms):
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
