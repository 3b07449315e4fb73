"""The shots that referees compare: peaks of a fine grid, rule-based candidates, those of clients, better ones near.

They are found by the learned value; whatever referee then judges them, all have the same.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bonspiel.curling.model import Curling
from bonspiel.curling.players.quasi_random import MOST_ERRORS
from bonspiel.curling.players.refinement import ErrorGrid
from bonspiel.curling.players.reply_search import ReplySearch, SearchSettings
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget
from bonspiel.planners.wrappers.presearch.sweep import peaks

GRID = 4_284
PEAKS = 32
FIRST_ERRORS = 64
REFINED = 8  # of the best, beside the shots of clients
NEAR = ErrorGrid(0.5, 1.5)
SETTINGS = SearchSettings(GRID, screen_share=0.5, finalists=2, reply_aims=0, reply_errors=1, threads=1)


def candidate_aims(model: Curling, state: Array, shots: Array, rng: Rng) -> Array:
    """The aims to compare, [aims, 3], of which the first are the `shots` of clients, [shots, 3]."""
    with ThreadPoolExecutor(1) as pool:
        search = ReplySearch(SETTINGS, model, state, Budget(simulations=1), rng, pool, time.perf_counter())
        found = [shots, peaks(search.screen(GRID), PEAKS, rng), own_actions(model, state)]
        aims = np.concatenate(found)
        search.values = np.empty((len(aims), MOST_ERRORS))
        search.aims, search.errors, search.corrections = aims[:0], np.zeros(0, np.int64), []
        known = search.join(aims)
        search.throw(known, FIRST_ERRORS)
        near = np.unique(np.append(known[: len(shots)], search.ranked(known)[:REFINED]))
        return np.concatenate([aims, search.refined(near, NEAR)])
