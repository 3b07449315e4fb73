"""What the workers of a root-parallel search found, together: the union of their actions with visits and means."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.model import Array
from bonspiel.planners.planner import Decision

Rows = NDArray[np.int64]


class Pool(NamedTuple):
    """The decisions of W workers from one state.

    Attributes:
        actions: the union of the actions at their roots, in order of appearance, [A, action_dim].
        visits: of each action by all workers, N, int64 [A].
        values: mean return of each action, Q, [A]; NaN where untried.
        choices: row of the action that each worker chose, int64 [W].
        claims: mean return that each worker gives its own choice, [W].
    """

    actions: Array
    visits: Rows
    values: Array
    choices: Rows
    claims: Array


def pool_of(decisions: Sequence[Decision]) -> Pool:
    """The decisions together; equal vectors are the same action."""
    rows: list[Array] = []
    visits: list[Any] = []
    means: list[Any] = []
    ends: list[int] = []
    for decision in decisions:  # the last row of each is its choice, which a planner need not list
        rows += [decision.actions, decision.action[None]]
        visits += [decision.visits, [0]]
        means += [decision.values, [math.nan]]
        ends.append(len(decision.visits) + 1)
    actions = np.concatenate(rows)
    _, first, index = np.unique(actions, axis=0, return_index=True, return_inverse=True)
    index = np.argsort(np.argsort(first))[index.ravel()]
    totals, values = pooled(index, np.concatenate(visits), np.concatenate(means), len(first))
    claims = np.array([decision.value for decision in decisions])
    return Pool(actions[np.sort(first)], totals, values, index[np.cumsum(ends) - 1], claims)


def pooled(index: Rows, visits: Rows, means: Array, count: int) -> tuple[Rows, Array]:
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
    told = np.flatnonzero(visits)
    start = np.full(count, math.nan)
    start[index[told[::-1]]] = means[told[::-1]]
    with np.errstate(invalid="ignore"):  # an action of infinite returns has no mean, and is not the best
        off = np.bincount(index[told], visits[told] * (means[told] - start[index[told]]), count)
    return totals, np.where(totals > 0, start + off / np.maximum(totals, 1), math.nan)
