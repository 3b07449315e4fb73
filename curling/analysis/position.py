"""The analysis of a position: the decision of a pre-search, the values of all aims, and the outcomes of the shot."""

from math import atan2, cos, hypot, sin
from typing import Any, NamedTuple

import numpy as np

from bonspiel.curling import players
from bonspiel.curling.analysis.valuation import playouts
from bonspiel.curling.dynamics import release
from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.physics import law_index
from bonspiel.curling.ice.shots import draw, reach
from bonspiel.curling.match.state import row_of, stones_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.umpire import Outcome, exact, outcome
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget, Decision
from bonspiel.planners.wrappers.presearch import Presearch, Sweep
from bonspiel.runs.experiment import UsageError

THROWS, PLAYOUTS = 400, 2_000
WARM_UP = Budget(simulations=2_000)


class Analysis(NamedTuple):
    """A planner's decision in a position, and its outcomes.

    Attributes:
        model: the match for planners.
        state: the position.
        planner: its text, and its time if it has one.
        decision: of the planner.
        sweep: values of the grid of aims, for the player to move.
        paths: paths of the stones after the shot without error, [T, 16, 2].
        throws: stones at rest, by the rules, after throws of the shot with errors, [THROWS, 16, 2].
        exactly: stones at rest, by the rules, after the shot without error, [16, 2].
        before: win probability of the team to move by playouts from the position.
        after: the same after throws of the shot with errors.
        exact: the same after the shot without error.
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


def win_probability(value: Any, model: Curling, state: Array) -> Any:
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


def parse_presearch(text: str) -> Presearch:
    """A pre-search from its text.

    Raises:
        UsageError: the text names another planner, or none.
    """
    try:
        planner = players.parse(text)
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error
    if not isinstance(planner, Presearch):
        raise UsageError(f"{text} has no values of aims: give presearch, or presearch:inner=(...),...")
    return planner


def analyse(match: Curling, state: Array, planner: Presearch, name: str, budget: Budget, rng: Rng) -> Analysis:
    """Let the planner choose a shot in a state of a match, and play its outcomes."""
    model = match.planning()
    planner.plan(model, state, WARM_UP, np.random.default_rng(0))  # untimed warm-up: loads or compiles the code
    decision, sweep = planner.plan_with_sweep(model, state, budget, rng)

    def value_after(after: Outcome, n: int) -> float:
        return after.reward if after.over else playouts(model, after.state, n, rng)

    vx, vy, side = decision.action.tolist()
    aimed = exact(model, (vx, vy, side))
    exactly = outcome(model, state, aimed)
    throws = [outcome(model, state, release(state, decision.action, model.params, rng)) for _ in range(THROWS)]
    sign = model.player(state, model.params)
    before = playouts(model, state, PLAYOUTS, rng)
    after = np.mean([value_after(one, PLAYOUTS // THROWS) for one in throws])
    values = before, after, value_after(exactly, PLAYOUTS)
    engine = make_engine("analytic", physics=model.physics)
    paths = engine.unchecked_path(stones_of(state), row_of(state), np.array([vx, vy]), aimed[2])[1].positions
    chances = (float(win_probability(sign * value, model, state)) for value in values)
    places = np.array([one.stones for one in throws])
    return Analysis(model, state, name, decision, sweep, paths, places, exactly.stones, *chances)
