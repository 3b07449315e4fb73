"""Gradient descent on the weights of `curling.network.end_network`, by Adam (Kingma and Ba 2015)."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.ice.sheet import TEAM_STONES
from bonspiel.curling.learning.self_play import Part
from bonspiel.curling.match.state import FIRST_STONE, STATE_DIM, shot_of
from bonspiel.curling.network.end_inputs import (
    DESCRIBED,
    INPUTS,
    KNOWN,
    LYING,
    MOST_KNOWN,
    PER_STONE,
    PLACES,
    SHOT,
    VALUES,
    WORTH,
    describe,
)
from bonspiel.curling.network.end_network import SHAPES, SIZES, WEIGHTS, Single
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import VECTOR, boolean, int64, kernel, typeof
from bonspiel.planners.model import Array, Rng

SINGLE = typeof(np.empty((1, 1), np.float32))
BATCH = 512
RATE, LAST_RATE = 2e-3, 2e-5
MEAN_DECAY, SQUARE_DECAY, TINY = 0.9, 0.999, 1e-8
WEIGHT_DECAY = 1e-4


@kernel(SINGLE, SINGLE, int64[::1], boolean[::1], VECTOR, VECTOR, VECTOR, SINGLE)
def _write_inputs(
    positions: Single,
    worths: Single,
    rows: NDArray[np.int64],
    mirrored: NDArray[np.bool_],
    params: Array,
    state: Array,
    workspace: Array,
    out: Single,
) -> None:
    for i in range(len(rows)):
        for j in range(INPUTS):
            out[i, j] = 0.0
        copy(positions[rows[i]], state)
        if mirrored[i]:
            for at in range(FIRST_STONE, STATE_DIM, 2):
                state[at] = -state[at]
        count, lying = describe(state, params, workspace)
        for k in range(count):
            for j in range(PER_STONE):
                out[i, PER_STONE * int(workspace[PLACES + k]) + j] = workspace[VALUES + k * PER_STONE + j]
        out[i, SHOT + shot_of(state)] = 1.0
        out[i, LYING + MOST_KNOWN + lying] = 1.0
        for k in range(KNOWN):
            out[i, WORTH + k] = 2.0 * worths[rows[i], TEAM_STONES - MOST_KNOWN + k] - 1.0


def write_inputs(
    positions: Single, worths: Single, rows: NDArray[np.int64], mirrored: NDArray[np.bool_], params: Array, out: Single
) -> None:
    """Write the inputs of some positions, [len(rows), INPUTS], some of them mirrored at the centre line."""
    _write_inputs(positions, worths, rows, mirrored, params, np.empty(positions.shape[1]), np.empty(DESCRIBED), out)


def split(weights: NDArray[np.floating]) -> list[NDArray[np.floating]]:
    """The layers' matrices and biases, as views."""
    parts = np.split(weights, np.cumsum(SIZES)[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, SHAPES, strict=True)]


def first_weights(rng: Rng) -> Single:
    """Random weights to start from (He et al. 2015)."""
    weights = np.zeros(WEIGHTS, np.float32)
    for part in split(weights)[::2]:
        part[:] = rng.standard_normal(part.shape) * math.sqrt(2.0 / part.shape[0])
    return weights


def log_chances(weights: Single, inputs: Single) -> tuple[Single, list[Single]]:
    """Logarithms of the probabilities of the scores, [n, 17], and the outputs of the hidden layers."""
    w1, b1, w2, b2, w3, b3 = split(weights)
    wide = np.maximum(inputs @ w1 + b1, 0.0)
    narrow = np.maximum(wide @ w2 + b2, 0.0)
    outputs = narrow @ w3 + b3
    outputs -= outputs.max(1, keepdims=True)
    outputs -= np.log(np.exp(outputs).sum(1, keepdims=True))
    return outputs, [wide, narrow]


def gradient(weights: Single, inputs: Single, scores: NDArray[np.int64]) -> tuple[float, Single]:
    """The mean negative log-likelihood of the scores, 0..16 for -8..8 points, and its slope."""
    outputs, (wide, narrow) = log_chances(weights, inputs)
    here, n = np.arange(len(scores)), len(scores)
    loss = -float(outputs[here, scores].mean())
    _, _, w2, _, w3, _ = split(weights)
    slope = np.empty_like(weights)
    d1, e1, d2, e2, d3, e3 = split(slope)
    out = np.exp(outputs)
    out[here, scores] -= 1.0
    out /= n
    d3[:], e3[:] = narrow.T @ out, out.sum(0)
    at_narrow = (out @ w3.T) * (narrow > 0.0)
    d2[:], e2[:] = wide.T @ at_narrow, at_narrow.sum(0)
    at_wide = (at_narrow @ w2.T) * (wide > 0.0)
    d1[:], e1[:] = inputs.T @ at_wide, at_wide.sum(0)
    return loss, slope


@dataclass
class Descent:
    """Adam with decoupled weight decay.

    Attributes:
        weights: [WEIGHTS].
        mean: of the slopes.
        square: of their squares.
        steps: made so far.
    """

    weights: Single
    mean: Single
    square: Single
    steps: int = 0

    @classmethod
    def from_weights(cls, weights: Array) -> "Descent":
        """A fresh descent."""
        single = weights.astype(np.float32)
        return cls(single, np.zeros_like(single), np.zeros_like(single))

    def step(self, slope: Single, rate: float) -> None:
        """One step down the slope."""
        self.steps += 1
        self.mean += (1.0 - MEAN_DECAY) * (slope - self.mean)
        self.square += (1.0 - SQUARE_DECAY) * (slope * slope - self.square)
        mean = self.mean / (1.0 - MEAN_DECAY**self.steps)
        square = self.square / (1.0 - SQUARE_DECAY**self.steps)
        self.weights -= np.float32(rate) * (mean / (np.sqrt(square) + TINY) + WEIGHT_DECAY * self.weights)


def scores_of(points: NDArray[np.int8]) -> NDArray[np.int64]:
    """0..16 for -8..8 points."""
    return points.astype(np.int64) + TEAM_STONES


def epoch(
    descent: Descent, data: Part, params: Array, number: int, epochs: int, rng: Rng, advance: Callable[[int], None]
) -> float:
    """Go once through all positions; the mean loss."""
    order, scores = rng.permutation(len(data.points)), scores_of(data.points)
    inputs = np.empty((BATCH, INPUTS), np.float32)
    batches = range(0, len(order) - BATCH + 1, BATCH)
    total = 0.0
    for done, at in enumerate(batches):
        rows = order[at : at + BATCH]
        write_inputs(data.positions, data.worths, rows, rng.random(BATCH) < 0.5, params, inputs)
        loss, slope = gradient(descent.weights, inputs, scores[rows])
        passed = (number + done / len(batches)) / epochs
        descent.step(slope, LAST_RATE + 0.5 * (RATE - LAST_RATE) * (1.0 + math.cos(math.pi * passed)))
        total += loss
        advance(BATCH)
    return total / max(len(batches), 1)


def loss_of(weights: Single, data: Part, params: Array) -> float:
    """The mean negative log-likelihood."""
    total, scores = 0.0, scores_of(data.points)
    for at in range(0, len(scores), BATCH):
        rows = np.arange(at, min(at + BATCH, len(scores)))
        inputs = np.empty((len(rows), INPUTS), np.float32)
        write_inputs(data.positions, data.worths, rows, np.zeros(len(rows), np.bool_), params, inputs)
        outputs, _ = log_chances(weights, inputs)
        total -= float(outputs[np.arange(len(rows)), scores[rows]].sum())
    return total / len(scores)
