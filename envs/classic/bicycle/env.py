"""Bicycle as a Gymnasium environment, and its picture."""

import math
from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.bicycle.model import HEIGHT, MAX_LEAN, RADIUS, SPEED, TIME_STEP, WHEELBASE, Bicycle, Task
from bonspiel.planners.model import Array


class BicycleEnv(ModelEnv):
    """A bicycle at 10 km/h, to be kept upright by turning the handlebars and leaning to the sides.

    ## Description
    The problem of Randlov and Alstrom, "Learning to Drive a Bicycle using Reinforcement Learning and Shaping" (ICML
    1998), with the equations as Ernst, Geurts and Wehenkel give them in "Tree-Based Batch Mode Reinforcement Learning"
    (JMLR 6, 2005) and real numbers as actions. There, a fall costs 1 and rewards are discounted; without discount, an
    early fall would cost no more than a late one. So here each step upright is paid.

    ## Action Space
    `Box([-2, -0.02], [2, 0.02], float64)`: the torque T on the handlebars in N m, and how far the rider leans sideways
    from the plane of the bicycle, d in m; both to the left, as all angles.

    ## Observation Space
    `Box((6,), float64)`, the state; the bounds of speeds are more than can be reached before a fall:

    | Num | Observation                                    | Min    | Max   |
    |-----|------------------------------------------------|--------|-------|
    | 0   | lean omega in rad, 0 upright                   | -0.269 | 0.269 |
    | 1   | its speed omegadot in rad/s                    | -6     | 6     |
    | 2   | angle of the handlebars theta in rad           | -1.396 | 1.396 |
    | 3   | its speed thetadot in rad/s                    | -40    | 40    |
    | 4   | heading psi in rad, 0 to the goal, not wrapped | -45.7  | 45.7  |
    | 5   | steps taken t                                  | 0      | 300   |

    ## Transition Dynamics
    Explicit Euler with a step of 0.01 s of the paper's equations, in which the lean falls by gravity and is righted by
    the centrifugal force of a turn and by the wheels' spin. The handlebars stop at 80 degrees. d has a uniform error.

    ## Rewards
    Each step that ends upright earns 1 in the task "balance", (1 + cos psi) / 2 in the task "goal"; a fall earns 0.

    ## Starting State
    All 0, but psi uniform on [-pi, pi) in the task "goal"; or `reset(options={"state": [omega, omegadot, theta,
    thetadot, psi, t]})` with t < 300.

    ## Episode End
    Terminated by a fall, |omega| > 12 degrees; truncated after 300 steps, which are 3 s.

    ## Arguments
    * `task` (default "balance"): or "goal".
    * `noise` (default 0.02): largest error of d in m, at least 0.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 50}

    model: Bicycle

    def __init__(self, task: Task = "balance", noise: float = 0.02, render_mode: str | None = None) -> None:
        super().__init__(Bicycle(task, noise), render_mode)

    def draw(self, figure: Any) -> None:
        """From behind, with the lean at which it falls; and from above, with the track of the rear wheel."""
        figure.set_size_inches(7.2, 4.2)
        behind, above = figure.add_axes((0.04, 0.06, 0.44, 0.78)), figure.add_axes((0.52, 0.06, 0.44, 0.78))
        self._draw_from_behind(behind)
        self._draw_from_above(above)
        for axes in (behind, above):
            axes.set(aspect="equal", xticks=[], yticks=[])
            axes.spines[:].set_color(draw.FAINT)
        draw.heading(figure, f"Bicycle, {self.model.task}", self.rewards)

    def _draw_from_behind(self, axes: Any) -> None:
        """Twice the lean, which at most is small."""
        top, edge = 1.9, math.tan(2.0 * MAX_LEAN)
        up = np.array([-math.sin(2.0 * self.path[-1][0]), math.cos(2.0 * self.path[-1][0])])
        axes.fill_between([-2.0, 2.0], -0.2, 0.0, color="#e8ebee", linewidth=0)
        for side in (-1.0, 1.0):
            axes.fill([0.0, side * top * edge, side * 2.0, side * 2.0], [0.0, top, top, 0.0], color=draw.BAD)
        axes.plot(*zip(0.0 * up, 2.0 * RADIUS * up, strict=True), color=draw.INK, linewidth=9, solid_capstyle="round")
        axes.plot(*zip(0.6 * up, 1.6 * up, strict=True), color=draw.PATH, linewidth=16, solid_capstyle="round")
        bar = 0.3 * np.array([up[1], -up[0]])
        axes.plot(*zip(HEIGHT * up - bar, HEIGHT * up + bar, strict=True), color=draw.INK, linewidth=4)
        axes.plot(*(1.72 * up), "o", color=draw.INK, markersize=20)
        axes.set(xlim=(-1.05, 1.05), ylim=(-0.2, top))

    def _draw_from_above(self, axes: Any) -> None:
        headings, steer = np.array(self.path)[:, 4], self.path[-1][2]
        track = _track(headings)
        ahead = np.array([math.cos(headings[-1]), math.sin(headings[-1])])
        wheel = 0.5 * np.array([math.cos(headings[-1] + steer), math.sin(headings[-1] + steer)])
        front = track[-1] + WHEELBASE * ahead
        axes.plot(*track.T, color=draw.PATH, linewidth=2, alpha=0.5)
        axes.plot(*zip(track[-1], front, strict=True), color=draw.INK, linewidth=5, solid_capstyle="round")
        axes.plot(*zip(front - wheel, front + wheel, strict=True), color=draw.PATH, linewidth=6, solid_capstyle="round")
        if self.model.task == "goal":
            arrow = {"arrowstyle": "-|>", "linewidth": 3, "color": draw.INK}
            axes.annotate("", (0.97, 0.06), (0.75, 0.06), xycoords="axes fraction", arrowprops=arrow)
            axes.text(0.72, 0.06, "goal", transform=axes.transAxes, ha="right", va="center", color=draw.INK)
        middle, reach = (track.min(0) + track.max(0)) / 2.0, max(2.5, np.ptp(track, 0).max() / 2.0 + 2.0)
        axes.set(xlim=(middle[0] - reach, middle[0] + reach), ylim=(middle[1] - reach, middle[1] + reach))


def _track(headings: Array) -> Array:
    """Places of the rear wheel, [T + 1, 2], which the state leaves out as nothing depends on them."""
    moves = TIME_STEP * SPEED * np.column_stack([np.cos(headings[:-1]), np.sin(headings[:-1])])
    return np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)])
