"""Hill car: the Hill Car MDP of Lev-Yehudi et al. (IJCAI 2026, arXiv 2503.12181)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require_at_least
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array, Rng

NOISE = 0  # the entry of params
EDGE, MAX_SPEED, MAX_FORCE = 1.0, 2.5, 4.0  # m to each side, m/s, N
GRAVITY = 9.81
TIME_STEP, PARTS = 0.1, 5  # s, and the Runge-Kutta steps that it is divided into
GOAL_REWARD, BREAKDOWN, STEP_REWARD = 100.0, -100.0, -1.0
DISCOUNT = 0.99
HORIZON = 30
START = 0.2


@helper
def acceleration(place: float, speed: float, force: float) -> float:
    """Of a mass of 1 kg that is kept on the hill, along x."""
    if place < 0.0:
        slope, curvature = 2.0 * place + 1.0, 2.0
    else:
        width = 1.0 + 5.0 * place * place
        slope = 1.0 / (width * math.sqrt(width))
        curvature = -15.0 * place / (width * width * math.sqrt(width))
    return (force - GRAVITY * slope - speed * speed * slope * curvature) / (1.0 + slope * slope)


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Hold a noisy force for 0.1 s: five steps of Runge and Kutta's method of fourth order."""
    force = action[0] + params[NOISE] * rng.standard_normal()
    place, speed, dt = state[0], state[1], TIME_STEP / PARTS
    for _ in range(PARTS):
        pull_1 = acceleration(place, speed, force)
        speed_2 = speed + 0.5 * dt * pull_1
        pull_2 = acceleration(place + 0.5 * dt * speed, speed_2, force)
        speed_3 = speed + 0.5 * dt * pull_2
        pull_3 = acceleration(place + 0.5 * dt * speed_2, speed_3, force)
        speed_4 = speed + dt * pull_3
        pull_4 = acceleration(place + dt * speed_3, speed_4, force)
        place += dt / 6.0 * (speed + 2.0 * speed_2 + 2.0 * speed_3 + speed_4)
        speed += dt / 6.0 * (pull_1 + 2.0 * pull_2 + 2.0 * pull_3 + pull_4)
    next_state[0] = place
    next_state[1] = speed
    next_state[2] = state[2] + 1.0
    if place > EDGE:
        return GOAL_REWARD, True
    if place < -EDGE or abs(speed) > MAX_SPEED:
        return BREAKDOWN, True
    return STEP_REWARD, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform on [-4, 4)."""
    action[0] = MAX_FORCE * (2.0 * rng.random() - 1.0)


@helper
def with_the_speed(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Full force in the direction of the movement, the threshold policy of the paper."""
    action[0] = -MAX_FORCE if state[1] < 0.0 else MAX_FORCE


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Discounted return of full force in the direction of the movement, over at most `depth` steps."""
    return follow(with_the_speed, step, state, np.empty(1), scratch, depth, params, rng, DISCOUNT)


@dataclass(frozen=True)
class HillCar:
    """State (x, v, t), action: a force in [-4, 4] N along x on a car of 1 kg.

    The hill of Moore and Atkeson's "car on the hill": H(x) = x^2 + x left of 0, x / sqrt(1 + 5 x^2) right of it, so
    that v' = (force + e - 9.81 H' - v^2 H' H'') / (1 + H'^2), x' = v, with one Gaussian draw e for each step of 0.1 s.
    A step costs 1; x > 1 earns 100 and ends the episode; x < -1 or |v| > 2.5 costs 100 and ends it; else it has 30
    steps. Returns are discounted by 0.99 a step. Episodes start at rest, with x uniform in [-0.2, 0].

    Args:
        noise: standard deviation of e in N, at least 0.
    """

    noise: float = 0.1

    state_dim = 3
    horizon = HORIZON
    time_index = 2
    discount = DISCOUNT
    compiled = True
    action_low, action_high = np.full(1, -MAX_FORCE), np.full(1, MAX_FORCE)
    start_low, start_high = np.array([-START, 0.0, 0.0]), np.zeros(3)
    state_low = np.array([-EDGE - 0.5, -MAX_SPEED - 2.5, 0.0])  # with what a last step can exceed
    state_high = np.array([EDGE + 0.5, MAX_SPEED + 2.5, float(HORIZON)])
    distance_weights = np.array([1.0, 0.1, 0.0])
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def __post_init__(self) -> None:
        require_at_least("noise", self.noise, 0.0)

    @cached_property
    def params(self) -> Array:
        """(noise,)."""
        return np.array([self.noise], np.float64)

    def initial_state(self, rng: Rng) -> Array:
        """Uniform between `start_low` and `start_high`."""
        return rng.uniform(self.start_low, self.start_high)
