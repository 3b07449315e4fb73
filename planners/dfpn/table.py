"""The memory of a proof-number search: a hash table in buckets of four slots, where the entry of least work yields.

Keys are whole numbers of at least 0 that are well mixed; collisions are ignored.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.jit import model_helper, typeof

Ints = NDArray[np.int64]

SLOTS = 4  # of a bucket
PHI, DELTA, PLY, WORK, MOVE, RESTS, TWINS, COUNTED = range(8)  # entries of a row, which fills a cache line
INFINITE = 1 << 40  # a proof number
NEVER = 1 << 40  # in place of a ply: the verdict rests on no position above
NOWHERE = -1  # in place of a slot
BYTES = 8 * 9  # of a slot
USED, REPLACED = range(2)


class ProofTable(NamedTuple):
    """Positions met.

    Attributes:
        keys: of positions, [4 * buckets]; NOWHERE for an empty slot.
        rows: phi and delta; the least ply a position was met at, NEVER if it was only judged; nodes searched for it;
            the move that wins, for a proved one; the least ply that its verdict rests on, or NEVER; whether verdicts
            for single paths have entries of their own; and whether it was counted in the proof, [4 * buckets, 8].
        counts: slots used, and entries of positions searched that gave way to others, [2].
    """

    keys: Ints
    rows: Ints
    counts: Ints


def new_table(megabytes: float) -> ProofTable:
    """An empty table of at most this size, but of at least one bucket."""
    slots = SLOTS * max(1, int(megabytes * 1e6) // (SLOTS * BYTES))
    return ProofTable(np.full(slots, NOWHERE, np.int64), np.zeros((slots, 8), np.int64), np.zeros(2, np.int64))


TABLE = typeof(new_table(0.0))


@model_helper
def _first_slot(table: ProofTable, key: int) -> int:
    """The first slot of the bucket of a position."""
    return key % (len(table.keys) // SLOTS) * SLOTS


@model_helper
def find(table: ProofTable, key: int) -> int:
    """The slot of a position, or NOWHERE."""
    first = _first_slot(table, key)
    for slot in range(first, first + SLOTS):
        if table.keys[slot] == key:
            return slot
    return NOWHERE


@model_helper
def find_or_replace(table: ProofTable, key: int) -> int:
    """The slot of a position; if it has none, that of the entry of least work in its bucket, cleared for it."""
    first = _first_slot(table, key)
    least = first
    for slot in range(first, first + SLOTS):
        if table.keys[slot] == key:
            return slot
        if table.rows[slot, WORK] < table.rows[least, WORK]:
            least = slot
    _clear_for(table, least, key)
    return least


@model_helper
def _clear_for(table: ProofTable, slot: int, key: int) -> None:
    """Give a slot to a position."""
    if table.keys[slot] == NOWHERE:
        table.counts[USED] += 1
    elif table.rows[slot, PLY] != NEVER:  # a position that was only judged is soon judged again
        table.counts[REPLACED] += 1
    table.keys[slot] = key
    table.rows[slot] = 0
    table.rows[slot, PLY] = NEVER


@model_helper
def find_on_path(table: ProofTable, key: int, path: int) -> int:
    """The slot of a position's verdict on this path, if there is one, or else of the position."""
    slot = find(table, key)
    if slot != NOWHERE and table.rows[slot, TWINS] > 0:
        twin = find(table, key ^ path)
        if twin != NOWHERE:
            return twin
    return slot


@model_helper
def is_solved(table: ProofTable, slot: int) -> bool:
    """True if an entry holds a verdict."""
    return table.rows[slot, PHI] == 0 or table.rows[slot, DELTA] == 0


@model_helper
def is_of_another_path(table: ProofTable, slot: int, key: int, path: int) -> bool:
    """True if the verdict found for this position rests on another path, so that it may fail on this one."""
    return table.rows[slot, RESTS] != NEVER and table.keys[slot] == key and path != 0


@model_helper
def store(
    table: ProofTable, key: int, phi: int, delta: int, ply: int, work: int, move: int, rests: int, path: int
) -> None:
    """Enter what is known of a position; the fields are those of a row, and work is added.

    A verdict that rests on a repetition has an entry of its own for this path, beside that of the position.
    """
    bound = rests != NEVER and (phi == 0 or delta == 0)
    if bound:
        _write(table.rows[find_or_replace(table, key ^ path)], phi, delta, ply, work, move, rests)
    row = table.rows[find_or_replace(table, key)]
    _write(row, phi, delta, ply, work, move, rests)
    if bound:
        row[TWINS] = 1


@model_helper
def store_judged(table: ProofTable, key: int, phi: int, delta: int) -> None:
    """Enter the numbers of a position that was judged, not searched, unless only positions searched could yield."""
    first = _first_slot(table, key)
    free = NOWHERE
    for slot in range(first, first + SLOTS):
        if table.keys[slot] == NOWHERE or (free == NOWHERE and table.rows[slot, PLY] == NEVER):
            free = slot
    if free != NOWHERE:
        _clear_for(table, free, key)
        _write(table.rows[free], phi, delta, NEVER, 0, NOWHERE, NEVER)


@model_helper
def _write(row: Ints, phi: int, delta: int, ply: int, work: int, move: int, rests: int) -> None:
    row[PHI], row[DELTA], row[PLY] = phi, delta, min(ply, row[PLY])
    row[WORK] += work
    row[MOVE], row[RESTS] = move, rests
