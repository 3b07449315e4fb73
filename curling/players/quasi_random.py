"""Quasi-random errors of execution."""

import functools

import numpy as np

from bonspiel.planners.core.values import cached
from bonspiel.planners.model import Array

MOST_ERRORS = 8192


@functools.cache
def sobol() -> Array:
    """Return the points of Sobol's sequence in [0, 1), [MOST_ERRORS, 4]."""
    return cached(f"{MOST_ERRORS} points of Sobol's sequence", (), _compute_sobol)["points"]


def _compute_sobol() -> dict[str, Array]:
    from scipy.stats import qmc  # late: its import takes longer than all else here

    return {"points": qmc.Sobol(4, scramble=False).random(MOST_ERRORS)}


def quasi_random_errors(shift: Array, first: int, upto: int) -> Array:
    """Errors first..upto-1 of speed, angle, vx and vy in standard deviations, [upto - first, 4].

    They are a Sobol sequence shifted by random numbers, [4], which makes means over the first n of them unbiased
    (Cranley and Patterson 1976).
    """
    from scipy.special import ndtri

    errors: Array = ndtri(np.clip((sobol()[first:upto] + shift) % 1.0, 1e-9, 1.0 - 1e-9))
    return errors
