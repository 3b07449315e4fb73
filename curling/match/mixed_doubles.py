"""Mixed doubles: five stones a team and end, which begins with a stone of each team set up; compiled where noted.

One team decides the set-up of an end: team 1 in the first, then the team that did not score, and after a blank end the
one that did not decide before. "center_guard": it throws first, and the guard is its own; "center_house": it has the
hammer, and the stone in the house is its own; "pp_left", "pp_right": the same in the places of a power play, which each
team has once, and not in extra ends. The other stone is the other team's. Until the set-up the number of the shot is 0;
then the shots are numbered 6 to 15, so that rows, turns and the last shot are those of standard games: thrown stones
are rows 3-7 of a team, the stone set up is its row 2.
"""

import numpy as np

from bonspiel.curling.ice.sheet import MIXED_FIRST_SHOT, SET_UP_ROW, STONES, TEAM_STONES, no_stones
from bonspiel.curling.match.setup_value import (
    CENTER_GUARD,
    CENTER_HOUSE,
    CHOICES,
    PP_LEFT,
    PP_RIGHT,
    best_choice,
    decider_value,
)
from bonspiel.curling.match.state import (
    DECIDER,
    ENDS,
    FIRST_SHOT,
    FIRST_STONE,
    HAMMER,
    LAST_END,
    LEAD,
    NETWORK,
    PATTERN,
    POWER,
    STATE_DIM,
    TIME,
    VALUES,
    state_of,
)
from bonspiel.planners.checks import require
from bonspiel.planners.jit import VECTOR, float64, int64, kernel, typeof
from bonspiel.planners.model import Array
from bonspiel.planners.registry import look_up

HOUSE_Y = 38.870
POWER_HOUSE_X, POWER_HOUSE_Y = 1.219, 38.260
# by pattern
GUARD_Y = np.array([35.350, 35.060, 34.435, 34.145, 33.520, 33.230])
POWER_GUARD_X = np.array([1.093, 1.087, 1.073, 1.067, 1.053, 1.047])
PATTERNS = len(GUARD_Y)


@kernel(typeof(None)(VECTOR, int64, VECTOR))
def set_up(state: Array, choice: int, params: Array) -> None:
    """Set up the end that begins with `state`, by an index into CHOICES; compiled.

    A power play that is not allowed is played as "center_house", as the servers do.
    """
    decider, pattern = int(state[DECIDER]), int(params[PATTERN])
    if choice >= PP_LEFT:
        if state[POWER + decider] == 0.0 or int(state[TIME]) // STONES >= params[ENDS]:
            choice = CENTER_HOUSE
        else:
            state[POWER + decider] = 0.0
    hammer = 1 - decider if choice == CENTER_GUARD else decider
    house = FIRST_STONE + 2 * (TEAM_STONES * hammer + SET_UP_ROW)
    guard = FIRST_STONE + 2 * (TEAM_STONES * (1 - hammer) + SET_UP_ROW)
    state[house], state[house + 1] = 0.0, HOUSE_Y
    state[guard], state[guard + 1] = 0.0, GUARD_Y[pattern]
    if choice >= PP_LEFT:
        side = -1.0 if choice == PP_LEFT else 1.0
        state[house], state[house + 1] = side * POWER_HOUSE_X, POWER_HOUSE_Y
        state[guard] = side * POWER_GUARD_X[pattern]
    state[HAMMER] = hammer
    state[TIME] += MIXED_FIRST_SHOT


@kernel(typeof(None)(VECTOR, VECTOR))
def begin_end(state: Array, params: Array) -> None:
    """Set up the end as is best for the team that decides, where a set-up is due; compiled."""
    if params[FIRST_SHOT] > 0.0 and int(state[TIME]) % STONES == 0:
        left, lead = int(params[LAST_END]) - int(state[TIME]) // STONES, int(state[LEAD])
        tables, decider = params[VALUES : int(params[NETWORK])], int(state[DECIDER])
        set_up(state, best_choice(tables, left, decider, lead, state[POWER], state[POWER + 1]), params)


@kernel(float64(VECTOR, VECTOR))
def decider_chance(state: Array, params: Array) -> float:
    """The probability to win of the team that decides, before the set-up, if both choose best in all ends; compiled."""
    left, decider = int(params[LAST_END]) - int(state[TIME]) // STONES, int(state[DECIDER])
    tables = params[VALUES : int(params[NETWORK])]
    value = float(decider_value(tables, left, decider, int(state[LEAD]), state[POWER], state[POWER + 1]))
    return value if decider == 0 else 1.0 - value


def is_setup_due(state: Array) -> bool:
    """Return whether the end of mixed doubles that begins with this state has to be set up first."""
    return len(state) > STATE_DIM and int(state[TIME]) % STONES == 0


def decider_of(state: Array) -> int:
    """The team that decides the set-up, or has decided it."""
    return int(state[DECIDER])


def allowed_choices(state: Array, params: Array) -> tuple[str, ...]:
    """The choices of the team that decides, without power plays where it may have none."""
    has_power_play = state[POWER + decider_of(state)] > 0.0 and int(state[TIME]) // STONES < params[ENDS]
    return CHOICES if has_power_play else CHOICES[:PP_LEFT]


def setup_of(state: Array) -> tuple[int, str]:
    """The team that decided the set-up and its choice, one of CHOICES; `state` is that before the first shot."""
    decider, hammer = int(state[DECIDER]), int(state[HAMMER])
    x = state[FIRST_STONE + 2 * (TEAM_STONES * hammer + SET_UP_ROW)]
    if x != 0.0:
        return decider, CHOICES[PP_LEFT if x < 0.0 else PP_RIGHT]
    return decider, CHOICES[CENTER_HOUSE if hammer == decider else CENTER_GUARD]


def choice_of(name: str) -> int:
    """The index of a choice into CHOICES.

    Raises:
        ValueError: not one of CHOICES.
    """
    return int(look_up("choice", name, {name: index for index, name in enumerate(CHOICES)}))


def mixed_state_of(
    stones: Array,
    shot: int,
    hammer: int = 1,
    end: int = 0,
    lead: int = 0,
    decider: int = 1,
    power_plays: tuple[bool, bool] = (True, True),
) -> Array:
    """`curling.match.state.state_of` for mixed doubles, before the set-up (shot 0) or a shot, 6..15.

    Args:
        stones: as for `state_of`.
        shot: as for `state_of`, 0 or from 6 on.
        hammer: as for `state_of`; before the set-up it is the team that decides, whatever is given.
        end: as for `state_of`.
        lead: as for `state_of`.
        decider: the team that decides the set-up of this end, or has decided it.
        power_plays: whether team 0 and team 1 may still have theirs.

    Raises:
        ValueError: a number out of range, or stones of another shape.
    """
    require(shot == 0 or MIXED_FIRST_SHOT <= shot, "shot", shot, f"0, or from {MIXED_FIRST_SHOT} to 15")
    require(decider in (0, 1), "decider", decider, "0 or 1")
    state = state_of(stones, shot, decider if shot == 0 else hammer, end, lead)
    return np.concatenate([state, [decider, *map(float, power_plays)]])


def first_state() -> Array:
    """The state of a match before its first set-up."""
    return mixed_state_of(no_stones(), 0)
