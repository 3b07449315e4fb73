"""The throw of an aim with errors of execution, compiled; `curling.ice.noise` holds their standard deviations."""

import math

import numpy as np

from bonspiel.planners.jit import RNG, VECTOR, float64, helper, kernel, typeof
from bonspiel.planners.model import Array, Rng

MOST_DEVIATE = 3.5  # beyond which Student's t is cut


@helper
def students(deviate: float, freedom: float) -> float:
    """The error, in standard deviations, of a standard normal deviate; Student's t, or Gaussian for a freedom of 0.

    Errors and deviates have the same order, so that quasi-random deviates are quasi-random errors. The formula is
    Wallace's (1959): from 3 degrees of freedom on within 4 % up to a deviate of 2.5, and 12 % up to MOST_DEVIATE.
    """
    if freedom == 0.0:
        return deviate
    normal = min(abs(deviate), MOST_DEVIATE) * (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0)
    size = math.sqrt((freedom - 2.0) * math.expm1(normal * normal / freedom))
    return size if deviate >= 0.0 else -size


def deviates_of(errors: Array, freedom: float) -> Array:
    """The standard normal deviates of errors in standard deviations: the inverse of `students`, not compiled."""
    if freedom == 0.0:
        return errors
    normal = np.sqrt(freedom * np.log1p(errors * errors / (freedom - 2.0)))
    found: Array = np.sign(errors) * normal * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    return found


@helper
def velocity_with_errors(
    vx: float, vy: float, cap: float, sds: Array, of_speed: float, of_angle: float, of_vx: float, of_vy: float
) -> tuple[float, float]:
    """The thrown velocity, m/s, of an aim at (vx, vy), whose speed is first capped, as the servers do.

    `cap` is the largest speed of an aim, m/s, `sds` are `Noise.params`; the errors are standard normal deviates.
    """
    freedom = sds[4]
    of_speed, of_angle = students(of_speed, freedom), students(of_angle, freedom)
    of_vx, of_vy = students(of_vx, freedom), students(of_vy, freedom)
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
