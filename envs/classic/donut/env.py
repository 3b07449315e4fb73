"""Donut as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.donut.model import CENTRE, Donut


class DonutEnv(ModelEnv):
    """A square in which only a ring pays: move there, and stay on it in spite of the noise.

    ## Description
    Rewards away from the ring do not show where it is, so a planner has to look several steps ahead; on it, every
    action misses a little. A ring as reward is a usual test of planners that refine continuous actions; this
    definition is the project's own. docs/problems.md has the optimum.

    ## Action Space
    `Box(-0.1, 0.1, (2,), float64)`: the move along x and y.

    ## Observation Space
    `Box((3,), float64)`, the state:

    | Num | Observation    | Min | Max |
    |-----|----------------|-----|-----|
    | 0   | place x        | 0   | 1   |
    | 1   | place y        | 0   | 1   |
    | 2   | steps taken t  | 0   | 10  |

    ## Transition Dynamics
    (x, y) <- (x, y) + action + noise, each coordinate clipped to [0, 1], t <- t + 1. The noise is Gaussian and
    independent along x and y.

    ## Rewards
    max(0, 1 - |distance of the new place from (0.5, 0.5) - radius| / width): from 0 to 1.

    ## Starting State
    (x, y) uniform on the square, t = 0; or `reset(options={"state": [x, y, t]})` with t < 10.

    ## Episode End
    Truncated after 10 steps; nothing terminates it.

    ## Arguments
    * `radius` (default 0.3): of the middle of the ring, above 0 and at most 0.5.
    * `width` (default 0.1): the distance from it at which nothing is earned, above 0.
    * `noise` (default 0.01): standard deviation, at least 0.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    model: Donut

    def __init__(
        self, radius: float = 0.3, width: float = 0.1, noise: float = 0.01, render_mode: str | None = None
    ) -> None:
        super().__init__(Donut(radius, width, noise), render_mode)

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
