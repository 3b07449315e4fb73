"""Pendulum as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.pendulum.model import Pendulum

REACH = 1.35  # half the side of the picture, in lengths of the rod


class PendulumEnv(NamedEnv):
    """A pendulum to swing up and to hold there, with a torque too weak to lift it at once.

    One step equals that of Gymnasium's Pendulum-v1 from the same state, in float64. Energy has to be pumped in by
    swinging before it can be lifted. State, action, rewards and arguments are those of `envs.Pendulum`; formulas
    and optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 20}

    model: Pendulum
    model_class = Pendulum

    def draw(self, figure: Any) -> None:
        """The rod, the way of its tip over the last second, and the place to hold it at."""
        axes = figure.add_axes((0.05, 0.04, 0.9, 0.82))
        angles = np.array(self.path)[-21:, 0]
        tips = np.array([-np.sin(angles), np.cos(angles)])
        goal = np.linspace(-0.15, 0.15, 20)
        axes.plot(-np.sin(goal), np.cos(goal), color=draw.PRIZE, linewidth=22, solid_capstyle="round")
        axes.plot(*tips, color=draw.PATH, linewidth=2, alpha=0.5)
        axes.plot([0.0, tips[0, -1]], [0.0, tips[1, -1]], color=draw.INK, linewidth=9, solid_capstyle="round")
        axes.plot(0.0, 0.0, "o", color="white", markersize=6, zorder=3)
        axes.plot(*tips[:, -1], "o", color=draw.PATH, markersize=22, zorder=3)
        axes.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        draw.heading(figure, "Pendulum", self.rewards)
