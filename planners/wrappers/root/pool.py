"""The union of the actions of a root-parallel search, with their visits and means over all workers."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.tree.bandit import pooled
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
