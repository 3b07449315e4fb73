"""An open-addressing hash table from 64-bit keys to the indices of the rows that have them.

The keys are well mixed already, and equal keys are taken as proof of equal things. `slots` holds index + 1, or 0.
"""

import numpy as np
from numpy.typing import NDArray

from planners.jit import helper, int64, kernel, uint64


def new_slots(room: int) -> NDArray[np.int64]:
    """Empty slots for up to `room` keys, at most half full."""
    return np.zeros(1 << (2 * room - 1).bit_length(), np.int64)


@helper
def find_slot(slots: NDArray[np.int64], keys: NDArray[np.uint64], key: np.uint64) -> int:
    """The slot that holds the index of this key, or the empty one where it belongs."""
    slot: int = np.int64(key & np.uint64(len(slots) - 1))  # type: ignore[assignment]
    while slots[slot] != 0 and keys[slots[slot] - 1] != key:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@kernel(int64(int64[::1], uint64[::1], int64, int64))
def fill_slots(slots: NDArray[np.int64], keys: NDArray[np.uint64], first: int, count: int) -> int:
    """Enter the keys of rows first..count-1 into empty slots."""
    for index in range(first, count):
        slots[find_slot(slots, keys, keys[index])] = index + 1
    return count
