"""The memory of trees, which the process keeps from one decision to the next."""

import numpy as np

LARGEST_KEPT = (32 << 20) - (64 << 10)  # bytes of an array, with its header below glibc's DEFAULT_MMAP_THRESHOLD_MAX


def keep_freed_memory() -> None:
    """Let glibc keep the memory of freed arrays of up to 32 MB, instead of giving it back to the system.

    An array above its threshold is given back when it is freed, and the next one pays for every page anew: a third of a
    decision of UCT in Treasure Hunt. The threshold is 128 kB at first and rises to the size of each such array that is
    freed (mallopt(3), M_MMAP_THRESHOLD), so that decisions were slow or fast by what their process had done before. One
    array of the largest size that counts, never written, settles it. Other C libraries take no notice.
    """
    np.empty(LARGEST_KEPT, np.uint8)
