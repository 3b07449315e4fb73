"""The scale of returns in an environment: from the random policy to the optimum or a reference."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bonspiel import envs

OPTIMUM, REFERENCE, BEST = "optimum", "reference", "best of the run"  # the policy with the normalised score 1
SCORE = "normalised score"


class Scale(NamedTuple):
    """The returns that have the normalised scores 0 and 1 in an environment.

    Attributes:
        low: the random policy's.
        high: that of `top`.
        top: OPTIMUM, REFERENCE (it can be exceeded), or BEST where neither is known.
    """

    low: float
    high: float
    top: str

    @property
    def name(self) -> str:
        """The name of a score on this scale; a top other than the optimum is part of it."""
        return SCORE if self.top == OPTIMUM else f"{SCORE} ({self.top})"

    def scores(self, returns: Any) -> Any:
        """The normalised scores of a return or an array of returns."""
        return (returns - self.low) / (self.high - self.low)


class Known(NamedTuple):
    """Values of an environment that are known without a run, None for unknown ones.

    Attributes:
        optimum: of the optimal policy.
        random: of the uniformly random policy.
        reference: of a planner with a large budget, where the optimum is not known.
    """

    optimum: float | None = None
    random: float | None = None
    reference: float | None = None

    @property
    def levels(self) -> dict[str, float]:
        """The known ones among them, by name."""
        values = {OPTIMUM: self.optimum, REFERENCE: self.reference, "random policy": self.random}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def scale(self) -> Scale | None:
        """The scale of normalised scores, None without the random policy or without an optimum or a reference."""
        top = OPTIMUM if self.optimum is not None else REFERENCE
        high = self.levels.get(top)
        return None if self.random is None or high is None else Scale(self.random, high, top)


def known(env: str) -> Known:
    """The known values of an environment, given as text."""
    from bonspiel.envs.optimal import optimal_value, random_value
    from bonspiel.envs.references import reference

    model = envs.parse(env)

    def value_or_none(value: Callable[[Any], float]) -> float | None:
        try:
            return value(model)
        except TypeError:
            return None

    optimum = value_or_none(optimal_value)
    measured = reference(model) if optimum is None else None
    return Known(optimum, value_or_none(random_value), measured and measured.mean)
