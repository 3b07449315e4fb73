"""The search of Weighted UCT: simulations that choose by earlier experiences and leave new ones."""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.planners.cells.weighted_uct.experience import (
    EXPERIENCE_WALK,
    EXPERIENCES,
    Experiences,
    ExperienceWalk,
    has_room,
    remember,
)
from bonspiel.planners.cells.weighted_uct.nearness import gather
from bonspiel.planners.core.jit import Problem, gain_of, helper, player, step
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.tree.bandit import choose_arm, update_arm
from bonspiel.planners.core.tree.nodes import INV_SQRT, MEAN
from bonspiel.planners.core.tree.selection import ucb1
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.zobrist import combine, float_bits
from bonspiel.planners.model import Array, Rng

UNTRIED_BELOW = math.exp(-8.0)  # visits: one experience at 4 kernel widths


class WeightedUCTSettings(NamedTuple):
    """The parameters of `WeightedUCT`; `blend` is the kernel between actions, `weights` those of coordinates."""

    exploration: float
    actions: Array
    bandwidth: float
    blend: Array
    weights: Array


@helper
def _project(state: Array, mover: float, weights: Array, place: Array) -> np.uint64:
    """Write the coordinates that are compared by distance, scaled; return the hash of those compared exactly."""
    k, exact = 0, np.uint64(mover < 0.0)
    for i in range(len(state)):
        if weights[i] == math.inf:
            exact = combine(exact, float_bits(state[i]))
        elif weights[i] > 0.0:
            place[k] = state[i] * math.sqrt(weights[i])
            k += 1
    return exact


@helper
def _similarity(a: Array, b: Array, precision: float) -> float:
    """The kernel exp(-|a - b|^2 / (2 sigma^2))."""
    distance = 0.0
    for i in range(len(a)):
        distance += (a[i] - b[i]) ** 2
    return math.exp(-distance * precision)


@helper
def _choose(walk: ExperienceWalk, exploration: float, rng: Rng) -> int:
    """UCB1 on weighted visits and returns; actions with fewer visits than UNTRIED_BELOW go first."""
    near, arms = walk.near, walk.arms
    untried, total = 0, 0.0
    for action in range(len(arms)):
        untried += near[2, action] < UNTRIED_BELOW
        total += near[2, action]
    if untried > 0:
        skip = int(rng.random() * untried)
        for action in range(len(arms)):
            if near[2, action] < UNTRIED_BELOW:
                if skip == 0:
                    return action
                skip -= 1
    width = exploration * math.sqrt(2.0 * math.log(max(total, 1.0)))
    for action in range(len(arms)):
        arms[action, MEAN] = near[3, action] / near[2, action]
        arms[action, INV_SQRT] = width / math.sqrt(near[2, action])
    return ucb1(arms, 0, len(arms), 1.0, rng)


@helper
def _back_up(
    known: Experiences,
    walk: ExperienceWalk,
    depth: int,
    discount: float,
    validity: Array,
    settings: WeightedUCTSettings,
) -> None:
    """Make an experience of every step but the root's, from the last to the first; average the root's bandit."""
    total = 0.0
    for i in range(depth - 1, -1, -1):
        total = walk.reward[i, 0] + discount * total
        gain = gain_of(validity, i, walk.reward[i, 1], total)
        if i > 0:
            neighbours = walk.reward[i, 2]
            for later in range(i + 1, depth):  # remembered just now
                if walk.exact[i] == walk.exact[later]:
                    alike = settings.blend[walk.chosen[i], walk.chosen[later]]
                    neighbours += alike * _similarity(walk.place[i], walk.place[later], walk.precision[later])
            walk.precision[i] = remember(
                known, walk.exact[i], walk.place[i], walk.chosen[i], gain, settings.bandwidth, neighbours
            )
    update_arm(known.bandit, walk.chosen[0], gain)


_EXAMPLE = WeightedUCTSettings(1.0, np.empty((1, 1)), 1.0, np.empty((1, 1)), np.empty(1))


@search_kernel(EXPERIENCES, EXPERIENCE_WALK, _EXAMPLE)
def search(
    known: Experiences,
    walk: ExperienceWalk,
    problem: Problem,
    simulations: int,
    rng: Rng,
    settings: WeightedUCTSettings,
) -> int:
    """Simulate from the root, a bandit of its own."""
    for simulation in range(simulations):
        if not has_room(known, problem.steps):
            return simulation
        copy(problem.state, walk.state[0])
        depth, terminated = 0, False
        while depth < problem.steps and not terminated:
            state, next_state = walk.state[depth % 2], walk.state[1 - depth % 2]
            mover = player(problem, state)
            if depth == 0:
                walk.chosen[0] = choose_arm(known.bandit, settings.exploration, rng)
                action = known.bandit.actions[walk.chosen[0]]
            else:
                walk.exact[depth] = _project(state, mover, settings.weights, walk.place[depth])
                gather(known, walk, walk.exact[depth], walk.place[depth], settings.blend)
                walk.chosen[depth] = _choose(walk, settings.exploration, rng)
                walk.reward[depth, 2] = walk.near[2, walk.chosen[depth]]
                action = settings.actions[walk.chosen[depth]]
            walk.reward[depth, 1] = mover
            walk.reward[depth, 0], terminated = step(problem, state, action, next_state, rng)
            depth += 1
        _back_up(known, walk, depth, problem.discount, problem.validity, settings)
    return simulations
