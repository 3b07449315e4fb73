"""Mountain car as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.classic.mountain_car.model import GOAL, LEFT, RIGHT, MountainCar


class MountainCarEnv(NamedEnv):
    """A car in a valley, too weak to drive straight out of it, that has to gather speed on the other slope first.

    One step equals that of Gymnasium's MountainCarContinuous-v0, rounding to single precision included. The goal is
    far and nothing rewards the way to it: a planner that does not find it does best to stand still, which earns 0.
    State, action, rewards and arguments are those of `envs.MountainCar`; formulas and optimum are in
    docs/problems.md.
    """

    metadata: dict[str, Any] = NamedEnv.metadata | {"render_fps": 30}

    model: MountainCar
    model_class = MountainCar

    def draw(self, figure: Any) -> None:
        """The valley with the goal, the car with an arrow for its velocity, and the way that it went."""
        axes = figure.add_axes((0.05, 0.04, 0.9, 0.82))
        track, places = np.linspace(LEFT, RIGHT, 200), np.array(self.path)[:, 0]
        axes.fill_between(track, _height(track), -0.1, color=draw.GOOD, linewidth=0)
        axes.plot(track, _height(track), color=draw.INK, linewidth=2.5)
        goal = np.linspace(GOAL, RIGHT, 20)
        axes.plot(goal, _height(goal), color=draw.PRIZE, linewidth=8)
        axes.text(0.5, 1.13, "+100", ha="right", color=draw.INK, fontsize=14)
        axes.plot(places, _height(places) + 0.03, color=draw.PATH, linewidth=2, alpha=0.5)
        place, speed = places[-1], float(self.path[-1][1])
        forward = np.array([1.0, 1.35 * np.cos(3.0 * place)])
        forward /= np.hypot(*forward)
        car, above = np.array([place, _height(place) + 0.05]), np.array([place, _height(place) + 0.17])
        axes.plot(*car, "o", color=draw.PATH, markersize=20)
        arrow = {"arrowstyle": "-|>", "linewidth": 2.2, "color": draw.INK, "mutation_scale": 18}
        if abs(speed) > 0.003:
            axes.annotate("", above + 6.0 * speed * forward, above, arrowprops=arrow)
        axes.set(xlim=(LEFT - 0.05, RIGHT + 0.05), ylim=(-0.1, 1.25), aspect="equal", xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        draw.heading(figure, "Mountain car", self.rewards)


def _height(place: Any) -> Any:
    return 0.45 * np.sin(3.0 * place) + 0.55
