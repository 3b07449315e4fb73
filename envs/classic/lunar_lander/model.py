"""Lunar lander: the MDP that Lev-Yehudi et al. plan in (IJCAI 2026, arXiv 2503.12181); not Gymnasium's LunarLander."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_at_least
from bonspiel.planners.core.zobrist import box_cells
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array, Rng

NOISE, BOUNDS = 0, 1  # the entries of params
TIME_STEP, GRAVITY, INERTIA = 0.4, 9.0, 10.0  # s, m/s^2, kg m^2; the mass is 1 kg
MAX_LATERAL, MAX_THRUST, MAX_OFFSET = 5.0, 15.0, 1.0  # N, N, m
SPEED_NOISE, TURN_NOISE = 0.1, 0.01  # m/s, rad/s
WIDTH, MAX_TILT, GROUND = 15.0, 0.5, 1.0  # m to each side, rad, m
LANDED, LOST, STEP_REWARD = 100.0, -1000.0, -1.0
DISCOUNT = 0.99
HORIZON = 35
START = np.array([0.0, 50.0, 0.0, 0.0, -10.0, 0.0, 0.0])
START_SD = np.sqrt([0.1, 0.1, 0.01, 0.1, 0.1, 0.01, 0.0])  # the paper's program gives variances
START_SDS = 4.0  # that a start never exceeds


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Move at the old speeds, then change these (explicit Euler), with noise."""
    lateral, thrust, offset = action[0], action[1], action[2]
    sine, cosine = math.sin(state[2]), math.cos(state[2])
    noise = params[NOISE]
    place = state[0] + TIME_STEP * state[3]
    height = state[1] + TIME_STEP * state[4]
    tilt = state[2] + TIME_STEP * state[5]
    next_state[0] = place
    next_state[1] = height
    next_state[2] = tilt
    next_state[3] = state[3] + TIME_STEP * (cosine * lateral - sine * thrust)
    next_state[4] = state[4] + TIME_STEP * (cosine * thrust + sine * lateral - GRAVITY)
    next_state[5] = state[5] - TIME_STEP * offset * lateral / INERTIA
    next_state[3] += noise * SPEED_NOISE * rng.standard_normal()
    next_state[4] += noise * SPEED_NOISE * rng.standard_normal()
    next_state[5] += noise * TURN_NOISE * rng.standard_normal()
    next_state[6] = state[6] + 1.0
    if abs(place) >= WIDTH or abs(tilt) >= MAX_TILT:
        return LOST, True
    if height <= GROUND:
        return LANDED - (abs(place) + next_state[4] * next_state[4]), True
    return STEP_REWARD, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    action[0] = MAX_LATERAL * (2.0 * rng.random() - 1.0)
    action[1] = MAX_THRUST * rng.random()
    action[2] = MAX_OFFSET * (2.0 * rng.random() - 1.0)


@helper
def against_the_speed(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """A force of 0.1 N s/m against the speed, the default policy of the paper's program."""
    action[0] = min(max(-0.1 * state[3], -MAX_LATERAL), MAX_LATERAL)
    action[1] = min(max(-0.1 * state[4], 0.0), MAX_THRUST)
    action[2] = 0.0


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Discounted return of a weak force against the speed, over at most `depth` steps."""
    return follow(against_the_speed, step, state, np.empty(3), scratch, depth, params, rng, DISCOUNT)


@compiled("cells")
def cells(state: Array, first: int, last: int, params: Array, out: NDArray[np.uint64]) -> None:
    """Boxes of the states that control is about; what lies outside goes to the outermost."""
    box_cells(state, first, last, params[BOUNDS:], out)


@dataclass(frozen=True)
class LunarLander:
    """State (x, z, theta, xdot, zdot, thetadot, t), action: lateral force, thrust and the offset of the lateral force.

    A craft of 1 kg moves at its speeds for 0.4 s; then xdot changes by 0.4 (lateral cos theta - thrust sin theta), zdot
    by 0.4 (thrust cos theta + lateral sin theta - 9), thetadot by -0.04 offset lateral, and Gaussian noise with
    standard deviations of 0.1, 0.1 and 0.01 is added. A step costs 1; z <= 1 is a landing, which earns 100 - |x| -
    zdot^2; |x| >= 15 or |theta| >= 0.5 costs 1000; both end the episode, which else has 35 steps. Returns are
    discounted by 0.99 a step. Episodes start near z = 50 and zdot = -10.

    Args:
        noise: factor of the noise, at least 0.
    """

    noise: float = 1.0

    state_dim = 7
    horizon = HORIZON
    time_index = 6
    discount = DISCOUNT
    compiled = True
    action_low = np.array([-MAX_LATERAL, 0.0, -MAX_OFFSET])
    action_high = np.array([MAX_LATERAL, MAX_THRUST, MAX_OFFSET])
    state_high = np.array([40.0, 1000.0, 2.0, 50.0, 120.0, 3.0, float(HORIZON)])  # more than can be reached
    state_low = np.array([-40.0, -40.0, -2.0, -50.0, -80.0, -3.0, 0.0])
    cell_high = np.array([WIDTH, 60.0, MAX_TILT, 8.0, 8.0, 0.5, float(HORIZON)])
    cell_low = np.array([-WIDTH, 0.0, -MAX_TILT, -8.0, -24.0, -0.5, 0.0])
    distance_weights = np.array([0.1, 0.1, 10.0, 0.1, 0.1, 10.0, 0.0])
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)
    cells = staticmethod(cells)

    def __post_init__(self) -> None:
        require_at_least("noise", self.noise, 0.0)

    @cached_property
    def params(self) -> Array:
        """(noise,), and the bounds of the cells."""
        return np.concatenate([[self.noise], self.cell_low, self.cell_high])

    def initial_state(self, rng: Rng) -> Array:
        """Gaussian about `START`, within 4 standard deviations."""
        return START + START_SD * np.clip(rng.standard_normal(len(START)), -START_SDS, START_SDS)
