"""Random matches of mixed doubles, compiled: every state is checked against the rules."""

import numpy as np

from bonspiel.curling.choice.actions import sample_action
from bonspiel.curling.dynamics import release
from bonspiel.curling.ice.engines.analytic import WORKSPACE, shoot
from bonspiel.curling.match.mixed_doubles import first_state, set_up
from bonspiel.curling.match.rules import score
from bonspiel.curling.match.state import (
    DECIDER,
    HAMMER,
    IN_HOUSE,
    LAW,
    LEAD,
    MIXED_STATE_DIM,
    POWER,
    TEE,
    TIME,
    apply_rules,
    read_stones,
    row_of,
    team_of,
)
from bonspiel.planners.jit import MATRIX, RNG, VECTOR, helper, int64, kernel

SIDE, BACK, HOG = 2.085, 40.234, 32.004  # m
CLOSEST = 0.288  # m, between centres; the steps of the reference leave stones that overlap by a millimetre
FOULS, BLANKS, EXTRA_ENDS, POWER_PLAYS, MATCHES = range(5)  # what is counted
PLACES, ROWS, OVERLAP, FOUL, PUT_BACK, TURN, POINTS, NEXT_DECIDER, POWERS, OVER, LONG = range(1, 12)
NAMES = ",places,rows,overlap,foul,put back,turn,points,next decider,powers,over,long".split(",")


@helper
def stones_are_legal(stones, shot, hammer):
    """0, or what is wrong with the stones before a shot."""
    for i in range(16):
        if not stones[i, 1] > 0.0:
            continue
        if abs(stones[i, 0]) > SIDE or not HOG <= stones[i, 1] <= BACK:
            return PLACES
        team, own = i // 8, i % 8
        thrown = (shot - 6 + (1 if team != hammer else 0)) // 2
        if not 2 <= own < 3 + thrown:
            return ROWS
        for j in range(i):
            if (stones[i, 0] - stones[j, 0]) ** 2 + (stones[i, 1] - stones[j, 1]) ** 2 < CLOSEST * CLOSEST:
                return OVERLAP
    return 0


@kernel(int64(VECTOR, VECTOR, MATRIX, MATRIX, MATRIX, VECTOR, int64[::1], RNG))
def play_one(params, start, states, boards, workspace, action, counts, rng):
    """Play a match with random set-ups and shots; 0, or what went wrong."""
    state, following = states[0], states[1]
    before, stones = boards[:16], boards[16:]
    for i in range(len(start)):
        state[i] = start[i]
    for end in range(5):
        counts[EXTRA_ENDS] += end >= 2
        powers = state[POWER] + state[POWER + 1]
        decider = int(state[DECIDER])
        set_up(state, int(4.0 * rng.random()), params)
        used = powers - state[POWER] - state[POWER + 1]
        counts[POWER_PLAYS] += int(used)
        if not 0.0 <= used <= 1.0 or (used == 1.0 and (end >= 2 or int(state[HAMMER]) != decider)):
            return POWERS
        for shot in range(6, 16):
            hammer = int(state[HAMMER])
            if int(state[TIME]) != 16 * end + shot or team_of(state) != (hammer if shot % 2 else 1 - hammer):
                return TURN
            read_stones(state, before)
            read_stones(state, stones)
            wrong = stones_are_legal(stones, shot, hammer)
            if wrong > 0:
                return wrong
            sample_action(state, action, params, rng)
            vx, vy, spin = release(state, action, params, rng)
            shoot(stones, row_of(state), vx, vy, spin, int(params[LAW]), workspace)
            removed = False
            for i in range(16):
                removed = removed or (before[i, 1] > 0.0 and not stones[i, 1] > 0.0)
            points = score(stones, params[TEE], params[IN_HOUSE])
            reward, over = apply_rules(state, stones, following, params)
            if shot < 15:
                if over or following[LEAD] != state[LEAD] or following[HAMMER] != hammer:
                    return OVER
                read_stones(following, stones)
                for i in range(16):
                    was, now = before[i, 1] > 0.0, stones[i, 1] > 0.0
                    if shot < 9 and was and not now:
                        return FOUL
                    if shot < 9 and removed and (was != now or (was and before[i, 0] != stones[i, 0])):
                        return PUT_BACK
                counts[FOULS] += shot < 9 and removed
            elif following[LEAD] != state[LEAD] + points or abs(points) > 6 or int(following[TIME]) != 16 * end + 16:
                return POINTS
            else:
                counts[BLANKS] += points == 0
                expected = 1 - decider if points == 0 else (1 if points > 0 else 0)
                if int(following[DECIDER]) != expected:
                    return NEXT_DECIDER
                if over != ((end >= 1 and following[LEAD] != 0.0) or end == 2):
                    return OVER
                if over:
                    counts[MATCHES] += 1
                    won = 1.0 if following[LEAD] > 0.0 else 0.0
                    return 0 if reward == (0.5 if following[LEAD] == 0.0 else won) else OVER
            state, following = following, state
    return LONG


def play(model, matches, seed):
    """(counts, name of what went wrong): matches of two ends and an extra end, until one is wrong."""
    rng, counts = np.random.default_rng(seed), np.zeros(5, np.int64)
    states, boards = np.empty((2, MIXED_STATE_DIM)), np.empty((32, 2))
    arguments = states, boards, np.empty(WORKSPACE), np.empty(3), counts, rng
    for _ in range(matches):
        wrong = play_one(model.params, first_state(), *arguments)
        if wrong:
            return counts, NAMES[wrong]
    return counts, ""
