"""A planner's view of a position: the win probability that it expected, and its best ideas by name."""

from typing import NamedTuple

import numpy as np

from bonspiel.curling.analysis.shot_names import shot_name
from bonspiel.curling.match.state import team_of
from bonspiel.curling.model import Curling
from bonspiel.planners.model import Array
from bonspiel.planners.planner import Decision

IDEAS = 3
NAMED = 60  # of the most visited shots; many have the same name


class Idea(NamedTuple):
    """A shot that a planner considered.

    Attributes:
        name: such as "draw".
        chance: the win probability of its team after it, None where the planner has none.
        visits: simulations of this very shot.
    """

    name: str
    chance: float | None
    visits: int


def best_ideas(model: Curling, state: Array, decision: Decision) -> list[Idea]:
    """The chosen shot and the next best of other names by their visits, at most IDEAS.

    Args:
        model: of the match.
        state: before the shot, [state_dim].
        decision: of a planner whose values are win probabilities of team 0, or less one those of team 1.
    """
    chosen = (decision.actions == decision.action).all(axis=1)
    visits = np.append(decision.visits[chosen].max(initial=0), np.where(chosen, 0, decision.visits))
    actions, values = np.vstack([decision.action, decision.actions]), np.append(decision.value, decision.values)
    tried = 1 + np.flatnonzero(visits[1:])
    order = 0, *tried[np.argsort(-visits[tried], kind="stable")][:NAMED]
    ideas: dict[str, Idea] = {}
    for i in order:
        vx, vy, spin = actions[i].tolist()
        name = shot_name(model, state, (vx, vy, 1.0 if spin >= 0.0 else -1.0))
        chance = float(values[i]) + int(team_of(state))
        ideas.setdefault(name, Idea(name, chance if np.isfinite(chance) else None, int(visits[i])))
        if len(ideas) == IDEAS:
            break
    return [*ideas.values()]
