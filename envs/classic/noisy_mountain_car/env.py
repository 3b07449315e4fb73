"""Noisy mountain car as a Gymnasium environment."""

from typing import Any

from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.noisy_mountain_car.model import NoisyMountainCar


class NoisyMountainCarEnv(ModelEnv):
    """A car with a noisy engine in a valley, which has to gather speed to leave it, and breaks down if it has too much.

    ## Description
    The Mountain Car MDP of Lev-Yehudi, Novitsky, Barenboim, Benchetrit and Indelman (IJCAI 2026, arXiv 2503.12181). Its
    figures and this package's stand in docs/results/published.md.

    ## Action Space
    `Box(-1, 1, (1,), float64)`: the force.

    ## Observation Space
    `Box((3,), float64)`, the state; bounds include what a last step can exceed:

    | Num | Observation   | Min    | Max   |
    |-----|---------------|--------|-------|
    | 0   | place x       | -1.56  | 0.56  |
    | 1   | velocity v    | -0.054 | 0.054 |
    | 2   | steps taken t | 0      | 200   |

    ## Transition Dynamics
    v <- v + 0.001 clip(force + e, -1, 1) - 0.0025 cos(3 x), x <- x + v, t <- t + 1, with e Gaussian.

    ## Rewards
    +100 at the goal, -100 for a breakdown, -0.1 for every other step. Planners discount by 0.99 a step, and so do the
    returns of runs.

    ## Starting State
    x uniform on [-0.2, 0), v = 0, t = 0; or `reset(options={"state": [x, v, t]})` with t < 200.

    ## Episode End
    Terminated at the goal, x > 0.5, and by a breakdown, x < -1.5 or |v| > 0.05; truncated after 200 steps.

    ## Arguments
    * `noise` (default 0.1): standard deviation of e, at least 0.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 30}

    model: NoisyMountainCar

    def __init__(self, noise: float = 0.1, render_mode: str | None = None) -> None:
        super().__init__(NoisyMountainCar(noise), render_mode)
