"""The default policy of playouts: one rule-based shot, chosen fast and partly at random; compiled.

Both teams hit the opponent's shot stone if they can; otherwise they guard early, draw behind cover and guard their own
shot stone. The probabilities were tuned in self-play over noisy ends of both physics, with the hammer swapped.
Arguments are those of `curling.choice.tactics`; `mine` and `theirs` are the rows of the teams' best stones, -1 without
one.
"""

from math import inf

from bonspiel.curling.choice.tactics import TEE, TEE_SPEED, draw_if_clear, is_guard, nearest, to_tee, try_draw, try_hit
from bonspiel.curling.ice.sheet import DIAMETER, LAST_SHOT, STONES, TEAM_STONES
from bonspiel.curling.ice.shots import draw
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, boolean, helper, int64, kernel, typeof
from bonspiel.planners.model import Array, Rng

OPENING = 5  # shots
TAKE_OUT, PEEL = 1.04, 1.42  # release speeds over that of a tee draw
ROOM = 0.0  # m, between paths and other stones
CENTRE_GUARD = 2.9  # m in front of the tee
CORNER = 0.9  # m from the centre line
SAFE_DRAW = 0.58  # m, from the tee: the last stone can be drawn closer
FRONT = 0.2  # m in front of the tee: target of open draws
SPREAD_X, SPREAD_Y = 0.5, 0.2  # m, largest distances from that target
BEHIND = 0.0  # m in front of the tee: target of draws around a guard

# probabilities
HIT_EARLY, HIT, HIT_SECOND = 0.92, 1.0, 0.2
PEEL_GUARD, FREEZE = 0.3, 0.5
COVER, CENTRE_OPENING, CORNER_OPENING = 0.2, 0.98, 0.3
AROUND = 0.55


@helper
def _answer(
    law: int,
    stones: Array,
    shot: int,
    free_guard: int,
    hits: bool,
    theirs: int,
    closest: float,
    aim: Array,
    side: float,
    rng: Rng,
) -> bool:
    """If the opponent lies shot: hit the stone, or else draw closer, freeze to it or peel its guard."""
    x, y, distance = stones[theirs, 0], stones[theirs, 1], to_tee(law, stones, theirs)
    wants = rng.random() < (HIT if shot >= OPENING else HIT_EARLY)
    if shot == LAST_SHOT and distance > SAFE_DRAW:
        second = nearest(law, stones, theirs // TEAM_STONES, distance)
        wants = wants and (second < 0 or to_tee(law, stones, second) >= closest)
    if hits and wants and try_hit(law, stones, aim, theirs, 0.0, TAKE_OUT * TEE_SPEED[law], side, ROOM):
        return True
    if shot == LAST_SHOT:
        if distance < DIAMETER:
            found = try_draw(law, stones, aim, x, y - DIAMETER, side, 0.0)
            return found or try_hit(law, stones, aim, theirs, 0.0, TAKE_OUT * TEE_SPEED[law], side, -DIAMETER)
        return try_draw(law, stones, aim, 0.0, TEE[law], side, 0.0)
    chance = rng.random()
    if chance < FREEZE:
        return try_draw(law, stones, aim, x, y - 1.2 * DIAMETER, side, ROOM)
    if chance < FREEZE + PEEL_GUARD and shot >= free_guard:
        for i in range(STONES):
            if is_guard(law, stones, i) and abs(stones[i, 0] - x) < 2.0 * DIAMETER:
                if try_hit(law, stones, aim, i, 0.0, PEEL * TEE_SPEED[law], side, 0.0):
                    return True
    return False


@helper
def _build(
    law: int,
    stones: Array,
    shot: int,
    free_guard: int,
    hits: bool,
    mine: int,
    theirs: int,
    aim: Array,
    side: float,
    rng: Rng,
) -> bool:
    """If the opponent does not lie shot: hit a stone that limits the score, or guard."""
    if hits and theirs >= 0 and rng.random() < HIT_SECOND:
        if try_hit(law, stones, aim, theirs, 0.0, TAKE_OUT * TEE_SPEED[law], side, ROOM):
            return True
    if shot == LAST_SHOT:
        return False
    x = 0.0
    if mine >= 0:
        chance, x = COVER, stones[mine, 0]
    elif shot >= free_guard:
        return False
    elif shot % 2 == 0:
        chance = CENTRE_OPENING
    else:
        chance, x = CORNER_OPENING, CORNER if rng.random() < 0.5 else -CORNER
    return rng.random() < chance and try_draw(law, stones, aim, x, TEE[law] - CENTRE_GUARD, side, ROOM)


@helper
def _draw_in(law: int, stones: Array, shot: int, aim: Array, side: float, rng: Rng) -> bool:
    """Draw behind a guard or near the tee."""
    if shot < LAST_SHOT and rng.random() < AROUND:
        first = int(rng.random() * STONES)
        for n in range(STONES):
            i = (first + n) % STONES
            if is_guard(law, stones, i) and abs(stones[i, 0]) < CORNER + DIAMETER:
                if try_draw(law, stones, aim, stones[i, 0], TEE[law] - BEHIND, side, ROOM):
                    return True
                break
    for _ in range(3):
        x = SPREAD_X * (2.0 * rng.random() - 1.0)
        y = TEE[law] - FRONT + SPREAD_Y * (2.0 * rng.random() - 1.0)
        if draw_if_clear(law, stones, aim, x, y, side, ROOM):
            return True
        side = -side
    return False


@kernel(typeof(None)(int64, MATRIX, int64, int64, int64, boolean, VECTOR, RNG))
def default_shot(
    law: int, stones: Array, shot: int, team: int, free_guard: int, mixed: bool, aim: Array, rng: Rng
) -> None:
    """Choose a shot of `team`: write the velocity, m/s, and the side of the spin to `aim`, [3].

    `shot` is its number in the end, 0..15; the shots below `free_guard` are under the free guard zone rule,
    in mixed doubles (`mixed`) under its form there, so that none of them hits.
    """
    side = 1.0 if rng.random() < 0.5 else -1.0
    mine, theirs = nearest(law, stones, team, -1.0), nearest(law, stones, 1 - team, -1.0)
    closest, hits = to_tee(law, stones, mine) if mine >= 0 else inf, not mixed or shot >= free_guard
    if theirs >= 0 and to_tee(law, stones, theirs) < closest:
        found = _answer(law, stones, shot, free_guard, hits, theirs, closest, aim, side, rng)
    else:
        found = _build(law, stones, shot, free_guard, hits, mine, theirs, aim, side, rng)
    if not found and not _draw_in(law, stones, shot, aim, side, rng):
        guards = shot < LAST_SHOT and (theirs < 0 or closest < to_tee(law, stones, theirs))
        x, y = (CORNER * (2.0 * rng.random() - 1.0), TEE[law] - CENTRE_GUARD) if guards else (0.0, TEE[law])
        aim[0], aim[1] = draw(law, x, y, side)
        aim[2] = side
