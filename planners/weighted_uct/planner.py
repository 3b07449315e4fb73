"""Weighted UCT: UCB1 on kernel-weighted experiences instead of a tree (Weinstein 2014; the thesis's algorithm 4)."""

import math
import time
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planners.base import (
    Array,
    Budget,
    Decision,
    Model,
    Rng,
    check_actions,
    check_state,
    require,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
    steps_left,
)
from planners.core.actions import action_kernel, action_set
from planners.core.backup import average
from planners.core.jit import (
    MATRIX,
    RNG,
    TABLE,
    VECTOR,
    float64,
    functions_of,
    helper,
    int64,
    kernel,
    player,
    runner,
    step,
    typeof,
)
from planners.core.search import decide, extend
from planners.core.selection import sqrt_2_log, ucb1
from planners.core.tree import UNTRIED, copy
from planners.core.zobrist import combine, float_bits
from planners.weighted_uct.experience import EXPERIENCES, Experiences, grow, has_room, new_experiences, remember
from planners.weighted_uct.nearness import gather


class Walk(NamedTuple):
    """The root's bandit, and the simulation under way.

    Attributes:
        root_visits: visits of each root action, int64 [B].
        root_value: mean return and 1/sqrt(visits) of each root action, [B, 2].
        state: the state under way and the next, [2, state_dim].
        place: compared coordinates of the state at each step, [steps, k].
        exact: hash of the coordinates compared exactly at each step, uint64 [steps].
        chosen: action of each step, int64 [steps].
        precision: 1 / (2 sigma^2) of the experience made of each step, [steps].
        reward: reward, the sign of the player who moved, and the neighbours of the action chosen, [steps, 3].
    """

    root_visits: NDArray[np.int64]
    root_value: Array
    state: Array
    place: Array
    exact: NDArray[np.uint64]
    chosen: NDArray[np.int64]
    precision: Array
    reward: Array


def _new_walk(state_dim: int, k: int, steps: int, n_root_actions: int) -> Walk:
    root_value = np.zeros((n_root_actions, 2))
    root_value[:, 0] = UNTRIED
    return Walk(
        root_visits=np.zeros(n_root_actions, np.int64),
        root_value=root_value,
        state=np.empty((2, state_dim)),
        place=np.empty((steps, k)),
        exact=np.empty(steps, np.uint64),
        chosen=np.empty(steps, np.int64),
        precision=np.empty(steps),
        reward=np.empty((steps, 3)),
    )


WALK = typeof(_new_walk(1, 1, 1, 1))


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
def _choose(near: Array, exploration: float, least: float, rng: Rng) -> int:
    """UCB1 on weighted visits and returns; an action with fewer visits than `least` is untried and goes first."""
    n_actions = near.shape[1]
    untried, total = 0, 0.0
    for action in range(n_actions):
        untried += near[2, action] < least
        total += near[2, action]
    if untried > 0:
        skip = int(rng.random() * untried)
        for action in range(n_actions):
            if near[2, action] < least:
                if skip == 0:
                    return action
                skip -= 1
    width = exploration * math.sqrt(2.0 * math.log(max(total, 1.0)))
    best, best_mean, best_score = 0, -math.inf, -math.inf
    for action in range(n_actions):
        mean = near[3, action] / near[2, action]
        score = mean + width / math.sqrt(near[2, action])
        if score > best_score or (score == best_score and mean > best_mean):
            best, best_mean, best_score = action, mean, score
    return best


@helper
def _back_up(known: Experiences, walk: Walk, depth: int, discount: float, bandwidth: float, blend: Array) -> None:
    """Make an experience of every step but the root's, from the last to the first; average the root's bandit."""
    total = 0.0
    for i in range(depth - 1, -1, -1):
        total = walk.reward[i, 0] + discount * total
        gain = walk.reward[i, 1] * total
        if i > 0:
            neighbours = walk.reward[i, 2]
            for later in range(i + 1, depth):  # remembered just now
                if walk.exact[i] == walk.exact[later]:
                    alike = blend[walk.chosen[i], walk.chosen[later]]
                    neighbours += alike * _similarity(walk.place[i], walk.place[later], walk.precision[later])
            walk.precision[i] = remember(
                known, walk.exact[i], walk.place[i], walk.chosen[i], gain, bandwidth, neighbours
            )
    walk.root_visits[walk.chosen[0]] += 1
    average(walk.root_value, walk.chosen[0], gain, walk.root_visits[walk.chosen[0]])


@kernel(
    int64(
        EXPERIENCES,
        WALK,
        TABLE,
        VECTOR,
        VECTOR,
        float64,
        int64,
        int64,
        int64,
        RNG,
        MATRIX,
        MATRIX,
        float64,
        float64,
        float64,
        MATRIX,
        VECTOR,
    )
)
def _search(
    known: Experiences,
    walk: Walk,
    functions: Any,
    params: Array,
    root: Array,
    discount: float,
    steps: int,
    before: int,
    simulations: int,
    rng: Rng,
    actions: Array,
    root_actions: Array,
    exploration: float,
    bandwidth: float,
    least: float,
    blend: Array,
    weights: Array,
) -> int:
    for simulation in range(simulations):
        if not has_room(known, steps):
            return simulation
        copy(root, walk.state[0])
        depth, terminated = 0, False
        while depth < steps and not terminated:
            state, next_state = walk.state[depth % 2], walk.state[1 - depth % 2]
            mover = player(functions, state, params)
            if depth == 0:
                width = exploration * sqrt_2_log(before + simulation)
                walk.chosen[0] = ucb1(walk.root_value, 0, len(root_actions), width)
                action = root_actions[walk.chosen[0]]
            else:
                walk.exact[depth] = _project(state, mover, weights, walk.place[depth])
                gather(known, walk.exact[depth], walk.place[depth], blend)
                walk.chosen[depth] = _choose(known.near, exploration, least, rng)
                walk.reward[depth, 2] = known.near[2, walk.chosen[depth]]
                action = actions[walk.chosen[depth]]
            walk.reward[depth, 1] = mover
            walk.reward[depth, 0], terminated = step(functions, state, action, next_state, params, rng)
            depth += 1
        _back_up(known, walk, depth, discount, bandwidth, blend)
    return simulations


NEEDED = frozenset({"step"})
FIRST_EXPERIENCES = 4_096
UNTRIED_BELOW = math.exp(-8.0)  # one experience at 4 kernel widths
LARGEST_CUTOFF = 5.0
MOST_GRID_DIMENSIONS = 4  # a state has 3^k neighbouring cells


@dataclass(frozen=True)
class WeightedUCT:
    """UCB1 on the experiences of all simulations, each weighted by a Gaussian kernel of its distance.

    The decision's own state chooses by plain UCB1 and leaves no experience. The model's `distance_weights` say which
    coordinates are compared, and how.

    Args:
        exploration: C of UCB1, at least 0.
        n_actions: size of the action set: a regular grid in one dimension, low-discrepancy points in more.
        bandwidth: sigma0, width of the first kernels; later ones have sigma0 (1 + kernels already there)^(-1/2).
        action_bandwidth: width of the Gaussian kernel between actions; 0: only equal actions are alike.
        neighbours: how experiences are found: "grid" ignores those beyond the cut-off, "all" looks at every one, as the
            grid does too where more than 4 coordinates are compared.
        cutoff: distance in kernel widths beyond which an experience does not count, at most 5.
    """

    exploration: float = 1.0
    n_actions: int = 8
    bandwidth: float = 0.5
    action_bandwidth: float = 0.0
    neighbours: Literal["grid", "all"] = "grid"
    cutoff: float = 4.0

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_at_least("exploration", self.exploration, 0.0)
        require_count("n_actions", self.n_actions)
        require_positive("bandwidth", self.bandwidth)
        require_at_least("action_bandwidth", self.action_bandwidth, 0.0)
        require_choice("neighbours", self.neighbours, ("grid", "all"))
        require_positive("cutoff", self.cutoff, LARGEST_CUTOFF)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_state(model, state)
        functions = functions_of(model, NEEDED)
        actions = action_set(model, self.n_actions)
        at_root = actions if root_actions is None else check_actions(model, root_actions)
        steps = steps_left(model, state)
        weights = np.array(getattr(model, "distance_weights", np.ones(model.state_dim)), np.float64)
        fits = weights.shape == (model.state_dim,) and bool((weights >= 0.0).all())
        require(fits, "distance_weights", weights, f"{model.state_dim} numbers of at least 0")
        k = int(((weights > 0.0) & (weights < np.inf)).sum())
        cutoff = self.cutoff if self.neighbours == "grid" and k <= MOST_GRID_DIMENSIONS else np.inf
        room = min(budget.simulations or FIRST_EXPERIENCES, FIRST_EXPERIENCES) + steps
        known = new_experiences(k, len(actions), self.bandwidth, cutoff, room)
        walk = _new_walk(model.state_dim, k, steps, len(at_root))
        settings = (
            actions,
            at_root,
            self.exploration,
            self.bandwidth,
            UNTRIED_BELOW,
            action_kernel(actions, self.action_bandwidth),
            weights,
        )
        search, params, discount = runner(_search, model), model.params, float(model.discount)

        def run(known: Experiences, before: int, n: int) -> int:
            return int(search(known, walk, functions, params, state, discount, steps, before, n, rng, *settings))

        known, simulations = extend(run, known, grow, budget, start)
        return decide(at_root.copy(), walk.root_visits, walk.root_value, simulations, start)
