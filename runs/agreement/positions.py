"""Positions to search: states that a planner meets, on paths that random actions make different."""

import numpy as np

from bonspiel import planners
from bonspiel.planners import Array, Model
from bonspiel.planners.contract.decisions import CheckedSearch
from bonspiel.runs.draws import named_rng
from bonspiel.runs.experiment import UsageError
from bonspiel.runs.runner.episode import failures_named
from bonspiel.runs.statistics.regret import starts_differ
from bonspiel.runs.suite import model_of

SPACING = 4  # steps between two positions of an episode
RANDOM = 0.2  # of the decisions are replaced by a random action


def check(env: str, model: Model) -> None:
    """Refuse an environment with a single position.

    Raises:
        UsageError: it has a single step and a single start.
    """
    if model.horizon == 1 and not starts_differ(model):
        raise UsageError(
            f"{env} has one step and always starts alike, so that there is one position; bonspiel tree fits"
        )


def of_episode(env: str, planner: str, budget: int, seed: int, index: int) -> tuple[int, list[list[float]]]:
    """The index of an episode and its positions, each a state.

    The planner plays, and every decision is replaced by a random action with probability RANDOM; one position is taken
    in SPACING steps. Episodes of at most SPACING steps give one, at a step drawn at random, that random actions lead
    to. A start that is the same in all episodes is none.

    Raises:
        RunError: the planner or the environment failed.
    """
    model, player = model_of(env), planners.parse(planner)
    rng = named_rng(f"positions|{planner}|{budget}", seed, index)
    first, short = int(not starts_differ(model)), model.horizon <= SPACING
    if short:
        due = {int(rng.integers(first, model.horizon))}
    else:
        due = set(range(first + int(rng.integers(SPACING)), model.horizon, SPACING))
    found: list[list[float]] = []
    with failures_named(planner, env):
        search = CheckedSearch(player, model)
        state = model.initial_state(rng)
        for step in range(model.horizon):
            if step in due:
                found.append(state.tolist())
                if step == max(due):
                    break
            aimless = short or rng.random() < RANDOM
            action = _random_action(model, state, rng) if aimless else _choice(search, state, budget, rng)
            following = np.empty_like(state)
            if model.step(state, action, following, model.params, rng)[1]:
                break
            state = following
    return index, found


def _random_action(model: Model, state: Array, rng: planners.Rng) -> Array:
    action = np.empty(len(model.action_low))
    model.sample_action(state, action, model.params, rng)
    return action


def _choice(search: planners.EpisodeSearch, state: Array, budget: int, rng: planners.Rng) -> Array:
    return np.ascontiguousarray(search.plan(state, planners.Budget(budget), rng).action, np.float64)
