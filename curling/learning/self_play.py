"""Self-play of single ends by one ply of search, for positions and what came of them; compiled.

Until a random shot of each end three of ten shots explore, so that positions are diverse; from it on both teams play
the best candidate by the value after it, over a few errors of execution, and positions are kept. What came of them is
then what this policy makes of them, without exploration.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from curling.candidates import MOST_CANDIDATES
from curling.dynamics import actions, rollout, step, value
from curling.end_network import SCORES
from curling.model import Curling
from curling.sheet import STONES, TEAM_STONES
from curling.state import HAMMER, LEAD, STATE_DIM, TIME, hammer_of, team_of, worth_of
from planners.base import Array, Rng
from planners.core.tree import copy
from planners.jit import MATRIX, RNG, VECTOR, boolean, float64, int64, kernel

EXPLORING = 0.3  # chance of a shot of the default policy before positions are kept
KEPT = 0.5  # chance of a position
POINTS_SHARE = 10  # one of so many parts is played for points
MOST_ENDS = 10  # of the matches that ends are played in
LEAD_SD = 2.0  # points

Positions = NDArray[np.float32]
Points = NDArray[np.int8]


@dataclass(frozen=True)
class Part:
    """Positions of some ends of one model.

    Attributes:
        positions: states before a shot, [n, STATE_DIM].
        worths: of -8..8 points for the team with the hammer, [n, 17].
        points: that it scored, [n].
    """

    positions: Positions
    worths: Positions
    points: Points


class Scratch(NamedTuple):
    """Arrays to write to: states, a candidate, its worth, and candidates with their keys."""

    state: Array
    copied: Array
    after: Array
    played_out: Array
    best: Array
    worth: Array
    candidates: Array
    keys: NDArray[np.uint64]


def _new_scratch() -> Scratch:
    state, copied, after, played_out = np.empty((4, STATE_DIM))
    candidates, keys = np.empty((MOST_CANDIDATES, 3)), np.empty(MOST_CANDIDATES, np.uint64)
    return Scratch(state, copied, after, played_out, np.empty(3), np.empty(SCORES), candidates, keys)


@kernel(VECTOR, int64, RNG, _new_scratch())
def _choose(params: Array, samples: int, rng: Rng, scratch: Scratch) -> None:
    """Write the candidate of the highest mean value over `samples` noisy throws to `scratch.best`."""
    count = actions(scratch.state, params, scratch.candidates, scratch.keys)
    sign, highest = 1.0 - 2.0 * team_of(scratch.state), -np.inf
    for i in range(count):
        total = 0.0
        for _ in range(samples):
            reward, over = step(scratch.state, scratch.candidates[i], scratch.after, params, rng)
            total += reward if over else value(scratch.after, scratch.played_out, STONES, params, rng)
        if sign * total > highest:
            highest = sign * total
            copy(scratch.candidates[i], scratch.best)


@kernel(MATRIX, VECTOR, int64, boolean, float64, RNG, MATRIX, MATRIX, int64[::1], _new_scratch())
def _play(
    starts: Array,
    params: Array,
    samples: int,
    search: bool,
    kept: float,
    rng: Rng,
    positions: Array,
    worths: Array,
    points: NDArray[np.int64],
    scratch: Scratch,
) -> int:
    """Play an end from each state, by the default policy without `search`; the number of positions kept."""
    state, after, rows = scratch.state, scratch.after, 0
    for end in range(len(starts)):
        copy(starts[end], state)
        hammer, lead, first = hammer_of(state), state[LEAD], rows
        worth_of(state, params, scratch.worth)
        keep_from = int(rng.random() * STONES)
        for shot in range(STONES):
            if shot >= keep_from and (shot == keep_from or rng.random() < kept):
                copy(state, positions[rows])
                copy(scratch.worth, worths[rows])
                rows += 1
            if not search or (shot < keep_from and rng.random() < EXPLORING):
                copy(state, scratch.copied)
                rollout(scratch.copied, after, 1, params, rng)
            else:
                _choose(params, samples, rng, scratch)
                step(state, scratch.best, after, params, rng)
            copy(after, state)
        scored = state[LEAD] - lead
        points[first:rows] = int(scored if hammer == 0 else -scored)
    return rows


def starts_of(model: Curling, count: int, rng: Rng) -> Array:
    """Random beginnings of an end of the match, [count, STATE_DIM]."""
    starts = np.tile(model.initial_state(rng), (count, 1))
    ends = rng.integers(model.ends, size=count)
    starts[:, TIME] = STONES * ends
    starts[:, HAMMER] = rng.integers(2, size=count)
    leads = np.clip(np.rint(LEAD_SD * rng.standard_normal(count)), -TEAM_STONES, TEAM_STONES)
    starts[:, LEAD] = np.where(ends > 0, leads, 0.0)
    return starts


def play_part(weights: str, number: int, ends: int, samples: int, seed: int) -> Part:
    """Part `number` of the ends of a round: those of the default policy if weights is "none".

    Args:
        weights: a file, see `curling.model.Curling`.
        number: of the part; it says which kind of match the ends are of.
        ends: how many.
        samples: noisy throws of each candidate.
        seed: of the round.
    """
    rng = np.random.default_rng([seed, number])
    model = Curling(MOST_ENDS, extra_ends=number % 2, reward="win_probability", weights=weights)
    if number % POINTS_SHARE == POINTS_SHARE - 1:
        model = replace(model, ends=1, extra_ends=0, reward="points")
    room = ends * STONES
    positions, worths, points = np.empty((room, STATE_DIM)), np.empty((room, SCORES)), np.empty(room, np.int64)
    starts = starts_of(model, ends, rng)
    search = weights != "none"
    rows = _play(starts, model.params, samples, search, KEPT, rng, positions, worths, points, _new_scratch())
    return Part(positions[:rows].astype(np.float32), worths[:rows].astype(np.float32), points[:rows].astype(np.int8))
