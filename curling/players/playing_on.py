"""Compares shots before the last stone of an end by the best last stone after each of some throws.

The replies of the search that found them are too few and too rarely thrown: its values are too high, and at times the
second shot is the better one by a fifth of a win.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.players.lookahead import after_throw, new_scratch
from bonspiel.curling.players.quasi_random import MOST_ERRORS
from bonspiel.planners.core.search import reported
from bonspiel.planners.planner import Budget

SHOTS = 3  # that are compared
SHARE = 0.6  # of what is left when the replies are compared
THROWS = 16  # of each shot, if the throws for the last stones can then be as many as
FEWEST, MOST = 1_000, 4_000  # throws for a last stone
LEAST = 4  # throws of each shot, without which it is not worth while
AT_ONCE = 16  # last stones, to divide among threads
SLOWER = 3.0  # times that a throw of a short search takes, at most


def reserved(left: float) -> float:
    """The part of the throws that are left for it; 0 if they are too few."""
    return SHARE * left if SHARE * left >= LEAST * SHOTS * FEWEST else 0.0


def play_on(search: Any) -> NDArray[np.int64]:
    """The shots of a `ReplySearch` with the best replies, best first by the best last stones.

    What the best last stone is worth less what the network expected corrects the mean of all throws of a shot.
    """
    shots = search.ranked(search.answered)[:SHOTS]
    throws, number = int(np.clip(search.left() / (THROWS * len(shots)), FEWEST, MOST)), 0
    cost, at_once, found = len(shots) * throws, max(1, AT_ONCE // len(shots)), [list[float]() for _ in shots]
    if search.budget.simulations is None:
        cost, at_once = int(SLOWER * cost), -(-search.settings.threads // len(shots))
    while number < MOST_ERRORS and (count := min(at_once, int(search.left() / cost), MOST_ERRORS - number)) > 0:
        search.throw(shots, max(number + count, int(search.errors[shots].max())))
        seeds = search.rng.integers(2**63, size=count).tolist()
        tasks = [(i, number + k, seed) for k, seed in enumerate(seeds) for i in shots]
        values = list(search.pool.map(lambda task: _value(search, throws, *task), tasks))
        search.thrown += len(tasks) * throws
        for k, value in enumerate(values):
            shot, at = shots[k % len(shots)], number + k // len(shots)
            found[k % len(shots)].append(value - search.values[shot, at])
        for shot, corrections in zip(shots, found, strict=True):
            search.corrections[shot] = corrections
        number += count
        if reported(search.decision(search.ranked(shots))):
            break
    ranked: NDArray[np.int64] = search.ranked(shots)
    return ranked


def _value(search: Any, throws: int, shot: int, number: int, seed: int) -> float:
    """Value a throw with the errors of this number and the best last stone after it, for the team of the search."""
    after, team = np.empty_like(search.state), search.model.player(search.state, search.params)
    after_throw(search.state, search.aims[shot], search.throws[number], search.params, after, new_scratch())
    last = search.of_position(after, Budget(simulations=throws), np.random.default_rng(seed))
    return float(team * search.model.player(after, search.params) * last.decide(None).value)
