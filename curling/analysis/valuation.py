"""The expected win probability of an aim: throws with errors, each followed by a reply of the judge and an estimate.

The errors are the same for all aims of a position (common random numbers), and stratified: their two largest parts are
cut into cells of equal probability with two throws in each, so that the difference of the two gives the standard error
(Cochran 1977, "Sampling techniques", chapter 5).
"""

import math
from typing import NamedTuple

import numpy as np

from bonspiel.curling.ice.execution import students
from bonspiel.curling.ice.noise import Noise, Thrower
from bonspiel.curling.ice.sheet import LAST_SHOT, STONES
from bonspiel.curling.match.state import TIME, shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.records.match_data import Throw
from bonspiel.curling.records.umpire import exact, outcome
from bonspiel.curling.win_probability import calibrated
from bonspiel.planners.contract.decisions import checked_plan
from bonspiel.planners.model import Array, Rng
from bonspiel.planners.planner import Budget, Planner

CELLS = 4  # along each part of the errors; 3, with longer replies, and 5, with shorter ones, were measured to be worse
LAST_CELLS = 30  # for the last stone of an end: its value is exact, but it decides more
REPLIES = 10  # from the position in which the stones came to rest
REPLY_THROWS = 64


class Estimate(NamedTuple):
    """An estimated mean and its standard error."""

    mean: float
    error: float


def errors(noise: Noise, cells: int, rng: Rng) -> Array:
    """Standard normal deviates of the errors of speed, angle, vx and vy, [2, cells^2, 4]: two throws for each cell."""
    from scipy.special import ndtri  # late: its import takes as long as numba's

    deviates = rng.standard_normal((2, cells * cells, 4))
    corners = np.stack(np.divmod(np.arange(cells * cells), cells), axis=-1)
    stratified = slice(0, 2) if any(noise.sds[:2]) else slice(2, 4)
    deviates[..., stratified] = ndtri((corners + rng.random((2, cells * cells, 2))) / cells)
    return deviates


def throw(model: Curling, thrower: Thrower, aim: Throw, deviates: Array) -> Throw:
    """The throw of an aim with an error, as `curling.ice.noise.noisy_velocity` throws it.

    Args:
        model: of the match.
        thrower: with the errors.
        aim: (vx, vy, rotation), m/s.
        deviates: [4], as from `errors`.
    """
    noise = thrower.noise
    off = [students(float(deviate), noise.freedom) for deviate in deviates]
    of_speed, of_angle, of_vx, of_vy = np.multiply(noise.sds, off)
    speed, angle = min(math.hypot(*aim[:2]), thrower.max_speed) + of_speed, math.atan2(aim[1], aim[0]) + of_angle
    return speed * math.cos(angle) + of_vx, speed * math.sin(angle) + of_vy, exact(model, aim)[2]


class PositionJudge:
    """Chooses an aim in one position, and values aims by throws with errors and replies.

    Args:
        model: the match for planners, see `curling.win_probability.estimating`.
        state: the position, [state_dim].
        planner: chooses the aim and the replies.
        budget: for the choice; and for the replies to all throws of an aim together.
        seed: of all draws, with the number of the shot in the match.
    """

    def __init__(self, model: Curling, state: Array, planner: Planner, budget: Budget, seed: int) -> None:
        self.model, self.state, self._thrower = model, state, model.thrower(state)
        self._planner, self._budget, self._seed = planner, budget, (seed, int(state[TIME]))
        cells = LAST_CELLS if shot_of(state) == LAST_SHOT else CELLS
        self._errors = errors(self._thrower.noise, cells, self._rng(1))
        self._reply_budget = _part(budget, self._throws)

    def choose(self) -> Throw:
        """The planner's aim."""
        vx, vy, side = checked_plan(self._planner, self.model, self.state, self._budget, self._rng(0)).action.tolist()
        return vx, vy, 1.0 if side >= 0.0 else -1.0

    def value_aim(self, aim: Throw) -> Array:
        """Team 0's win probability after each throw with an error, [2, cells^2]."""
        values = np.empty(self._errors.shape[:2])
        for number, at in enumerate(np.ndindex(*values.shape), 2):
            after = outcome(self.model, self.state, throw(self.model, self._thrower, aim, self._errors[at]))
            if after.over:
                values[at] = calibrated(self.model, after.state, after.reward)
            else:
                values[at] = self._value(after.state, self._rng(number))
        return values

    def value_position(self, state: Array) -> Estimate:
        """Team 0's win probability in a position after a throw, within the end."""
        values = [self._value(state, self._rng(2 + self._throws + number)) for number in range(REPLIES)]
        return Estimate(float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(REPLIES))

    def _value(self, state: Array, rng: Rng) -> float:
        """Mean over throws of the reply: the value that a search gives its own choice is too good."""
        reply = checked_plan(self._planner, self.model, state, self._reply_budget, rng).action
        return value_after(self.model, state, reply, REPLY_THROWS, rng)

    @property
    def _throws(self) -> int:
        return self._errors[..., 0].size

    def _rng(self, number: int) -> Rng:
        return np.random.default_rng((*self._seed, number))


def estimate(values: Array) -> Estimate:
    """The mean of values of stratified throws, [2, cells], or of their differences, and its standard error."""
    first, second = values
    return Estimate(float(values.mean()), float(np.hypot.reduce(first - second)) / (2 * len(first)))


def value_after(model: Curling, state: Array, action: Array, n: int, rng: Rng) -> float:
    """Return team 0's mean win probability after n throws of an action.

    Where there are no weights for the match it comes from playouts of the default policy.
    """
    values, next_state, scratch = np.empty(n), np.empty(model.state_dim), np.empty(model.state_dim)
    for number in range(n):
        values[number], over = model.step(state, action, next_state, model.params, rng)
        if not over:
            values[number] = model.value(next_state, scratch, STONES, model.params, rng)
        values[number] = calibrated(model, next_state, values[number])
    return float(values.mean())


def _part(budget: Budget, parts: int) -> Budget:
    """The budget divided, with at least one simulation in each part."""
    if budget.simulations is not None:
        return Budget(simulations=max(1, budget.simulations // parts))
    return Budget(seconds=(budget.seconds or 0.0) / parts)
