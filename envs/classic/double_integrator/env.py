"""Double integrator as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.double_integrator.model import START_PLACE, START_SPEED, DoubleIntegrator


class DoubleIntegratorEnv(NamedEnv):
    """A mass on a line to bring to rest at the origin, with a noisy acceleration and at little cost.

    The linear quadratic problem of textbooks, whose optimum the Riccati equation gives exactly: the bounds of the
    actions are so wide that the optimal policy does not meet them. State, action, rewards and arguments are those
    of `envs.DoubleIntegrator`; formulas and optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 5}

    model: DoubleIntegrator
    model_class = DoubleIntegrator

    def draw(self, figure: Any) -> None:
        """Velocity over place, with the box of the starts, the goal, and the path so far."""
        axes = figure.add_axes((0.13, 0.12, 0.81, 0.74))
        axes.fill_between([-START_PLACE, START_PLACE], -START_SPEED, START_SPEED, color=draw.GOOD, linewidth=0)
        axes.axhline(0.0, color=draw.FAINT, linewidth=1)
        axes.axvline(0.0, color=draw.FAINT, linewidth=1)
        axes.plot(0.0, 0.0, "o", color=draw.PRIZE, markersize=26)
        path = np.array(self.path)[:, :2]
        axes.plot(*path.T, "o-", color=draw.PATH, linewidth=1.8, markersize=4)
        axes.plot(*path[-1], "o", color=draw.PATH, markersize=13, markeredgecolor="white")
        reach = np.maximum(np.abs(path).max(axis=0) * 1.1, [1.3, 1.0])
        axes.set(xlim=(-reach[0], reach[0]), ylim=(-reach[1], reach[1]))
        axes.set_xlabel("place x", color=draw.INK, fontsize=13)
        axes.set_ylabel("velocity v", color=draw.INK, fontsize=13)
        axes.spines[:].set_color(draw.FAINT)
        draw.heading(figure, f"Double integrator, noise {self.model.noise:g}", self.rewards)
