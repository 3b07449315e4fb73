"""Double integrator as a Gymnasium environment, and its picture."""

from typing import Any

import numpy as np

from bonspiel.envs import draw
from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.double_integrator.model import START_PLACE, START_SPEED, DoubleIntegrator


class DoubleIntegratorEnv(ModelEnv):
    """A mass on a line to bring to rest at the origin, with a noisy acceleration and at little cost.

    ## Description
    The linear quadratic problem of textbooks, whose optimum the Riccati equation gives exactly: the bounds of the
    actions are so wide that the optimal policy does not meet them.

    ## Action Space
    `Box(-2, 2, (1,), float64)`: the acceleration a.

    ## Observation Space
    `Box((3,), float64)`, the state; A is 2 + 6 `noise`:

    | Num | Observation   | Min            | Max         |
    |-----|---------------|----------------|-------------|
    | 0   | place x       | -(3.5 + 12.5 A) | 3.5 + 12.5 A |
    | 1   | velocity v    | -(0.5 + 5 A)   | 0.5 + 5 A   |
    | 2   | steps taken t | 0              | 50          |

    ## Transition Dynamics
    x <- x + 0.1 v + 0.005 (a + e), v <- v + 0.1 (a + e), t <- t + 1, with e Gaussian.

    ## Rewards
    -(x^2 + 0.1 v^2 + a^2) of the state before the step.

    ## Starting State
    x uniform on [-1, 1), v uniform on [-0.5, 0.5), t = 0; or `reset(options={"state": [x, v, t]})` with t < 50.

    ## Episode End
    Truncated after 50 steps; nothing terminates it.

    ## Arguments
    * `noise` (default 0.3): standard deviation of e.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 5}

    model: DoubleIntegrator

    def __init__(self, noise: float = 0.3, render_mode: str | None = None) -> None:
        super().__init__(DoubleIntegrator(noise), render_mode)

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
