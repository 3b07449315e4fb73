"""A small network that predicts the score of the end under way; compiled.

It takes the inputs of `curling.network.end_inputs`, and `curling.learning` trains it. It computes in single precision,
which halves what a processor has to read. All sums are in a fixed order, so that its numbers are the same on every
machine but for rounding.

After a throw most stones lie where they lay. A workspace therefore keeps what stones add to the first layer: for each
place the sums of the stone that was last there. It also keeps what is the same for all positions before a shot. Kept or
computed anew, the numbers are the same.
"""

from math import exp, nan, prod

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.state import FIRST_STONE, MIXED_STATE_DIM, NETWORK, STATE_DIM, is_mixed, shot_of, worth_of
from bonspiel.curling.network.end_inputs import (
    DESCRIBED,
    INPUTS,
    KNOWN,
    LYING,
    MOST_KNOWN,
    PER_STONE,
    PLACES,
    SCORES,
    SHOT,
    VALUES,
    WORTH,
    describe,
)
from bonspiel.planners.jit import VECTOR, float64, helper, kernel
from bonspiel.planners.model import Array

Single = NDArray[np.float32]

WIDE, NARROW = 128, 32  # units of the hidden layers

SHAPES = ((INPUTS, WIDE), (WIDE,), (WIDE, NARROW), (NARROW,), (NARROW, SCORES), (SCORES,))
SIZES = tuple(prod(shape) for shape in SHAPES)
_STARTS = tuple(sum(SIZES[:i]) for i in range(len(SIZES) + 1))
WEIGHTS = _STARTS[-1]  # numbers in all
_W1, _B1, _W2, _, _W3, _, _ = _STARTS
PACKED = (WEIGHTS + 1) // 2  # numbers in double precision that have room for them

# the parts of a workspace: those of `describe`, then numbers in double precision, then in single precision
_SITUATIONS = 2  # positions before this many shots alternate in a search
_SITUATION = FIRST_STONE + MIXED_STATE_DIM - STATE_DIM  # numbers of a state, stones excepted
_KNOWN_SITUATION = DESCRIBED
_WORTHS = _KNOWN_SITUATION + _SITUATIONS * _SITUATION
CHANCES = _WORTHS + _SITUATIONS * SCORES
_KEPT = CHANCES + SCORES
_SINGLE = _KEPT + 2 * STONES * PER_STONE
_WIDE, _NARROW, _OUT = 0, WIDE, WIDE + NARROW
_FIRST = _OUT + SCORES + 1
_SUMS = _FIRST + _SITUATIONS * WIDE
WORKSPACE = _SINGLE + (_SUMS + 2 * STONES * WIDE) // 2  # numbers


def packed(weights: Array) -> Array:
    """Weights, [WEIGHTS], in single precision, two in the place of each number of a model's parameters, [PACKED]."""
    single = np.zeros(2 * PACKED, np.float32)
    single[:WEIGHTS] = weights
    return single.view(np.float64)


def unpacked(params: Array) -> Single:
    """The weights among a model's parameters, [WEIGHTS]."""
    single: Single = params[int(params[NETWORK]) :].view(np.float32)[:WEIGHTS]
    return single


@kernel(VECTOR)
def forget(workspace: Array) -> None:
    """Prepare a workspace, [WORKSPACE], for positions of one model."""
    for i in range(_SITUATIONS):
        workspace[_KNOWN_SITUATION + i * _SITUATION] = nan
    for place in range(2 * STONES):
        workspace[_KEPT + place * PER_STONE] = nan


def new_workspace() -> Array:
    """A workspace for positions of one model."""
    return np.full(WORKSPACE, nan)


@helper
def _add_eight(weights: Single, size: int, values: Array | Single, out: Single) -> None:
    """Add eight rows of `size` weights, each times its value, to `out`."""
    a, b, c, d = np.float32(values[0]), np.float32(values[1]), np.float32(values[2]), np.float32(values[3])
    e, f, g, h = np.float32(values[4]), np.float32(values[5]), np.float32(values[6]), np.float32(values[7])
    for i in range(size):
        low = (a * weights[i] + b * weights[i + size]) + (c * weights[i + 2 * size] + d * weights[i + 3 * size])
        high = (e * weights[i + 4 * size] + f * weights[i + 5 * size]) + (
            g * weights[i + 6 * size] + h * weights[i + 7 * size]
        )
        out[i] += low + high


@helper
def _add(row: Single, value: float, out: Single) -> None:
    """Add a row of weights times a value to `out`."""
    factor = np.float32(value)
    for i in range(len(out)):
        out[i] += factor * row[i]


@helper
def _write_layer(weights: Single, inputs: int, size: int, values: Single, out: Single) -> None:
    """Write a layer of `size` sums of so many values, a multiple of eight; its weights, then its biases."""
    for i in range(size):
        out[i] = weights[inputs * size + i]
    for k in range(0, inputs, 8):
        _add_eight(weights[k * size : (k + 8) * size], size, values[k : k + 8], out)


@helper
def _is_known(state: Array, params: Array, known: Array) -> bool:
    """Return whether a state is before the same shot as the one that is known, and keep it."""
    same = True
    for i in range(_SITUATION if is_mixed(params) else FIRST_STONE):
        number = state[i if i < FIRST_STONE else STATE_DIM + i - FIRST_STONE]
        same &= number == known[i]
        known[i] = number
    return same


@helper
def _add_situation(state: Array, params: Array, weights: Single, workspace: Array, single: Single, wide: Single) -> int:
    """Write what does not depend on the stones to the first layer; where the worths of the scores begin."""
    number = shot_of(state) % _SITUATIONS
    at, known = _WORTHS + number * SCORES, _KNOWN_SITUATION + number * _SITUATION
    first = single[_FIRST + number * WIDE : _FIRST + (number + 1) * WIDE]
    if not _is_known(state, params, workspace[known : known + _SITUATION]):
        worth_of(state, params, workspace[at : at + SCORES])
        shot = _W1 + (SHOT + shot_of(state)) * WIDE
        for i in range(WIDE):
            first[i] = weights[_B1 + i] + weights[shot + i]
        for k in range(KNOWN):
            row = _W1 + (WORTH + k) * WIDE
            _add(weights[row : row + WIDE], 2.0 * workspace[at + TEAM_STONES - MOST_KNOWN + k] - 1.0, first)
    for i in range(WIDE):
        wide[i] = first[i]
    return at


@helper
def _add_stones(count: int, weights: Single, workspace: Array, single: Single, wide: Single) -> None:
    """Add what stones add to the first layer."""
    for k in range(count):
        place, at = int(workspace[PLACES + k]), VALUES + k * PER_STONE
        kept, new, same = _KEPT + place * PER_STONE, workspace[at : at + PER_STONE], True
        sums = single[_SUMS + place * WIDE : _SUMS + (place + 1) * WIDE]
        for j in range(PER_STONE):
            same &= workspace[kept + j] == new[j]
        if not same:
            for j in range(PER_STONE):
                workspace[kept + j] = new[j]
            for i in range(WIDE):
                sums[i] = np.float32(0.0)
            row = _W1 + place * PER_STONE * WIDE
            _add_eight(weights[row : row + PER_STONE * WIDE], WIDE, new, sums)
        for i in range(WIDE):
            wide[i] += sums[i]


@kernel(float64(VECTOR, VECTOR, VECTOR))
def expected_worth(state: Array, params: Array, workspace: Array) -> float:
    """The expected worth of the end to the team with the hammer, 0 to 1, before a shot.

    Args:
        state: a position within an end, [state_dim].
        params: of the model, with weights.
        workspace: see `forget`; its CHANCES receive the probabilities of -8..8 points for that team, [17].
    """
    weights, single = params[int(params[NETWORK]) :].view(np.float32), workspace[_SINGLE:].view(np.float32)
    wide, narrow, out = single[_WIDE:_NARROW], single[_NARROW:_OUT], single[_OUT : _OUT + SCORES]
    count, lying = describe(state, params, workspace)
    worths = _add_situation(state, params, weights, workspace, single, wide)
    score = _W1 + (LYING + MOST_KNOWN + lying) * WIDE
    _add(weights[score : score + WIDE], 1.0, wide)
    _add_stones(count, weights, workspace, single, wide)
    for i in range(WIDE):
        wide[i] = max(wide[i], np.float32(0.0))
    _write_layer(weights[_W2:_W3], WIDE, NARROW, wide, narrow)
    for i in range(NARROW):
        narrow[i] = max(narrow[i], np.float32(0.0))
    _write_layer(weights[_W3:], NARROW, SCORES, narrow, out)
    largest, total, expected = out[0], 0.0, 0.0
    for i in range(1, SCORES):
        largest = max(largest, out[i])
    for i in range(SCORES):
        chance = exp(float(out[i]) - float(largest))
        workspace[CHANCES + i] = chance
        total += chance
        expected += chance * workspace[worths + i]
    for i in range(SCORES):
        workspace[CHANCES + i] /= total
    return expected / total
