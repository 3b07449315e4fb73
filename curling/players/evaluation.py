"""Values of positions for players that search one or two shots ahead; compiled for every curling model."""

import functools
from dataclasses import replace
from typing import Literal, cast

import numpy as np

from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.state import hammer_of, value_after
from bonspiel.curling.model import Curling
from bonspiel.curling.model_params import nearest_network, why_no_weights
from bonspiel.curling.players.static import MOST_LYING, features, outcome_table
from bonspiel.curling.settings import NETWORK_TABLE
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import Problem, model_helper, rollout
from bonspiel.planners.model import Array, Model, Rng

Evaluation = Literal["board", "static", "playouts"]
EVALUATIONS = ("board", "static", "playouts")


def feature_values(model: Curling, state: Array, evaluation: Evaluation) -> Array:
    """Team 0's probability to win from positions in the end of `state`, by features, [17 * 9 * 2]; empty for playouts.

    With "board" the end is scored as the stones lie; with "static" it ends like ends of the default policy.
    """
    if evaluation == "playouts":
        return np.empty(0)
    own = range(-TEAM_STONES, TEAM_STONES + 1)
    points = own if hammer_of(state) == 0 else [-n for n in own]
    after = np.array([value_after(state, n, model.params) for n in points])
    if evaluation == "static":
        values: Array = outcome_table(model.physics) @ after
        return values
    lying = after[TEAM_STONES - MOST_LYING : TEAM_STONES + MOST_LYING + 1]
    return np.tile(np.repeat(lying, 2), STONES + 1)


@model_helper
def leaf_value(problem: Problem, state: Array, scratch: Array, shots: int, table: Array, rng: Rng) -> float:
    """Value of a position within an end: from a `feature_values` table, or if it is empty by a playout in `scratch`."""
    if len(table) > 0:
        return table[features(state, problem.params)]
    copy(state, scratch[0])
    return rollout(problem, scratch[0], scratch[1], shots, rng)


def planning_model(model: Model) -> Curling:
    """The curling model with win probabilities as rewards; the players have checked that it is one."""
    curling = cast(Curling, model)
    return curling if curling.reward == "win_probability" else curling.planning()


@functools.lru_cache(maxsize=8)
def with_nearest_network(match: Curling) -> Curling | None:
    """The match with the network of the package that fits it best; the same match if that network is for it.

    None if no network is for its physics, or the match has none by its `weights`.
    """
    if why_no_weights(match) is None:
        return match
    found = None if match.weights == "none" else nearest_network(match)
    if found is None or found[1].physics != match.law.experience:
        return None
    model = replace(match, weights=str(found[1].file))
    model.params  # noqa: B018 - so that its copies have them; in mixed doubles they take 30 ms
    return model


@functools.lru_cache(maxsize=8)
def with_network_table(match: Curling) -> Curling:
    """Return the match with what the network expects of its ends in place of a table of end scores."""
    found = replace(match, table=NETWORK_TABLE)
    found.params  # noqa: B018 - so that its copies, which a search makes, have them
    return found
