"""The bandit at the root of a search without a tree node for it: UCB1 on the decision's own actions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import helper
from bonspiel.planners.core.tree.backup import average
from bonspiel.planners.core.tree.nodes import MEAN, UNTRIED
from bonspiel.planners.core.tree.selection import sqrt_2_log, ucb1
from bonspiel.planners.model import Array


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
def choose_arm(bandit: Bandit, exploration: float) -> int:
    """The action to pull: argmax of mean + C sqrt(2 ln N / n), untried ones first."""
    return ucb1(bandit.value, 0, len(bandit.actions), exploration * sqrt_2_log(bandit.pulls[0]))


@helper
def update_arm(bandit: Bandit, arm: int, gain: float) -> None:
    """Average a return for the player to move into the action that was pulled."""
    bandit.pulls[0] += 1
    bandit.visits[arm] += 1
    average(bandit.value, arm, gain, bandit.visits[arm])
