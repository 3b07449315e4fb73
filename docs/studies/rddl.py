"""Compiled problems in RDDL beside pyRDDLGym's simulator: equal steps, and steps a second, for docs/guides/rddl.md.

python docs/studies/rddl.py Reservoir_ippc2023:1 HVAC:0 --steps 1000

Without names: the forty instances of the competition of 2023, fifteen domains with real actions, and one, in this
checkout, that draws from every distribution.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit

from bonspiel.envs.rddl import RddlModel, from_rddl
from bonspiel.envs.rddl.actions import Actions
from bonspiel.envs.rddl.domain import Domain, read_domain
from bonspiel.envs.rddl.model import BOUND, Bounds
from bonspiel.envs.rddl.oracle import Interpreter
from bonspiel.envs.rddl.source import write_source
from bonspiel.planners.model import Array

COMPETITION = ("HVAC", "MarsRover", "MountainCar", "UAV", "PowerGen", "Reservoir", "RaceCar", "RecSim")
REAL = (
    "Reacher_physics",
    "Quadcopter_physics",
    "Bicycle_physics",
    "Pendulum_gym",
    "CartPole_Continuous_gym",
    "MountainCar_Continuous_gym",
    "UAV_Continuous",
    "UAV_Mixed",
    "Intruders_Continuous",
    "HVAC",
    "Reservoir_Continuous",
    "PowerGen_Continuous",
    "Navigation_Continuous",
    "Epidemic",
    "Zombies_arcade",
)
DRAWS = "tests/envs/rddl/draws.rddl:tests/envs/rddl/draws_1.rddl"
PROBLEMS = (
    *(f"{name}_ippc2023:{instance}" for name in COMPETITION for instance in range(1, 6)),
    *(f"{name}:0" for name in REAL),
    DRAWS,
)
LARGE = {"RecSim_ippc2023:4": 50, "RecSim_ippc2023:5": 5}  # most steps that are compared: plain Python takes seconds
TOLERANCE = 1e-9


class RecordingGenerator:
    """A generator that draws what pyRDDLGym asks for from basic distributions, and keeps those draws."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.kept: dict[int, tuple[Any, list[Any]]] = {}  # by the expression: draws, and the arguments of each
        self.expressions: list[int] = []  # that are evaluated, the innermost last

    def _keep(self, values: Any, *arguments: Any) -> Any:
        given = [np.ravel(np.broadcast_to(one, np.shape(values))) for one in arguments]
        self.kept[self.expressions[-1]] = np.ravel(values), given
        return values

    def normal(self, loc: Any, scale: Any) -> Any:
        """Draw from normal distributions."""
        return loc + scale * self._keep(self._rng.standard_normal(np.broadcast(loc, scale).shape))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw from uniform distributions."""
        shape = np.broadcast(low, high).shape if size is None else size
        return low + (high - low) * self._keep(self._rng.random(shape))

    def random(self, size: Any) -> Any:
        """Draw from [0, 1)."""
        return self._keep(self._rng.random(size))

    def exponential(self, scale: Any) -> Any:
        """Draw from exponential distributions."""
        return scale * self._keep(self._rng.standard_exponential(np.shape(scale)))

    def gamma(self, shape: Any, scale: Any) -> Any:
        """Draw from gamma distributions."""
        return scale * self._keep(self._rng.standard_gamma(shape), shape)

    def gumbel(self, loc: Any, scale: Any) -> Any:
        """Draw from Gumbel distributions, by uniform draws as numpy does."""
        return loc - scale * np.log(-np.log1p(-self._keep(self._rng.random(np.broadcast(loc, scale).shape))))

    def standard_cauchy(self, size: Any) -> Any:
        """Draw from the standard Cauchy distribution."""
        return self._keep(self._rng.standard_cauchy(size))

    def __getattr__(self, name: str) -> Any:
        def drawn(*given: Any, **named: Any) -> Any:
            return self._keep(getattr(self._rng, name)(*given, **named), *given, *named.values())

        return drawn


class ReplayedDraw:
    """Stands for a generator: whatever is drawn is the draw that was recorded, NaN if its arguments are others."""

    def __init__(self, value: Any, arguments: Sequence[Any] = ()) -> None:
        self._value, self._arguments = value, arguments

    def __getattr__(self, name: str) -> Any:
        def drawn(*given: Any) -> Any:
            same = not self._arguments or np.allclose(given, self._arguments, rtol=TOLERANCE, atol=0.0)
            return self._value if same else np.nan

        return drawn


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
        if (kept := self._draws.kept.get(expression)) is None:
            return ReplayedDraw(0.5)
        values, arguments = kept
        return ReplayedDraw(values[int(position)], [one[int(position)] for one in arguments])

    def _recorded(self, expression: Any, values: Any) -> Any:
        self._draws.expressions.append(expression.id)
        try:
            return self._sample(expression, values)
        finally:
            self._draws.expressions.pop()


def largest_difference(problem: str, steps: int, seed: int = 1) -> float:
    """The largest difference of next states and rewards, relative to values above 1, over random steps.

    Raises:
        ValueError: one program ends an episode, and the other does not.
    """
    name, _, instance = problem.partition(":")
    domain = read_domain(name, instance)
    actions, rng, largest = Actions(domain, Bounds(BOUND).of), np.random.default_rng(seed), 0.0
    compared = Compared(domain, actions)
    start = np.concatenate([*map(domain.values, domain.rddl.state_fluents), np.zeros(1)])
    state, action = start, np.empty(len(actions.low))
    for _ in range(steps):
        compared.interpreter.sample_action(state, action, np.zeros(1), rng)
        (*theirs, over), (*ours, ours_over) = compared.step(state, action, rng)
        if over != ours_over:
            raise ValueError(f"{problem}: an episode ends for one program only, at {state}")
        left, right = (np.append(*one) for one in (theirs, ours))
        with np.errstate(invalid="ignore"):
            difference = np.abs(left - right) / np.maximum(1.0, np.abs(left))
        difference[(left == right) | (np.isnan(left) & np.isnan(right))] = 0.0
        largest = max(largest, float(np.nan_to_num(difference, nan=np.inf).max()))
        state = start if over or theirs[0][-1] >= domain.rddl.horizon else theirs[0]
    return largest


def steps_a_second(model: RddlModel, seconds: float) -> float:
    """Steps a second with random actions in compiled code."""
    step, sample_action, horizon = model.step, model.sample_action, float(model.horizon)

    @njit  # type: ignore[untyped-decorator]
    def walk(count: int, first: Array, state: Array, action: Array, new: Array, params: Array, rng: Any) -> None:
        for _ in range(count):
            sample_action(state, action, params, rng)
            _, over = step(state, action, new, params, rng)
            state[:] = first if over or new[-1] >= horizon else new

    rng = np.random.default_rng(0)
    first = model.initial_state(rng)
    arrays = first, first.copy(), np.empty(len(model.action_low)), np.empty(model.state_dim), model.params, rng
    walk(1, *arrays)
    return _rate(lambda count: walk(count, *arrays), seconds)


def steps_a_second_of_pyrddlgym(problem: str, seconds: float) -> float:
    """Steps a second of pyRDDLGym's simulator, without the checks and dictionaries of its environment."""
    name, _, instance = problem.partition(":")
    domain = read_domain(name, instance)
    interpreter, rng = Interpreter(domain, Actions(domain, Bounds(BOUND).of)), np.random.default_rng(0)
    action, given = np.empty(len(interpreter.actions.low)), []
    for _ in range(20):
        interpreter.sample_action(action, action, action, rng)
        given.append(interpreter.action_fluents(action))

    def walk(count: int) -> None:
        domain.simulator.reset()
        for number in range(count):
            _, _, over = domain.simulator.step(given[number % len(given)])
            if (
                over
                or not domain.simulator.check_state_invariants(silent=True)
                or (number + 1) % domain.rddl.horizon == 0
            ):
                domain.simulator.reset()

    with np.errstate(all="ignore"):
        return _rate(walk, seconds)


def _rate(walk: Callable[[int], None], seconds: float) -> float:
    """Steps a second of a walk that takes about this long."""
    count, taken = 1, 0.0
    while taken < seconds:
        start = time.perf_counter()
        walk(count)
        taken = time.perf_counter() - start
        rate = count / taken
        count = max(count + 1, math.ceil(min(100.0, 1.2 * seconds / max(taken, 1e-9)) * count))
    return rate


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each problem."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=PROBLEMS, metavar="NAME:INSTANCE")
    parser.add_argument("--steps", type=int, default=1000, help="random steps that are compared")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement of speed; 0 for none")
    given = parser.parse_args(arguments)
    print("| problem | largest difference | first step after | steps a second | pyRDDLGym's | ratio |")
    print("|---|---|---|---|---|---|")
    for problem in given.problems:
        difference = largest_difference(problem, min(given.steps, LARGE.get(problem, given.steps)))
        cells = [problem, f"{difference:.0e}"]
        if given.seconds > 0:
            start = time.perf_counter()
            model = from_rddl(*problem.split(":"))
            rng, action = np.random.default_rng(0), model.null_action.copy()
            model.step(model.initial_state(rng), action, np.empty(model.state_dim), model.params, rng)
            first = time.perf_counter() - start
            ours, theirs = steps_a_second(model, given.seconds), steps_a_second_of_pyrddlgym(problem, given.seconds)
            cells += [f"{first:.1f} s", f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:,.0f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
        if difference > TOLERANCE:
            sys.exit(f"{problem}: more than {TOLERANCE:g} apart")


if __name__ == "__main__":
    main()
