"""Racetrack as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.racetrack.model import Racetrack
from bonspiel.envs.classic.racetrack.tracks import WALL


class RacetrackEnv(NamedEnv):
    """A car that slips, on a track with walls, from the start line to the finish as fast as can be.

    The race track of Barto, Bradtke and Singh, "Learning to act using real-time dynamic programming" (Artificial
    Intelligence 72, 1995), with real numbers as places, speeds and accelerations, and Gaussian noise besides the
    slipping. The maps are this project's. Plans that look only a few steps ahead learn of a wall when it is too
    late to brake. State, action, rewards and arguments are those of `envs.Racetrack`; formulas and optimum are in
    docs/problems.md.
    """

    model: Racetrack
    model_class = Racetrack

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
