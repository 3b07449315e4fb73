"""What families share: the generator that draws an instance, matrices without BLAS, and checks of parameters.

An instance is the same on every machine, to the bit: it is made by sums, products, quotients and square roots alone,
in a fixed order, since libraries differ in the last bit of a sine or of a sum in another order.
"""

from typing import Any

import numpy as np

from bonspiel.planners.checks import is_real, require, require_count
from bonspiel.planners.model import Array, Rng

LARGEST_DIM = 16
LONGEST = 200  # steps


def instance_rng(family: str, instance: int, dim: int) -> Rng:
    """The generator that draws an instance; other families, numbers and dimensions have other streams."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([instance, dim, *family.encode()])))


def between(rng: Rng, low: Any, high: Any, size: Any = None) -> Any:
    """Uniform numbers; `rng.uniform` may round them otherwise where a processor multiplies and adds in one."""
    return low + (high - low) * rng.random(size)


def product(left: Array, right: Array) -> Array:
    """The matrix product [n, m] of [n, k] and [k, m]."""
    total = np.zeros((len(left), right.shape[1]))
    for k in range(len(right)):
        total += left[:, k, None] * right[k]
    return total


def rotation(rng: Rng, n: int) -> Array:
    """An orthogonal matrix [n, n]: a rotation in the plane of every two axes, by a quarter turn at most."""
    matrix = np.eye(n)
    for i in range(n):
        for j in range(i + 1, n):
            tangent = 2.0 * rng.random() - 1.0  # of half the angle
            cosine, sine = (
                (1.0 - tangent * tangent) / (1.0 + tangent * tangent),
                2.0 * tangent / (1.0 + tangent * tangent),
            )
            first, second = matrix[i].copy(), matrix[j].copy()
            matrix[i], matrix[j] = cosine * first - sine * second, sine * first + cosine * second
    return matrix


def rotated(rng: Rng, diagonal: Array) -> Array:
    """The symmetric matrix with these eigenvalues on drawn axes, [n, n]."""
    axes = rotation(rng, len(diagonal))
    return product(axes * diagonal, axes.T)


def require_between(name: str, value: Any, low: float, high: float) -> None:
    """Raise ValueError unless the parameter is a number from `low` to `high`."""
    require(is_real(value) and low <= value <= high, name, value, f"from {low:g} to {high:g}")


def check_shared(model: Any) -> None:
    """Check the parameters that all families have.

    Raises:
        ValueError: names the parameter and its limits.
    """
    require_count("instance", model.instance, 0, 2**31 - 1)
    require_count("horizon", model.horizon, 1, LONGEST)
    require_between("width", model.width, 0.01, 100.0)
    require_between("offset", model.offset, -1e6, 1e6)
    require_between("factor", model.factor, 1e-6, 1e6)
