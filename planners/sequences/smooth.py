"""Smooth sequences of actions: by a few knots, and by a cost and a limit of the change between consecutive actions."""

import functools

import numpy as np

from bonspiel.planners.kinds import INTEGER, REAL, different, kind_codes
from bonspiel.planners.model import Array, Model

DEGREES = {"hold": 0, "linear": 1, "cubic": 3}


@functools.lru_cache(maxsize=128)
def _matrices(steps: int, knots: int, interpolation: str) -> tuple[Array, Array]:
    from scipy.interpolate import make_interp_spline  # late: its import takes as long as numba's

    degree = DEGREES[interpolation]
    times = np.arange(knots) * steps / knots if degree == 0 else np.linspace(0.0, steps - 1.0, knots)
    spline = make_interp_spline(times, np.eye(knots), degree, bc_type="natural" if degree == 3 else None)
    actions: Array = spline(np.arange(steps))
    return actions, np.asarray(np.linalg.pinv(actions), np.float64)


class Knots:
    """Sequences whose actions are interpolated between the values at a few knots, of which they are linear functions.

    A knot that holds stands at the first step of its part of the sequence, and all parts are equally long. Of the other
    interpolations the first knot is the first action, and the last one the last. The cubic spline is a natural one.

    Args:
        steps: of a sequence.
        count: of knots, at least 2, and fewer than the steps.
        interpolation: "hold", "linear" or "cubic".
    """

    def __init__(self, steps: int, count: int, interpolation: str) -> None:
        self.count = count
        self._actions, self._knots = _matrices(steps, count, interpolation)

    def spread(self, values: Array) -> Array:
        """The sequences of values at the knots, [..., count, dim], as [..., steps, dim]."""
        return self._actions @ values

    def nearest(self, sequences: Array) -> Array:
        """The values at the knots, [..., count, dim], whose sequences are nearest by least squares."""
        return self._knots @ sequences


class Rates:
    """The change from one action to the next, which may have a cost and a limit.

    Args:
        model: whose actions they are.
        cost: of the square of a change by the whole range of a coordinate.
        limit: largest change in a step, as a part of the range, or None. Of integers it is rounded down, to 1 at least;
            booleans and categoricals have none.
        discount: of the cost of each step in relation to the step before.
        last: the action of the step before the sequence, [action_dim]; None if unknown, and the first one is free.
        other: one that may have been the last instead, from which the first action keeps the limit as well, or None.
    """

    def __init__(
        self,
        model: Model,
        cost: float,
        limit: float | None,
        discount: float,
        last: Array | None,
        other: Array | None = None,
    ) -> None:
        self.model, self.cost, self.discount, self.last, self.other = model, cost, discount, last, other
        span, codes = model.action_high - model.action_low, kind_codes(model)
        self.scale = np.divide(1.0, span, out=np.zeros(len(span)), where=span > 0.0)
        self.largest = None if limit is None else limit * span
        if self.largest is not None and len(codes) > 0:
            whole = np.where(codes == INTEGER, np.maximum(np.floor(self.largest), 1.0), np.inf)
            self.largest = np.where(codes == REAL, self.largest, whole)

    def limited(self, sequences: Array) -> Array:
        """Sequences of actions within the bounds, [..., steps, action_dim], each action as near as the limit allows."""
        if self.largest is None:
            return sequences
        sequences, before = sequences.copy(), [self.last, self.other]
        for t in range(sequences.shape[-2]):
            now = sequences[..., t, :]
            for last in before:
                if last is not None:
                    np.minimum(np.maximum(now, last - self.largest, out=now), last + self.largest, out=now)
            before = [now]
        return sequences

    def costs(self, sequences: Array) -> Array:
        """The costs, [n], of the changes in sequences, [n, steps, action_dim]."""
        before = np.roll(sequences, 1, axis=1)
        before[:, 0] = sequences[:, 0] if self.last is None else self.last
        changes = different(self.model, sequences, before, self.scale)
        costs: Array = (changes**2).sum(2) @ (self.cost * self.discount ** np.arange(sequences.shape[1]))
        return costs
