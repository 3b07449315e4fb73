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

from bonspiel.curling.choice.playouts import rollout
from bonspiel.curling.dynamics import step
from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.setup_value import CHOICES
from bonspiel.curling.match.state import (
    DECIDER,
    FIRST_SHOT,
    FIRST_STONE,
    HAMMER,
    LEAD,
    POWER,
    STATE_DIM,
    TIME,
    hammer_of,
    worth_of,
)
from bonspiel.curling.model import Curling
from bonspiel.curling.network.end_inputs import SCORES
from bonspiel.curling.players.lookahead import Scratch as SearchScratch
from bonspiel.curling.players.lookahead import best_shot, new_scratch
from bonspiel.planners.core.aims import aims_of
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, float64, int64, kernel
from bonspiel.planners.model import Array, Rng

EXPLORING = 0.3  # chance of a shot of the default policy before positions are kept
KEPT = 0.5  # chance of a position
GRID = 4_284  # aims, of which each shot tries some
POINTS_SHARE = 10  # one part in 10 is played for points
MOST_ENDS = 10  # of the matches that ends are played in
LEAD_SD = 2.0  # points
RANDOM_SETUP = 0.5  # chance that an end of mixed doubles is not set up as is best

Positions = NDArray[np.float32]
Points = NDArray[np.int8]


@dataclass(frozen=True)
class Part:
    """Positions of some ends of one model.

    Attributes:
        positions: states before a shot, [n, state_dim].
        worths: of -8..8 points for the team with the hammer, [n, 17].
        points: that it scored, [n].
    """

    positions: Positions
    worths: Positions
    points: Points


class Scratch(NamedTuple):
    """Arrays to write to: states, errors of execution in standard deviations, aims, a worth, those of the search."""

    state: Array
    copied: Array
    after: Array
    errors: Array
    aims: Array
    worth: Array
    search: SearchScratch


def _new_scratch(samples: int, tried: int, state_dim: int = STATE_DIM) -> Scratch:
    (state, copied, after), worth = np.empty((3, state_dim)), np.empty(SCORES)
    return Scratch(state, copied, after, np.empty((samples, 4)), np.empty((tried, 3)), worth, new_scratch())


@kernel(VECTOR, MATRIX, RNG, _new_scratch(1, 1))
def _throw_best(params: Array, grid: Array, rng: Rng, scratch: Scratch) -> None:
    """Throw the best candidate, or random aim, by its mean over random errors, and write the state after it."""
    for i in range(len(scratch.errors)):
        for j in range(4):
            scratch.errors[i, j] = rng.standard_normal()
    for i in range(len(scratch.aims)):
        copy(grid[int(rng.random() * len(grid))], scratch.aims[i])
    _, best, _ = best_shot(scratch.state, scratch.aims, scratch.errors, params, rng, scratch.search)
    step(scratch.state, scratch.search.replies[best], scratch.after, params, rng)


@kernel(MATRIX, VECTOR, MATRIX, float64, RNG, MATRIX, MATRIX, int64[::1], _new_scratch(1, 1))
def _play(
    starts: Array,
    params: Array,
    grid: Array,
    kept: float,
    rng: Rng,
    positions: Array,
    worths: Array,
    points: NDArray[np.int64],
    scratch: Scratch,
) -> int:
    """Play an end from each state, by the default policy without a `grid`; the number of positions kept."""
    state, after, rows, first_shot = scratch.state, scratch.after, 0, int(params[FIRST_SHOT])
    for end in range(len(starts)):
        copy(starts[end], state)
        hammer, lead, first = hammer_of(state), state[LEAD], rows
        worth_of(state, params, scratch.worth)
        keep_from = first_shot + int(rng.random() * (STONES - first_shot))
        for shot in range(first_shot, STONES):
            if shot >= keep_from and (shot == keep_from or rng.random() < kept):
                copy(state, positions[rows])
                copy(scratch.worth, worths[rows])
                rows += 1
            if len(grid) == 0 or (shot < keep_from and rng.random() < EXPLORING):
                copy(state, scratch.copied)
                rollout(scratch.copied, after, 1, params, rng)
            else:
                _throw_best(params, grid, rng, scratch)
            copy(after, state)
        scored = state[LEAD] - lead
        points[first:rows] = int(scored if hammer == 0 else -scored)
    return rows


def starts_of(model: Curling, count: int, rng: Rng) -> Array:
    """Random beginnings of an end of the match, [count, state_dim]; half of the set-ups of mixed doubles are random."""
    starts = np.tile(model.initial_state(rng), (count, 1))
    ends = rng.integers(model.ends, size=count)
    starts[:, TIME] = STONES * ends
    starts[:, HAMMER] = rng.integers(2, size=count)
    leads = np.clip(np.rint(LEAD_SD * rng.standard_normal(count)), -TEAM_STONES, TEAM_STONES)
    starts[:, LEAD] = np.where(ends > 0, leads, 0.0)
    if not model.is_mixed:
        return starts
    starts[:, FIRST_STONE:STATE_DIM] = 0.0
    starts[:, DECIDER] = starts[:, HAMMER]
    starts[:, POWER:] = rng.integers(2, size=(count, 2))
    choices = (str(rng.choice(CHOICES)) if rng.random() < RANDOM_SETUP else None for _ in range(count))
    return np.array([model.begin_end(start, choice) for start, choice in zip(starts, choices, strict=True)])


def play_part(match: Curling, weights: str, number: int, ends: int, samples: int, tried: int, seed: int) -> Part:
    """Part `number` of the ends of a round: those of the default policy if weights is "none".

    Args:
        match: of whose game and errors the ends are.
        weights: a file, see `curling.model.Curling`.
        number: of the part; it says which kind of match the ends are of.
        ends: how many.
        samples: errors of execution that the best shots meet.
        tried: aims of a grid that each shot tries without errors, of which the best are compared with the candidates.
        seed: of the round.
    """
    rng = np.random.default_rng([seed, number])
    model = replace(match, ends=MOST_ENDS, extra_ends=number % 2, reward="win_probability", weights=weights)
    if number % POINTS_SHARE == POINTS_SHARE - 1:
        model = replace(model, ends=1, extra_ends=0, reward="points")
    room = ends * STONES
    positions, worths, points = np.empty((room, model.state_dim)), np.empty((room, SCORES)), np.empty(room, np.int64)
    starts = starts_of(model, ends, rng)
    grid = aims_of(model.aim_grid(starts[0], GRID)) if weights != "none" else np.empty((0, 3))
    scratch = _new_scratch(samples, tried, model.state_dim)
    rows = _play(starts, model.params, grid, KEPT, rng, positions, worths, points, scratch)
    return Part(positions[:rows].astype(np.float32), worths[:rows].astype(np.float32), points[:rows].astype(np.int8))
