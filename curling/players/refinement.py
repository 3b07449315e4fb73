"""Aims between those of a grid: the values near an aim by quadrature over the errors of execution.

An aim is thrown once with each error of a grid. The mean of the values by the Gaussian weights about a point of that
grid is the value of an aim there: the same throws value many aims.
"""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.curling.dynamics import velocity_of
from bonspiel.curling.ice.execution import deviates_of, velocity_with_errors
from bonspiel.curling.model import Curling
from bonspiel.planners.model import Array

REACH = 3.0  # standard deviations of the errors of each aim that is valued


class ErrorGrid(NamedTuple):
    """Errors along and across an aim, in standard deviations, on a square.

    Attributes:
        step: between neighbours.
        shift: how far from the middle the aims may be that it values.
    """

    step: float
    shift: float

    @property
    def offsets(self) -> Array:
        """The errors of the rows, along, which are those of the columns, across; [n]."""
        most = round((REACH + self.shift) / self.step)
        return np.arange(-most, most + 1.0) * self.step

    @property
    def size(self) -> int:
        """The number of throws."""
        return len(self.offsets) ** 2

    def errors(self, model: Curling, state: Array, aim: Array) -> Array:
        """Return the errors of the throws, as `quasi_random_errors` has them, [size, 4], row after row."""
        along, across = np.meshgrid(self.offsets, self.offsets, indexing="ij")
        return _errors(model, state, aim, along.ravel(), across.ravel())

    def best(self, model: Curling, state: Array, aim: Array, values: Array) -> Array:
        """Return the best aim near another one, by the values of the throws, [size]."""
        from scipy.ndimage import gaussian_filter  # late: its import takes as long as numba's

        n, most = len(self.offsets), round(self.shift / self.step)
        near = slice(n // 2 - most, n // 2 + most + 1)
        means = gaussian_filter(values.reshape(n, n), 1.0 / self.step, truncate=REACH)[near, near]
        row, column = np.unravel_index(np.argmax(means), means.shape)
        (errors,) = _errors(model, state, aim, self.offsets[near][[row]], self.offsets[near][[column]])
        player = model.thrower(state)
        velocity = velocity_of(aim, model.params)
        vx, vy = velocity_with_errors(*velocity, player.max_speed, player.noise.params, *errors)
        return np.clip(model.aim(vx, vy, aim[2]), model.action_low, model.action_high)


STEPS = (ErrorGrid(0.5, 1.5), 8), (ErrorGrid(0.2, 0.6), 4)  # one after the other, each near this many of the best aims
MOST_REFINED = sum(most for _, most in STEPS)


def _errors(model: Curling, state: Array, aim: Array, along: Array, across: Array) -> Array:
    """Deviates of the errors of speed, angle, vx and vy that make up these of the velocity, [n, 4]."""
    noise, speed = model.thrower(state).noise, math.hypot(*velocity_of(aim, model.params))
    by_angle = noise.angle * speed
    along_sd, across_sd = math.hypot(noise.speed, noise.vy) or 1.0, math.hypot(by_angle, noise.vx) or 1.0
    # a positive error of the angle turns the throw to the left
    parts = along * noise.speed / along_sd, across * by_angle / across_sd, -across * noise.vx / across_sd
    return deviates_of(np.stack([*parts, along * noise.vy / along_sd], axis=-1), noise.freedom)
