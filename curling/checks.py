"""Checks that a given state can occur in a match."""

import numpy as np

from bonspiel.curling.ice.engines import make_engine
from bonspiel.curling.ice.sheet import SET_UP_ROW, STONES, TEAM_STONES, present
from bonspiel.curling.match.rules import MIXED_PROTECTED, thrower
from bonspiel.curling.match.state import FIRST_STONE, HAMMER, LEAD, STATE_DIM, TIME, row_of, stones_of
from bonspiel.curling.model import Curling
from bonspiel.planners.checks import check_state, require
from bonspiel.planners.model import Array


def check_match_state(model: Curling, state: Array) -> Array:
    """Check that a state can occur before a shot in a match of the model, and return it as a new float64 vector.

    `curling.match.state` describes it. Either team may have the hammer in the first end.

    Raises:
        ValueError: it cannot occur; the message names the shape, time, hammer, lead, or the stones that were not
            thrown, are off the sheet, overlap, or were placed and are missing.
    """
    checked = check_state(model, state).copy()
    time, hammer, lead = checked[[TIME, HAMMER, LEAD]].tolist()
    first = model.first_shot
    allowed = f"a whole number from 0 to {model.horizon - 1}, the last shot of the match"
    require(time.is_integer() and 0 <= time < model.horizon, "time", time, allowed)
    require(hammer in (0.0, 1.0), "hammer", hammer, "0 or 1")
    allowed = f"{first} or more modulo {STONES}, as the end is to be set up first"
    require(time % STONES >= first, "time", time, allowed)
    for name, value in zip(
        ("decider", "power play of team 0", "power play of team 1"), checked[STATE_DIM:], strict=False
    ):
        require(value in (0.0, 1.0), name, value, "0 or 1")
    _check_lead(model, int(time) // STONES, int(hammer), lead)
    stones = stones_of(checked)
    _check_thrown(stones, int(time) % STONES, int(hammer))
    unused = [row for row in np.flatnonzero(present(stones)).tolist() if row % TEAM_STONES < first // 2 - 1]
    require(not unused, "rows of stones", unused, "rows 2 to 7 of a team in mixed doubles")
    if model.is_mixed and time % STONES <= MIXED_PROTECTED:  # no throw before this one could remove them
        placed = int(present(stones)[SET_UP_ROW::TEAM_STONES].sum())
        require(placed == 2, "placed stones", placed, "2, row 2 of each team, until four stones of the end were thrown")
    absent = checked[FIRST_STONE:STATE_DIM].reshape(STONES, 2)[~present(stones)]
    require(not absent.any(), "stones", absent[absent.any(axis=1)].tolist(), "(0, 0) where absent, else on the sheet")
    make_engine("analytic", physics=model.physics).check_stones(stones, row_of(checked))
    if model.law.hog_removes_all:
        for i in np.flatnonzero(stones[:, 1] <= model.law.limits.hog):
            require(False, f"stones[{i}]", tuple(stones[i].tolist()), "past the hog line")
    return checked


def _check_lead(model: Curling, end: int, hammer: int, lead: float) -> None:
    # a team that scores loses the hammer, so its opponent may have scored in every end but the first
    require(end < model.ends or lead == 0.0, "lead", lead, "0 in an extra end")
    if model.is_mixed:  # the hammer is chosen
        most = 6 * end
        require(lead.is_integer() and abs(lead) <= most, "lead", lead, f"a whole number from {-most} to {most}")
        return
    least, most = -TEAM_STONES * end, max(0, TEAM_STONES * (end - 1) - 1)
    low, high = (least, most) if hammer == 0 else (-most, -least)
    allowed = f"a whole number from {low} to {high} after {end} ends, with the hammer for team {hammer}"
    require(lead.is_integer() and low <= lead <= high, "lead", lead, allowed)


def _check_thrown(stones: Array, shot: int, hammer: int) -> None:
    teams = [thrower(i, hammer) for i in range(shot)]
    for team in (0, 1):
        thrown, own = teams.count(team), present(stones)[team * TEAM_STONES : (team + 1) * TEAM_STONES]
        rows = np.flatnonzero(own).tolist()
        allowed = f"at most {thrown}, those thrown before shot {shot + 1} of the end"
        require(len(rows) <= thrown, f"stones of team {team}", len(rows), allowed)
        allowed = f"below {thrown}, since row k is the team's throw k, counted from 0, and this is shot {shot + 1}"
        require(not own[thrown:].any(), f"rows of team {team}", rows, allowed)
