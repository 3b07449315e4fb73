"""Weighted UCT: UCB1 on kernel-weighted experiences instead of a tree (Weinstein 2014; the thesis's algorithm 4)."""

import math
import time
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from bonspiel.planners import Array, Budget, Decision, Model, Rng
from bonspiel.planners.cells.weighted_uct.experience import (
    EXPERIENCE_WALK,
    EXPERIENCES,
    Experiences,
    ExperienceWalk,
    grow,
    has_room,
    new_experience_walk,
    new_experiences,
    remember,
)
from bonspiel.planners.cells.weighted_uct.nearness import gather
from bonspiel.planners.checks import (
    MOST_ACTIONS,
    check_actions,
    discrete_actions,
    missing_action_bounds,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
)
from bonspiel.planners.core.actions import action_kernel, action_set
from bonspiel.planners.core.bounds import distance_weights
from bonspiel.planners.core.jit import Problem, gain_of, helper, player, step
from bonspiel.planners.core.problem import PlanLength, search_kernel
from bonspiel.planners.core.search import decide, extend
from bonspiel.planners.core.tree.bandit import choose_arm, update_arm
from bonspiel.planners.core.tree.nodes import INV_SQRT, MEAN
from bonspiel.planners.core.tree.selection import ucb1
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.zobrist import combine, float_bits
from bonspiel.planners.planner import Traits, check_plan
from bonspiel.planners.spaces import EXPLORATION, LOOKAHEAD, N_ACTIONS, Parameters, Range

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


FIRST_EXPERIENCES = 4_096
LARGEST_CUTOFF = 5.0
MOST_GRID_DIMENSIONS = 4  # a state has 3^k neighbouring cells


@dataclass(frozen=True)
class WeightedUCT(PlanLength):
    """UCB1 on the experiences of all simulations, each weighted by a Gaussian kernel of its distance.

    The decision's own state chooses by plain UCB1 and leaves no experience. The model's `distance_weights` say which
    coordinates are compared, and how.

    Args:
        exploration: C of UCB1, at least 0.
        n_actions: size of the action set: a regular grid in one dimension, points that fill the box in more.
        bandwidth: sigma0, width of the first kernels; later ones have sigma0 (1 + kernels already there)^(-1/2).
        action_bandwidth: width of the Gaussian kernel between actions; 0: only equal actions are alike.
        neighbours: search for experiences: "grid" ignores those beyond the cut-off, "all" looks at every one, as the
            grid does too where more than 4 coordinates are compared.
        cutoff: distance in kernel widths beyond which an experience does not count, at most 5.
    """

    exploration: float = 1.0
    n_actions: int = 8
    bandwidth: float = 0.5
    action_bandwidth: float = 0.0
    neighbours: Literal["grid", "all"] = "grid"
    cutoff: float = 4.0

    traits: ClassVar[Traits] = Traits(rolls_out=False)
    tuning: ClassVar[Parameters] = {**LOOKAHEAD, **EXPLORATION, **N_ACTIONS, "bandwidth": Range(0.05, 1.5, log=True)}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("exploration", self.exploration, 0.0)
        require_count("n_actions", self.n_actions, 1, MOST_ACTIONS)
        require_positive("bandwidth", self.bandwidth)
        require_at_least("action_bandwidth", self.action_bandwidth, 0.0)
        require_choice("neighbours", self.neighbours, ("grid", "all"))
        require_positive("cutoff", self.cutoff, LARGEST_CUTOFF)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return discrete_actions(model) or missing_action_bounds(model)

    def same_actions(self, model: Model) -> bool:
        """True if all searches consider the same actions at the root; see `planners.Planner`."""
        return True

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        problem = self.problem(model, state)
        actions = action_set(model, self.n_actions)
        at_root = actions if root_actions is None else check_actions(model, root_actions)
        weights = distance_weights(model)
        k = int(((weights > 0.0) & (weights < np.inf)).sum())
        cutoff = self.cutoff if self.neighbours == "grid" and k <= MOST_GRID_DIMENSIONS else np.inf
        room = min(budget.simulations or FIRST_EXPERIENCES, FIRST_EXPERIENCES) + problem.steps
        known = new_experiences(k, len(actions), self.bandwidth, cutoff, room, at_root)
        walk = new_experience_walk(model.state_dim, k, problem.steps, len(actions))
        blend = action_kernel(actions, self.action_bandwidth)
        settings = WeightedUCTSettings(self.exploration, actions, self.bandwidth, blend, weights)
        known, done = extend(
            search, known, walk, problem, model=model, settings=settings, budget=budget, rng=rng, grow=grow, start=start
        )
        return decide(known.bandit.actions, known.bandit.visits, known.bandit.value, done, start, rng, problem=problem)
