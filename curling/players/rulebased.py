"""The rule-based player of the Digital Curling examples: a few shots that make sense, tried with noise, one ply."""

import time
from dataclasses import dataclass

import numpy as np

from curling.model import Curling
from curling.players.evaluation import EVALUATIONS, Evaluation, evaluator, leaf_value, planning_model
from curling.sheet import STONES
from curling.state import shot_of
from planners.base import Array, Budget, Decision, Model, Rng, check_actions, check_plan, require_choice, require_count
from planners.core.actions import own_actions
from planners.jit import MATRIX, PROBLEM, RNG, VECTOR, Problem, int64, kernel, player, problem_of, run, step


@kernel(PROBLEM, MATRIX, int64, int64, VECTOR, MATRIX, VECTOR, RNG)
def _try(
    problem: Problem,
    actions: Array,
    simulations: int,
    shots: int,
    worth: Array,
    scratch: Array,
    values: Array,
    rng: Rng,
) -> int:
    """Write the mean value of each action for the team that throws; how many simulations that took."""
    mover = player(problem, problem.state)
    for i in range(len(actions)):
        total = 0.0
        for _ in range(simulations):
            value, over = step(problem, problem.state, actions[i], scratch[0], rng)
            if not over:
                value = leaf_value(problem, scratch[0], scratch[1:], shots - 1, worth, rng)
            total += value
        values[i] = mover * total / simulations
    return len(actions) * simulations


def evenly_spaced(actions: Array, n: int) -> Array:
    """At most n actions, evenly from the list, which has kinds of shots together."""
    if len(actions) <= n:
        return actions
    return np.ascontiguousarray(actions[np.linspace(0, len(actions) - 1, n).round().astype(int)])


@dataclass(frozen=True)
class RuleBased:
    """Tries the model's `actions` with noise, a fixed number of times each, and plays the one with the best mean.

    The work does not depend on the budget: `Decision.simulations` tells how much it was.

    Args:
        evaluation: value of what a shot leaves: the "board" scored as it lies, "static" as ends went on from such
            boards, or "playouts" of the default policy.
        n_candidates: most shots to try, spread over the kinds of shots that the model offers.
        simulations: throws of each.
    """

    evaluation: Evaluation = "board"
    n_candidates: int = 12
    simulations: int = 50

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        require_choice("evaluation", self.evaluation, EVALUATIONS)
        require_count("n_candidates", self.n_candidates)
        require_count("simulations", self.simulations)

    def unsupported(self, model: Model) -> str | None:
        """Why a model cannot be searched; see `planners.Planner`."""
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
        done = run(
            _try,
            model,
            problem_of(model, state),
            np.ascontiguousarray(actions),
            self.simulations,
            STONES - shot_of(state),
            evaluator(model, state, self.evaluation),
            np.empty((3, model.state_dim)),
            values,
            rng,
        )
        best = int(values.argmax())
        visits = np.full(len(actions), self.simulations, np.int64)
        seconds = time.perf_counter() - start
        return Decision(actions[best], float(values[best]), done, seconds, actions, visits, values)
