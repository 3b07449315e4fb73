"""Gaussian distributions of action sequences within the bounds of a model's actions, and rounds of draws."""

import functools
import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from bonspiel.planners.checks import (
    check_action,
    require_at_least,
    require_choice,
    require_count,
    require_positive,
    steps_left,
)
from bonspiel.planners.core.passed import StepsPassed
from bonspiel.planners.do_nothing import null_action
from bonspiel.planners.kinds import kind_codes
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, check_plan
from bonspiel.planners.sequences.plans import SequenceSearch, plan_with_sequences, round_size
from bonspiel.planners.sequences.smooth import DEGREES, Knots, Rates


@functools.lru_cache(maxsize=64)
def _amplitudes(steps: int, beta: float) -> Array:
    """f^(-beta / 2) of the frequencies f of a sequence, scaled for a variance of 1 at every step, [steps // 2 + 1]."""
    amplitudes = np.maximum(np.arange(steps // 2 + 1.0), 1.0) ** (-0.5 * beta)
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


@dataclass(frozen=True, kw_only=True)
class GaussianPlanner(SequenceSearch):
    """A search that draws sequences from a Gaussian, and how that begins.

    Args:
        octaves: with 0, as in the papers, all sequences of a round have one deviation, so that a box of actions wider
            than needed makes all of them too wild. With more, half of the sequences have their deviation divided by
            2^u, u uniform in [0, octaves] and drawn for each; at least 0. `Gaussian` has the details.
        start: action of all steps with which the mean begins: "middle" of the range, or "null", the one that does
            nothing (see `planners.do_nothing`).
        knots: of a plan, whose values are searched in place of every action, so that it is smoother; at least 2; none,
            or not fewer than the plan has steps: every action. `beta` is then the colour of the knots' noise.
        interpolation: between the knots: "hold" keeps each for an equal part of the plan, "linear", or "cubic", a
            natural spline. Booleans and categoricals always hold.
        rate_cost: what a change by a coordinate's whole range from one action to the next costs within the search; with
            the square of the part, and discounted as rewards are; at least 0. The values of the decision are returns
            without it. It begins with the action that the episode's last decision means for the step before.
        rate_limit: largest such change in a step, as a part of the range, above 0 and at most 1; none: no limit. Of
            integers it is rounded down, to 1 at least; booleans and categoricals have none.
    """

    octaves: float = 0.0
    start: Literal["middle", "null"] = "middle"
    knots: int | None = None
    interpolation: Literal["hold", "linear", "cubic"] = "linear"
    rate_cost: float = 0.0
    rate_limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        require_at_least("octaves", self.octaves, 0.0)
        require_choice("start", self.start, ("middle", "null"))
        if self.knots is not None:
            require_count("knots", self.knots, 2)
        require_choice("interpolation", self.interpolation, tuple(DEGREES))
        require_at_least("rate_cost", self.rate_cost, 0.0)
        if self.rate_limit is not None:
            require_positive("rate_limit", self.rate_limit, 1.0)


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
        scales: Array = self.widest * 2.0**-exponents
        return scales

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


class GaussianRounds(ABC):
    """The rounds of a decision: sequences drawn from a Gaussian, which moves by what they return.

    A round that is less than half done when the budget ends moves nothing.

    Args:
        planner: whose parameters apply; annotated with its type where `move` is defined.
        gaussian: to draw from and to move.
        size: sequences in a round.
    """

    n_finalists: ClassVar[int] = 1

    def __init__(self, planner: Any, gaussian: Gaussian, size: int) -> None:
        self.planner, self.gaussian, self.size = planner, gaussian, size

    def resize(self, simulations: int) -> None:
        """Size the rounds for a decision of so many rollouts."""
        planner, budget = self.planner, Budget(simulations)
        self.size = round_size(planner.population, planner.rounds, planner.repeats, budget, self.n_finalists)

    def propose(self) -> Array:
        """The sequences of the next round, [size, steps, action_dim]."""
        return self.gaussian.draw(self.size)

    def learn(self, actions: Array, returns: Array) -> None:
        """Move the Gaussian by the sequences that were rolled out, [n, steps, action_dim], if they are enough."""
        if 2 * len(returns) >= self.size:
            self.move(actions, returns)

    @abstractmethod
    def move(self, actions: Array, returns: Array) -> None:
        """Move the Gaussian by sequences, [n, steps, action_dim], and their mean returns, [n]."""

    def finalists(self) -> Array:
        """The mean sequence, [1, steps, action_dim]."""
        return self.gaussian.sequence()[None]

    def recall(self, last: Self, passed: int) -> None:
        """Start from what the last decision's rounds learned, `passed` steps ago, as far as the memory goes."""
        self.gaussian.recall(last.gaussian, self.planner.memory, passed)


def shifted(actions: Array, passed: int, steps: int) -> Array:
    """Sequences, [n, any, action_dim], without their first steps that have `passed`, [n, steps, action_dim].

    The last action is repeated where they are too short.
    """
    return actions[:, np.minimum(np.arange(passed, passed + steps), actions.shape[1] - 1)]


class GaussianSearch:
    """The decisions of an episode, each by as many rounds of sequences from a Gaussian as its budget allows.

    The mean starts with the planner's `start`, or nearer to that of the last decision as the planner remembers it. The
    deviation starts anew, as in the papers.

    Args:
        rounds: the rule that moves the Gaussian.
        planner: a `GaussianPlanner` with `population`, `rounds`, `sd`, `beta` and `memory`.
        model: see `planners.Planner.plan`.
        of_kinds: the distribution for a model whose actions are not all real; none for planners that refuse it.

    Attributes:
        last: the rounds of the last decision.
        before: the action of the step before the last decision, [action_dim], or None; with a cost or limit of changes.
        step: steps from the first decision to the last, with a memory.
    """

    def __init__(
        self, rounds: type[GaussianRounds], planner: Any, model: Model, of_kinds: type[Gaussian] = Gaussian
    ) -> None:
        self.rounds, self.planner, self.model = rounds, planner, model
        self.made = Gaussian if len(kind_codes(model)) == 0 else of_kinds
        self.last: GaussianRounds | None = None
        self.before: Array | None = None
        self.rated = planner.rate_cost > 0.0 or planner.rate_limit is not None
        self._decided: Array | None = None
        self._told: Array | None = None
        self.passed = StepsPassed(model)
        self.step = 0

    def plan(self, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose an action; see `planners.EpisodeSearch.plan`."""
        start = time.perf_counter()
        planner, model = self.planner, self.model
        state = check_plan(planner, model, state, budget, rng, root_actions)
        passed = self.passed.to(state) if planner.memory > 0.0 or self.rated else 0
        before = self._action_before(passed)
        rates = self._rates(before)
        gaussian = self._gaussian(steps_left(model, state, planner.lookahead), rng, rates)
        size = round_size(planner.population, planner.rounds, planner.repeats, budget, self.rounds.n_finalists)
        rule = self.rounds(planner, gaussian, size)
        if self.last is not None and planner.memory > 0.0:
            rule.recall(self.last, passed)
        costs = rates.costs if rates is not None and planner.rate_cost > 0.0 else None
        decision = plan_with_sequences(rule, planner.repeats, model, state, budget, rng, start, planner.sight, costs)
        self.last, self.before, self._decided, self._told = rule, before, decision.plan, None
        self.step += passed
        self.passed.decided()
        return decision

    def start_from(self, plan: Array) -> None:
        """Begin with a plan, [any, action_dim], as if the last decision's mean had been that."""
        gaussian = self._gaussian(len(plan), np.random.default_rng(0), None)
        gaussian.certain(plan)
        self.last, self.passed = self.rounds(self.planner, gaussian, 1), StepsPassed(self.model)
        self.before = self._decided = None

    def played(self, action: Array) -> None:
        """Hear which action was played in the step before the next decision; see `planners.EpisodeSearch`."""
        self._told = check_action(self.model, action)

    def _action_before(self, passed: int) -> Array | None:
        """The action of the step before, as the last decision meant it if nobody told another one; None if unknown."""
        if self._told is not None or self._decided is None:
            return self._told
        return self.before if passed == 0 else self._decided[min(passed, len(self._decided)) - 1]

    def _rates(self, before: Array | None) -> Rates | None:
        planner = self.planner
        near = 1.0 if planner.sight is None else 1.0 - 1.0 / planner.sight
        discount = near * self.model.discount
        return Rates(self.model, planner.rate_cost, planner.rate_limit, discount, before) if self.rated else None

    def _gaussian(self, steps: int, rng: Rng, rates: Rates | None) -> Gaussian:
        planner = self.planner
        some = planner.knots is not None and planner.knots < steps
        knots = Knots(steps, planner.knots, planner.interpolation) if some else None
        return self.made(self.model, steps, planner.sd, planner.beta, rng, planner.octaves, planner.start, knots, rates)
