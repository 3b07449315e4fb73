"""Self-play of single ends by one ply of search, for positions and what came of them; compiled.

Until a random shot of each end three of ten shots explore, so that positions are diverse; from it on both teams play
the best candidate, or aim of a grid, by the value after it, over a few errors of execution, and positions are kept.
What came of them is then what this policy makes of them, without exploration. Aims matter: by candidates alone, the
team with the hammer wins 0.45 of last ends a point behind, and 0.62 against candidates where it has aims.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from curling.dynamics import actions, rollout, step, step_exact, value
from curling.end_network import SCORES
from curling.model import Curling
from curling.players.lookahead import Scratch as SearchScratch
from curling.players.lookahead import best_of, new_scratch
from curling.sheet import STONES, TEAM_STONES
from curling.state import HAMMER, LEAD, STATE_DIM, TIME, hammer_of, team_of, worth_of
from planners.base import Array, Rng
from planners.core.aims import aims_of
from planners.core.tree import copy
from planners.jit import MATRIX, RNG, VECTOR, float64, helper, int64, kernel

EXPLORING = 0.3  # chance of a shot of the default policy before positions are kept
KEPT = 0.5  # chance of a position
GRID = 4_284  # aims, of which each shot tries some
SCREENED = 8  # aims that are compared with the candidates
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
    """Arrays to write to: states, errors of execution in standard deviations, a worth, and those of the search."""

    state: Array
    copied: Array
    after: Array
    errors: Array
    worth: Array
    search: SearchScratch


def _new_scratch(samples: int) -> Scratch:
    state, copied, after = np.empty((3, STATE_DIM))
    return Scratch(state, copied, after, np.empty((samples, 4)), np.empty(SCORES), new_scratch(SCREENED))


@helper
def _screen(aims: Array, tried: int, count: int, params: Array, rng: Rng, search: SearchScratch, state: Array) -> int:
    """Append the best of some aims drawn at random, thrown without errors, to the shots of a search; their number."""
    sign, found = 1.0 - 2.0 * team_of(state), 0
    for _ in range(tried):
        aim = aims[int(rng.random() * len(aims))]
        worth, over = step_exact(state, aim, search.after, params, rng)
        if not over:
            worth += value(search.after, search.played_out, STONES, params, rng)
        worth *= sign
        if found < SCREENED or worth > search.sums[count + found - 1]:
            at = min(found, SCREENED - 1)
            found = at + 1
            while at > 0 and search.sums[count + at - 1] < worth:
                search.sums[count + at] = search.sums[count + at - 1]
                copy(search.replies[count + at - 1], search.replies[count + at])
                at -= 1
            search.sums[count + at] = worth
            copy(aim, search.replies[count + at])
    return count + found


@kernel(VECTOR, MATRIX, int64, RNG, _new_scratch(1))
def _throw_best(params: Array, aims: Array, tried: int, rng: Rng, scratch: Scratch) -> None:
    """Throw the best of the candidates and of aims, as far as some random errors tell, and write the state after it."""
    for i in range(len(scratch.errors)):
        for j in range(4):
            scratch.errors[i, j] = rng.standard_normal()
    count = actions(scratch.state, params, scratch.search.replies, scratch.search.keys)
    count = _screen(aims, tried, count, params, rng, scratch.search, scratch.state)
    _, best, _ = best_of(scratch.state, count, scratch.errors, params, rng, scratch.search)
    step(scratch.state, scratch.search.replies[best], scratch.after, params, rng)


@kernel(MATRIX, VECTOR, MATRIX, int64, float64, RNG, MATRIX, MATRIX, int64[::1], _new_scratch(1))
def _play(
    starts: Array,
    params: Array,
    aims: Array,
    tried: int,
    kept: float,
    rng: Rng,
    positions: Array,
    worths: Array,
    points: NDArray[np.int64],
    scratch: Scratch,
) -> int:
    """Play an end from each state, by the default policy without `aims`; the number of positions kept."""
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
            if len(aims) == 0 or (shot < keep_from and rng.random() < EXPLORING):
                copy(state, scratch.copied)
                rollout(scratch.copied, after, 1, params, rng)
            else:
                _throw_best(params, aims, tried, rng, scratch)
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


def play_part(weights: str, number: int, ends: int, samples: int, tried: int, seed: int) -> Part:
    """Part `number` of the ends of a round: those of the default policy if weights is "none".

    Args:
        weights: a file, see `curling.model.Curling`.
        number: of the part; it says which kind of match the ends are of.
        ends: how many.
        samples: errors of execution that the best shots meet.
        tried: aims of a grid that each shot tries without errors, of which the best are compared with the candidates.
        seed: of the round.
    """
    rng = np.random.default_rng([seed, number])
    model = Curling(MOST_ENDS, extra_ends=number % 2, reward="win_probability", weights=weights)
    if number % POINTS_SHARE == POINTS_SHARE - 1:
        model = replace(model, ends=1, extra_ends=0, reward="points")
    room = ends * STONES
    positions, worths, points = np.empty((room, STATE_DIM)), np.empty((room, SCORES)), np.empty(room, np.int64)
    starts = starts_of(model, ends, rng)
    aims = aims_of(model.aim_grid(starts[0], GRID)) if weights != "none" else np.empty((0, 3))
    rows = _play(starts, model.params, aims, tried, KEPT, rng, positions, worths, points, _new_scratch(samples))
    return Part(positions[:rows].astype(np.float32), worths[:rows].astype(np.float32), points[:rows].astype(np.int8))
