"""Losses against the optimum: V* where episodes start, and the simple regret of first actions."""

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bonspiel.planners.checks import check_actions
from bonspiel.planners.model import Array, Model
from bonspiel.runs.draws import environment_rng
from bonspiel.runs.plants import plant_of

if TYPE_CHECKING:
    from bonspiel.envs.optimal import Reference


def simple_regret(env: str, first_actions: ArrayLike) -> Array:
    """V*(s) - Q*(s, a) of first actions a in the initial state s: the loss if all later ones are optimal.

    Of actions [n, action_dim]; [n], at least 0. TypeError where the optimum is not known, or the starts differ.
    """
    from bonspiel.envs.optimal import solve, starts_differ

    if (model := plant_of(env)) is None:
        raise TypeError(f"no simple regret in {env}: its optimum is not known")
    if starts_differ(model):
        raise TypeError(f"no simple regret in {env}: its episodes start in different states")
    start = model.initial_state(np.random.default_rng(0))
    reference = solve(model)
    first = np.asarray(first_actions, np.float64)
    if len(first) == 0:
        return np.zeros(0)
    # many episodes begin alike, above all those of planners with a fixed set of actions
    chosen, places = np.unique(check_actions(model, first, "first_actions"), axis=0, return_inverse=True)
    lost = reference.value(start) - np.array([reference.q(start, action) for action in chosen])
    # an action between those of which V* is computed may be better than it, by less than its accuracy
    return np.asarray(np.maximum(lost, 0.0)[places.ravel()])


def start_values(env: str, seed: int, episodes: Iterable[int]) -> Array | None:
    """V* of the states in which these episodes of a run start, [n].

    None where all start in the same state, or where V* is not known.
    """
    if _solved(env) is None:
        return None
    return np.array([_start_value(env, seed, int(episode)) for episode in episodes])


@functools.cache  # all planners and budgets of a run start alike
def _start_value(env: str, seed: int, episode: int) -> float:
    solved = _solved(env)
    assert solved is not None
    model, optimum = solved
    return optimum.value(model.initial_state(environment_rng(seed, episode, 0)))


@functools.lru_cache(maxsize=8)  # runs over families have hundreds, which may be large
def _solved(env: str) -> "tuple[Model, Reference] | None":
    """The model and its optimum, if episodes start in different states and it is known."""
    from bonspiel.envs.optimal import solve, starts_differ

    if (model := plant_of(env)) is None:
        return None
    try:
        return (model, solve(model)) if starts_differ(model) else None
    except TypeError:
        return None
