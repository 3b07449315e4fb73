"""An open-addressing hash table from 64-bit keys to the indices of the rows that have them.

The keys are well mixed already, and collisions are ignored. `slots` holds index + 1, or 0.
"""

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.jit import helper, int64, kernel, uint64

NOWHERE = -1  # in place of an index


def new_slots(room: int) -> NDArray[np.int64]:
    """Empty slots for up to `room` keys, at most half full."""
    return np.zeros(1 << (2 * room - 1).bit_length(), np.int64)


@helper
def find_slot(slots: NDArray[np.int64], keys: NDArray[np.uint64], key: np.uint64) -> int:
    """The slot that holds the index of this key, or the empty one where it belongs."""
    last, one = np.uint64(len(slots) - 1), np.uint64(1)
    slot = key & last
    while slots[slot] > 0 and keys[slots[slot] - 1] != key:
        slot = (slot + one) & last
    return slot  # type: ignore[return-value]


@helper
def find_or_add(
    slots: NDArray[np.int64], keys: NDArray[np.uint64], size: NDArray[np.int64], key: np.uint64, create: bool
) -> tuple[int, bool]:
    """The index of this key, and whether it is new: without one the next is entered, or it is NOWHERE unless `create`.

    `size[0]` counts the keys.
    """
    slot = find_slot(slots, keys, key)
    if slots[slot] > 0:
        return slots[slot] - 1, False
    if not create:
        return NOWHERE, False
    index = size[0]
    size[0] = index + 1
    keys[index] = key
    slots[slot] = index + 1
    return index, True


@kernel(int64[::1], uint64[::1], int64, int64)
def fill_slots(slots: NDArray[np.int64], keys: NDArray[np.uint64], first: int, count: int) -> int:
    """Enter the keys of rows first..count-1 into empty slots."""
    for index in range(first, count):
        slots[find_slot(slots, keys, keys[index])] = index + 1
    return count
