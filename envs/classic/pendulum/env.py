"""Pendulum as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.pendulum.model import Pendulum

REACH = 1.35  # half the side of the picture, in lengths of the rod


class PendulumEnv(ModelEnv):
    """A pendulum to swing up and to hold there, with a torque too weak to lift it at once.

    ## Description
    One step equals that of Gymnasium's Pendulum-v1 from the same state, in float64. Energy has to be pumped in by
    swinging before it can be lifted. docs/problems.md has the optimum and the random policy's return.

    ## Action Space
    `Box(-2, 2, (1,), float64)`: the torque in N m, positive counter-clockwise.

    ## Observation Space
    `Box((3,), float64)`, the state, where Gymnasium's own shows cosine and sine of the angle:

    | Num | Observation                                  | Min      | Max     |
    |-----|----------------------------------------------|----------|---------|
    | 0   | angle theta in rad, 0 upright, not wrapped   | -pi - 80 | pi + 80 |
    | 1   | angular velocity thetadot in rad/s           | -8       | 8       |
    | 2   | steps taken t                                | 0        | 200     |

    ## Transition Dynamics
    thetadot <- clip(thetadot + (3 g / (2 l) sin theta + 3 / (m l^2) torque) 0.05, -8, 8),
    theta <- theta + 0.05 thetadot, t <- t + 1. There is no noise.

    ## Rewards
    -(theta^2 + 0.1 thetadot^2 + 0.001 torque^2) of the state before the step, theta in [-pi, pi): from -16.27 to 0.

    ## Starting State
    theta uniform on [-pi, pi), thetadot uniform on [-1, 1), t = 0; or `reset(options={"state": [theta, thetadot, t]})`
    with t < 200.

    ## Episode End
    Truncated after 200 steps; nothing terminates it.

    ## Arguments
    * `g` (default 10), `mass` (default 1), `length` (default 1): gravity in m/s^2, kg and m.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 20}

    model: Pendulum

    def __init__(self, g: float = 10.0, mass: float = 1.0, length: float = 1.0, render_mode: str | None = None) -> None:
        super().__init__(Pendulum(g, mass, length), render_mode)

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
