"""Donut as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.donut.model import CENTRE, Donut


class DonutEnv(NamedEnv):
    """A square in which only a ring pays: move there, and stay on it in spite of the noise.

    Rewards away from the ring do not show where it is, so a planner has to look several steps ahead; on it, every
    action misses a little. A ring as reward is a usual test of planners that refine continuous actions; this
    definition is the project's own. State, action, rewards and arguments are those of `envs.Donut`; formulas and
    optimum are in docs/problems.md.
    """

    model: Donut
    model_class = Donut

    def draw(self, figure: Any) -> None:
        """The ring, darker where it pays more, and the way so far."""
        axes = figure.add_axes((0.05, 0.04, 0.9, 0.82))
        side = np.linspace(0.0, 1.0, 300)
        distance = np.hypot(side[:, None] - CENTRE, side - CENTRE)
        reward = np.maximum(0.0, 1.0 - np.abs(distance - self.model.radius) / self.model.width)
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("ring", ["white", draw.PRIZE])
        axes.imshow(reward, extent=(0, 1, 0, 1), origin="lower", cmap=colours, interpolation="bilinear")
        places = np.array(self.path)[:, :2]
        axes.plot(*places.T, "-o", color=draw.PATH, linewidth=2, markersize=5, markerfacecolor="white")
        axes.plot(*places[-1], "o", color=draw.PATH, markersize=13)
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[])
        draw.heading(figure, "Donut", self.rewards)
