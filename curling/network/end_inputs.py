"""The inputs of `curling.network.end_network`: a position as the team with the hammer sees it; compiled.

They are the stones by their distance from the tee, the number of the shot, who lies shot, and what each score would be
worth in this match.
"""

from math import sqrt

from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.state import FIRST_STONE, IN_HOUSE, TEE, hammer_of
from bonspiel.planners.jit import VECTOR, kernel, typeof
from bonspiel.planners.model import Array

SCORES = 2 * TEAM_STONES + 1  # -8..8 points of the team with the hammer
PER_STONE = 8  # presence, x, |x|, y, distance from the tee, cover, backing, in the house
MOST_KNOWN = 4  # points: larger scores as they lie, and worths, are no inputs
KNOWN = 2 * MOST_KNOWN + 1
SHOT = 2 * STONES * PER_STONE  # a place among the sorted stones, for either team
LYING = SHOT + STONES
WORTH = LYING + KNOWN
INPUTS = WORTH + KNOWN

COVER_WIDTH, COVER_AHEAD, BEHIND = 0.6, 0.25, 0.7  # m
FAR = 1e9  # m, where no stone covers another

# the parts of a workspace
PLACES = 0  # of the stones on the sheet: twice the number of nearer ones, plus 1 without the hammer
VALUES = PLACES + STONES
_X, _Y, _DISTANCE, _RANK, _COVER, _BACKING, DESCRIBED = range(
    VALUES + STONES * PER_STONE, VALUES + STONES * PER_STONE + 7 * STONES, STONES
)


@kernel(typeof((1, 1))(VECTOR, VECTOR, VECTOR))
def describe(state: Array, params: Array, workspace: Array) -> tuple[int, int]:
    """Write the place of each stone on the sheet and its values to a workspace.

    The values of a stone at place p are the inputs from p * PER_STONE on.

    Returns:
        The number of stones, whose places are in workspace[PLACES:] and values in workspace[VALUES:], and the points of
        the team with the hammer as they lie, at most 4 for either team.
    """
    hammer, tee, house, w = hammer_of(state), params[TEE], params[IN_HOUSE], workspace
    count, nearest0, nearest1 = 0, FAR, FAR
    for i in range(STONES):
        x, y = state[FIRST_STONE + 2 * i], state[FIRST_STONE + 2 * i + 1]
        w[_X + count], w[_Y + count], w[PLACES + count] = x, y - tee, i // TEAM_STONES != hammer
        count += y > 0.0  # without a branch, which no processor could predict
    for k in range(count, STONES):
        w[_X + k], w[_Y + k] = FAR, FAR
    for k in range(STONES):
        w[_DISTANCE + k] = sqrt(w[_X + k] * w[_X + k] + w[_Y + k] * w[_Y + k])
        w[_RANK + k], w[_COVER + k], w[_BACKING + k] = 0.0, 0.0, 0.0
    for i in range(count):
        x, y, distance = w[_X + i], w[_Y + i], w[_DISTANCE + i]
        for k in range(STONES):  # all, so that processors take several at a time
            ahead, near = w[_Y + k] - y, max(1.0 - abs(w[_X + k] - x) * (1.0 / COVER_WIDTH), 0.0)
            w[_COVER + k] += near if ahead > COVER_AHEAD else 0.0
            w[_BACKING + k] += near * (1.0 + ahead * (1.0 / BEHIND)) if (ahead > -BEHIND) & (ahead < 0.0) else 0.0
            nearer = (distance < w[_DISTANCE + k]) | ((distance == w[_DISTANCE + k]) & (i < k))
            w[_RANK + k] += 1.0 if nearer else 0.0
    for k in range(count):
        x, distance, theirs, at = w[_X + k], w[_DISTANCE + k], w[PLACES + k] > 0.0, VALUES + k * PER_STONE
        w[PLACES + k] += 2.0 * w[_RANK + k]
        w[at], w[at + 1], w[at + 2], w[at + 3] = 1.0, x, abs(x), 0.5 * w[_Y + k]
        w[at + 4], w[at + 5], w[at + 6] = 0.5 * distance, w[_COVER + k], w[_BACKING + k]
        w[at + 7] = 1.0 if distance < house else 0.0
        nearest0 = min(nearest0, FAR if theirs else distance)
        nearest1 = min(nearest1, distance if theirs else FAR)
    limit, lying = min(max(nearest0, nearest1), house), 0
    for k in range(count):
        lying += w[_DISTANCE + k] < limit
    return count, min(lying, MOST_KNOWN) if nearest0 < nearest1 else -min(lying, MOST_KNOWN)
