"""The analysis of a position: the decision of a planner, the values of all aims, and the outcomes of the shot."""

from math import atan2, cos, hypot, sin
from typing import Any, NamedTuple

import numpy as np

from bonspiel.curling.analysis.valuation import throw
from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.physics import law_index
from bonspiel.curling.ice.sheet import LAST_SHOT
from bonspiel.curling.ice.shots import draw, reach
from bonspiel.curling.match.state import row_of, shot_of, stones_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players.lookahead import new_scratch, screen
from bonspiel.curling.players.quasi_random import quasi_random_errors
from bonspiel.curling.records.umpire import Outcome, exact_in, outcome
from bonspiel.curling.win_probability import after_throws, calibrated, estimating, uses_network, win_probability
from bonspiel.planners.contract.decisions import checked_plan
from bonspiel.planners.core.aims import aims_of
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget, Decision, Planner
from bonspiel.planners.wrappers.presearch import Presearch, Sweep
from bonspiel.planners.wrappers.presearch.sweep import sweep_of

THROWS, GRID = 400, 4_284
SEARCHED = 100  # throws that are valued where each takes a search, for the last stone
WARM_UP = Budget(simulations=2_000)


class Analysis(NamedTuple):
    """A planner's decision in a position, and its outcomes.

    Attributes:
        model: the match for planners.
        state: the position.
        planner: its text, and its time if it has one.
        decision: of the planner.
        sweep: win probabilities of the team to move by the grid of aims.
        paths: paths of the stones after the shot without error, [T, 16, 2].
        throws: stones at rest, by the rules, after throws of the shot with errors, [THROWS, 16, 2].
        exactly: stones at rest, by the rules, after the shot without error, [16, 2].
        before: win probability of the team to move, by `curling.win_probability`.
        after: its mean after the throws.
        exact: that after the shot without error.
    """

    model: Curling
    state: Array
    planner: str
    decision: Decision
    sweep: Sweep
    paths: Array
    throws: Array
    exactly: Array
    before: float
    after: float
    exact: float


def of_mover(value: Any, model: Curling, state: Array) -> Any:
    """Win probability of the team to move, from its values: those of team 1 are the negatives of team 0's."""
    return value if model.player(state, model.params) > 0.0 else 1.0 + value


def stopping_places(model: Curling, actions: Array) -> Array:
    """Places where thrown stones come to rest if they hit nothing.

    All paths of a speed and a spin are the same, rotated about the release point.

    Args:
        model: of the match; its actions are velocities in m/s.
        actions: [..., 3].

    Returns:
        (x, y) in m, [..., 2].
    """
    law, places = law_index(model.physics), np.empty((*actions.shape[:-1], 2))
    for at in np.ndindex(actions.shape[:-1]):
        vx, vy, side = actions[at]
        distance = reach(law, hypot(vx, vy))
        turn = atan2(vx, vy) - atan2(*draw(law, 0.0, distance, side))
        places[at] = distance * sin(turn), distance * cos(turn)
    return places


def sweep_aims(match: Curling, state: Array, budget: Budget, rng: Rng) -> Sweep:
    """The win probabilities of a grid of aims: the network's after throws without errors, smoothed by the errors.

    Where no network fits the match a pre-search rolls out, for a part of the budget.
    """
    model = estimating(match)
    if not uses_network(model):
        found = Presearch().sweep(model, state, budget, rng)
        return found._replace(smooth=[of_mover(smooth, model, state) for smooth in found.smooth])
    blocks = model.aim_grid(state, GRID)
    aims = aims_of(blocks)
    values = np.empty(len(aims))
    screen(state, aims, model.params, rng, values, new_scratch())
    values = after_throws(model, state, of_mover(values, model, state))
    return sweep_of(blocks, values, np.ones(len(aims)), len(aims))


def analyse(match: Curling, state: Array, planner: Planner, name: str, budget: Budget, rng: Rng) -> Analysis:
    """Let the planner choose a shot in a state of a match, and play its outcomes."""
    model, judging = match.planning(), estimating(match)
    planner.plan(model, state, WARM_UP, np.random.default_rng(0))  # untimed warm-up: loads or compiles the code
    decision = checked_plan(planner, model, state, budget, rng)

    def chance(after: Outcome) -> float:
        return calibrated(judging, after.state, after.reward) if after.over else win_probability(match, after.state)

    vx, vy, side = decision.action.tolist()
    aimed = exact_in(model, state, (vx, vy, side))
    exactly = outcome(judging, state, aimed)
    thrower, deviates = model.thrower(state), quasi_random_errors(rng.random(4), 0, THROWS)
    throws = [outcome(judging, state, throw(model, thrower, (vx, vy, side), one)) for one in deviates]
    valued = throws[: THROWS if shot_of(state) != LAST_SHOT - 1 else SEARCHED]
    values = win_probability(match, state), float(np.mean([chance(one) for one in valued])), chance(exactly)
    engine = make_engine("analytic", physics=model.physics)
    paths = engine.unchecked_path(stones_of(state), row_of(state), np.array([vx, vy]), aimed[2])[1].positions
    chances = values if model.player(state, model.params) > 0.0 else tuple(1.0 - value for value in values)
    sweep, places = sweep_aims(match, state, budget, rng), np.array([one.stones for one in throws])
    return Analysis(model, state, name, decision, sweep, paths, places, exactly.stones, *chances)
