"""Hovering as a Gymnasium environment, and its picture."""

import math
from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.hovering.model import ARM, ROOM, Hovering


class HoveringEnv(ModelEnv):
    """A quadrotor in a plane that has to hold its place in gusts of wind.

    ## Description
    It moves sideways only by tilting, which takes the two rotors' difference; the tilt is unstable and the wind, which
    it sees, pushes on. Without bounds and for small tilts this is linear with a quadratic cost. docs/problems.md
    compares planners with the controller that this gives.

    ## Action Space
    `Box(0, 9.81, (2,), float64)`: the thrusts of the left and the right rotor in N; 4.905 each carry the weight.

    ## Observation Space
    `Box((8,), float64)`, the state; the bounds of speeds are more than can be reached before a crash:

    | Num | Observation                                | Min       | Max      |
    |-----|--------------------------------------------|-----------|----------|
    | 0   | place x in m, to the right                 | -3        | 3        |
    | 1   | height z in m                              | -3        | 3        |
    | 2   | tilt theta in rad, counter-clockwise       | -2.82     | 2.82     |
    | 3   | speed xdot in m/s                          | -20       | 20       |
    | 4   | speed zdot in m/s                          | -20       | 20       |
    | 5   | speed thetadot in rad/s                    | -25       | 25       |
    | 6   | speed of the wind along x in m/s           | -4 `wind` | 4 `wind` |
    | 7   | steps taken t                              | 0         | 100      |

    ## Transition Dynamics
    With thrusts (l, r), mass 1 kg, inertia 0.05 kg m^2, arms of 0.25 m and drag 0.25 N s/m, in steps of 0.05 s:
    xdotdot = -(l + r) sin theta - 0.25 (xdot - wind), zdotdot = (l + r) cos theta - 0.25 zdot - 9.81,
    thetadotdot = 5 (r - l); speeds first, then places at the new speeds. The wind is an Ornstein-Uhlenbeck process,
    sampled exactly and kept within 4 standard deviations.

    ## Rewards
    -(0.1 (x^2 + z^2) + 0.05 theta^2 + 0.01 ((l / 4.905 - 1)^2 + (r / 4.905 - 1)^2)) of the state before the step:
    from -0.95 to 0. The step that crashes earns -(100 - t).

    ## Starting State
    x and z uniform on [-1, 1), theta uniform on [-0.2, 0.2), at rest, no wind; or `reset(options={"state": ...})` with
    t < 100.

    ## Episode End
    Terminated by a crash, |x| > 2, |z| > 2 or |theta| > pi / 2; truncated after 100 steps, which are 5 s.

    ## Arguments
    * `wind` (default 2): standard deviation of its speed in m/s, at least 0.
    * `persistence` (default 1): the time in s in which its autocorrelation falls to 1/e, above 0.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 20}

    model: Hovering

    def __init__(self, wind: float = 2.0, persistence: float = 1.0, render_mode: str | None = None) -> None:
        super().__init__(Hovering(wind, persistence), render_mode)

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
