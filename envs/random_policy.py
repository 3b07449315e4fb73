"""The value of the model's own random actions, by simulation."""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from bonspiel.planners.checks import offers
from bonspiel.planners.core.code import sources
from bonspiel.planners.core.values import cached
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import MATRIX, PROBLEM, RNG, VECTOR, Problem, kernel, problem_of, run, sample_action, step
from bonspiel.planners.model import Array, HasPlayer, Rng

STEPS = 20_000_000  # of all episodes together


@kernel(PROBLEM, MATRIX, VECTOR, VECTOR, VECTOR, RNG)
def _play(problem: Problem, starts: Array, action: Array, next_state: Array, returns: Array, rng: Rng) -> None:
    """The return of one episode from each start, which it overwrites."""
    for episode in range(len(starts)):
        state, weight = starts[episode], 1.0
        returns[episode] = 0.0
        for _ in range(problem.steps):
            sample_action(problem, state, action, rng)
            reward, terminated = step(problem, state, action, next_state, rng)
            returns[episode] += weight * reward
            if terminated:
                break
            weight *= problem.discount
            copy(next_state, state)


def random_returns(model: Any, episodes: int, rng: Rng) -> Array:
    """Returns of random actions from drawn initial states, as far as a plan looks ahead, [episodes]."""
    starts = np.array([model.initial_state(rng) for _ in range(episodes)])
    returns, action, scratch = np.empty(episodes), np.empty(len(model.action_low)), np.empty(model.state_dim)
    run(_play, model, problem_of(model, starts[0].copy(), strict=True), starts, action, scratch, returns, rng)
    return returns


def simulated_value(model: Any) -> float:
    """Mean return of random actions over episodes of 20 million steps together.

    Raises:
        TypeError: the model is not compiled, or has two players.
    """
    if not model.compiled or offers(model, HasPlayer):
        raise TypeError(f"no value of the random policy for {type(model).__name__}: needs a compiled model, one player")

    def compute() -> dict[str, Array]:
        returns = random_returns(model, STEPS // model.horizon, np.random.default_rng(0))
        return {"mean": returns.mean(keepdims=True)}

    file = getattr(sys.modules[type(model).__module__], "__file__", None)
    if file is None:  # typed into an interpreter: its sources have no digest
        return float(compute()["mean"][0])
    name = f"random {sources.digest(sources.imports_of(Path(file).resolve()))} {model}"
    return float(cached(name, [sys.modules[__name__]], compute)["mean"][0])
