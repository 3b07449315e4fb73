"""Gaussian distributions of action sequences within the bounds of a model's actions."""

import functools
import math

import numpy as np

from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.sequences.smooth import Knots, Rates


@functools.lru_cache(maxsize=64)
def _amplitudes(steps: int, beta: float) -> Array:
    """f^(-beta / 2) of the frequencies f of a sequence, scaled for a variance of 1 at every step, [steps // 2 + 1]."""
    # numpy's power rounds differently from processor to processor
    amplitudes = np.array([math.pow(max(f, 1.0), -0.5 * beta) for f in range(steps // 2 + 1)])
    weights = np.full(len(amplitudes), 4.0)  # a frequency and its mirror image, each with a sine and a cosine
    weights[0] = 1.0
    if steps % 2 == 0:
        weights[-1] = 1.0
    scaled: Array = amplitudes * steps / np.sqrt((weights * amplitudes**2).sum())
    return scaled


def coloured_noise(shape: tuple[int, ...], beta: float, rng: Rng) -> Array:
    """Gaussian noise of mean 0 and variance 1 whose power falls as f^-beta (Timmer and Koenig 1995), [n, steps, dim].

    White for a beta of 0; the greater beta, the longer an action stays near one value.
    """
    n, steps, dim = shape
    if beta == 0.0 or steps == 1:
        return rng.standard_normal(shape)
    amplitudes = _amplitudes(steps, beta)
    parts = rng.standard_normal((2, n, dim, len(amplitudes)))
    spectrum = amplitudes * (parts[0] + 1j * parts[1])  # irfft ignores the sine of the first and of the last frequency
    return np.ascontiguousarray(np.fft.irfft(spectrum, steps).swapaxes(1, 2))


def shifted(actions: Array, passed: int, steps: int) -> Array:
    """Sequences, [n, any, action_dim], without their first steps that have `passed`, [n, steps, action_dim].

    The last action is repeated where they are too short.
    """
    return actions[:, np.minimum(np.arange(passed, passed + steps), actions.shape[1] - 1)]


class Gaussian:
    """A Gaussian for each step, or knot, and dimension of a sequence; draws are clipped to the bounds of the actions.

    With octaves, half of the sequences have narrower noise, of a log-uniform scale. Before the first fit the other half
    has the deviation `sd`. After it, the narrower half has the fitted deviation as its root mean square, and the other
    half its largest scale, or the search would soon be too narrow to find anything else.

    Args:
        model: whose actions they are.
        steps: of a sequence.
        sd: standard deviation at first, as a part of the range of an action.
        beta: colour of the noise; see `coloured_noise`.
        rng: the source of every random draw.
        octaves: between the largest and the least scale; see `GaussianPlanner`.
        start: see `GaussianPlanner`.
        knots: between which sequences are interpolated; None for a Gaussian of every step.
        rates: the limit that sequences obey; None for none.

    Attributes:
        mean: [steps, action_dim].
        sd: [steps, action_dim], or [knots, action_dim].
        range: of an action, [action_dim].
        widest: scale of the half that is not narrower.
    """

    def __init__(
        self,
        model: Model,
        steps: int,
        sd: float,
        beta: float,
        rng: Rng,
        octaves: float = 0.0,
        start: str = "middle",
        knots: Knots | None = None,
        rates: Rates | None = None,
    ) -> None:
        self.low, self.high, self.beta, self.rng = model.action_low, model.action_high, beta, rng
        self.knots, self.rates = knots, rates
        self.range = self.high - self.low
        middle = 0.5 * (self.low + self.high)
        self.mean = np.repeat([middle if start == "middle" else null_action(model)], steps, axis=0)
        self.sd = np.repeat([sd * self.range], steps if knots is None else knots.count, axis=0)
        self.octaves, self.widest = octaves, 1.0

    def draw(self, n: int) -> Array:
        """N sequences, [n, steps, action_dim]."""
        return self.limited(self.placed(coloured_noise((n, *self.sd.shape), self.beta, self.rng)))

    def limited(self, sequences: Array) -> Array:
        """Sequences within the bounds, [..., steps, action_dim], as the limit of the change allows them."""
        return sequences if self.rates is None else self.rates.limited(sequences)

    def placed(self, noise: Array) -> Array:
        """The sequences of noise of variance 1, [n, *sd.shape], which it may overwrite, within the bounds."""
        noise *= self.sd
        if self.octaves > 0.0:
            noise *= self.scales(len(noise))
        if self.knots is not None:
            noise = self.knots.spread(noise)
        noise += self.mean
        return np.clip(noise, self.low, self.high, out=noise)

    def scales(self, n: int) -> Array:
        """Factors of the deviations of N sequences, [n, 1, 1]."""
        exponents = self.octaves * np.maximum(2.0 * self.rng.random((n, 1, 1)) - 1.0, 0.0)
        return self.widest * np.array([math.exp2(-one) for one in exponents.ravel()]).reshape(exponents.shape)

    def fit(self, elites: Array, momentum: float, least_sd: float) -> None:
        """Move to the mean and the deviation of the elites, [n, steps, action_dim].

        A part `momentum` of the distribution stays, and the deviation is at least `least_sd` of an action's range, or
        with octaves 2^-octaves of that.
        """
        mean = elites.mean(0)
        apart = elites - mean
        sd = np.sqrt(((apart if self.knots is None else self.knots.nearest(apart)) ** 2).mean(0))
        self.move_to(momentum * self.mean + (1.0 - momentum) * mean)
        least = least_sd * 2.0**-self.octaves * self.range
        self.sd = np.maximum(momentum * self.sd + (1.0 - momentum) * sd, least)
        if self.octaves > 0.0:  # the root mean square of 2^-u, u uniform in [0, octaves], is 1 / widest
            nats = 2.0 * math.log(2.0) * self.octaves
            self.widest = math.sqrt(nats / -math.expm1(-nats))

    def move_to(self, mean: Array) -> None:
        """Take a mean of actions within the bounds, [steps, action_dim], which rounding may have put beside them.

        With knots, the sequence that they can express and that is nearest to it.
        """
        if self.knots is not None:
            mean = self.knots.spread(self.knots.nearest(mean))
        self.mean = np.clip(mean, self.low, self.high)

    def sequence(self) -> Array:
        """The mean sequence as actions to play, [steps, action_dim]."""
        return self.limited(self.mean)

    def certain(self, plan: Array) -> None:
        """Take a plan, [steps, action_dim], as the mean."""
        self.mean = plan

    def recall(self, last: "Gaussian", memory: float, passed: int) -> None:
        """Start from what another distribution was `passed` steps ago, as far as the memory goes, in [0, 1]."""
        mean = self.mean
        self.mean = memory * shifted(last.mean[None], passed, len(mean))[0] + (1.0 - memory) * mean
        if self.knots is not None:
            self.move_to(self.mean)
