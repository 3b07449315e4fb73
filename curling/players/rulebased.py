"""The rule-based player of the Digital Curling examples: one ply of a few rule-based shots, tried with noise."""

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bonspiel.curling.ice.sheet import STONES
from bonspiel.curling.match.state import shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players.evaluation import EVALUATIONS, Evaluation, feature_values, leaf_value, planning_model
from bonspiel.planners.checks import check_actions, require_choice, require_count
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.jit import MATRIX, PROBLEM, RNG, VECTOR, Problem, int64, kernel, player, problem_of, run, step
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Traits, check_plan


@kernel(PROBLEM, MATRIX, int64, int64, VECTOR, MATRIX, VECTOR, RNG)
def _try(
    problem: Problem, actions: Array, throws: int, shots: int, table: Array, scratch: Array, values: Array, rng: Rng
) -> int:
    """Write the mean value of each action for the throwing team; the number of simulations."""
    mover = player(problem, problem.state)
    for i in range(len(actions)):
        total = 0.0
        for _ in range(throws):
            value, over = step(problem, problem.state, actions[i], scratch[0], rng)
            if not over:
                value = leaf_value(problem, scratch[0], scratch[1:], shots - 1, table, rng)
            total += value
        values[i] = mover * total / throws
    return len(actions) * throws


def evenly_spaced(actions: Array, n: int) -> Array:
    """At most n actions, spread evenly over the list, in which kinds of shots are adjacent."""
    if len(actions) <= n:
        return actions
    return np.ascontiguousarray(actions[np.linspace(0, len(actions) - 1, n).round().astype(int)])


@dataclass(frozen=True)
class RuleBased:
    """Throws each of a few of the model's `actions` with noise and chooses the one with the best mean value.

    The number of simulations does not depend on the budget; `Decision.simulations` reports it.

    Args:
        evaluation: of the position after a shot: "board" scores it as the stones lie, "static" like ends of the default
            policy from similar positions, "playouts" by a playout of the default policy.
        n_candidates: largest number of shots, spread over the kinds of shots of the model.
        simulations: throws of each shot.
    """

    evaluation: Evaluation = "board"
    n_candidates: int = 12
    simulations: int = 50

    traits: ClassVar[Traits] = Traits(budget_multiple=math.inf, rolls_out=False)

    def __post_init__(self) -> None:
        require_choice("evaluation", self.evaluation, EVALUATIONS)
        require_count("n_candidates", self.n_candidates)
        require_count("simulations", self.simulations)

    def unsupported(self, model: Model) -> str | None:
        """The reason why a model cannot be searched, or None; see `planners.Planner`."""
        return None if isinstance(model, Curling) else "curling only"

    def plan(self, model: Model, state: Array, budget: Budget, rng: Rng, root_actions: Array | None = None) -> Decision:
        """Choose a shot; see `planners.Planner.plan`."""
        start = time.perf_counter()
        state = check_plan(self, model, state, budget, rng)
        model = planning_model(model)
        if root_actions is None:
            actions = evenly_spaced(own_actions(model, state), self.n_candidates)
        else:
            actions = check_actions(model, root_actions)
        values = np.empty(len(actions))
        table, scratch = feature_values(model, state, self.evaluation), np.empty((3, model.state_dim))
        actions, shots = np.ascontiguousarray(actions), STONES - shot_of(state)
        arguments = actions, self.simulations, shots, table, scratch, values, rng
        done = run(_try, model, problem_of(model, state, strict=True), *arguments)
        best = int(values.argmax())
        visits = np.full(len(actions), self.simulations, np.int64)
        seconds = time.perf_counter() - start
        return Decision(actions[best], float(values[best]), done, seconds, actions, visits, values)
