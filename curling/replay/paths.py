"""Where the stones went in a shot: for each one that moved, as few key frames as show its true path."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from curling.engines import Path
from planners.base import Array

TOLERANCE = 0.003  # m; between key frames a stone is shown so close to its path
STILL = 5e-4  # m; a stone that moves less is shown at rest

Track = dict[str, Any]


def tracks(path: Path, pace: float) -> list[Track]:
    """The key frames of all stones that moved.

    Args:
        path: of a shot, from an engine.
        pace: seconds shown for a second of the path's clock.

    Returns:
        For each stone `stone`, its row; `t`, `x`, `y`, times in milliseconds and places in millimetres, each number
        less the one before it; and `out`, whether it left the sheet at the last of them.
    """
    found = []
    for row in range(path.positions.shape[1]):
        there = np.flatnonzero(~np.isnan(path.positions[:, row, 0]))
        if len(there) == 0:
            continue
        places, times = path.positions[there, row], path.times[there]
        out = len(there) < len(path.times)
        if not out and np.abs(places - places[0]).max() < STILL:
            continue
        keys = key_frames(times, places)
        columns = 1000.0 * np.column_stack((pace * times[keys], places[keys]))
        t, x, y = np.diff(np.rint(columns).astype(int), axis=0, prepend=0).T.tolist()
        found.append({"stone": row, "t": t, "x": x, "y": y, "out": out})
    return found


def key_frames(times: Array, places: Array) -> NDArray[np.int64]:
    """The frames between which straight lines at constant speed stay within the tolerance (Ramer, Douglas, Peucker).

    Args:
        times: [T], rising.
        places: [T, 2], m.
    """
    keys, open_spans = {0, len(times) - 1}, [(0, len(times) - 1)]
    while open_spans:
        first, last = open_spans.pop()
        if last - first < 2:
            continue
        inside = slice(first + 1, last)
        share = (times[inside] - times[first]) / (times[last] - times[first])
        line = places[first] + share[:, None] * (places[last] - places[first])
        apart = np.hypot(*(places[inside] - line).T)
        worst = int(apart.argmax())
        if apart[worst] > TOLERANCE:
            keys.add(first + 1 + worst)
            open_spans += [(first, first + 1 + worst), (first + 1 + worst, last)]
    return np.array(sorted(keys))
