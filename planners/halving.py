"""Sequential halving: equal shares of the budget for rounds from which the better half of the arms goes on.

Karnin, Koren, Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from planners.base import Array, Budget


def halve(play: Callable[[NDArray[np.int64], Budget], int], mean: Callable[[], Array], arms: int, budget: Budget,
          clock: Callable[[], float]) -> tuple[int, int]:  # fmt: skip
    """Find the best of several arms.

    Args:
        play: (active arms, budget) tries them in turn and returns how often it did.
        mean: the mean returns so far, [arms]; NaN where untried.
        arms: how many there are.
        budget: simulations or seconds in all. With fewer simulations than arms only the first ones are tried, once.
        clock: seconds since the budget began to run.

    Returns:
        The best arm, and how many simulations were run.
    """
    active = np.arange(arms if budget.simulations is None else min(arms, budget.simulations))
    rounds = max(1, math.ceil(math.log2(len(active))))
    done = 0
    for left in range(rounds, 0, -1):
        if budget.simulations is not None:
            share = Budget(simulations=max(1, (budget.simulations - done) // left))
        else:
            share = Budget(seconds=max(1e-6, ((budget.seconds or 0.0) - clock()) / left))
        done += play(active, share)
        means = np.nan_to_num(mean()[active], nan=-np.inf)
        keep = max(1, math.ceil(len(active) / 2)) if left > 1 else 1
        # ties stay in their order, the likelier first
        active = active[np.sort(np.argsort(-means, kind="stable")[:keep])]
    return int(active[0]), done
