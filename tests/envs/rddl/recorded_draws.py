"""The draws of pyRDDLGym's simulator, recorded for each random expression, and a step that draws the same."""

from typing import Any

import numpy as np

from bonspiel.envs.rddl.actions import Actions
from bonspiel.envs.rddl.domain import Domain
from bonspiel.envs.rddl.oracle import Interpreter
from bonspiel.envs.rddl.source import write_source


class RecordingGenerator:
    """A generator that draws what pyRDDLGym asks for from basic distributions, and keeps those draws."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.kept: dict[int, Any] = {}
        self.expressions: list[int] = []  # that are evaluated, the innermost last

    def _keep(self, values: Any) -> Any:
        self.kept[self.expressions[-1]] = np.ravel(values)
        return values

    def normal(self, loc: Any, scale: Any) -> Any:
        return loc + scale * self._keep(self._rng.standard_normal(np.broadcast(loc, scale).shape))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        shape = np.broadcast(low, high).shape if size is None else size
        return low + (high - low) * self._keep(self._rng.random(shape))

    def random(self, size: Any) -> Any:
        return self._keep(self._rng.random(size))

    def exponential(self, scale: Any) -> Any:
        return scale * self._keep(self._rng.standard_exponential(np.shape(scale)))

    def gamma(self, shape: Any, scale: Any) -> Any:
        return scale * self._keep(self._rng.standard_gamma(shape))

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **named: self._keep(getattr(self._rng, name)(*given, **named))


class ReplayedDraw:
    """Stands for a generator: whatever is drawn is the draw that was recorded."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self._value


class Compared:
    """One step of a problem by both programs, with the same draws."""

    def __init__(self, domain: Domain, actions: Actions) -> None:
        self.interpreter = Interpreter(domain, actions)
        source = write_source(domain, actions, lambda expression, at: f"rng.at({expression.id}, {at})")
        functions: dict[str, Any] = {}
        plain = "compiled = lambda role: lambda function: function"
        exec(source.text.replace("from bonspiel.planners.jit import compiled", plain), functions)
        self._step, self._params, self._simulator = functions["step"], source.params, domain.simulator
        self._sample = domain.simulator._sample_random
        domain.simulator._sample_random = self._recorded

    def step(self, state: Any, action: Any, rng: np.random.Generator) -> tuple[Any, Any]:
        """(next state, reward, over) of pyRDDLGym, and ours; NaN is no value that a step writes."""
        self._draws = RecordingGenerator(rng)
        theirs, ours = np.full_like(state, np.nan), np.full_like(state, np.nan)
        with np.errstate(all="ignore"):
            found = self.interpreter.step(state, action, theirs, np.zeros(1), self._draws)  # type: ignore[arg-type]
            mine = self._step(state, action, ours, self._params, self)
        return (theirs, *found), (ours, *mine)

    def at(self, expression: int, position: int) -> ReplayedDraw:
        """The draw that pyRDDLGym made for an expression's objects; a branch that it did not take has none."""
        kept = self._draws.kept.get(expression)
        return ReplayedDraw(0.5 if kept is None else kept[int(position)])

    def _recorded(self, expression: Any, values: Any) -> Any:
        self._draws.expressions.append(expression.id)
        try:
            return self._sample(expression, values)
        finally:
            self._draws.expressions.pop()
