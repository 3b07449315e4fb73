"""Distributions of sequences of actions that are not all real: Gaussians, rounded for integers, and probabilities.

Booleans and categoricals have a probability of each value at each step, which moves to the frequencies of the elites
(Rubinstein 1999; de Boer, Kroese, Mannor, Rubinstein 2005, section 2.2). They are drawn as coloured as the Gaussians:
the noise of a step, as a place in [0, 1], falls into the share of one value. The order of the shares is drawn for each
sequence, so that no value follows on another one by its number.
"""

import math
from typing import Any

import numpy as np

from bonspiel.planners.kinds import INTEGER, REAL, kind_codes, valid
from bonspiel.planners.model import Array, Model
from bonspiel.planners.sequences.gaussians import Gaussian, coloured_noise, shifted
from bonspiel.planners.sequences.smooth import Knots

_erf = np.vectorize(math.erf, otypes=[float])
KNOTS = np.linspace(-6.0, 6.0, 4_097)
PLACES = 0.5 + 0.5 * _erf(KNOTS / math.sqrt(2.0))


class Mixed(Gaussian):
    """A distribution for each step and dimension of a sequence of actions of any kind; see `Gaussian`.

    Attributes:
        shares: of the values of the coordinates in `unordered`, in order, [steps, values] or [knots, values] each.
        unordered: the coordinates that have shares.
        held: the knots of these coordinates, which hold; None without knots.
    """

    def __init__(self, model: Model, steps: int, sd: float, *more: Any, **named: Any) -> None:
        super().__init__(model, steps, sd, *more, **named)
        codes, self.model = kind_codes(model), model
        half = 0.5 * ((codes == INTEGER) & (self.low < self.high))  # so that the ends are as likely as the rest
        self.low, self.high = self.low - half, self.high + half
        self.range = self.high - self.low
        self.sd = np.repeat([sd * self.range], len(self.sd), axis=0)
        self.held = None if self.knots is None else Knots(steps, len(self.sd), "hold")
        self.unordered = np.flatnonzero((codes != REAL) & (codes != INTEGER)).tolist()
        counts = [int(self.high[k] - self.low[k]) + 1 for k in self.unordered]
        self.shares = [np.full((len(self.sd), count), 1.0 / count) for count in counts]

    def draw(self, n: int) -> Array:
        """N sequences, [n, steps, action_dim]."""
        noise = coloured_noise((n, *self.sd.shape), self.beta, self.rng)
        actions = self.placed(noise.copy())
        for k, shares in zip(self.unordered, self.shares, strict=True):
            orders = self.rng.permuted(np.tile(np.arange(shares.shape[1]), (n, 1)), axis=1)
            ends = np.cumsum(shares[:, orders].swapaxes(0, 1), -1)[..., :-1]  # [n, steps, values - 1]
            rank = (np.interp(noise[:, :, k], KNOTS, PLACES)[..., None] >= ends).sum(-1)
            actions[:, :, k] = self._spread(self.low[k] + np.take_along_axis(orders, rank, 1)[..., None])[..., 0]
        return self.limited(valid(self.model, actions))

    def _spread(self, values: Array) -> Array:
        """Numbers at each knot, [..., knots, numbers], at each step, [..., steps, numbers]."""
        return values if self.held is None else self.held.spread(values)

    def _nearest(self, values: Array) -> Array:
        """The means of numbers at each step, [steps, numbers], at each knot, [knots, numbers]."""
        return values if self.held is None else self.held.nearest(values)

    def fit(self, elites: Array, momentum: float, least_sd: float) -> None:
        """Move to the means, deviations and frequencies of the elites, [n, steps, action_dim]; see `Gaussian.fit`.

        No probability falls below `least_sd` divided by the number of values.
        """
        super().fit(elites, momentum, least_sd)
        for i, k in enumerate(self.unordered):
            count = self.shares[i].shape[1]
            found = self._nearest((elites[:, :, k, None] == self.low[k] + np.arange(count)).mean(0))
            least = min(least_sd, 1.0)
            moved = momentum * self.shares[i] + (1.0 - momentum) * found
            self.shares[i] = (1.0 - least) * moved + least / count

    def sequence(self) -> Array:
        """The mean sequence, rounded, with the likeliest value of each share, equals drawn, [steps, action_dim]."""
        actions = valid(self.model, self.mean)
        for k, shares in zip(self.unordered, self.shares, strict=True):
            tied = self.rng.random(shares.shape) * (shares == shares.max(1, keepdims=True))
            actions[:, k] = self._spread(self.low[k] + tied.argmax(1)[:, None])[:, 0]
        return self.limited(actions)

    def certain(self, plan: Array) -> None:
        """Take a plan, [steps, action_dim], as the mean, and as the only values of booleans and categoricals."""
        super().certain(plan)
        for shares, k in zip(self.shares, self.unordered, strict=True):
            shares[:] = self._nearest(plan[:, k, None] == self.low[k] + np.arange(shares.shape[1]))

    def recall(self, last: Gaussian, memory: float, passed: int) -> None:
        """Start from what another distribution was `passed` steps ago; see `Gaussian.recall`."""
        super().recall(last, memory, passed)
        assert isinstance(last, Mixed)
        for i, shares in enumerate(self.shares):
            now = self._nearest(shifted(last._spread(last.shares[i])[None], passed, len(self.mean))[0])
            self.shares[i] = memory * now + (1.0 - memory) * shares
