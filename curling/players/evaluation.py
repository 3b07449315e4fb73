"""What positions are worth to players that look one or two shots ahead; compiled for every curling model."""

import json
from functools import cache
from math import hypot, inf
from pathlib import Path
from typing import Any, Literal

import numpy as np

from curling.model import Curling
from curling.rules import next_hammer, score
from curling.sheet import STONES, TEAM_STONES
from curling.state import FIRST_STONE, IN_HOUSE, LAST_END, LEAD, TEE, TIME, VALUES, hammer_of, shot_of
from curling.value import value_of
from planners.base import Array, Model, Rng
from planners.jit import VECTOR, int64, kernel, part, rollout
from planners.tree import copy

Evaluation = Literal["board", "static", "playouts"]
EVALUATIONS = ("board", "static", "playouts")
MOST_LYING = 4  # points; more count as so many
LYING = 2 * MOST_LYING + 1
COVER_WIDTH, COVER_LENGTH = 0.35, 0.3  # m


@kernel(int64(VECTOR, VECTOR))
def features(state: Array, params: Array) -> int:
    """How a position looks: shots left, points of the team with the hammer as the stones lie, cover of the best stone.

    Returns:
        An index into the table of `worths`.
    """
    stones = state[FIRST_STONE:].reshape((STONES, 2))
    tee = params[TEE]
    points = score(stones, tee, params[IN_HOUSE])
    lying = min(max(points if hammer_of(state) == 0 else -points, -MOST_LYING), MOST_LYING)
    best, least = 0, inf
    for i in range(STONES):
        distance = hypot(stones[i, 0], stones[i, 1] - tee)
        if stones[i, 1] > 0.0 and distance < least:
            best, least = i, distance
    covered = 0
    for i in range(STONES):
        ahead = stones[best, 1] - stones[i, 1]
        if points != 0 and stones[i, 1] > 0.0 and ahead > COVER_LENGTH:
            if abs(stones[i, 0] - stones[best, 0]) < COVER_WIDTH:
                covered = 1
    return ((STONES - shot_of(state)) * LYING + lying + MOST_LYING) * 2 + covered


@cache
def _outcomes(physics: str) -> Array:
    """Probabilities of -8..8 points for the team with the hammer, by features, from ends of the default policy."""
    given: Any = json.loads((Path(__file__).parent / "static.json").read_text(encoding="utf-8"))
    counts = np.array(given[physics], np.float64)
    return counts / counts.sum(1, keepdims=True)


def worths(model: Curling, state: Array, evaluation: str) -> Array:
    """Team 0's probability to win from a position in the end of `state`, by features, [17 * 9 * 2].

    With "board" the end is scored as the stones lie; with "static" it goes on as ends of the default policy went.
    """
    params, hammer, lead = model.params, hammer_of(state), int(state[LEAD])
    left = int(params[LAST_END]) - int(state[TIME]) // STONES - 1
    own = range(-TEAM_STONES, TEAM_STONES + 1)
    points = own if hammer == 0 else [-n for n in own]
    after = np.array([value_of(params[VALUES:], left, next_hammer(n, hammer), lead + n) for n in points])
    if evaluation == "static":
        worth: Array = _outcomes(model.physics) @ after
        return worth
    lying = after[TEAM_STONES - MOST_LYING : TEAM_STONES + MOST_LYING + 1]
    return np.tile(np.repeat(lying, 2), STONES + 1)


@part
def leaf_value(
    functions: Any, params: Array, state: Array, scratch: Array, other: Array, shots: int, worth: Array, rng: Rng
) -> float:
    """Value of a position within an end, as `worth` says or, where that is empty, by one playout; the state stays."""
    if len(worth) > 0:
        return worth[features(state, params)]
    copy(state, scratch)
    return rollout(functions, scratch, other, shots, params, rng)


def evaluator(model: Curling, state: Array, evaluation: Evaluation) -> Array:
    """What `leaf_value` needs to know for the positions of one end."""
    return np.empty(0) if evaluation == "playouts" else worths(model, state, evaluation)


def planning_model(model: Model, player: str) -> Curling:
    """The curling model that values the ends of ends by win probability.

    Raises:
        TypeError: not a curling model.
    """
    if not isinstance(model, Curling):
        raise TypeError(f"{player} plays curling only, not {type(model).__name__}")
    return model if model.reward == "win_probability" else model.planning()
