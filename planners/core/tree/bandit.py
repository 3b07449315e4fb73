"""The bandit at the root of a search without a tree node for it: UCB1 on the decision's own actions."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.backup import average
from bonspiel.planners.core.tree.nodes import INV_SQRT, MEAN, UNTRIED
from bonspiel.planners.core.tree.selection import sqrt_2_log, ucb1
from bonspiel.planners.model import Array, Rng


class Bandit(NamedTuple):
    """The actions at the root and what they returned.

    Attributes:
        actions: [B, action_dim].
        visits: of each action, int64 [B].
        value: mean return for the player to move, and 1/sqrt(visits), of each action, [B, 2].
        pulls: visits in all, int64 [1].
    """

    actions: Array
    visits: NDArray[np.int64]
    value: Array
    pulls: NDArray[np.int64]


def new_bandit(actions: Array) -> Bandit:
    """A bandit of these actions, [B, action_dim], none of them tried."""
    value = np.zeros((len(actions), 2))
    value[:, MEAN] = UNTRIED
    return Bandit(actions.copy(), np.zeros(len(actions), np.int64), value, np.zeros(1, np.int64))


@helper
def choose_arm(bandit: Bandit, exploration: float, rng: Rng) -> int:
    """The action to pull: argmax of mean + C sqrt(2 ln N / n), untried ones first, equals drawn."""
    return ucb1(bandit.value, 0, len(bandit.actions), exploration * sqrt_2_log(bandit.pulls[0]), rng)


@helper
def update_arm(bandit: Bandit, arm: int, gain: float) -> None:
    """Average a return for the player to move into the action that was pulled."""
    bandit.pulls[0] += 1
    bandit.visits[arm] += 1
    average(bandit.value, arm, gain, bandit.visits[arm])


def merged_bandit(common: Bandit, bandits: Sequence[Bandit]) -> Bandit:
    """The common bandit with all visits that these, each a copy of it at first, have added."""
    # each bandit counts as a whole, and all but one of their copies of the common visits are taken away
    visits = np.concatenate([*(bandit.visits for bandit in bandits), (1 - len(bandits)) * common.visits])
    means = np.concatenate([*(bandit.value[:, MEAN] for bandit in bandits), common.value[:, MEAN]])
    count = len(common.visits)
    totals, values = pooled(np.tile(np.arange(count), len(bandits) + 1), visits, means, count)
    value = common.value.copy()
    tried = totals > 0
    value[tried, MEAN], value[tried, INV_SQRT] = values[tried], 1.0 / np.sqrt(totals[tried])
    return Bandit(common.actions, totals, value, np.array([totals.sum()]))


def pooled(
    index: NDArray[np.int64], visits: NDArray[np.int64], means: Array, count: int
) -> tuple[NDArray[np.int64], Array]:
    """Visits and means of `count` actions, each from several reports; a report with negative visits takes away.

    Means are taken as differences from the first one, so that equal means stay what they are, bit for bit.

    Args:
        index: the action of each report, [n].
        visits: its visits, [n].
        means: its mean return, [n]; not used where there are no visits.
        count: number of actions.

    Returns:
        N = sum n and Q = sum n q / N of each action, [count]; NaN where N = 0.
    """
    totals = np.zeros(count, np.int64)
    np.add.at(totals, index, visits)
    given = np.flatnonzero(visits)
    start = np.full(count, math.nan)
    start[index[given[::-1]]] = means[given[::-1]]
    with np.errstate(invalid="ignore"):  # an action of infinite returns has no mean, and is not the best
        off = np.bincount(index[given], visits[given] * (means[given] - start[index[given]]), count)
    return totals, np.where(totals > 0, start + off / np.maximum(totals, 1), math.nan)
