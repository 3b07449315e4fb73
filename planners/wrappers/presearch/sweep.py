"""The sweep over a grid of aims: the values found, smoothed by the noise, and their peaks."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.core.aims import aims_of
from bonspiel.planners.core.argmax import ranked
from bonspiel.planners.model import AimBlock, Array, Rng


class Sweep(NamedTuple):
    """A grid of aims and their values for the player to move.

    Attributes:
        blocks: the grid.
        raw: mean value of each aim as it is, [rows, columns] for each block; NaN where there was no time for it.
        smooth: expected value of aiming there, in the same form.
        simulations: number that the sweep took.
        invalid: rollouts of these that were invalid.
    """

    blocks: list[AimBlock]
    raw: list[Array]
    smooth: list[Array]
    simulations: int
    invalid: int = 0


def smoothed(values: Array, weights: Array, sd: tuple[float, float]) -> Array:
    """Expected values of aims if the execution is off by a Gaussian of this sd in grid steps.

    Args:
        values: [rows, columns].
        weights: of the values, 0 for none, [rows, columns].
        sd: along rows' and columns' axes.

    Returns:
        [rows, columns], NaN where nothing near is known.
    """
    from scipy.ndimage import gaussian_filter  # late: its import takes as long as numba's

    known = np.where(weights > 0.0, values, 0.0)
    total = gaussian_filter(weights * known, sd, mode="nearest", truncate=3.0)
    weight = gaussian_filter(weights, sd, mode="nearest", truncate=3.0)
    return np.where(weight > 1e-9, total / np.maximum(weight, 1e-9), np.nan)


def sweep_of(blocks: list[AimBlock], values: Array, counts: Array, simulations: int) -> Sweep:
    """The sweep with these values of all aims, block after block, each the mean of `counts` evaluations, [aims]."""
    raw, smooth, at = [], [], 0
    for block in blocks:
        shape = block.actions.shape[:2]
        here = slice(at, at + shape[0] * shape[1])
        at = here.stop
        raw.append(np.where(counts[here] > 0.0, values[here], np.nan).reshape(shape))
        smooth.append(smoothed(values[here].reshape(shape), counts[here].reshape(shape), block.sd))
    return Sweep(blocks, raw, smooth, simulations)


def peaks(sweep: Sweep, most: int, rng: Rng) -> Array:
    """The aims at the highest local maxima of the smoothed values, best first, an sd apart at least, [<= most, dim].

    Equals are in random order: on a plateau every aim is a maximum. Some of all aims where no value is known: there was
    no time, or the search among them refuses rewards that are no numbers.
    """
    from scipy.ndimage import maximum_filter

    maxima = []
    for index, (block, smooth) in enumerate(zip(sweep.blocks, sweep.smooth, strict=True)):
        values = np.nan_to_num(smooth, nan=-np.inf)
        apart = np.maximum(1.0, block.sd)
        reach = [2 * int(step) + 1 if sd > 0.0 else 1 for step, sd in zip(apart, block.sd, strict=True)]
        top = (values == maximum_filter(values, reach, mode="nearest")) & np.isfinite(values)
        maxima += [(float(values[at]), index, np.array(at), apart) for at in zip(*np.nonzero(top), strict=True)]
    chosen: list[tuple[int, NDArray[np.int64]]] = []
    for rank in ranked(np.array([value for value, *_ in maxima]), rng):
        _, index, at, apart = maxima[rank]
        if all(other != index or (abs(at - place) > apart).any() for other, place in chosen):
            chosen.append((index, at))
        if len(chosen) == most:
            break
    if not chosen:
        aims = aims_of(sweep.blocks)
        return aims[:: math.ceil(len(aims) / most)]
    return np.array([sweep.blocks[index].actions[tuple(at)] for index, at in chosen])


def grid_size(affordable: int, most: int) -> int:
    """The largest of most, most / sqrt 2, most / 2, ... that is affordable; few sizes, so that grids can be kept."""
    halvings = math.ceil(max(0.0, 2.0 * math.log2(most / max(affordable, 1))))
    return max(1, round(most / 2.0 ** (halvings / 2.0)))
