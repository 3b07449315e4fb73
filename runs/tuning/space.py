"""What is tuned of a planner: the parameters of its space that its text leaves open, with the values a model allows."""

from collections.abc import Mapping

import planners
from planners import Model
from planners.core.text import read
from runs.experiment import UsageError
from runs.suite import parse_text
from runs.tune import SPACES, Choice, Uniform

Values = Mapping[str, object]
"""Values of parameters, by name."""


class Space:
    """The parameters to choose for a planner.

    Args:
        start: NAME[:key=value,...]; what it gives stays as it is.
        model: what the planner is to search. Values that it does not support there are left out, such as rollouts
            where the model has none.

    Attributes:
        start: as given.
        parameters: the range or choice of each parameter that is left open.

    Raises:
        UsageError: the planner is unknown or cannot search the model, or there is nothing to tune.
    """

    def __init__(self, start: str, model: Model) -> None:
        """Find what is left open."""
        parse_text(planners.parse, start)
        if reason := planners.unsupported(planners.parse(start), model):
            raise UsageError(f"{start} cannot search {type(model).__name__}: {reason}")
        name, given = read(start)
        declared = SPACES.get(planners.REGISTRY.aliases.get(name, name))
        if not declared:
            raise UsageError(f"{name} has nothing to tune")
        self.start = start
        self._before = f"{start}," if given else f"{start}:"
        self.parameters = {
            key: self._supported(key, values, model) for key, values in declared.items() if key not in given
        }
        if not self.parameters:
            raise UsageError(f"{start!r} leaves nothing to tune; leave out one of {', '.join(declared)}")

    def _supported(self, key: str, values: Uniform | Choice, model: Model) -> Uniform | Choice:
        if isinstance(values, Uniform):
            return values
        able = [v for v in values.values if not planners.unsupported(planners.parse(f"{self._before}{key}={v}"), model)]
        return Choice(tuple(able) or values.values)

    def text(self, values: Values) -> str:
        """The planner with these values: numbers of a range with two significant digits."""
        written = (
            f"{key}={value:.2g}" if isinstance(self.parameters[key], Uniform) else f"{key}={value}"
            for key, value in values.items()
        )
        return self._before + ",".join(written)
