"""The throw of an aim with errors of execution, compiled; `curling.ice.noise` holds their standard deviations."""

import math

from bonspiel.planners.jit import RNG, VECTOR, float64, helper, kernel, typeof
from bonspiel.planners.model import Array, Rng


@helper
def velocity_with_errors(
    vx: float, vy: float, cap: float, sds: Array, of_speed: float, of_angle: float, of_vx: float, of_vy: float
) -> tuple[float, float]:
    """The thrown velocity, m/s, of an aim at (vx, vy), whose speed is first capped, as the servers do.

    `cap` is the largest speed of an aim, m/s, `sds` are `Noise.params`; the errors are in standard deviations.
    """
    aimed = math.sqrt(vx * vx + vy * vy)
    ux, uy = (1.0, 0.0) if aimed == 0.0 else (vx / aimed, vy / aimed)
    speed = min(aimed, cap) + sds[0] * of_speed
    vx, vy = speed * ux, speed * uy
    if sds[1] > 0.0:
        cos, sin = math.cos(sds[1] * of_angle), math.sin(sds[1] * of_angle)
        vx, vy = cos * vx - sin * vy, sin * vx + cos * vy
    return vx + sds[2] * of_vx, vy + sds[3] * of_vy


@kernel(typeof((0.0, 0.0))(float64, float64, float64, VECTOR, RNG))
def noisy_velocity(vx: float, vy: float, cap: float, sds: Array, rng: Rng) -> tuple[float, float]:
    """`velocity_with_errors` that are drawn; nothing is drawn for a standard deviation of 0."""
    of_speed = rng.standard_normal() if sds[0] > 0.0 else 0.0
    of_angle = rng.standard_normal() if sds[1] > 0.0 else 0.0
    of_vx = rng.standard_normal() if sds[2] > 0.0 else 0.0
    of_vy = rng.standard_normal() if sds[3] > 0.0 else 0.0
    return velocity_with_errors(vx, vy, cap, sds, of_speed, of_angle, of_vx, of_vy)
