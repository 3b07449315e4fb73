"""Trap as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import NamedEnv
from bonspiel.envs.trap.model import PRIZE, SAFE, TRAP_END, TRAP_START, Trap

BEND = 0.35  # height of an arc over its length


class TrapEnv(NamedEnv):
    """Two moves to the right along a line, past a trap.

    The first step decides: two steps in the safe region earn 1.4, and small changes of that policy earn less. A
    first step to the edge of the trap allows a jump across it with the second step, which earns 1.7, the optimum.
    From Couetoux, Hoock, Sokolovska, Teytaud, Bonnard, "Continuous Upper Confidence Trees" (LION 2011), values over
    100. State, action, rewards and arguments are those of `envs.Trap`; formulas and optimum are in
    docs/problems.md.
    """

    model: Trap
    model_class = Trap

    def draw(self, figure: Any) -> None:
        """The line with its three regions, and an arc with its reward for each step."""
        figure.set_size_inches(7.2, 3.6)
        axes = figure.add_axes((0.06, 0.14, 0.88, 0.7))
        left, right = float(self.model.state_low[0]) - 0.05, float(self.model.state_high[0]) + 0.05
        height = (right - left) * 0.7 * 3.6 / (0.88 * 7.2)  # a unit is as long up as it is to the right
        regions = [
            (left, TRAP_START, draw.GOOD, "safe", SAFE),
            (TRAP_START, TRAP_END, draw.BAD, "trap", 0.0),
            (TRAP_END, right, draw.PRIZE, "prize", PRIZE),
        ]
        for start, end, colour, name, reward in regions:
            axes.axvspan(start, end, color=colour, linewidth=0)
            style = {"ha": "center", "va": "center", "fontsize": 13, "color": draw.INK}
            axes.text((start + end) / 2, -0.18 * height, f"{name}\n{_signed(reward)}", **style)
        axes.axhline(0.0, color=draw.INK, linewidth=2.5)
        places = [float(state[0]) for state in self.path]
        arrow = {"arrowstyle": "-|>", "connectionstyle": f"arc3,rad={-2 * BEND}", "linewidth": 2.2}
        arrow |= {"color": draw.PATH, "shrinkA": 6, "shrinkB": 6, "mutation_scale": 18}
        style = {"ha": "center", "fontsize": 14, "fontweight": "bold", "color": draw.PATH}
        for start, end, reward in zip(places, places[1:], self.rewards, strict=False):
            axes.annotate("", (end, 0.0), (start, 0.0), arrowprops=arrow)
            axes.text((start + end) / 2, BEND * abs(end - start) + 0.04 * height, _signed(reward), **style)
        seen = {"color": "white", "markeredgecolor": draw.PATH, "markersize": 9, "markeredgewidth": 2}
        axes.plot(places[:-1], np.zeros(len(places) - 1), "o", **seen)
        axes.plot(places[-1], 0.0, "o", color=draw.PATH, markersize=14)
        axes.set(xlim=(left, right), ylim=(-0.38 * height, 0.62 * height), yticks=[])
        axes.spines[:].set_visible(False)
        draw.heading(figure, f"Trap, R = {self.model.noise_range:g}", self.rewards)


def _signed(reward: float) -> str:
    return f"{reward:+.1f}" if reward else "0"
