"""A small network that predicts the score of the end under way; compiled.

It takes the view of the team with the hammer: the stones by their distance from the tee, the number of the shot, who
lies shot, and what each score would be worth in this match. `curling.learning` trains it. All sums are in a fixed
order, so that its numbers are the same on every machine but for rounding.
"""

from math import exp, prod, sqrt

from bonspiel.curling.ice.sheet import STONES, TEAM_STONES
from bonspiel.curling.match.state import FIRST_STONE, IN_HOUSE, TEE, hammer_of, shot_of
from bonspiel.planners.core.tree.nodes import copy
from bonspiel.planners.jit import VECTOR, helper, kernel, typeof
from bonspiel.planners.model import Array

SCORES = 2 * TEAM_STONES + 1  # -8..8 points of the team with the hammer
PER_STONE = 8  # presence, x, |x|, y, distance from the tee, cover, backing, in the house
MOST_KNOWN = 4  # points: larger scores as they lie, and worths, are no inputs
KNOWN = 2 * MOST_KNOWN + 1
SHOT = 2 * STONES * PER_STONE  # a place among the sorted stones, for either team
LYING = SHOT + STONES
WORTH = LYING + KNOWN
INPUTS = WORTH + KNOWN
WIDE, NARROW = 128, 32  # units of the hidden layers

SHAPES = ((INPUTS, WIDE), (WIDE,), (WIDE, NARROW), (NARROW,), (NARROW, SCORES), (SCORES,))
SIZES = tuple(prod(shape) for shape in SHAPES)
_STARTS = tuple(sum(SIZES[:i]) for i in range(len(SIZES) + 1))
WEIGHTS = _STARTS[-1]  # numbers in all
_W1, _B1, _W2, _B2, _W3, _B3, _ = _STARTS

COVER_WIDTH, COVER_AHEAD, BEHIND = 0.6, 0.25, 0.7  # m

# the parts of a workspace
ROWS, _ORDER, _DISTANCES = 0, STONES, 2 * STONES
VALUES = 3 * STONES
_KNOWN = VALUES + STONES * PER_STONE
_WIDE = _KNOWN + KNOWN
_NARROW = _WIDE + WIDE
WORKSPACE = _NARROW + NARROW  # numbers


@helper
def _sort(state: Array, tee: float, order: Array, distances: Array) -> int:
    """Write the stones on the sheet, nearest the tee first, and their distances; their number."""
    count = 0
    for i in range(STONES):
        x, y = state[FIRST_STONE + 2 * i], state[FIRST_STONE + 2 * i + 1] - tee
        if y > -tee:
            distance, k = sqrt(x * x + y * y), count
            while k > 0 and distances[k - 1] > distance:
                distances[k], order[k] = distances[k - 1], order[k - 1]
                k -= 1
            distances[k], order[k] = distance, i
            count += 1
    return count


@kernel(typeof((1, 1))(VECTOR, VECTOR, VECTOR))
def describe(state: Array, params: Array, workspace: Array) -> tuple[int, int]:
    """Write the first input of each stone, and its values, to a workspace, nearest the tee first.

    Returns:
        The number of stones, whose first inputs are in workspace[ROWS:] and values in workspace[VALUES:], and the
        points of the team with the hammer as they lie, at most 4 for either team.
    """
    hammer, tee = hammer_of(state), params[TEE]
    rows, order = workspace[ROWS:_ORDER], workspace[_ORDER:_DISTANCES]
    distances, values = workspace[_DISTANCES:VALUES], workspace[VALUES:_KNOWN]
    count, lying, scoring = _sort(state, tee, order, distances), 0, True
    for k in range(count):
        stone = int(order[k])
        x, y, team = state[FIRST_STONE + 2 * stone], state[FIRST_STONE + 2 * stone + 1], stone // TEAM_STONES
        cover = backing = 0.0
        for i in range(count):
            other = FIRST_STONE + 2 * int(order[i])
            aside = abs(x - state[other])
            if aside < COVER_WIDTH:
                ahead = y - state[other + 1]
                if ahead > COVER_AHEAD:
                    cover += 1.0 - aside / COVER_WIDTH
                elif -BEHIND < ahead < 0.0:
                    backing += (1.0 - aside / COVER_WIDTH) * (1.0 + ahead / BEHIND)
        rows[k] = (2 * k + (team != hammer)) * PER_STONE
        at = k * PER_STONE
        values[at], values[at + 1], values[at + 2] = 1.0, x, abs(x)
        values[at + 3], values[at + 4] = 0.5 * (y - tee), 0.5 * distances[k]
        values[at + 5], values[at + 6] = cover, backing
        values[at + 7] = 1.0 if distances[k] < params[IN_HOUSE] else 0.0
        scoring = scoring and distances[k] < params[IN_HOUSE] and team == int(order[0]) // TEAM_STONES
        if scoring:
            lying += 1 if team == hammer else -1
    return count, min(max(lying, -MOST_KNOWN), MOST_KNOWN)


@helper
def _add_rows(out: Array, size: int, rows: Array, first: int, values: Array, at: int, count: int) -> None:
    """Add to out, [size], the sum of `count` rows, each times its value; eight at a time pass over `out` less often."""
    k = 0
    while k + 8 <= count:
        r, v = first + k, at + k
        a, b, c, d = rows[r], rows[r + 1], rows[r + 2], rows[r + 3]
        e, f, g, h = rows[r + 4], rows[r + 5], rows[r + 6], rows[r + 7]
        va, vb, vc, vd = values[v], values[v + 1], values[v + 2], values[v + 3]
        ve, vf, vg, vh = values[v + 4], values[v + 5], values[v + 6], values[v + 7]
        for i in range(size):
            low = (va * a[i] + vb * b[i]) + (vc * c[i] + vd * d[i])
            high = (ve * e[i] + vf * f[i]) + (vg * g[i] + vh * h[i])
            out[i] += low + high
        k += 8
    while k < count:
        a, va = rows[first + k], values[at + k]
        for i in range(size):
            out[i] += va * a[i]
        k += 1


@kernel(typeof(None)(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR))
def predict(state: Array, worth: Array, weights: Array, params: Array, workspace: Array, out: Array) -> None:
    """Write the probabilities of -8..8 points for the team with the hammer, [17], before a shot of the end.

    Args:
        state: a position within an end, [STATE_DIM].
        worth: of each of these scores for that team, 0 to 1, [17]; see `curling.match.state.worth_of`.
        weights: [WEIGHTS].
        params: of the model.
        workspace: overwritten, [WORKSPACE].
        out: receives the probabilities.
    """
    known, wide, narrow = workspace[_KNOWN:_WIDE], workspace[_WIDE:_NARROW], workspace[_NARROW:WORKSPACE]
    first = weights[_W1:_B1].reshape((INPUTS, WIDE))
    count, lying = describe(state, params, workspace)
    bias, shot, score = weights[_B1:_W2], first[SHOT + shot_of(state)], first[LYING + MOST_KNOWN + lying]
    for i in range(WIDE):
        wide[i] = bias[i] + shot[i] + score[i]
    for k in range(count):
        _add_rows(wide, WIDE, first, int(workspace[ROWS + k]), workspace, VALUES + k * PER_STONE, PER_STONE)
    for k in range(KNOWN):
        known[k] = 2.0 * worth[TEAM_STONES - MOST_KNOWN + k] - 1.0
    _add_rows(wide, WIDE, first, WORTH, known, 0, KNOWN)
    for i in range(WIDE):
        wide[i] = max(wide[i], 0.0)
    copy(weights[_B2:_W3], narrow)
    _add_rows(narrow, NARROW, weights[_W2:_B2].reshape((WIDE, NARROW)), 0, wide, 0, WIDE)
    for i in range(NARROW):
        narrow[i] = max(narrow[i], 0.0)
    copy(weights[_B3:WEIGHTS], out)
    _add_rows(out, SCORES, weights[_W3:_B3].reshape((NARROW, SCORES)), 0, narrow, 0, NARROW)
    largest, total = out[0], 0.0
    for i in range(1, SCORES):
        largest = max(largest, out[i])
    for i in range(SCORES):
        out[i] = exp(out[i] - largest)
        total += out[i]
    for i in range(SCORES):
        out[i] /= total
