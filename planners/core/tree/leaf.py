"""The value of a new leaf: by acting on in the tree, or by rollouts of the model, one or several (Cazenave 2007)."""

import math

from bonspiel.planners.checks import offers, require, require_choice, require_count
from bonspiel.planners.core.jit import Problem, gain_of, model_helper, player, rollout
from bonspiel.planners.core.vectors import copy
from bonspiel.planners.core.walk import TreeWalk
from bonspiel.planners.model import Array, HasRollout, Rng

LEAVES = ("auto", "tree", "rollout")


def check_leaf(leaf: str, playouts: int = 1, choices: tuple[str, ...] = ("tree", "rollout")) -> None:
    """Raise ValueError unless these parameters of a planner are in range."""
    require_choice("leaf", leaf, choices)
    require_count("playouts", playouts)
    require(playouts == 1 or leaf == "rollout", "playouts", playouts, "1 without leaf='rollout'")


def playouts_of(leaf: str, playouts: int = 1, model: object = None) -> int:
    """Rollouts that value a new leaf, as a kernel takes it: 0 acts on in the tree, as "auto" if the model has none."""
    return playouts if leaf == "rollout" or (leaf == "auto" and offers(model, HasRollout)) else 0


@model_helper
def value_leaf(
    state: Array, walk: TreeWalk, problem: Problem, depth: int, rng: Rng, playouts: int
) -> tuple[float, int]:
    """The mean return of rollouts from the state of a new node, `depth` steps ahead, and their number.

    An invalid one counts as the worst of the valid ones from there on; NaN where all are.
    """
    count = min(playouts, walk.left[0])
    total, invalid = 0.0, 0
    for _ in range(count):
        copy(state, walk.state[0])
        found = rollout(problem, walk.state[0], walk.state[1], problem.steps - depth, rng)
        if found == found:
            total += gain_of(problem.validity, depth, 1.0, found)
        else:
            invalid += 1
    if invalid == count:
        return math.nan, count
    if invalid > 0:
        mover = player(problem, state)
        total += invalid * mover * gain_of(problem.validity, depth, mover, math.nan)
    return total / count, count
