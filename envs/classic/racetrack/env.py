"""Racetrack as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.racetrack.model import Crash, Racetrack, TrackName
from bonspiel.envs.classic.racetrack.tracks import WALL


class RacetrackEnv(ModelEnv):
    """A car that slips, on a track with walls, from the start line to the finish as fast as can be.

    ## Description
    The race track of Barto, Bradtke and Singh, "Learning to act using real-time dynamic programming" (Artificial
    Intelligence 72, 1995), with real numbers as places, speeds and accelerations, and Gaussian noise besides the
    slipping. The maps are this project's. Plans that look only a few steps ahead learn of a wall when it is too late to
    brake.

    ## Action Space
    `Box(-1, 1, (2,), float64)`: the acceleration along x and y, in cells per squared step.

    ## Observation Space
    `Box((5,), float64)`, the state; W and H are the columns and rows of the map:

    | Num | Observation                 | Min | Max |
    |-----|-----------------------------|-----|-----|
    | 0   | place x, to the right       | 0   | W   |
    | 1   | place y, upwards            | 0   | H   |
    | 2   | speed vx in cells per step  | -5  | 5   |
    | 3   | speed vy                    | -5  | 5   |
    | 4   | steps taken t               | 0   | 50  |

    ## Transition Dynamics
    v <- clip(v + a + noise, -5, 5), with a = 0 with the probability of slipping; then (x, y) moves by v in a straight
    line, to the first wall or the finish at most. A crash puts the car back to the start line, at rest.

    ## Rewards
    -1 a step, and with `progress` the way to the finish that the step saves, in cells: round corners, through the
    middles of cells. A crash gives back all that was gained. So an episode that finishes has the length of the track,
    less its steps. With `crash="end"` a crash also costs 1 for each step that is left.

    ## Starting State
    At rest in the middle of a random cell of the start line; or `reset(options={"state": [x, y, vx, vy, t]})` with
    t < 50.

    ## Episode End
    Terminated at the finish, and by a crash if `crash="end"`; truncated after 50 steps.

    ## Arguments
    * `track` (default "corner"): or "hairpin".
    * `slip` (default 0.1): probability that the acceleration has no effect, from 0 to 1.
    * `noise` (default 0.05): standard deviation along each axis, at least 0.
    * `crash` (default "restart"): or "end".
    * `progress` (default True): False for -1 a step alone.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    model: Racetrack

    def __init__(
        self,
        track: TrackName = "corner",
        slip: float = 0.1,
        noise: float = 0.05,
        crash: Crash = "restart",
        progress: bool = True,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(Racetrack(track, slip, noise, crash, progress), render_mode)

    def draw(self, figure: Any) -> None:
        """The map, the way since the last crash, fainter before it, and an arrow for the speed."""
        figure.set_size_inches(7.2, 5.0)
        axes = figure.add_axes((0.04, 0.04, 0.92, 0.82))
        ways = self.model.map.ways
        shown = np.where(ways == WALL, 0, np.where(ways == 0.0, 2, 1))
        for column, row in self.model.map.starts:
            shown[row, column] = 3
        from matplotlib.colors import ListedColormap

        colours = ListedColormap(["#d5dade", "white", draw.PRIZE, draw.GOOD])
        rows, columns = ways.shape
        axes.imshow(shown, extent=(0, columns, 0, rows), origin="lower", cmap=colours, vmin=0, vmax=3)
        path = np.array(self.path)
        crashed = (path[1:, 2:4] == 0.0).all(axis=1).nonzero()[0] + 1
        laps = np.split(path[:, :2], crashed)
        for lap in laps:
            faint = 1.0 if lap is laps[-1] else 0.3
            axes.plot(*lap.T, "-o", color=draw.PATH, linewidth=2, markersize=5, markerfacecolor="white", alpha=faint)
        place, speed = path[-1, :2], path[-1, 2:4]
        axes.annotate("", place + speed, place, arrowprops={"arrowstyle": "-|>", "linewidth": 2, "color": draw.INK})
        axes.plot(*place, "o", color=draw.PATH, markersize=12)
        axes.set(xlim=(0, columns), ylim=(0, rows), aspect="equal", xticks=[], yticks=[])
        draw.heading(figure, f"Racetrack, {self.model.track}", self.rewards)
