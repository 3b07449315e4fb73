"""Rollouts of action sequences from the root, one after another, and what they return."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import Problem, gain_of, model_helper, run, step, typeof
from bonspiel.planners.core.problem import search_kernel
from bonspiel.planners.core.returns import invalid_in
from bonspiel.planners.core.search import extend
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TREE_WALK, TreeWalk, new_walk
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget

SEEN, WHOLE = 0, 1  # rows of the problem's validity: of the returns that the search compares, and of those reported


class Sequences(NamedTuple):
    """The sequences of a round and what they returned.

    Attributes:
        actions: [n, steps, action_dim].
        visits: rollouts of each sequence, int64 [n].
        invalid: how many of these were invalid, int64 [n].
        returns: mean return of the others, as the search compares them, [n]; 0 without any.
        values: the same with the model's own discount alone, [n].
        done: rollouts in this round, int64 [1].
    """

    actions: Array
    visits: NDArray[np.int64]
    invalid: NDArray[np.int64]
    returns: Array
    values: Array
    done: NDArray[np.int64]


def new_round(actions: Array) -> Sequences:
    """A round of these sequences, [n, steps, action_dim], none of them rolled out."""
    n = len(actions)
    visits, invalid, done = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(1, np.int64)
    return Sequences(np.ascontiguousarray(actions), visits, invalid, np.zeros(n), np.zeros(n), done)


SEQUENCES = new_round(np.zeros((1, 1, 1)))


class Settings(NamedTuple):
    """The parameters of rollouts.

    Attributes:
        repeats: rollouts of each sequence.
        sight: discount of the search, beside the model's own.
    """

    repeats: int
    sight: float


@model_helper
def note_returns(sequences: Sequences, index: int, total: float, seen: float, problem: Problem) -> None:
    """Take in a rollout of the sequence at an index: its return, and that with the discount of the search."""
    sequences.visits[index] += 1
    if total - total != 0.0:  # then nor is what was seen of it finite
        seen = total
    gain = gain_of(problem.validity, SEEN, 1.0, seen)
    value = gain_of(problem.validity, WHOLE, 1.0, total)
    if total - total != 0.0:
        sequences.invalid[index] += 1
    else:
        valid = sequences.visits[index] - sequences.invalid[index]
        sequences.returns[index] += (gain - sequences.returns[index]) / valid
        sequences.values[index] += (value - sequences.values[index]) / valid


@search_kernel(SEQUENCES, TREE_WALK, typeof(Settings(1, 1.0)))
def roll_out(
    sequences: Sequences, walk: TreeWalk, problem: Problem, simulations: int, rng: Rng, settings: Settings
) -> int:
    """Roll out one sequence after another, each `repeats` times, until the round is over."""
    state, next_state = walk.state[0], walk.state[1]
    for simulation in range(simulations):
        index = sequences.done[0] // settings.repeats
        if index == len(sequences.actions):
            return simulation
        sequences.done[0] += 1
        copy(problem.state, state)
        total, weight, seen, sight = 0.0, 1.0, 0.0, 1.0
        for t in range(sequences.actions.shape[1]):
            reward, terminated = step(problem, state, sequences.actions[index, t], next_state, rng)
            total += weight * reward
            seen += sight * weight * reward
            if terminated:
                break
            weight *= problem.discount
            sight *= settings.sight
            copy(next_state, state)
        note_returns(sequences, index, total, seen, problem)
    return simulations


def mean_returns(sequences: Sequences, problem: Problem) -> Array:
    """Mean return of each sequence, [n], where invalid rollouts count as the worst of all valid ones so far."""
    return with_invalid(sequences.returns, sequences, problem, SEEN)


def with_invalid(means: Array, sequences: Sequences, problem: Problem, row: int) -> Array:
    """Means of the valid rollouts, [n], with the invalid ones as the worst of those in a row of the validity."""
    if invalid_in(problem.validity) == 0:
        return means
    worst = gain_of(problem.validity, row, 1.0, math.nan)
    return means + sequences.invalid / np.maximum(sequences.visits, 1) * (worst - means)


Grow = Callable[[Sequences], Sequences]  # the next round after a finished one


class Rollouts:
    """The rollouts of a decision, one after another.

    Args:
        model: see `planners.Planner.plan`.
        problem: of the decision.
        sight: discount of the search, beside the model's own.
        rng: the source of every random draw.
    """

    def __init__(self, model: Model, problem: Problem, sight: float, rng: Rng) -> None:
        self.model, self.problem, self.sight, self.rng = model, problem, sight, rng
        self.walk = new_walk(model, 1)

    def run(self, sequences: Sequences, repeats: int, count: int) -> int:
        """Roll out the next `count` of a round, `repeats` of each sequence; how many there were."""
        settings = Settings(repeats, self.sight)
        done: int = run(roll_out, self.model, sequences, self.walk, self.problem, count, self.rng, settings)
        return done

    def until(
        self, sequences: Sequences, repeats: int, budget: Budget, start: float | None = None, grow: Grow | None = None
    ) -> tuple[Sequences, int]:
        """Roll out until the budget is spent.

        Args:
            sequences: the round.
            repeats: rollouts of each sequence.
            budget: simulations or seconds.
            start: clock when the budget of seconds began; now if None.
            grow: the next round after a finished one; none ends with the round.

        Returns:
            The last round, and the number of rollouts.
        """
        return extend(
            roll_out,
            sequences,
            self.walk,
            self.problem,
            model=self.model,
            settings=Settings(repeats, self.sight),
            budget=budget,
            rng=self.rng,
            grow=None if grow is None else lambda finished, walk, factor: grow(finished),
            start=start,
        )
