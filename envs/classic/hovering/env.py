"""Hovering as a Gymnasium environment, and its picture."""

import math
from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.hovering.model import ARM, ROOM, Hovering


class HoveringEnv(NamedEnv):
    """A quadrotor in a plane that has to hold its place in gusts of wind.

    It moves sideways only by tilting, which takes the two rotors' difference; the tilt is unstable and the wind,
    which it sees, pushes on. Without bounds and for small tilts this is linear with a quadratic cost. State,
    action, rewards and arguments are those of `envs.Hovering`; formulas and optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 20}

    model: Hovering
    model_class = Hovering

    def draw(self, figure: Any) -> None:
        """The room, the place to hold, the craft and its way, and the wind."""
        axes = figure.add_axes((0.05, 0.04, 0.9, 0.82))
        places = np.array(self.path)[:, :2]
        place, tilt, wind = places[-1], float(self.path[-1][2]), float(self.path[-1][6])
        along, up = np.array([math.cos(tilt), math.sin(tilt)]), np.array([-math.sin(tilt), math.cos(tilt)])
        wall = {"color": draw.BAD, "linewidth": 6, "solid_joinstyle": "miter"}
        axes.plot(ROOM * np.array([-1, 1, 1, -1, -1]), ROOM * np.array([-1, -1, 1, 1, -1]), **wall)
        axes.plot(0.0, 0.0, "o", color=draw.PRIZE, markersize=34)
        axes.plot(*places.T, color=draw.PATH, linewidth=2, alpha=0.5)
        arm = 1.4 * ARM  # larger than life, to be seen
        axes.plot(*zip(place - arm * along, place + arm * along, strict=True), color=draw.INK, linewidth=6)
        for side in (-1.0, 1.0):
            hub = place + side * arm * along + 0.06 * up
            axes.plot(*zip(hub - 0.17 * along, hub + 0.17 * along, strict=True), color=draw.PATH, linewidth=4)
        if wind:
            arrow = {"arrowstyle": "-|>", "linewidth": 3, "color": draw.FAINT, "mutation_scale": 22}
            axes.annotate("", (0.25 * wind, 1.75), (0.0, 1.75), arrowprops=arrow)
        axes.text(0.0, 1.87, f"wind {wind:+.1f} m/s".replace("-", "\N{MINUS SIGN}"), ha="center", color=draw.INK)
        axes.set(xlim=(-1.05 * ROOM, 1.05 * ROOM), ylim=(-1.05 * ROOM, 1.05 * ROOM))
        axes.set(aspect="equal", xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        draw.heading(figure, "Hovering", self.rewards)
