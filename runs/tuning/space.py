"""The space to tune a planner in: the parameters that its text leaves open, with the values a model allows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bonspiel import planners
from bonspiel.envs.baselines import random_returns
from bonspiel.planners import Model
from bonspiel.planners.aliases import renamed
from bonspiel.planners.core.text import read
from bonspiel.planners.spaces import Choice, Range
from bonspiel.runs.experiment import UsageError, parsed, planner_for

Values = Mapping[str, object]
"""Values of parameters, by name."""


PLANS = 100
"""Random plans whose returns give their spread."""


def returns_spread(model: Model) -> float:
    """The standard deviation of the valid returns of random plans, two significant digits; 0 where they are equal."""
    returns = random_returns(model, PLANS, np.random.default_rng(0))
    returns = returns[np.isfinite(returns)]
    if len(returns) < 2:
        raise UsageError(f"{type(model).__name__}: {len(returns)} of {PLANS} random plans have a finite return")
    sd, rounding = float(np.std(returns)), 1e-9 * float(np.abs(returns).max())
    return float(f"{sd:.2g}") if sd > rounding else 0.0


class Space:
    """The parameters to choose for a planner.

    Args:
        start: NAME[:key=value,...]; the parameters in it stay as they are.
        model: the model to search. Values that it does not support there are left out, such as rollouts
            where the model has none.
        spread: of the model's returns, the unit of the ranges that are `of_returns`; 1 in place of 0.

    Attributes:
        start, spread: as given.
        parameters: the range or choice of each parameter that is left open.
    """

    def __init__(self, start: str, model: Model, spread: float) -> None:
        """Find the open parameters."""
        planner = planner_for(start, model, type(model).__name__)
        declared = getattr(planner, "tuning", None)
        if not declared:
            raise UsageError(
                f"{start} does not say what to tune: give {type(planner).__name__} a class attribute such as "
                "tuning = {'c': Range(0.1, 10.0)}, with Range and Choice of bonspiel.planners.spaces"
            )
        given = renamed(type(planner), read(start)[1])
        self.start, self.spread = start, spread
        self._before = f"{start}," if given else f"{start}:"
        self.parameters = {
            key: self._allowed(key, _in_returns(values, spread or 1.0), model)
            for key, values in declared.items()
            if key not in given and (key != "lookahead" or _lengths(values, model))
        }
        if not self.parameters:
            raise UsageError(f"{start!r} leaves nothing to tune; leave out one of {', '.join(declared)}")

    def _allowed(self, key: str, values: Range | Choice, model: Model) -> Range | Choice:
        """The values of a parameter that planner and model allow."""
        tried = (values.low, values.high) if isinstance(values, Range) else values.values
        try:
            made = [(value, parsed(planners.parse, f"{self._before}{key}={value}")) for value in tried]
        except UsageError as error:
            raise UsageError(f"{self.start}: its `tuning` says {key}: {values}, but {error}") from error
        if isinstance(values, Range):
            return values
        able = [value for value, planner in made if not planners.unsupported(planner, model)]
        if key == "lookahead":  # no plan is longer than the episode
            able = [*_lengths(values, model), None]
        return Choice(tuple(able) or values.values)

    def text(self, values: Values) -> str:
        """The planner with these values: numbers of a range with two significant digits, more where two leave it."""
        written = (f"{key}={_rounded(value, self.parameters[key])}" for key, value in values.items())
        return self._before + ",".join(written)


def _rounded(value: Any, values: Range | Choice) -> Any:
    if isinstance(values, Choice):
        return value
    texts = (f"{value:.{digits}g}" for digits in range(2, 17))
    return next((text for text in texts if values.low <= float(text) <= values.high), value)


def _lengths(values: Range | Choice, model: Model) -> list[int]:
    """The lengths among these values that make a plan in this model shorter."""
    longest = getattr(model, "lookahead", None) or model.horizon
    return [value for value in getattr(values, "values", ()) if value is not None and value < longest]


def _in_returns(values: Range | Choice, spread: float) -> Range | Choice:
    if isinstance(values, Choice) or not values.of_returns:
        return values
    return replace(values, low=spread * values.low, high=spread * values.high)
