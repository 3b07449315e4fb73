"""Outcomes of the aims of a model's grid without the noise of the execution."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import MATRIX, RNG, VECTOR, Problem, boolean, kernel, run, step_exact
from bonspiel.planners.core.problem import PROBLEM
from bonspiel.planners.model import AimBlock, Array, Model, Rng


@kernel(PROBLEM, MATRIX, MATRIX, VECTOR, boolean[::1], RNG)
def _play_all(
    problem: Problem, actions: Array, states: Array, rewards: Array, ended: NDArray[np.bool_], rng: Rng
) -> int:
    for i in range(len(actions)):
        rewards[i], ended[i] = step_exact(problem, problem.state, actions[i], states[i], rng)
    return len(actions)


def aims_of(blocks: Sequence[AimBlock]) -> Array:
    """All actions of the blocks, [n, action_dim]."""
    return np.concatenate([block.actions.reshape(-1, block.actions.shape[-1]) for block in blocks])


def outcomes(model: Model, problem: Problem, actions: Array, rng: Rng) -> tuple[Array, Array, NDArray[np.bool_]]:
    """The outcome of each action without noise: states [n, state_dim], rewards [n], and whether the episode is over.

    Args:
        model: one that has `step_exact`.
        problem: where the actions are taken, from `problem_of`.
        actions: [n, action_dim].
        rng: for the signature of `step_exact`, which draws nothing.
    """
    states, rewards = np.empty((len(actions), model.state_dim)), np.empty(len(actions))
    ended = np.empty(len(actions), np.bool_)
    run(_play_all, model, problem, actions, states, rewards, ended, rng)
    return states, rewards, ended
