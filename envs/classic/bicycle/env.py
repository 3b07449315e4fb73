"""Bicycle as a Gymnasium environment, and its picture."""

import math
from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.bicycle.model import HEIGHT, MAX_LEAN, RADIUS, SPEED, TIME_STEP, WHEELBASE, Bicycle
from bonspiel.planners.model import Array


class BicycleEnv(NamedEnv):
    """A bicycle at 10 km/h, to be kept upright by turning the handlebars and leaning to the sides.

    The problem of Randlov and Alstrom, "Learning to Drive a Bicycle using Reinforcement Learning and Shaping" (ICML
    1998), with the equations as Ernst, Geurts and Wehenkel give them in "Tree-Based Batch Mode Reinforcement
    Learning" (JMLR 6, 2005) and real numbers as actions. There, a fall costs 1 and rewards are discounted; without
    discount, an early fall would cost no more than a late one. So here each step upright is paid. State, action,
    rewards and arguments are those of `envs.Bicycle`; formulas and optimum are in docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 50}

    model: Bicycle
    model_class = Bicycle

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
