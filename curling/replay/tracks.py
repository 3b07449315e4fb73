"""The tracks of the stones of a shot: for each one that moved, the fewest key frames that show its true path."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.curling.ice.engines import Path
from bonspiel.planners.model import Array

TOLERANCE = 0.003  # m; largest distance between the track and the true path
STILL = 5e-4  # m; a stone that moves less is shown at rest

Track = dict[str, Any]


def stone_tracks(path: Path, pace: float) -> list[Track]:
    """The tracks of all stones that moved.

    `pace` is the number of seconds on the page for each second of the path's clock.

    Returns:
        For each stone: `stone`, its row; `t`, `x`, `y`, the key frames in milliseconds and millimetres, each number as
        the difference from the previous one; and `out`, whether it left the sheet at the last key frame.
    """
    found = []
    for row in range(path.positions.shape[1]):
        present = np.flatnonzero(~np.isnan(path.positions[:, row, 0]))
        if len(present) == 0:
            continue
        places, times = path.positions[present, row], path.times[present]
        out = len(present) < len(path.times)
        if not out and np.abs(places - places[0]).max() < STILL:
            continue
        keys = key_frames(times, places)
        columns = 1000.0 * np.column_stack((pace * times[keys], places[keys]))
        t, x, y = np.diff(np.rint(columns).astype(int), axis=0, prepend=0).T.tolist()
        found.append({"stone": row, "t": t, "x": x, "y": y, "out": out})
    return found


def key_frames(times: Array, places: Array) -> NDArray[np.int64]:
    """Frames such that straight motion at constant speed between them stays within the tolerance.

    By the algorithm of Ramer, Douglas and Peucker; `times` are [T], increasing, `places` [T, 2], m.
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
