"""Accuracy of weights in ends that were not learned from, and their speed."""

import time
from dataclasses import dataclass, replace

import numpy as np

from bonspiel.curling.choice.playouts import rollout, value
from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.learning.self_play import Part
from bonspiel.curling.learning.training import loss_of, scores_of
from bonspiel.curling.model import Curling
from bonspiel.curling.network.end_network import unpacked
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, boolean, float64, int64, kernel
from bonspiel.planners.model import Array, Rng

VALUED = 20_000  # values that are timed; a tenth as many playouts


@dataclass(frozen=True)
class Evaluation:
    """Accuracy and speed of weights.

    Attributes:
        positions: by which they are judged.
        loss: mean negative log-likelihood of the scores, nats.
        entropy: of the scores, the loss of a prediction that does not look at the position, nats.
        microseconds: of one value.
        playout_microseconds: of one playout of the default policy.
    """

    positions: int
    loss: float
    entropy: float
    microseconds: float
    playout_microseconds: float


@kernel(float64(MATRIX, VECTOR, int64, boolean, RNG, VECTOR, VECTOR))
def _value_all(
    states: Array, params: Array, count: int, by_playout: bool, rng: Rng, state: Array, scratch: Array
) -> float:
    """The sum of `count` values, from one state after another."""
    total = 0.0
    for i in range(count):
        copy(states[i % len(states)], state)
        estimate = rollout(state, scratch, STONES, params, rng) if by_playout else value(state, scratch, 1, params, rng)
        total += estimate
    return total


def _microseconds(states: Array, params: Array, count: int, by_playout: bool, rng: Rng) -> float:
    scratch = np.empty(states.shape[1]), np.empty(states.shape[1])
    _value_all(states, params, 1, by_playout, rng, *scratch)
    start = time.process_time()
    _value_all(states, params, count, by_playout, rng, *scratch)
    return (time.process_time() - start) / count * 1e6


def evaluate(weights: str, data: Part, rng: Rng, match: Curling) -> Evaluation:
    """Judge a file of weights by ends of a match."""
    params = replace(match, extra_ends=1, weights=weights).params
    scores = scores_of(data.points)
    shares = np.bincount(scores) / len(scores)
    shares = shares[shares > 0.0]
    loss = loss_of(unpacked(params), data, params)
    states = data.positions[:1_000].astype(np.float64)
    times = [_microseconds(states, params, count, slow, rng) for count, slow in ((VALUED, False), (VALUED // 10, True))]
    return Evaluation(len(scores), loss, -float((shares * np.log(shares)).sum()), *times)
