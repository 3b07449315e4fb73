"""Root pre-search: values of a grid of aims without noise, smoothed by the noise, tell what to search (a 2017 thesis).

Algorithm 9 of the thesis with the aim noise of Kato, Iizuka, Yamamoto 2015: the value of aiming somewhere is the mean
of the values around it, weighted by the chance to hit there. The largest of the smoothed values is not played, since it
owes much to luck; the best few are what the inner planner chooses from, with noise.
"""

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, maximum_filter

from planners.abstraction.action_search import ActionSearch
from planners.abstraction.planner import AbstractionTree
from planners.base import (
    AimBlock,
    Array,
    Budget,
    Decision,
    HasAimGrid,
    HasStepExact,
    Model,
    Planner,
    Rng,
    check_state,
    missing,
    require,
    require_count,
    require_positive,
    steps_left,
    unsupported,
)
from planners.core.actions import own_actions
from planners.core.aims import aims_of, outcomes
from planners.core.jit import MATRIX, RNG, TABLE, VECTOR, functions_of, int64, kernel, rollout, runner
from planners.core.search import extend
from planners.core.tree import copy
from planners.registry import NESTED

CALIBRATION = 0.02  # part of a time budget that goes into finding out how much the rest will do


@kernel(int64(TABLE, VECTOR, MATRIX, int64, int64, int64, RNG, int64[::1], VECTOR, MATRIX))
def _evaluate(
    functions: Any,
    params: Array,
    states: Array,
    steps: int,
    before: int,
    simulations: int,
    rng: Rng,
    order: NDArray[np.int64],
    sums: Array,
    scratch: Array,
) -> int:
    """Add the value of a rollout from one state after another, in the given order, round and round."""
    for simulation in range(simulations):
        index = order[(before + simulation) % len(order)]
        copy(states[index], scratch[0])
        sums[index] += rollout(functions, scratch[0], scratch[1], steps, params, rng)
    return simulations


class Sweep(NamedTuple):
    """A grid of aims and their values for the player to move.

    Attributes:
        blocks: the grid.
        raw: mean value of each aim as it is, [rows, columns] for each block; NaN where there was no time for it.
        smooth: expected value of aiming there, likewise.
        simulations: how many it took.
    """

    blocks: list[AimBlock]
    raw: list[Array]
    smooth: list[Array]
    simulations: int


def smoothed(values: Array, weights: Array, sd: tuple[float, float]) -> Array:
    """Expected values of aims whose execution is off by a Gaussian of this sd in grid steps.

    Args:
        values: [rows, columns].
        weights: how much each value is worth, 0 for none, [rows, columns].
        sd: along rows' and columns' axes.

    Returns:
        [rows, columns], NaN where nothing near is known.
    """
    known = np.where(weights > 0.0, values, 0.0)
    total = gaussian_filter(weights * known, sd, mode="nearest", truncate=3.0)
    weight = gaussian_filter(weights, sd, mode="nearest", truncate=3.0)
    return np.where(weight > 1e-9, total / np.maximum(weight, 1e-9), np.nan)


def peaks(sweep: Sweep, most: int) -> Array:
    """The aims at the highest local maxima of the smoothed values, best first, an sd apart at least, [<= most, dim]."""
    maxima = []
    for index, (block, smooth) in enumerate(zip(sweep.blocks, sweep.smooth, strict=True)):
        values = np.nan_to_num(smooth, nan=-np.inf)
        apart = np.maximum(1.0, block.sd)
        reach = [2 * int(step) + 1 if sd > 0.0 else 1 for step, sd in zip(apart, block.sd, strict=True)]
        top = (values == maximum_filter(values, reach, mode="nearest")) & np.isfinite(values)
        maxima += [(float(values[at]), index, np.array(at), apart) for at in zip(*np.nonzero(top), strict=True)]
    maxima.sort(key=lambda maximum: -maximum[0])
    chosen: list[tuple[int, NDArray[np.int64]]] = []
    for _, index, at, apart in maxima:
        # on a plateau every aim is a maximum
        if len(chosen) < most and all(other != index or (abs(at - place) > apart).any() for other, place in chosen):
            chosen.append((index, at))
    return np.array([sweep.blocks[index].actions[tuple(at)] for index, at in chosen])


class _Evaluator:
    """Values of states by the inner planner's own simulations where it can, otherwise by the model's rollouts."""

    def __init__(self, model: Model, state: Array, rng: Rng, search: ActionSearch | None) -> None:
        self.model, self.state, self.rng, self.search = model, state, rng, search
        needed = {"step_exact"} if search is not None else {"step_exact", "rollout"}
        self.functions = functions_of(model, frozenset(needed))
        self.steps = max(1, steps_left(model, state) - 1)  # the first one is played already

    def outcomes(self, blocks: list[AimBlock]) -> tuple[Array, Array, NDArray[np.bool_]]:
        """What follows each aim, see `planners.core.aims.outcomes`."""
        return outcomes(self.model, self.functions, self.state, aims_of(blocks), self.rng)

    def __call__(self, states: Array, order: NDArray[np.int64], sums: Array, budget: Budget) -> int:
        """Add values, player +1's, to `sums`, from one state after another; how many."""
        if self.search is not None:
            return self.search.evaluate(states, order, sums, budget)
        kernel, params = runner(_evaluate, self.model), self.model.params
        scratch = np.empty((2, states.shape[1]))

        def run(scratch: Array, done: int, n: int) -> int:
            return int(kernel(self.functions, params, states, self.steps, done, n, self.rng, order, sums, scratch))

        return extend(run, scratch, lambda scratch, _: scratch, budget)[1]


@dataclass(frozen=True)
class Presearch:
    """Root pre-search for another planner.

    At least one simulation goes to the sweep and one to the search, also where the budget is but one.

    Args:
        inner: the planner that chooses among the best aims; in writing, `presearch:inner=dpw` or
            `presearch:inner=(abstraction:exploration=0.5)`.
        share: part of the budget that the sweep may take, above 0 and below 1.
        size: most aims in the grid.
        candidates: most local maxima that go on, at least 1.
    """

    inner: Planner = field(default=AbstractionTree(exploration=0.3, tree_steps=1), metadata={NESTED: True})
    share: float = 0.5
    size: int = 4_284
    candidates: int = 16

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require(callable(getattr(self.inner, "plan", None)), "inner", self.inner, "a planner")
        require_positive("share", self.share, 1.0)
        require(self.share < 1.0, "share", self.share, "below 1")
        require_count("size", self.size)
        require_count("candidates", self.candidates)

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
        return missing(model, HasAimGrid, HasStepExact) or unsupported(self.inner, model)

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.Planner.plan`. With `root_actions` there is nothing to sweep for."""
        if root_actions is not None:
            return self.inner.plan(model, state, budget, rng, root_actions)
        return self.plan_with_sweep(model, state, budget, rng)[0]

    def plan_with_sweep(self, model: Model, state: Array, budget: Budget, rng: Rng) -> tuple[Decision, Sweep]:
        """`plan`, and the values of the grid to look at.

        Raises:
            TypeError: the model lacks `aim_grid`, `step_exact`, or what the evaluations need.
            ValueError: as for `plan`.
        """
        start = time.perf_counter()
        state = check_state(model, state)
        if getattr(model, "aim_grid", None) is None:
            raise TypeError(f"{type(model).__name__} has no `aim_grid`, which this planner needs")
        search = self._begin(model, state, budget, rng)
        sweep = self._sweep(model, state, budget, rng, search)
        chosen, left = self._candidates(model, state, sweep), _part(budget, 1.0, sweep.simulations, start)
        if search is None:
            decision = self.inner.plan(model, state, left, rng, chosen)
        else:
            decision = search.decide(chosen, left, start)
        seconds = time.perf_counter() - start
        return replace(decision, simulations=decision.simulations + sweep.simulations, seconds=seconds), sweep

    def sweep(self, model: Model, state: Array, budget: Budget, rng: Rng) -> Sweep:
        """The sweep alone, with its share of the budget."""
        return self._sweep(model, state, budget, rng, self._begin(model, state, budget, rng))

    def _begin(self, model: Model, state: Array, budget: Budget, rng: Rng) -> ActionSearch | None:
        """The inner planner's search where its trie can evaluate the grid too, so that nothing is lost."""
        if isinstance(self.inner, AbstractionTree) and hasattr(model, "actions"):
            return self.inner.begin(model, state, budget, rng)
        return None

    def _candidates(self, model: Model, state: Array, sweep: Sweep) -> Array:
        """What the inner planner shall choose from: the best aims, and the actions that the model proposes."""
        best = peaks(sweep, self.candidates)
        return np.concatenate([best, own_actions(model, state)]) if hasattr(model, "actions") else best

    def _sweep(self, model: Any, state: Array, budget: Budget, rng: Rng, search: ActionSearch | None) -> Sweep:
        """Evaluate a grid of aims with the sweep's share of the budget, so fine that each is evaluated once or more."""
        start = time.perf_counter()
        evaluate = _Evaluator(model, state, rng, search)
        affordable, spent = self._affordable(model, state, budget, evaluate)
        blocks = model.aim_grid(state, grid_size(affordable, self.size))
        states, rewards, ended = evaluate.outcomes(blocks)
        sums, counts = np.zeros(len(states)), np.ones(len(states))
        open_ends = rng.permutation(np.flatnonzero(~ended))
        if len(open_ends):
            done = evaluate(states, open_ends, sums, _part(budget, self.share, spent, start))
            rounds, rest = divmod(done, len(open_ends))
            counts[ended] = max(rounds, 1)
            counts[open_ends] = rounds + (np.arange(len(open_ends)) < rest)
            spent += done
        mover = model.player(state, model.params) if hasattr(model, "player") else 1.0
        values = mover * (rewards + model.discount * sums / np.maximum(counts, 1.0))
        raw, smooth, at = [], [], 0
        for block in blocks:
            shape = block.actions.shape[:2]
            here = slice(at, at + shape[0] * shape[1])
            at = here.stop
            raw.append(np.where(counts[here] > 0.0, values[here], np.nan).reshape(shape))
            smooth.append(smoothed(values[here].reshape(shape), counts[here].reshape(shape), block.sd))
        return Sweep(blocks, raw, smooth, spent)

    def _affordable(self, model: Any, state: Array, budget: Budget, evaluate: _Evaluator) -> tuple[int, int]:
        """How many evaluations the sweep's share pays for, and how many it took to find out."""
        if budget.simulations is not None:
            return int(self.share * budget.simulations), 0
        states, _, ended = evaluate.outcomes(model.aim_grid(state, 1))
        if ended.all():
            return self.size, 0
        seconds = CALIBRATION * (budget.seconds or 0.0)
        done = evaluate(states, np.flatnonzero(~ended), np.zeros(len(states)), Budget(seconds=seconds))
        return int(done * self.share / CALIBRATION), done


def grid_size(affordable: int, most: int) -> int:
    """The largest of most, most / sqrt 2, most / 2, ... that is affordable; few sizes, so that grids can be kept."""
    halvings = math.ceil(max(0.0, 2.0 * math.log2(most / max(affordable, 1))))
    return max(1, round(most / 2.0 ** (halvings / 2.0)))


def _part(budget: Budget, share: float, spent: int, start: float) -> Budget:
    """What is left of a share of the budget."""
    if budget.simulations is not None:
        return Budget(simulations=max(1, int(share * budget.simulations) - spent))
    return Budget(seconds=max(1e-6, share * (budget.seconds or 0.0) - (time.perf_counter() - start)))
