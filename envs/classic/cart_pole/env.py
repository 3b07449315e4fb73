"""Cart-pole as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.cart_pole.model import HALF_LENGTH, MAX_ANGLE, MAX_PLACE, CartPole


class CartPoleEnv(NamedEnv):
    """A pole on a cart, to be kept upright by pushing the cart with any force, with or without noise.

    With a force of 10 or -10 and no noise, one step equals that of Gymnasium's CartPole-v1. Without noise it is
    easy to last for all steps; noise as large as the force makes it hard. State, action, rewards and arguments are
    those of `envs.CartPole`; formulas and optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 50}

    model: CartPole
    model_class = CartPole

    def draw(self, figure: Any) -> None:
        """The cart on its track between the limits, and the pole with the angles that it may lean to."""
        axes = figure.add_axes((0.05, 0.04, 0.9, 0.82))
        place, angle = float(self.path[-1][0]), float(self.path[-1][2])
        axes.plot([-MAX_PLACE, MAX_PLACE], [0.0, 0.0], color=draw.FAINT, linewidth=2)
        axes.plot([-MAX_PLACE] * 2, [-0.12, 0.12], [MAX_PLACE] * 2, [-0.12, 0.12], color=draw.BAD, linewidth=6)
        axle, length = 0.22, 2.0 * HALF_LENGTH
        cone = np.array([-1.0, 0.0, 1.0]) * 1.15 * length * np.tan(MAX_ANGLE)
        axes.fill(place + cone, axle + np.array([1.15, 0.0, 1.15]) * length, color=draw.GOOD, linewidth=0)
        axes.fill(place + np.array([-0.3, 0.3, 0.3, -0.3]), [0.0, 0.0, axle, axle], color=draw.PATH)
        tip = place + length * np.sin(angle), axle + length * np.cos(angle)
        axes.plot([place, tip[0]], [axle, tip[1]], color=draw.INK, linewidth=8, solid_capstyle="round")
        axes.plot(place, axle, "o", color="white", markersize=6, zorder=3)
        axes.set(xlim=(-2.6, 2.6), ylim=(-0.8, 2.0), aspect="equal", xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        draw.heading(figure, f"Cart-pole, noise {self.model.noise:g}", self.rewards)
