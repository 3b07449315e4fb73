"""Names of shots, by their effect on the stones if they are thrown without an error."""

from collections.abc import Sequence

import numpy as np

from bonspiel.curling.env.picture import NAMES
from bonspiel.curling.ice.sheet import DIAMETER, TEAM_STONES, Sheet, present
from bonspiel.curling.match.state import row_of, stones_of, team_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.records.umpire import exact_in, outcome
from bonspiel.planners.model import Array

STILL = 0.01  # m; a stone that moves less was not hit
CLOSE = 0.1  # m between two stones, for a freeze
TAKE_OUTS = {1: "take-out", 2: "double take-out", 3: "triple take-out"}


def stone_name(model: Curling, row: int) -> str:
    """The name of a stone on the page, such as "yellow 3"; 0 is the number of those set up in mixed doubles."""
    return f"{NAMES[row // TEAM_STONES]} {row % TEAM_STONES + 1 - model.first_shot // 2}"


def shot_name(model: Curling, state: Array, aim: Throw) -> str:
    """The name of an aim in a position.

    Args:
        model: of the match.
        state: the position, [state_dim].
        aim: (vx, vy, rotation), m/s.
    """
    before, own, team = stones_of(state), int(row_of(state)), int(team_of(state))
    result = outcome(model, state, exact_in(model, state, aim))
    if result.foul:
        return "foul"
    after, tee = result.stones, model.law.sheet.tee
    lying = [int(row) for row in np.flatnonzero(present(before))]
    gone = [row for row in lying if np.isnan(after[row, 0])]
    opponents = [row for row in gone if row // TEAM_STONES != team]
    if opponents:
        guards = [row for row in opponents if _is_guard(model.law.sheet, before[row])]
        name = "peel" if guards == opponents else TAKE_OUTS.get(len(opponents), "multiple take-out")
        return f"{name} of {' and '.join(stone_name(model, row) for row in opponents)}"
    moved = [row for row in lying if row in gone or np.hypot(*(after[row] - before[row])) > STILL]
    if moved:
        nearer = [row for row in moved if row not in gone and _to_tee(after[row], tee) < _to_tee(before[row], tee)]
        raised = [row for row in nearer if row // TEAM_STONES == team]
        return f"raise of {stone_name(model, raised[0])}" if raised else f"hit on {stone_name(model, moved[0])}"
    return _name_of_draw(model, after, own, lying)


def _name_of_draw(model: Curling, after: Array, own: int, lying: Sequence[int]) -> str:
    """The name of a shot that moves no other stone."""
    sheet, place = model.law.sheet, after[own]
    if np.isnan(place[0]):
        return "throw-away"
    ahead = [row for row in lying if after[row, 1] > place[1]]
    touching = [row for row in ahead if np.hypot(*(after[row] - place)) < DIAMETER + CLOSE]
    if touching:
        return f"freeze to {stone_name(model, touching[0])}"
    if _to_tee(place, sheet.tee) < sheet.in_house:
        return "draw"
    return "guard" if _is_guard(sheet, place) else "draw behind the house"


def _is_guard(sheet: Sheet, place: Array) -> bool:
    return bool(place[1] < sheet.tee and _to_tee(place, sheet.tee) >= sheet.in_house)


def _to_tee(place: Array, tee: float) -> float:
    return float(np.hypot(place[0], place[1] - tee))
