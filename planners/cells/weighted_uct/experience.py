"""The experiences of Weighted UCT: where an action was taken and what it returned (Weinstein 2014).

They are weighted by their nearness to a state, and lie in buckets of a grid, one grid for each octave of bandwidths,
with cells as wide as the cut-off radius of the widest kernel in it: the neighbours of a state are found in 3^k cells a
grid. Without a cut-off there is one bucket for all, and every experience is looked at.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.hash_table import fill_slots, find_slot, new_slots
from bonspiel.planners.core.jit import VECTOR, float64, helper, int64, kernel, typeof, uint64
from bonspiel.planners.core.tree.bandit import Bandit, new_bandit
from bonspiel.planners.core.tree.nodes import longer
from bonspiel.planners.core.zobrist import combine
from bonspiel.planners.model import Array

EVENTS, LONGEST, BUCKETS, GRIDS = 0, 1, 2, 3  # entries of Experiences.size
WIDTH, LIMIT = 0, 1  # entries of Experiences.reach
STRIP = 128  # events weighed at once
FARTHEST = 2.0**51  # cells from the origin

RUN = np.dtype([("first", "i8"), ("count", "i8")])


class Experiences(NamedTuple):
    """Arrays of a set of experiences in k coordinates, with A actions.

    Attributes:
        size: events, events of the longest run, buckets, grids in use, int64 [4].
        place: the coordinates compared by distance, scaled, [k, n].
        value: return to go, [n].
        precision: 1 / (2 sigma^2), [n].
        keys: of each bucket the hash of grid, cell, and the coordinates compared exactly, uint64 [n].
        runs: of each bucket and action its events, which lie contiguous, RUN [n, A].
        slots: hash table over the buckets, int64 [power of two].
        offsets: the cells around a cell, [3^k, k], or [1, k] zeros to look at one cell only.
        reach: width of the widest cells, and the largest exponent of a kernel that counts; inf and inf for no cut-off.
        bandit: the root's.
    """

    size: NDArray[np.int64]
    place: Array
    value: Array
    precision: Array
    keys: NDArray[np.uint64]
    runs: NDArray[np.void]
    slots: NDArray[np.int64]
    offsets: Array
    reach: Array
    bandit: Bandit


class ExperienceWalk(NamedTuple):
    """The simulation under way, in k coordinates and with A actions.

    Attributes:
        state: the current state and the next, [2, state_dim].
        place: compared coordinates of the state at each step, [steps, k].
        exact: hash of the coordinates compared exactly at each step, uint64 [steps].
        chosen: action of each step, int64 [steps].
        precision: 1 / (2 sigma^2) of the experience made of each step, [steps].
        reward: reward, the sign of the player who moved, and the neighbours of the action chosen, [steps, 3].
        near: the result of `gather`: visits and returns of every action, then blended with those like it, [4, A].
        arms: mean and bonus of every action, [A, 2].
        kernels: of one strip of events, [STRIP].
    """

    state: Array
    place: Array
    exact: NDArray[np.uint64]
    chosen: NDArray[np.int64]
    precision: Array
    reward: Array
    near: Array
    arms: Array
    kernels: Array


def new_experiences(
    k: int, n_actions: int, bandwidth: float, cutoff: float, room: int, root_actions: Array
) -> Experiences:
    """An empty set; kernels are at most `bandwidth` wide and cut off at `cutoff` sigmas (inf: never)."""
    around = [-1.0, 0.0, 1.0] if math.isfinite(cutoff) else [0.0]
    return Experiences(
        size=np.zeros(4, np.int64),
        place=np.empty((k, 4 * room)),
        value=np.empty(4 * room),
        precision=np.empty(4 * room),
        keys=np.empty(room, np.uint64),
        runs=np.empty((room, n_actions), RUN),
        slots=new_slots(room),
        offsets=np.array(list(itertools.product(around, repeat=k))).reshape(len(around) ** k, k),
        reach=np.array([bandwidth * cutoff, 0.5 * cutoff * cutoff]),
        bandit=new_bandit(root_actions),
    )


def new_experience_walk(state_dim: int, k: int, steps: int, n_actions: int) -> ExperienceWalk:
    """Room for simulations of at most this many steps."""
    return ExperienceWalk(
        state=np.empty((2, state_dim)),
        place=np.empty((steps, k)),
        exact=np.empty(steps, np.uint64),
        chosen=np.empty(steps, np.int64),
        precision=np.empty(steps),
        reward=np.empty((steps, 3)),
        near=np.zeros((4, n_actions)),
        arms=np.empty((n_actions, 2)),
        kernels=np.empty(STRIP),
    )


EXPERIENCES = typeof(new_experiences(1, 1, 1.0, 1.0, 1, np.empty((1, 1))))
EXPERIENCE_WALK = typeof(new_experience_walk(1, 1, 1, 1))


def grow(known: Experiences, walk: ExperienceWalk, factor: float) -> Experiences:
    """The same set with `factor` times the room."""
    events, _, buckets, _ = known.size
    room, bucket_room = int(len(known.value) * factor), int(len(known.keys) * factor)
    place = np.empty((len(known.place), room))
    place[:, :events] = known.place[:, :events]
    grown = known._replace(
        place=place,
        value=longer(known.value, events, room),
        precision=longer(known.precision, events, room),
        keys=longer(known.keys, buckets, bucket_room),
        runs=longer(known.runs, buckets, bucket_room),
        slots=new_slots(bucket_room),
    )
    fill_slots(grown.slots, grown.keys, 0, buckets)
    return grown


@helper
def has_room(known: Experiences, events: int) -> bool:
    """True if this many more experiences fit, even if each begins a bucket or all of them fall into a longest run.

    A run of L takes 2 L + 4 L + ... as it doubles; for E events that is less than E max(4, 2 L).
    """
    each = max(4, 2 * known.size[LONGEST])
    buckets, room = known.size[BUCKETS] + events, known.size[EVENTS] + events * each
    return buckets <= len(known.keys) and room <= len(known.value)


@helper
def cell_key(exact: np.uint64, grid: int, width: float, place: Array, offset: Array) -> np.uint64:
    """Key of the cell at this place of a grid with cells of this width, moved by `offset` cells.

    Places more than `FARTHEST` cells from the origin are in the outermost cell.
    """
    key = combine(exact, np.uint64(grid))
    for i in range(len(place)):
        cell = math.floor(min(max(place[i] / width, -FARTHEST), FARTHEST))
        key = combine(key, np.uint64(cell + offset[i] + 2.0 * FARTHEST))
    return key


@helper
def _bucket(known: Experiences, key: np.uint64) -> int:
    """The bucket with this key, a new one if there is none."""
    slot = find_slot(known.slots, known.keys, key)
    if known.slots[slot] == 0:
        bucket = known.size[BUCKETS]
        known.size[BUCKETS] = bucket + 1
        known.keys[bucket] = key
        for action in range(known.runs.shape[1]):
            known.runs[bucket, action]["count"] = 0
        known.slots[slot] = bucket + 1
    return known.slots[slot] - 1


@helper
def _new_event(known: Experiences, bucket: int, action: int) -> int:
    """The place of one more event of this action in the bucket."""
    run = known.runs[bucket, action]
    count = run["count"]
    if count & (count - 1) == 0:  # runs have room for 1, 2, 4, ... events: this one is full and moves
        old, first = run["first"], known.size[EVENTS]
        room = max(1, 2 * count)
        known.size[EVENTS] += room
        known.size[LONGEST] = max(known.size[LONGEST], room)
        for j in range(count):
            known.value[first + j] = known.value[old + j]
            known.precision[first + j] = known.precision[old + j]
            for i in range(known.place.shape[0]):
                known.place[i, first + j] = known.place[i, old + j]
        run["first"] = first
    run["count"] = count + 1
    return run["first"] + count


@kernel(EXPERIENCES, uint64, VECTOR, int64, float64, float64, float64)
def remember(
    known: Experiences, exact: np.uint64, place: Array, action: int, value: float, bandwidth: float, neighbours: float
) -> float:
    """Add an experience; there must be room.

    Args:
        known: the set.
        exact: hash of the coordinates that are compared exactly.
        place: the coordinates compared by distance, [k].
        action: its index.
        value: its return to go.
        bandwidth: sigma0.
        neighbours: sum of the kernels of earlier experiences here, so that sigma = sigma0 (1 + neighbours)^(-1/2).

    Returns:
        Its precision, 1 / (2 sigma^2).
    """
    grid = int(0.5 * math.log2(1.0 + neighbours)) if known.reach[WIDTH] < math.inf else 0
    known.size[GRIDS] = max(known.size[GRIDS], grid + 1)
    width = known.reach[WIDTH] * 0.5**grid
    key = cell_key(exact, grid, width, place, known.offsets[len(known.offsets) // 2])
    event = _new_event(known, _bucket(known, key), action)
    for i in range(len(place)):
        known.place[i, event] = place[i]
    known.value[event] = value
    known.precision[event] = (1.0 + neighbours) / (2.0 * bandwidth * bandwidth)
    return known.precision[event]
