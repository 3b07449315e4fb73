"""Territory in curling: a grid of cells over the house, which team owns each, and which one a shot is for; compiled.

The tee is in the middle of the middle cell. Cells are numbered from left to right and from the front to the back.
"""

import math

import numpy as np

from bonspiel.curling.dynamics import spin_of, velocity_of
from bonspiel.curling.ice.engines.analytic import WORKSPACE, shoot
from bonspiel.curling.ice.execution import velocity_with_errors
from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.state import LAW, PER_THROWER, TEE, THROWERS, VALUES
from bonspiel.planners.jit import MATRIX, VECTOR, compiled, float64, helper, kernel, typeof
from bonspiel.planners.model import Array

CELL = 0.4  # m
SIDE = 11  # cells each way, so that every stone in the house is in one
REGIONS = SIDE * SIDE
NO_REGION = -1


@helper
def region_of_place(x: float, y: float, tee: float) -> int:
    """The cell of a place, m; NO_REGION beyond the grid, and for NaN."""
    column, row = x / CELL + 0.5 * SIDE, (y - tee) / CELL + 0.5 * SIDE
    if not (0.0 <= column < SIDE and 0.0 <= row < SIDE):
        return NO_REGION
    return SIDE * int(row) + int(column)


@kernel(typeof(None)(MATRIX, float64, VECTOR))
def write_owners(stones: Array, tee: float, owners: Array) -> None:
    """Write whose each cell is, [REGIONS]: +1 team 0's, which has more stones in it than the other, -1 team 1's, or 0.

    `stones` are [16, 2], NaN where absent.
    """
    for region in range(REGIONS):
        owners[region] = 0.0
    for i in range(STONES):
        region = region_of_place(stones[i, 0], stones[i, 1], tee)
        if region != NO_REGION:
            owners[region] += 1.0 if i < TEAM_STONES else -1.0
    for region in range(REGIONS):
        owners[region] = min(1.0, max(-1.0, owners[region]))


@compiled("region")
def region(action: Array, params: Array) -> int:
    """The cell in which the shot stops by itself: without noise, on an empty sheet."""
    vx, vy = velocity_of(action, params)
    cap = params[THROWERS]  # the fastest player's, as an action does not say who throws
    for other in range(THROWERS + PER_THROWER, VALUES, PER_THROWER):
        cap = max(cap, params[other])
    sds = params[THROWERS + 1 : THROWERS + PER_THROWER]
    vx, vy = velocity_with_errors(vx, vy, cap, sds, 0.0, 0.0, 0.0, 0.0)
    stones = np.full((STONES, 2), math.nan)
    shoot(stones, 0, vx, vy, spin_of(action[2], params), int(params[LAW]), np.empty(WORKSPACE))
    return region_of_place(stones[0, 0], stones[0, 1], params[TEE])
