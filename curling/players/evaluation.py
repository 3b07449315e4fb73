"""Values of positions for players that look one or two shots ahead; compiled for every curling model."""

from typing import Literal, cast

import numpy as np

from curling.model import Curling
from curling.players.static import MOST_LYING, features, outcome_table
from curling.rules import next_hammer
from curling.sheet import STONES, TEAM_STONES
from curling.state import LAST_END, LEAD, TIME, VALUES, hammer_of
from curling.value import value_of
from planners.base import Array, Model, Rng
from planners.core.tree import copy
from planners.jit import Problem, model_helper, rollout

Evaluation = Literal["board", "static", "playouts"]
EVALUATIONS = ("board", "static", "playouts")


def worths(model: Curling, state: Array, evaluation: str) -> Array:
    """Team 0's probability to win from a position in the end of `state`, by features, [17 * 9 * 2].

    With "board" the end is scored as the stones lie; with "static" it ends as those of the default policy did.
    """
    params, hammer, lead = model.params, hammer_of(state), int(state[LEAD])
    left = int(params[LAST_END]) - int(state[TIME]) // STONES - 1
    own = range(-TEAM_STONES, TEAM_STONES + 1)
    points = own if hammer == 0 else [-n for n in own]
    after = np.array([value_of(params[VALUES:], left, next_hammer(n, hammer), lead + n) for n in points])
    if evaluation == "static":
        worth: Array = outcome_table(model.physics) @ after
        return worth
    lying = after[TEAM_STONES - MOST_LYING : TEAM_STONES + MOST_LYING + 1]
    return np.tile(np.repeat(lying, 2), STONES + 1)


@model_helper
def leaf_value(problem: Problem, state: Array, scratch: Array, shots: int, worth: Array, rng: Rng) -> float:
    """Value of a position within an end by `worth` or, where that is empty, by one playout in two rows of `scratch`."""
    if len(worth) > 0:
        return worth[features(state, problem.params)]
    copy(state, scratch[0])
    return rollout(problem, scratch[0], scratch[1], shots, rng)


def evaluator(model: Curling, state: Array, evaluation: Evaluation) -> Array:
    """The `worth` that `leaf_value` takes for the positions of one end."""
    return np.empty(0) if evaluation == "playouts" else worths(model, state, evaluation)


def planning_model(model: Model) -> Curling:
    """The curling model that values the ends of ends by win probability."""
    curling = cast(Curling, model)  # as `unsupported` of the players has made sure
    return curling if curling.reward == "win_probability" else curling.planning()
