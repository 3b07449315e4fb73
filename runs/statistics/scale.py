"""The scale of returns in an environment: from the better of doing nothing and random to the optimum or a reference."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bonspiel.runs.plants import plant_of

# what has the normalised score 1
OPTIMUM, REFERENCE, BOUND, BEST = "optimum", "reference", "upper bound", "best of the run"
DO_NOTHING, RANDOM = "do nothing", "random policy"  # of which the better one has the normalised score 0
CONSTANT = "constant action"
SCORE = "normalised score"

NO_SCALE = "no return is known that clearly exceeds the better of doing nothing and random actions"

LEAST_SHARE = 1e-3  # of the distance between the worse of the two and the top; less is the noise of simulations
ROUNDING = 1e-9  # of the larger of two returns, by which equal ones may differ


class Scale(NamedTuple):
    """The returns that have the normalised scores 0 and 1 in an environment.

    Attributes:
        low: that of `zero`.
        high: that of `top`, above `low`.
        top: OPTIMUM, REFERENCE (it can be exceeded), BOUND (none can reach it), or BEST where none is known.
        zero: RANDOM or DO_NOTHING, the better one of those that are known.
        constant: the return of the best constant action, None where it is not known; it has no part in the scale.
        zero_played: whether `low` is the mean of episodes of the run, not a known value.
    """

    low: float
    high: float
    top: str
    zero: str = RANDOM
    constant: float | None = None
    zero_played: bool = False

    @property
    def name(self) -> str:
        """The name of a score on this scale; a top other than the optimum is part of it."""
        return SCORE if self.top == OPTIMUM else f"{SCORE} ({self.top})"

    def scores(self, returns: Any) -> Any:
        """The normalised scores of a return or an array of returns."""
        return (returns - self.low) / (self.high - self.low)


class Known(NamedTuple):
    """Values of an environment that are known without a run, None for unknown ones.

    Those of planners have the planners' names.

    Attributes:
        optimum: of the optimal policy.
        random: of the uniformly random policy.
        reference: of a planner with a large budget, where the optimum is not known.
        do_nothing: of the action that does nothing.
        constant: of the best constant action.
        bound: that no policy exceeds, where the optimum is not known.
    """

    optimum: float | None = None
    random: float | None = None
    reference: float | None = None
    do_nothing: float | None = None
    constant: float | None = None
    bound: float | None = None

    @property
    def levels(self) -> dict[str, float]:
        """The known ones among them, by name."""
        values = {
            OPTIMUM: self.optimum,
            REFERENCE: self.reference,
            BOUND: self.bound,
            CONSTANT: self.constant,
            RANDOM: self.random,
            DO_NOTHING: self.do_nothing,
        }
        return {name: value for name, value in values.items() if value is not None}

    @property
    def top(self) -> str | None:
        """OPTIMUM, REFERENCE or BOUND, None where none is known."""
        return next((name for name in (OPTIMUM, REFERENCE, BOUND) if name in self.levels), None)

    @property
    def zero(self) -> str | None:
        """The better one of RANDOM and DO_NOTHING, None where neither is known; of equals RANDOM."""
        found = [name for name in (RANDOM, DO_NOTHING) if name in self.levels]
        return max(found, key=self.levels.__getitem__, default=None)

    def scale_to(self, top: str, high: float) -> Scale | None:
        """The scale of normalised scores up to a return, None without a zero clearly below it.

        That is by more than LEAST_SHARE of its distance from the worse of doing nothing and random, and by more than
        ROUNDING: scores divide by the difference.
        """
        if self.zero is None:
            return None
        low = self.levels[self.zero]
        worst = min(self.levels[name] for name in (RANDOM, DO_NOTHING) if name in self.levels)
        if high - low <= max(LEAST_SHARE * (high - worst), ROUNDING * max(abs(high), abs(low))):
            return None
        return Scale(low, high, top, self.zero, self.constant)

    @property
    def scale(self) -> Scale | None:
        """The scale of normalised scores up to `top`, None without one of its ends or between almost equal ones."""
        return None if self.top is None else self.scale_to(self.top, self.levels[self.top])


def known(env: str) -> Known:
    """The known values of an environment, given as text."""
    from bonspiel.envs.optimal import constant_value, do_nothing_value, optimal_value, random_value, upper_bound
    from bonspiel.envs.references import reference

    if (model := plant_of(env)) is None:
        return Known()

    def value_or_none(value: Callable[[Any], float]) -> float | None:
        try:
            return value(model)
        except TypeError:
            return None

    optimum = value_or_none(optimal_value)
    measured = reference(model) if optimum is None else None
    do_nothing, constant = map(value_or_none, (do_nothing_value, constant_value))
    bound = value_or_none(upper_bound) if optimum is None else None
    return Known(optimum, value_or_none(random_value), measured and measured.mean, do_nothing, constant, bound)
