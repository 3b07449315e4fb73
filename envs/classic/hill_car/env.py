"""Hill car as a Gymnasium environment."""

from typing import Any

from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.hill_car.model import HillCar


class HillCarEnv(ModelEnv):
    """A car on a hill that is too steep for its engine: it has to take a run-up, but must not get too fast.

    ## Description
    The Hill Car MDP of Lev-Yehudi, Novitsky, Barenboim, Benchetrit and Indelman (IJCAI 2026, arXiv 2503.12181), on the
    hill of Moore and Atkeson (1995). Its figures and this package's stand in docs/results/published.md.

    ## Action Space
    `Box(-4, 4, (1,), float64)`: the force along x in N.

    ## Observation Space
    `Box((3,), float64)`, the state; bounds include what a last step can exceed:

    | Num | Observation       | Min  | Max |
    |-----|-------------------|------|-----|
    | 0   | place x in m      | -1.5 | 1.5 |
    | 1   | velocity v in m/s | -5   | 5   |
    | 2   | steps taken t     | 0    | 30  |

    ## Transition Dynamics
    v' = (force + e - 9.81 H' - v^2 H' H'') / (1 + H'^2), x' = v over 0.1 s, with H(x) = x^2 + x left of 0 and
    x / sqrt(1 + 5 x^2) right of it, and e Gaussian, drawn once a step; five Runge-Kutta steps of fourth order.

    ## Rewards
    +100 at the goal, -100 for a breakdown, -1 for every other step. Planners discount by 0.99 a step, and so do the
    returns of runs.

    ## Starting State
    x uniform on [-0.2, 0), v = 0, t = 0; or `reset(options={"state": [x, v, t]})` with t < 30.

    ## Episode End
    Terminated at the goal, x > 1, and by a breakdown, x < -1 or |v| > 2.5; truncated after 30 steps.

    ## Arguments
    * `noise` (default 0.1): standard deviation of e in N, at least 0.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 10}

    model: HillCar

    def __init__(self, noise: float = 0.1, render_mode: str | None = None) -> None:
        super().__init__(HillCar(noise), render_mode)
