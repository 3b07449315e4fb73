"""A tiny game whose rollouts are traced: two players claim points of a board of 5 x 5 by turns, or pass."""

from dataclasses import dataclass

import numpy as np

from bonspiel.planners.core.vectors import copy
from bonspiel.planners.jit import compiled, helper
from tests.planners.tiny_models import UnitBox

POINTS, PLAYER, MOVES = 25, 25, 26  # of which the last two are places in the state; the action POINTS passes
CENTRE, LENGTH = 12, 14


@helper
def claim(state, index, rng):
    """Play in place, and return the reward and whether the game is over."""
    if index < POINTS:
        state[index] = state[PLAYER]
    state[PLAYER] = -state[PLAYER]
    state[MOVES] += 1.0
    if state[MOVES] < LENGTH:
        return 0.0, False
    return np.sign(np.sum(state[:POINTS]) + 2.0 * state[CENTRE] + 8.0 * (rng.random() - 0.5)), True


@helper
def draw(state, rng):
    """A free point."""
    index = int(POINTS * rng.random())
    while state[index] != 0.0:
        index = int(POINTS * rng.random())
    return index


@compiled("step")
def step(state, action, next_state, params, rng):
    copy(state, next_state)
    return claim(next_state, int(action[0]), rng)


@compiled("sample_action")
def sample_action(state, action, params, rng):
    action[0] = draw(state, rng)


@compiled("player")
def player(state, params):
    return state[PLAYER]


@compiled("actions")
def actions(state, params, out, keys):
    count = 0
    for index in range(POINTS + 1):
        if index == POINTS or state[index] == 0.0:
            out[count, 0], keys[count] = index, np.uint64(index)
            count += 1
    return count


@compiled("region")
def region(action, params):
    return int(action[0]) if action[0] < POINTS else -1


@compiled("traced_rollout")
def traced_rollout(state, scratch, depth, params, rng, keys, movers, owners):
    reward, over, moves = 0.0, False, 0
    while not over and moves < depth:
        index = draw(state, rng)
        keys[moves], movers[moves] = np.uint64(index), state[PLAYER]
        moves += 1
        reward, over = claim(state, index, rng)
    movers[moves] = 0.0
    copy(state[:POINTS], owners[:POINTS])
    owners[POINTS] = reward
    return reward


@compiled("rollout")
def rollout(state, scratch, depth, params, rng):
    reward, over = 0.0, False
    while not over and depth > 0:
        depth -= 1
        reward, over = claim(state, draw(state, rng), rng)
    return reward


@dataclass(frozen=True)
class Claims(UnitBox):
    """After 14 moves the player with more points is more likely to win; the centre counts as three: the best move."""

    state_dim, horizon, time_index = POINTS + 2, LENGTH, MOVES
    max_actions, n_regions = POINTS + 1, POINTS
    action_high = np.array([float(POINTS)])
    state_low, state_high = np.append(-np.ones(POINTS + 1), 0.0), np.append(np.ones(POINTS + 1), float(LENGTH))
    step, sample_action, player = staticmethod(step), staticmethod(sample_action), staticmethod(player)
    actions, region = staticmethod(actions), staticmethod(region)
    rollout, traced_rollout = staticmethod(rollout), staticmethod(traced_rollout)

    def initial_state(self, rng):
        state = np.zeros(self.state_dim)
        state[PLAYER] = 1.0
        return state
