"""Cart-pole as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.cart_pole.model import HALF_LENGTH, MAX_ANGLE, MAX_PLACE, CartPole


class CartPoleEnv(ModelEnv):
    """A pole on a cart, to be kept upright by pushing the cart with any force, with or without noise.

    ## Description
    With a force of 10 or -10 and no noise, one step equals that of Gymnasium's CartPole-v1. Without noise it is easy to
    last for all steps; noise as large as the force makes it hard.

    ## Action Space
    `Box(-10, 10, (1,), float64)`: the force in N, positive to the right.

    ## Observation Space
    `Box((5,), float64)`, the state; F is 10 + 6 `noise`:

    | Num | Observation                                  | Min      | Max     |
    |-----|----------------------------------------------|----------|---------|
    | 0   | place x of the cart in m                     | -4.8     | 4.8     |
    | 1   | velocity of the cart in m/s                  | -(2 + F) | 2 + F   |
    | 2   | angle theta of the pole in rad, 0 upright    | -0.419   | 0.419   |
    | 3   | angular velocity of the pole in rad/s        | -(2 + F) | 2 + F   |
    | 4   | steps taken t                                | 0        | 200     |

    ## Transition Dynamics
    Those of CartPole-v1 with the action, plus a Gaussian force, in place of 10 or -10: steps of 0.02 s, explicit Euler.

    ## Rewards
    1 for every step, the last one included.

    ## Starting State
    x, velocity, theta and angular velocity uniform on [-0.05, 0.05), t = 0; or
    `reset(options={"state": [x, xdot, theta, thetadot, t]})` with t < 200.

    ## Episode End
    Terminated when |theta| exceeds 12 degrees or |x| exceeds 2.4; truncated after 200 steps.

    ## Arguments
    * `noise` (default 0): standard deviation of the Gaussian force in N.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 50}

    model: CartPole

    def __init__(self, noise: float = 0.0, render_mode: str | None = None) -> None:
        super().__init__(CartPole(noise), render_mode)

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
