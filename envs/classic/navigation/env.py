"""Navigation as a Gymnasium environment."""

from typing import Any

from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.navigation.model import Navigation


class NavigationEnv(ModelEnv):
    """A player moves to the right, and has to steer round circles to a small goal.

    ## Description
    The task "2d-navigation-circles" of Kujanpaa, Babadi, Zhao, Kannala, Ilin and Pajarinen, "Continuous Monte Carlo
    graph search" (AAMAS 2024, arXiv 2210.01426), as their program has it.

    ## Action Space
    `Box(-1, 1, (1,), float64)`: the acceleration up.

    ## Observation Space
    `Box((3,), float64)`, the state:

    | Num | Observation   | Min | Max |
    |-----|---------------|-----|-----|
    | 0   | height y      | -1  | 1   |
    | 1   | speed v       | -1  | 1   |
    | 2   | steps taken t | 0   | 9   |

    ## Transition Dynamics
    50 times in a step: v <- clip(v + a / 50, -1, 1), y <- clip(y + v / 40, -1, 1), v <- 0 where it leads out, and
    t <- t + 1 / 50. The place is (t + 1, 3 + 2 y). There is no noise.

    ## Rewards
    0.01 + 0.02 exp(-10 a^2) a step, and +0.97 at the goal; a crash costs 1 in place of the 0.01.

    ## Starting State
    y = v = t = 0; or `reset(options={"state": [y, v, t]})` with t < 9.

    ## Episode End
    Terminated by a crash, nearer than 0.05 to one of five circles, and at the goal, nearer than 0.15 to (10, 4);
    truncated after 9 steps.

    ## Arguments
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 4}

    model: Navigation

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(Navigation(), render_mode)
