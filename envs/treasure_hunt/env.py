"""Treasure Hunt as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.envs.treasure_hunt.model import HOLE_HIGH, HOLE_LOW, SIZE, TREASURE_LOW, AngleUnit, TreasureHunt


class TreasureHuntEnv(ModelEnv):
    """A walk from one corner of a square to the treasure in the other, past a hole, with noise as large as a step.

    ## Description
    Rewards are rare and the noise is strong: going straight falls into the hole, going around takes some eight steps in
    the small square. The optimum is 0.991 for D = 5 and 0.975 for D = 15. From A. Couetoux, "Monte Carlo Tree Search
    for Continuous and Stochastic Sequential Decision Making Problems" (thesis, 2013).

    ## Action Space
    `Box(-1, 1, (1,), float64)`: the direction theta in half turns, theta = pi * action, since Gymnasium advises to keep
    actions within [-1, 1]. With `angle_unit="radian"`, as in `envs.TreasureHunt()`, `Box(-pi, pi, (1,), float64)`.

    ## Observation Space
    `Box((3,), float64)`, the state:

    | Num | Observation   | Min | Max  |
    |-----|---------------|-----|------|
    | 0   | place x       | 0   | D    |
    | 1   | place y       | 0   | D    |
    | 2   | steps taken t | 0   | 10 D |

    ## Transition Dynamics
    (x, y) <- clamp((x, y) + (cos theta, sin theta) + e, 0, D), t <- t + 1, with e uniform on the unit disc.

    ## Rewards
    -0.001 for every step, +1 in the treasure (x and y at least D - 1), -0.5 in the hole (x and y in [D/4, 3D/4]).

    ## Starting State
    (0, 0, 0), or `reset(options={"state": [x, y, t]})` with t < 10 D.

    ## Episode End
    Terminated in the treasure and, if `hole_terminates`, in the hole; truncated after 10 D steps.

    ## Arguments
    * `size` (default 5): D, at least 3.
    * `hole_terminates` (default True): the thesis does not say; the optimum is the same either way.
    * `angle_unit` (default "half_turn"): or "radian".
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    model: TreasureHunt

    def __init__(
        self,
        size: float = 5.0,
        hole_terminates: bool = True,
        angle_unit: AngleUnit = "half_turn",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(TreasureHunt(size, hole_terminates, angle_unit), render_mode)

    def draw(self, figure: Any) -> None:
        """The square with hole and treasure, the path from the start and the current place."""
        axes = figure.add_axes((0.05, 0.06, 0.9, 0.8))
        size, low, high, treasure = self.model.params[[SIZE, HOLE_LOW, HOLE_HIGH, TREASURE_LOW]]
        for start, end, colour in ((low, high, draw.INK), (treasure, size, draw.PRIZE)):
            axes.fill_between((start, end), start, end, color=colour, linewidth=0)
        middle = (low + high) / 2
        axes.text(middle, middle, "hole\n\N{MINUS SIGN}0.5", ha="center", va="center", color="white", fontsize=14)
        axes.text(1.02 * size, size - 0.5, "treasure\n+1", va="center", color=draw.INK, fontsize=14)
        axes.text(-0.02 * size, 0.0, "start", ha="right", va="center", color=draw.INK, fontsize=14)
        places = np.array(self.path)[:, :2]
        mark = {"color": draw.PATH, "clip_on": False}
        axes.plot(*places.T, "o-", linewidth=1.8, markersize=4, **mark)
        axes.plot(*places[0], "s", markersize=9, markeredgewidth=2, markerfacecolor="white", **mark)
        axes.plot(*places[-1], "o", markersize=13, markeredgecolor="white", **mark)
        axes.set(xlim=(0, size), ylim=(0, size), xticks=[], yticks=[], aspect="equal", facecolor=draw.GOOD)
        axes.spines[:].set_color(draw.INK)
        draw.heading(figure, f"Treasure Hunt, D = {size:g}", self.rewards)
