"""Lunar lander as a Gymnasium environment."""

from typing import Any

from bonspiel.envs.base import ModelEnv
from bonspiel.envs.classic.lunar_lander.model import LunarLander


class LunarLanderEnv(ModelEnv):
    """A craft that falls onto the moon, and has to land in the middle, upright and slowly.

    ## Description
    The Lunar Lander MDP of Lev-Yehudi, Novitsky, Barenboim, Benchetrit and Indelman (IJCAI 2026, arXiv 2503.12181), as
    their program has it; not Gymnasium's LunarLander. Its figures and this package's stand in
    docs/results/published.md.

    ## Action Space
    `Box((3,), float64)`: the lateral force in [-5, 5] N, the thrust in [0, 15] N, and the offset of the lateral force
    from the centre of mass, in [-1, 1] m, by which it turns the craft.

    ## Observation Space
    `Box((7,), float64)`, the state; the bounds are more than can be reached:

    | Num | Observation                 | Min | Max  |
    |-----|-----------------------------|-----|------|
    | 0   | place x in m                | -40 | 40   |
    | 1   | height z in m               | -40 | 1000 |
    | 2   | tilt theta in rad           | -2  | 2    |
    | 3   | speed xdot in m/s           | -50 | 50   |
    | 4   | speed zdot in m/s           | -80 | 120  |
    | 5   | speed thetadot in rad/s     | -3  | 3    |
    | 6   | steps taken t               | 0   | 35   |

    ## Transition Dynamics
    In steps of 0.4 s, with a mass of 1 kg and an inertia of 10 kg m^2: places move by the old speeds;
    xdotdot = lateral cos theta - thrust sin theta, zdotdot = thrust cos theta + lateral sin theta - 9,
    thetadotdot = -offset lateral / 10; then Gaussian noise is added to the speeds, with standard deviations of 0.1 m/s,
    0.1 m/s and 0.01 rad/s.

    ## Rewards
    A landing earns 100 - |x| - zdot^2, a loss -1000, every other step -1. Planners discount by 0.99 a step, and so do
    the returns of runs.

    ## Starting State
    Gaussian about z = 50, zdot = -10 and 0 elsewhere, with variances of 0.1, and 0.01 for theta and thetadot; or
    `reset(options={"state": ...})` with t < 35.

    ## Episode End
    Terminated by a landing, z <= 1, and by a loss, |x| >= 15 or |theta| >= 0.5; truncated after 35 steps.

    ## Arguments
    * `noise` (default 1): factor of the noise, at least 0.
    * `render_mode`: "rgb_array", "human" or None.

    ## Version History
    * v0: initial version
    """

    metadata: dict[str, Any] = ModelEnv.metadata | {"render_fps": 5}

    model: LunarLander

    def __init__(self, noise: float = 1.0, render_mode: str | None = None) -> None:
        super().__init__(LunarLander(noise), render_mode)
