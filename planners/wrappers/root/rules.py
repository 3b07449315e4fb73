"""Rules that combine the decisions of several workers.

Adding up visits and voting come from computer players of board games (Chaslot, Winands, van den Herik 2008; Soejima,
Kishimoto, Watanabe 2010).
Voting and merging by similarity, for actions of which no two workers have the same, follow the ideas of Kurzer,
Hörtnagl, Zöllner 2020 (arXiv 2003.13741); these forms are our own.

Each gives the row of an action; those that are equal in all respects are drawn.
"""

import math

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.actions import inverse_widths
from bonspiel.planners.core.argmax import argmax_by
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.wrappers.root.pool import Pool
from bonspiel.planners.wrappers.root.similarity import Kernel, alike

FLOOR = 0.1  # of the most visits that any action has: means of fewer are luck
BLOCK = 1 << 21  # similarities computed at once


def most_visits(pool: Pool, rng: Rng) -> int:
    """The action of most visits in all."""
    return argmax_by(rng, pool.visits, pool.values)


def highest_mean(pool: Pool, rng: Rng) -> int:
    """The action of the highest mean among those with enough visits."""
    enough = (pool.visits > 0) & (pool.visits >= FLOOR * pool.visits.max())
    return argmax_by(rng, np.where(enough, pool.values, -math.inf), pool.visits)


def highest_claim(pool: Pool, rng: Rng) -> int:
    """The choice of the worker that found the highest mean for its own."""
    worker = argmax_by(rng, pool.claims, pool.visits[pool.choices], pool.values[pool.choices])
    return int(pool.choices[worker])


def most_votes(pool: Pool, rng: Rng) -> int:
    """The action that most workers chose."""
    votes = np.bincount(pool.choices, minlength=len(pool.visits))
    return argmax_by(rng, votes, pool.visits, pool.values)


def most_votes_of_a_part(pool: Pool, model: Model, cells: int, rng: Rng) -> int:
    """The most visited choice in the part of the box with most votes, of `cells` equal parts in every dimension."""
    chosen, votes = np.unique(pool.choices, return_counts=True)
    share = (pool.actions[chosen] - model.action_low) * inverse_widths(model)
    parts = np.minimum((share * cells).astype(np.int64), cells - 1)
    _, first, part = np.unique(parts, axis=0, return_index=True, return_inverse=True)
    part = np.argsort(np.argsort(first))[part.ravel()]
    visits, values = pool.visits[chosen], pool.values[chosen]
    in_all = np.bincount(part, visits)
    mean = np.bincount(part, visits * np.nan_to_num(values)) / np.maximum(in_all, 1)
    best = np.flatnonzero(part == argmax_by(rng, np.bincount(part, votes), in_all, mean))
    return int(chosen[best[argmax_by(rng, visits[best], values[best])]])


def most_similar_votes(pool: Pool, kernel: Kernel, rng: Rng) -> int:
    """The choice b_i of largest sum_j K(b_i, b_j)."""
    chosen, votes = np.unique(pool.choices, return_counts=True)
    actions = pool.actions[chosen]
    support = alike(kernel, actions, actions) @ votes
    return int(chosen[argmax_by(rng, support, pool.visits[chosen], pool.values[chosen])])


def highest_merged_mean(pool: Pool, kernel: Kernel, rng: Rng) -> int:
    """The action of the highest V(a) among those with enough visits M(a), both shared by similarity.

    M(a) = sum_b K(a, b) N(b) and V(a) = sum_b K(a, b) N(b) Q(b) / M(a).
    """
    tried = np.flatnonzero(pool.visits > 0)
    if len(tried) == 0:
        return 0
    actions, visits, values = pool.actions[tried], pool.visits[tried], pool.values[tried]
    merged, mean = _merged(kernel, actions, visits, values)
    enough = merged >= FLOOR * merged.max()
    return int(tried[argmax_by(rng, np.where(enough, mean, -math.inf), merged)])


def _merged(kernel: Kernel, actions: Array, visits: NDArray[np.int64], values: Array) -> tuple[Array, Array]:
    """M and V of every action, [A] each.

    V is computed as Q(a) + sum_b K(a, b) N(b) (Q(b) - Q(a)) / M(a), so that an action like no other keeps its mean.
    """
    merged, mean = np.empty(len(actions)), np.empty(len(actions))
    rows = max(1, BLOCK // len(actions))
    for first in range(0, len(actions), rows):
        some = slice(first, first + rows)
        weights = alike(kernel, actions[some], actions) * visits
        merged[some] = weights.sum(axis=1)
        off = (weights * (values[None] - values[some, None])).sum(axis=1)
        mean[some] = values[some] + off / merged[some]
    return merged, mean
