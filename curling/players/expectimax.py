"""Expectimax on a grid of aims, with the noise by convolution: the search of Digital Curling before the thesis.

Each aim of a grid over all useful throws is played once without noise. The execution noise is the same Gaussian
throughout the grid, so that smoothing the values with it gives the expected value of each aim (Kato, Iizuka, Yamamoto,
"A game tree search algorithm considering uncertainty in Digital Curling", 2015/16).
"""

import functools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.choice.aim_grid import aim_grid
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import TIME, shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.model_params import throwers_of
from bonspiel.curling.players.evaluation import EVALUATIONS, Evaluation, feature_values, leaf_value, planning_model
from bonspiel.planners.checks import require, require_choice
from bonspiel.planners.core.aims import aims_of, outcomes
from bonspiel.planners.core.rounds import ROUNDS, Rounds, new_rounds, next_index
from bonspiel.planners.core.search import extend
from bonspiel.planners.jit import (
    MATRIX,
    PROBLEM,
    RNG,
    VECTOR,
    Problem,
    kernel,
    problem_of,
    run,
    search_kernel,
    step_exact,
)
from bonspiel.planners.model import AimBlock, Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Traits, check_plan

FIRST_ROUNDS = 4  # playouts of each aim for which the budget must suffice
RESERVE = 0.003  # s, to smooth the values of the largest grid
CHUNK_SECONDS = 0.001  # between two readings of the clock

Flags = NDArray[np.bool_]
Visits = NDArray[np.int64]
LARGEST = 12_116  # aims: twice as dense as the thesis's grid along one axis, 1.4 times along the other
SIZES = [round(LARGEST * 2.0 ** (-k / 2.0)) for k in range(15, -1, -1)]  # few, because grids are cached
FEWEST = SIZES[0]


def largest_affordable(affordable: float) -> int:
    """The largest affordable grid size, or else the smallest size."""
    return max([size for size in SIZES if size <= affordable], default=FEWEST)


@functools.cache
def make_grids(model: Curling) -> None:
    """Fill the cache of grids."""
    for size in SIZES:
        for noise in {thrower.noise for thrower in throwers_of(model)}:
            aim_grid(model.law, noise, size)


def smooth(blocks: Sequence[AimBlock], values: Array) -> Array:
    """Expected values of the n aims of all blocks under the execution noise, from those without noise, [..., n]."""
    from scipy.ndimage import gaussian_filter  # late: its import takes as long as numba's

    smoothed, first = np.empty_like(values), 0
    for block in blocks:
        rows, columns, _ = block.actions.shape
        part = slice(first, first + rows * columns)
        table = values[..., part].reshape(*values.shape[:-1], rows, columns)
        sd = (0.0,) * (values.ndim - 1) + block.sd
        smoothed[..., part] = gaussian_filter(table, sd, mode="nearest").reshape(values[..., part].shape)
        first = part.stop
    return smoothed


def expected_values(blocks: Sequence[AimBlock], values: Array, known: NDArray[np.bool_]) -> Array:
    """`smooth` of the known values only, [n]; NaN where unknown."""
    weights = smooth(blocks, known.astype(np.float64))
    total = smooth(blocks, np.where(known, values, 0.0))
    return np.divide(total, weights, out=np.full(len(values), np.nan), where=known)


class LeafSettings(NamedTuple):
    """Settings of the evaluation of positions."""

    shots: int  # left in the end, for playouts
    table: Array  # `feature_values`
    over: Flags  # whether the end is over in each position, [n]


@search_kernel(ROUNDS, MATRIX, LeafSettings(1, np.empty(1), np.empty(1, np.bool_)))
def _add_values(
    rounds: Rounds, scratch: Array, problem: Problem, simulations: int, rng: Rng, settings: LeafSettings
) -> int:
    """Add the values of positions in rounds, except where the end is over."""
    for _ in range(simulations):
        i = next_index(rounds)
        if not settings.over[i]:
            rounds.sums[i] += leaf_value(problem, rounds.states[i], scratch, settings.shots, settings.table, rng)
    return simulations


@kernel(PROBLEM, MATRIX, MATRIX, MATRIX, 1, VECTOR, MATRIX, RNG)
def _reply_all(
    problem: Problem, states: Array, replies: Array, values: Array, shots: int, table: Array, scratch: Array, rng: Rng
) -> int:
    """Write the value of each reply, without noise, to each position, [positions, replies]."""
    after = scratch[2]
    for i in range(len(states)):
        for j in range(len(replies)):
            value, over = step_exact(problem, states[i], replies[j], after, rng)
            if not over:
                value = leaf_value(problem, after, scratch, shots, table, rng)
            values[i, j] = value
    return len(states) * len(replies)


class _Search:
    """The state of one decision."""

    def __init__(self, model: Curling, state: Array, evaluation: Evaluation, budget: Budget, rng: Rng) -> None:
        self.model, self.playouts, self.rng = model, evaluation == "playouts", rng
        self.budget, self.start = budget, time.perf_counter()
        self.table = feature_values(model, state, evaluation)
        self.shots = STONES - shot_of(state)
        self.mover = model.player(state, model.params)
        self.problem = problem_of(model, state, strict=True)
        self.scratch = np.empty((3, model.state_dim))

    def left(self, done: int) -> Budget | None:
        """Budget left for playouts after `done` of them, without the time to smooth values; None if it is spent."""
        if self.budget.simulations is not None:
            return Budget(self.budget.simulations - done) if done < self.budget.simulations else None
        seconds = (self.budget.seconds or 0.0) - RESERVE - (time.perf_counter() - self.start)
        return Budget(seconds=seconds) if seconds > 0.0 else None

    def in_time(self, work: Callable[[slice], None], count: int) -> int:
        """Process slices of `count` items while time is left, at least one item; the number of items processed."""
        done, chunk, begin = 0, count if self.budget.seconds is None else 1, time.perf_counter()
        while done < count and chunk > 0:
            work(slice(done, min(done + chunk, count)))
            done = min(done + chunk, count)
            left = self.left(done)
            seconds = min(CHUNK_SECONDS, left.seconds or 0.0) if left is not None else 0.0
            chunk = int(seconds * done / (time.perf_counter() - begin)) or int(left is not None)
        return done

    def throw(self, actions: Array) -> tuple[Array, Array, Flags]:
        """(states, rewards, over) after each action, without noise."""
        return outcomes(self.model, self.problem, actions, self.rng)

    def add(self, states: Array, over: Flags, sums: Array, budget: Budget) -> int:
        """Add values of positions in rounds, see `_add_values`; their number."""
        rounds = new_rounds(states, np.arange(len(states)), sums)
        settings = LeafSettings(self.shots - 1, self.table, over)
        _, done = extend(
            _add_values,
            rounds,
            self.scratch,
            self.problem,
            model=self.model,
            settings=settings,
            budget=budget,
            rng=self.rng,
        )
        return done

    def one_ply(self, blocks: Sequence[AimBlock]) -> tuple[Array, Visits]:
        """(expected values of the aims, NaN where untried, and evaluations of each), until the budget is spent."""
        actions = aims_of(blocks)
        order = self.rng.permutation(len(actions))
        actions, sums = actions[order], np.zeros(len(actions))
        states, over = np.empty((len(actions), self.model.state_dim)), np.empty(len(actions), np.bool_)

        def first(part: slice) -> None:
            states[part], sums[part], over[part] = self.throw(actions[part])
            self.add(states[part], over[part], sums[part], Budget(part.stop - part.start))

        done = self.in_time(first, len(actions))
        visits = (np.arange(len(actions)) < done).astype(np.int64)
        left = self.left(done)
        if self.playouts and not over.all() and left is not None and done == len(actions):
            more = self.add(states, over, sums, left)
            visits += more // len(sums) + (np.arange(len(sums)) < more % len(sums))
        back = np.argsort(order)
        values = np.where(over, sums, sums / np.maximum(visits, 1))
        return expected_values(blocks, self.mover * values[back], visits[back] > 0), visits[back]

    def two_plies(self, blocks: Sequence[AimBlock], replies: Sequence[AimBlock]) -> tuple[Array, Visits]:
        """`one_ply` with each aim followed by the opponent's best reply."""
        actions, answers = aims_of(blocks), aims_of(replies)
        order = self.rng.permutation(len(actions))
        actions, worst = actions[order], np.zeros(len(actions))

        def reply(part: slice) -> None:
            states, _, _ = self.throw(actions[part])
            values = np.empty((len(states), len(answers)))
            arguments = states, answers, values, self.shots - 2, self.table, self.scratch, self.rng
            run(_reply_all, self.model, self.problem, *arguments)
            worst[part] = (self.mover * smooth(replies, values)).min(-1)

        done = self.in_time(reply, len(actions))
        back = np.argsort(order)
        return expected_values(blocks, worst[back], back < done), np.where(back < done, len(answers), 0)

    def cost(self) -> float:
        """Seconds to play an aim and value its position, measured on the coarsest grid."""
        actions = aims_of(self.model.aim_grid(self.problem.state, FEWEST))
        start = time.perf_counter()
        states, sums, over = self.throw(actions)
        self.add(states, over, sums, Budget(len(sums)))
        return (time.perf_counter() - start) / len(sums)


@dataclass(frozen=True)
class Expectimax:
    """Chooses the aim with the best expected value, from a grid of values smoothed by the execution noise.

    Larger budgets give finer grids and more playouts. The smallest grid is played even if the budget is smaller; a
    second ply is left out if the budget is too small for it; `Decision.simulations` is the number of positions valued.
    Aims are tried in random order until the time is spent. The first plan of a process with a time budget also builds
    the grids, in half a second.

    Args:
        evaluation: of the position after the shots: "board" scores it as the stones lie, "static" like ends of the
            default policy from similar positions, "playouts" by playouts of the default policy.
        plies: 1, or 2 to consider the opponent's best reply to each aim.
    """

    evaluation: Evaluation = "static"
    plies: Literal[1, 2] = 2

    traits: ClassVar[Traits] = Traits(
        takes_root_actions=False,
        budget_multiple=math.inf,  # one throw at each aim
        rolls_out=False,
    )

    def __post_init__(self) -> None:
        require_choice("evaluation", self.evaluation, EVALUATIONS)
        require(self.plies in (1, 2) and not isinstance(self.plies, bool), "plies", self.plies, "1 or 2")

    def unsupported(self, model: Model) -> str | None:
        """The reason why a model cannot be searched, or None; see `planners.Planner`."""
        return None if isinstance(model, Curling) else "curling only"

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose a shot; see `planners.Planner.plan`.

        Raises:
            ValueError: as any planner; also `root_actions`, which are no grid and cannot be smoothed.
        """
        state = check_plan(self, model, state, budget, rng, root_actions)
        model = planning_model(model)
        if budget.seconds is not None:
            make_grids(model)
        start = time.perf_counter()
        search = _Search(model, state, self.evaluation, budget, rng)
        affordable = float(budget.simulations or 0) or (budget.seconds or 0.0) / search.cost()
        if self.plies == 2 and search.shots > 1 and affordable >= FEWEST**2:
            replies = largest_affordable(affordable**0.5)
            blocks = model.aim_grid(state, largest_affordable(affordable / replies))
            values, visits = search.two_plies(blocks, model.aim_grid(_one_shot_later(state), replies))
        else:
            rounds = FIRST_ROUNDS if search.playouts and search.shots > 1 else 1
            blocks = model.aim_grid(state, largest_affordable(affordable / rounds))
            values, visits = search.one_ply(blocks)
        best = int(np.nanargmax(values))
        actions, seconds = aims_of(blocks), time.perf_counter() - start
        return Decision(actions[best], float(values[best]), int(visits.sum()), seconds, actions, visits, values)


def _one_shot_later(state: Array) -> Array:
    """A state in which the opponent throws next, for the errors of the one who replies."""
    later = state.copy()
    later[TIME] += 1.0
    return later
