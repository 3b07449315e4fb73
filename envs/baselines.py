"""Mean returns of the baselines, by simulation: random actions, doing nothing, and the best constant action."""

import hashlib
import math
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from bonspiel.planners import constant, do_nothing
from bonspiel.planners.checks import offers
from bonspiel.planners.core.code import sources
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.core.code.errors import error_text
from bonspiel.planners.core.text import without_address
from bonspiel.planners.core.values import cached
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import (
    MATRIX,
    PROBLEM,
    RNG,
    VECTOR,
    Problem,
    int64,
    kernel,
    problem_of,
    run,
    sample_action,
    step,
)
from bonspiel.planners.model import Array, HasPlayer, Rng
from bonspiel.planners.planner import Budget

STEPS = 20_000_000  # of all episodes together, where states are small
SMALL = 16  # coordinates of a state; a step of one with more takes that much longer
MOST_EPISODES = 400_000  # that do nothing
CHOICES = 100  # of a constant action, each in another episode's initial state
SIMULATIONS = 1_000  # of each choice
FEW = 5  # initial states that tell models apart
EPISODES = 100  # that play each chosen action


@kernel(PROBLEM, MATRIX, VECTOR, VECTOR, VECTOR, RNG, int64)
def _play(
    problem: Problem, starts: Array, action: Array, next_state: Array, returns: Array, rng: Rng, draws: int
) -> None:
    """The return of one episode from each start, which it overwrites: of the action, or of random ones if `draws`."""
    for episode in range(len(starts)):
        state, weight = starts[episode], 1.0
        returns[episode] = 0.0
        for _ in range(problem.steps):
            if draws:
                sample_action(problem, state, action, rng)
            reward, terminated = step(problem, state, action, next_state, rng)
            returns[episode] += weight * reward
            if terminated:
                break
            weight *= problem.discount
            copy(next_state, state)


def _returns(model: Any, starts: Array, rng: Rng, action: Array | None = None) -> Array:
    """Returns of an action held, or of random ones, from each start, as far as a plan looks ahead, [n]."""
    held = np.empty(len(model.action_low)) if action is None else action
    returns, scratch = np.empty(len(starts)), np.empty(model.state_dim)
    problem = problem_of(model, starts[0].copy(), strict=True)
    run(_play, model, problem, starts, held, scratch, returns, rng, int(action is None))
    return returns


def _starts(model: Any, episodes: int, rng: Rng) -> Array:
    return np.array([model.initial_state(rng) for _ in range(episodes)])


def random_returns(model: Any, episodes: int, rng: Rng) -> Array:
    """Returns of random actions from drawn initial states, as far as a plan looks ahead, [episodes]."""
    return _returns(model, _starts(model, episodes, rng), rng)


def random_value(model: Any) -> float:
    """Mean return of random actions over episodes of 20 million steps together.

    Raises:
        TypeError: the model is not compiled, or has two players.
    """
    return _simulated(
        "random policy", model, (), lambda: random_returns(model, _episodes(model), np.random.default_rng(0))
    )


def do_nothing_value(model: Any) -> float:
    """Mean return of the action that does nothing over episodes of 20 million steps together, 400,000 at most.

    Raises:
        TypeError: as for `random_value`.
    """

    def compute() -> Array:
        rng = np.random.default_rng(0)
        starts = _starts(model, min(_episodes(model), MOST_EPISODES), rng)
        return _returns(model, starts, rng, do_nothing.null_action(model))

    return _simulated("do_nothing", model, (do_nothing,), compute)


def constant_value(model: Any) -> float:
    """Mean return of the planner `constant` with 1,000 simulations an episode.

    It chooses in 100 drawn initial states. Each choice is played in 100 episodes from its state.

    Raises:
        TypeError: as for `random_value`.
    """

    def compute() -> Array:
        rng, planner, budget = np.random.default_rng(0), constant.Constant(), Budget(simulations=SIMULATIONS)
        starts = _starts(model, CHOICES, rng)
        actions = [planner.plan(model, start, budget, rng).action for start in starts]
        pairs = zip(starts, actions, strict=True)
        return np.concatenate([_returns(model, np.tile(start, (EPISODES, 1)), rng, action) for start, action in pairs])

    return _simulated("constant", model, (do_nothing, constant), compute)


def _content(model: Any) -> str:
    """A digest of what the model is made of besides its text: fields that it does not show, files that it has read."""
    starts, numbers = _starts(model, FEW, np.random.default_rng(0)), [model.horizon, model.discount]
    parts = (model.params, model.action_low, model.action_high, numbers, starts)
    return hashlib.blake2b(b"".join(np.ascontiguousarray(part, float).tobytes() for part in parts)).hexdigest()


def _episodes(model: Any) -> int:
    """The number of episodes: STEPS of them together, fewer steps where states are large, and at least one episode."""
    return max(1, STEPS * SMALL // max(SMALL, model.state_dim) // model.horizon)


def _simulated(name: str, model: Any, modules: Iterable[ModuleType], compute: Callable[[], Array]) -> float:
    """The mean of the returns that `compute` gives, kept on disk for these sources of the model and the modules."""
    if not model.compiled or offers(model, HasPlayer):
        raise TypeError(f"no value of {name} for {type(model).__name__}: needs a compiled model, one player")

    def mean() -> dict[str, Array]:
        try:
            return {"mean": compute().mean(keepdims=True)}
        except Exception as error:  # of the model's code
            raise _unknown(name, model, error_text(error)) from error

    file = getattr(sys.modules[type(model).__module__], "__file__", None)
    if file is None:  # typed into an interpreter: its sources have no digest
        found = mean()
    else:
        played = sources.digest(sources.imports_of(Path(file).resolve()))
        key = f"{name} {played} {without_address(str(model))} {_content(model)}"
        found = cached(key, [sys.modules[__name__], *modules], mean)
    value = float(found["mean"][0])
    if not math.isfinite(value):
        raise _unknown(name, model, "some rewards are not finite")
    return value


def _unknown(name: str, model: Any, why: str) -> TypeError:
    """The error of a baseline without a value, said once too, as reports go on without it."""
    text = f"no value of {name} for {type(model).__name__}: {why}"
    say_once(text)
    return TypeError(text)
