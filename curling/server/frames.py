"""The frames of a trajectory in Digital Curling 3: the stones at regular intervals."""

import numpy as np

from curling.engines import Path
from planners.base import Array

STEP = 0.001  # s, of the reference simulator


def frame_positions(path: Path, steps: int) -> Array:
    """The stones at regular intervals, and at the end of the motion.

    Args:
        path: from an engine.
        steps: of the reference simulator between two frames.

    Returns:
        [frames, 16, 2] in metres, NaN where absent; the first frame is one interval after the release.
    """
    end, interval = float(path.times[-1]), STEP * steps
    times = np.append(np.arange(1, np.ceil(end / interval)) * interval, end)
    after = np.searchsorted(path.times, times).clip(1, len(path.times) - 1) if len(path.times) > 1 else np.zeros(1, int)
    before = np.maximum(after - 1, 0)
    span = path.times[after] - path.times[before]
    weight = np.divide(times - path.times[before], span, out=np.ones_like(span), where=span > 0.0)[:, None, None]
    start, stop = path.positions[before], path.positions[after]
    # a stone that leaves is visible until then: at weight 1 the frame before does not count
    return np.where(weight < 1.0, start + weight * (stop - start), stop)
