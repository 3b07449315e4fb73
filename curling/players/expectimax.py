"""The tree search of Digital Curling before the thesis: expectimax on a grid of aims, noise by convolution.

Each aim of a grid over everything that can be thrown is played once without noise. A throw misses its aim by a Gaussian
that is the same all over the grid, so smoothing the grid's values with it gives the expected value of each aim (Kato,
Iizuka, Yamamoto, "A game tree search algorithm considering uncertainty in Digital Curling", 2015/16).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from curling.model import Curling
from curling.players.evaluation import EVALUATIONS, Evaluation, evaluator, leaf_value, planning_model
from curling.sheet import STONES
from curling.state import shot_of
from planners.base import AimBlock, Array, Budget, Decision, Model, Rng, check_state, require, require_choice
from planners.jit import MATRIX, RNG, TABLE, VECTOR, boolean, functions_of, int64, kernel, runner, step_exact
from planners.search import extend

LARGEST = 12_116  # aims, twice as dense as the grid of the thesis along one axis, and 1.4 times along the other
SIZES = [round(LARGEST * 2.0 ** (-k / 2.0)) for k in range(15, -1, -1)]  # few, because a grid is made once and kept
FEWEST = SIZES[0]
FIRST_ROUNDS = 4  # playouts of each aim that a grid must leave time for
RESERVE = 0.002  # s, to smooth the values of the largest grid
SAFETY = 0.8  # part of the time that is planned with, since a shot later in the end may cost more than the first few

Flags = NDArray[np.bool_]


@kernel(int64(TABLE, VECTOR, VECTOR, MATRIX, MATRIX, VECTOR, boolean[::1], RNG))
def _throw_all(
    functions: Any, params: Array, state: Array, actions: Array, states: Array, values: Array, over: Flags, rng: Rng
) -> int:
    """Play each action without noise: what follows, its reward, and whether the end is over."""
    for i in range(len(actions)):
        values[i], over[i] = step_exact(functions, state, actions[i], states[i], params, rng)
    return len(actions)


@kernel(int64(TABLE, VECTOR, MATRIX, boolean[::1], VECTOR, int64, int64, int64, VECTOR, MATRIX, RNG))
def _add_values(
    functions: Any, params: Array, states: Array, over: Flags, sums: Array, before: int, n: int, shots: int,
    worth: Array, scratch: Array, rng: Rng,
) -> int:  # fmt: skip
    """Add the value of one position after another, round and round, n in all; those of an end that is over stay."""
    for k in range(before, before + n):
        i = k % len(states)
        if not over[i]:
            sums[i] += leaf_value(functions, params, states[i], scratch[0], scratch[1], shots, worth, rng)
    return n


@kernel(int64(TABLE, VECTOR, MATRIX, MATRIX, MATRIX, int64, VECTOR, MATRIX, RNG))
def _reply_all(
    functions: Any, params: Array, states: Array, replies: Array, table: Array, shots: int, worth: Array,
    scratch: Array, rng: Rng,
) -> int:  # fmt: skip
    """Value of each reply, without noise, to each position, [positions, replies]."""
    after = scratch[2]
    for i in range(len(states)):
        for j in range(len(replies)):
            value, over = step_exact(functions, states[i], replies[j], after, params, rng)
            if not over:
                value = leaf_value(functions, params, after, scratch[0], scratch[1], shots, worth, rng)
            table[i, j] = value
    return len(states) * len(replies)


def aims_of(blocks: Sequence[AimBlock]) -> Array:
    """All actions of the blocks, [n, action_dim]."""
    return np.concatenate([block.actions.reshape(-1, block.actions.shape[-1]) for block in blocks])


def smooth(blocks: Sequence[AimBlock], values: Array) -> Array:
    """Expected values of aiming at each action of the blocks, with the noise of the throw.

    Args:
        blocks: aims, n in all.
        values: of what the aims do without noise, [..., n].
    """
    smoothed, first = np.empty_like(values), 0
    for block in blocks:
        rows, columns, _ = block.actions.shape
        part = slice(first, first + rows * columns)
        table = values[..., part].reshape(*values.shape[:-1], rows, columns)
        sd = (0.0,) * (values.ndim - 1) + block.sd
        smoothed[..., part] = gaussian_filter(table, sd, mode="nearest").reshape(values[..., part].shape)
        first = part.stop
    return smoothed


class _Search:
    """One decision: the model's functions, and room to work in."""

    def __init__(self, model: Curling, state: Array, evaluation: Evaluation, rng: Rng) -> None:
        self.model, self.state, self.playouts, self.rng = model, state, evaluation == "playouts", rng
        self.worth = evaluator(model, state, evaluation)
        self.shots = STONES - shot_of(state)
        self.mover = model.player(state, model.params)
        self.functions = functions_of(model, frozenset({"step_exact", "rollout"}))
        self.scratch = np.empty((3, model.state_dim))
        self.start = time.perf_counter()

    def left(self, budget: Budget, done: int) -> Budget | None:
        """What is left of the budget for playouts after `done` of them, less the time that the rest takes."""
        if budget.simulations is not None:
            return Budget(budget.simulations - done) if done < budget.simulations else None
        seconds = (budget.seconds or 0.0) - RESERVE - (time.perf_counter() - self.start)
        return Budget(seconds=seconds) if seconds > 0.0 else None

    def throw(self, actions: Array) -> tuple[Array, Array, Flags]:
        """(states, rewards, over) after each action, without noise."""
        states, rewards = np.empty((len(actions), self.model.state_dim)), np.empty(len(actions))
        over = np.empty(len(actions), np.bool_)
        run = runner(_throw_all, self.model)
        run(self.functions, self.model.params, self.state, actions, states, rewards, over, self.rng)
        return states, rewards, over

    def one_ply(self, blocks: Sequence[AimBlock], budget: Budget) -> tuple[Array, NDArray[np.int64]]:
        """(expected values of the aims, evaluations of each): playouts until the budget is spent, one at least."""
        states, sums, over = self.throw(aims_of(blocks))
        run = runner(_add_values, self.model)

        def evaluate(sums: Array, before: int, n: int) -> int:
            return int(run(self.functions, self.model.params, states, over, sums, before, n, self.shots - 1,
                           self.worth, self.scratch, self.rng))

        done = evaluate(sums, 0, len(sums))
        visits = np.ones(len(sums), np.int64)
        left = self.left(budget, done)
        if self.playouts and not over.all() and left is not None:
            _, more = extend(evaluate, sums, lambda sums, _: sums, left)
            visits += more // len(sums) + (np.arange(len(sums)) < more % len(sums))
        return self.mover * smooth(blocks, np.where(over, sums, sums / visits)), visits

    def two_plies(self, blocks: Sequence[AimBlock], replies: Sequence[AimBlock]) -> tuple[Array, NDArray[np.int64]]:
        """The same, each aim followed by the opponent's best reply."""
        states, _, _ = self.throw(aims_of(blocks))
        answers = aims_of(replies)
        table = np.empty((len(states), len(answers)))
        run = runner(_reply_all, self.model)
        run(self.functions, self.model.params, states, answers, table, self.shots - 2, self.worth, self.scratch,
            self.rng)
        worst = (self.mover * smooth(replies, table)).min(-1)
        return smooth(blocks, worst), np.full(len(states), len(answers))

    def cost(self) -> float:
        """Seconds that it takes to play an aim and value what follows, by trying the coarsest grid."""
        actions = aims_of(self.model.aim_grid(self.state, FEWEST))
        start = time.perf_counter()
        states, sums, over = self.throw(actions)
        run = runner(_add_values, self.model)
        run(self.functions, self.model.params, states, over, sums, 0, len(sums), self.shots - 1, self.worth,
            self.scratch, self.rng)
        return (time.perf_counter() - start) / len(sums)


def _largest(affordable: float) -> int:
    """The largest size of a grid that is affordable, or else the smallest."""
    return max([size for size in SIZES if size <= affordable], default=FEWEST)


@dataclass(frozen=True)
class Expectimax:
    """The aim with the best expected value, from the values of a grid of aims smoothed by the noise of the throw.

    More budget makes grids finer, and playouts more. The smallest grid is thrown even where the budget is less, and a
    second ply is left out where the budget is not enough for one; `Decision.simulations` tells how many positions were
    valued.

    Args:
        evaluation: value of what the shots leave: the "board" scored as it lies, "static" as ends went on from boards
            like it, or "playouts" of the default policy.
        plies: 1, or 2 to let the opponent reply, in the same way, to each aim.
    """

    evaluation: Evaluation = "static"
    plies: Literal[1, 2] = 2

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_choice("evaluation", self.evaluation, EVALUATIONS)
        require(self.plies in (1, 2) and not isinstance(self.plies, bool), "plies", self.plies, "1 or 2")

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose a shot; see `planners.Planner.plan`.

        Raises:
            TypeError: not a curling model.
            ValueError: as any planner; also `root_actions`, which are no grid and cannot be smoothed.
        """
        start = time.perf_counter()
        model = planning_model(model, "expectimax")
        state = check_state(model, state)
        require(root_actions is None, "root_actions", root_actions, "None for a search on a grid of aims")
        search = _Search(model, state, self.evaluation, rng)
        if budget.simulations is not None:
            affordable = float(budget.simulations)
        else:
            affordable = SAFETY * (budget.seconds or 0.0) / search.cost()
        if self.plies == 2 and search.shots > 1 and affordable >= FEWEST**2:
            replies = _largest(affordable**0.5)
            grids = [model.aim_grid(state, size) for size in (_largest(affordable / replies), replies)]
            blocks = grids[0]
            values, visits = search.two_plies(*grids)
        else:
            rounds = FIRST_ROUNDS if search.playouts and search.shots > 1 else 1
            blocks = model.aim_grid(state, _largest(affordable / rounds))
            values, visits = search.one_ply(blocks, budget)
        best = int(values.argmax())
        actions, seconds = aims_of(blocks), time.perf_counter() - start
        return Decision(actions[best], float(values[best]), int(visits.sum()), seconds, actions, visits, values)
