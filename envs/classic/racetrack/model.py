"""Racetrack: drive to the finish as fast as the curves allow (Barto, Bradtke, Singh 1995, with real numbers)."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from bonspiel.envs.classic.racetrack import tracks
from bonspiel.envs.classic.racetrack.tracks import WALL, Track
from bonspiel.envs.rollout import follow
from bonspiel.planners.checks import require, require_at_least, require_choice, require_share
from bonspiel.planners.jit import compiled, helper
from bonspiel.planners.model import Array, Rng

SLIP, NOISE, ENDS, PROGRESS, WIDTH, STARTS, LENGTH, MAP = range(8)  # the entries of params
MAX_PUSH, MAX_SPEED = 1.0, 5.0  # in cells and steps
HORIZON = 50
TrackName: TypeAlias = Literal["corner", "hairpin"]
Crash: TypeAlias = Literal["restart", "end"]


@helper
def cell(column: int, row: int, params: Array) -> float:
    """The way from the cell's centre to the finish: 0 there, WALL off the track."""
    return float(params[MAP + row * int(params[WIDTH]) + column])


@helper
def to_go(x: float, y: float, params: Array) -> float:
    """The way to the finish, through the centre of the cell or of one next to it."""
    best = np.inf
    for row in range(int(y) - 1, int(y) + 2):
        for column in range(int(x) - 1, int(x) + 2):
            left = cell(column, row, params)
            if left != WALL:
                off_x, off_y = column + 0.5 - x, row + 0.5 - y
                best = min(best, left + math.sqrt(off_x * off_x + off_y * off_y))
    return best


@helper
def way(x: float, y: float, move_x: float, move_y: float, params: Array) -> tuple[float, float]:
    """The part of a straight move up to the first wall or the finish, and that cell's entry; (1, 1) if there is none.

    From one border of a cell to the next (Amanatides, Woo 1987), so that nothing is jumped over.
    """
    column, row = int(x), int(y)
    across = 1.0 / abs(move_x) if move_x != 0.0 else np.inf  # from one column to the next
    upward = 1.0 / abs(move_y) if move_y != 0.0 else np.inf
    next_column = (column + (move_x > 0.0) - x) / move_x if move_x != 0.0 else np.inf
    next_row = (row + (move_y > 0.0) - y) / move_y if move_y != 0.0 else np.inf
    entered = 1.0
    while min(next_column, next_row) <= 1.0:
        if next_column < next_row:
            part = next_column
            next_column += across
            column += 1 if move_x > 0.0 else -1
        else:
            part = next_row
            next_row += upward
            row += 1 if move_y > 0.0 else -1
        entered = cell(column, row, params)
        if entered <= 0.0:
            return part, entered
    return 1.0, 1.0


@helper
def place_at_start(state: Array, params: Array, rng: Rng) -> None:
    """At rest in the middle of a random cell of the start line."""
    starts = int(params[STARTS])
    first = len(params) - 2 * starts
    chosen = first + 2 * int(rng.random() * starts)
    state[0], state[1] = params[chosen] + 0.5, params[chosen + 1] + 0.5
    state[2], state[3] = 0.0, 0.0


@compiled("step")
def step(state: Array, action: Array, next_state: Array, params: Array, rng: Rng) -> tuple[float, bool]:
    """Change the speed, unless the car slips, and move at the new speed as far as the track goes."""
    slips = rng.random() < params[SLIP]
    for i in range(2):
        push = 0.0 if slips else action[i]
        if params[NOISE] > 0.0:
            push += params[NOISE] * rng.standard_normal()
        next_state[2 + i] = min(max(state[2 + i] + push, -MAX_SPEED), MAX_SPEED)
    part, entered = way(state[0], state[1], next_state[2], next_state[3], params)
    for i in range(2):
        next_state[i] = state[i] + part * next_state[2 + i]
    next_state[4] = state[4] + 1.0
    before = params[PROGRESS] * to_go(state[0], state[1], params)
    if entered == 0.0:
        return before - 1.0, True
    if entered == WALL and params[ENDS] > 0.0:
        return before - params[PROGRESS] * params[LENGTH] - (HORIZON - state[4]), True
    if entered == WALL:
        place_at_start(next_state, params, rng)
    return before - params[PROGRESS] * to_go(next_state[0], next_state[1], params) - 1.0, False


@compiled("sample_action")
def sample_action(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Uniform within the bounds."""
    for i in range(2):
        action[i] = MAX_PUSH * (2.0 * rng.random() - 1.0)


@helper
def brake(state: Array, action: Array, params: Array, rng: Rng) -> None:
    """Push against the speed."""
    for i in range(2):
        action[i] = min(max(-state[2 + i], -MAX_PUSH), MAX_PUSH)


@compiled("rollout")
def rollout(state: Array, scratch: Array, depth: int, params: Array, rng: Rng) -> float:
    """Return of braking over at most `depth` steps: what is gained and cannot be lost by being too fast."""
    return follow(brake, step, state, np.empty(2), scratch, depth, params, rng)


@dataclass(frozen=True)
class Racetrack:
    """State (x, y, vx, vy, t) in cells and cells per step, action: an acceleration in [-1, 1] along each axis.

    A step costs 1 and changes the speed, which stays within [-5, 5] along each axis, by the acceleration and Gaussian
    noise; when the car slips, by the noise alone. The car crashes where its straight way first meets a wall. An episode
    ends at the finish, or is cut after 50 steps.

    Args:
        track: "corner", a curve to the right, or "hairpin", a turn by half a circle.
        slip: probability that an acceleration has no effect, from 0 to 1.
        noise: standard deviation of the noise along each axis, at least 0.
        crash: what a crash does: "restart" puts the car back to a random place of the start line, at rest; "end" ends
            the episode, and the steps left are charged at once.
        progress: whether a step also earns the way to the finish that it saves, in cells. It is a potential of the
            place alone (Ng, Harada, Russell 1999): whoever finishes has earned the length of the track by it.
    """

    track: TrackName = "corner"
    slip: float = 0.1
    noise: float = 0.05
    crash: Crash = "restart"
    progress: bool = True

    state_dim = 5
    horizon = HORIZON
    time_index = 4
    discount = 1.0
    compiled = True
    action_low, action_high = np.full(2, -MAX_PUSH), np.full(2, MAX_PUSH)
    distance_weights = np.array([1.0, 1.0, 1.0, 1.0, np.inf])  # only states of the same time are compared
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    rollout = staticmethod(rollout)

    def __post_init__(self) -> None:
        require_choice("track", self.track, tuple(tracks.MAPS))
        require_share("slip", self.slip)
        require_at_least("noise", self.noise, 0.0)
        require_choice("crash", self.crash, ("restart", "end"))
        require(isinstance(self.progress, bool), "progress", self.progress, "True or False")

    @property
    def map(self) -> Track:
        """The track."""
        return tracks.load(self.track)

    @cached_property
    def params(self) -> Array:
        """(slip, noise, ends, progress, width, starts, length), the ways to the finish, and the cells of the start."""
        ways, starts = self.map.ways, self.map.starts
        length = max(ways[row, column] for column, row in starts)
        choices = [self.slip, self.noise, self.crash == "end", self.progress]
        return np.array([*choices, ways.shape[1], len(starts), length, *ways.ravel(), *np.ravel(starts)], np.float64)

    @cached_property
    def state_low(self) -> Array:
        """Lower bounds of the states."""
        return np.array([0.0, 0.0, -MAX_SPEED, -MAX_SPEED, 0.0])

    @cached_property
    def state_high(self) -> Array:
        """Upper bounds of the states."""
        rows, columns = self.map.ways.shape
        return np.array([columns, rows, MAX_SPEED, MAX_SPEED, HORIZON], np.float64)

    def initial_state(self, rng: Rng) -> Array:
        """At rest in the middle of a random cell of the start line."""
        column, row = self.map.starts[int(rng.integers(len(self.map.starts)))]
        return np.array([column + 0.5, row + 0.5, 0.0, 0.0, 0.0])
