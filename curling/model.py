"""Generative models of a curling match, for planners and environments."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from curling.aim_grid import aim_grid
from curling.candidates import MOST_CANDIDATES
from curling.cells import cells
from curling.dynamics import actions, player, rollout, sample_action, step, step_exact, value
from curling.end_weights import NO_WEIGHTS, load, own
from curling.noise import Noise, noise_of
from curling.physics import Physics, law_index, physics_of
from curling.rules import rule_of
from curling.sheet import STONES, no_stones
from curling.state import FIRST_STONE, HAMMER, LEAD, REWARDS, STATE_DIM, TIME, state_of
from curling.value import table_of, win_probabilities
from planners.base import AimBlock, Array, Rng
from planners.checks import require, require_choice, require_count, require_positive, require_share

MOST_ENDS = 100


@dataclass(frozen=True)
class Curling:
    """A match of curling, or a single end, on the analytic engine; the teams alternate and rewards are team 0's.

    `curling.state` describes the state. An action is (vx, vy, spin): the velocity of the aim, m/s, and the rotation,
    counter-clockwise from 0 on. `aim` converts velocities to actions. Team 1 has the hammer in the first end.

    Args:
        ends: ends of the match, at most 100.
        rule: "five_rock", "four_rock", "no_tick" (five rock with the no-tick rule) or "none"; None is the default of
            the physics, "five_rock" for fcv1 and dc4, "four_rock" for dc2.
        noise: "normal_dist" or "none" for fcv1 and dc4, "dc2", "gat" or "none" for dc2, or a `curling.noise.Noise`;
            None is the first name of the physics.
        physics: "fcv1", "dc2" or "dc4", which is fcv1 with the limits of play of Digital Curling 4.
        extra_ends: largest number of extra ends after a tie, at most 100; a tie after them is a draw.
        velocity_unit: "m/s", or "box": useful velocities normalised to [-1, 1]^2, for reinforcement learning.
        reward: "points", at each end of an end; "win": 1 if team 0 wins the match, 0 if it loses; or "win_probability":
            that of the match after the current end, with which the episode is over, for planners that search to the
            end of their end (see `planning`).
        tie: value of a final tie, for "win" and "win_probability", to the team that would have the hammer next.
        table: distribution of end scores for the win probability: "thesis", the path of a file for
            `curling.value.load_table` (read at construction), or 17 numbers for -8..8 points of the team with the
            hammer; None is that of the pre-search in self-play under this physics.
        max_speed: largest speed of an aim, m/s, if below that of the physics; None is that of the physics.
        weights: of the network that `value` asks for the score of the end: None are those of the package in the games
            that they are for, and elsewhere `value` plays out; a path is a file that `curling.learning` wrote, which is
            used in whatever game; "none" always plays out.
    """

    ends: int = 1
    rule: str | None = None
    noise: str | Noise | None = None
    physics: Literal["fcv1", "dc2", "dc4"] = "fcv1"
    extra_ends: int = 0
    velocity_unit: Literal["m/s", "box"] = "m/s"
    reward: Literal["points", "win", "win_probability"] = "points"
    tie: float = 0.5
    table: str | tuple[float, ...] | None = None
    max_speed: float | None = None
    weights: str | None = None

    state_dim = STATE_DIM
    time_index = TIME
    discount = 1.0
    compiled = True
    step = staticmethod(step)
    step_exact = staticmethod(step_exact)
    sample_action = staticmethod(sample_action)
    actions = staticmethod(actions)
    max_actions = MOST_CANDIDATES
    rollout = staticmethod(rollout)
    value = staticmethod(value)
    player = staticmethod(player)
    cells = staticmethod(cells)
    return_bounds = 0.0, 1.0  # with "win_probability"
    indifference = 0.002

    def __post_init__(self) -> None:
        require_count("ends", self.ends, 1, MOST_ENDS)
        require_count("extra_ends", self.extra_ends, 0, MOST_ENDS)
        require_choice("reward", self.reward, REWARDS)
        require_share("tie", self.tie)
        require_choice("velocity_unit", self.velocity_unit, ("m/s", "box"))
        for name, default in (("rule", self.law.rule), ("noise", self.law.noises[0])):
            if getattr(self, name) is None:
                # models of the same match must be equal and print alike
                object.__setattr__(self, name, default)
        rule_of(self.rule)
        noise_of(self.noise)
        fits = isinstance(self.noise, Noise) or self.noise in self.law.noises
        allowed = f"{', '.join(map(repr, self.law.noises))} or a Noise of your own with physics={self.physics!r}"
        require(fits, "noise", self.noise, allowed)
        if self.max_speed is not None:
            require_positive("max_speed", self.max_speed)
        if self.table is not None:
            object.__setattr__(self, "table", table_of(self.table, self.physics))
        if self.weights not in (None, "none"):
            require(isinstance(self.weights, str), "weights", self.weights, 'a file or "none"')
            load(Path(str(self.weights)))

    @property
    def law(self) -> Physics:
        """The parameters of the physics."""
        return physics_of(self.physics)

    @property
    def horizon(self) -> int:
        """Number of shots of the longest match."""
        return STONES * (self.ends + self.extra_ends)

    @cached_property
    def params(self) -> Array:
        """Parameters of the model functions, in the order of `curling.state`."""
        law, sheet, table = self.law, self.law.sheet, table_of(self.table, self.physics)
        cap = law.max_speed if self.max_speed is None else min(self.max_speed, law.max_speed)
        throws = law_index(law.name), law.launch_spin, cap, *law.tee_draw, sheet.tee, sheet.in_house
        rules = *rule_of(self.rule), self.ends, self.ends + self.extra_ends, REWARDS.index(self.reward)
        values = win_probabilities(self.ends, self.extra_ends, self.tie, table).ravel()
        noise, weights = noise_of(self.noise).params, self._weights
        before = *throws, *rules, *self._unit
        network = len(before) + 1 + len(noise) + len(values)
        return np.concatenate([before, [network], noise, values, weights])

    @property
    def _weights(self) -> Array:
        """Of the network, [WEIGHTS]; empty where `value` plays out."""
        if self.weights is not None:
            return NO_WEIGHTS if self.weights == "none" else load(Path(self.weights))[0]
        weights, provenance = own()
        if provenance is None or (self.law.experience, self.rule) != (provenance.physics, provenance.rule):
            return NO_WEIGHTS
        slower = self.max_speed is not None and self.max_speed < self.law.max_speed
        return NO_WEIGHTS if slower or noise_of(self.noise) != noise_of(provenance.noise) else weights

    @property
    def _unit(self) -> tuple[float, float, float]:
        """(a, b, c) of the velocity (a * action[0], b + c * action[1]), m/s."""
        if self.velocity_unit == "m/s":
            return 1.0, 0.0, 1.0
        low, high = self.law.min_vy, self.law.max_speed
        return self.law.max_vx, 0.5 * (low + high), 0.5 * (high - low)

    def steps_left(self, state: Array) -> int:
        """Shots left in the episode, the end with "win_probability", else the longest match; 0 after the match."""
        time = int(state[TIME])
        decided = time >= STONES * self.ends and time % STONES == 0 and state[LEAD] != 0.0
        if decided or time >= self.horizon:
            return 0
        return STONES - time % STONES if self.reward == "win_probability" else self.horizon - time

    def planning(self) -> Self:
        """The same match for planners: the current end, rewarded by team 0's win probability after it, in [0, 1]."""
        return replace(self, reward="win_probability")

    def tie_breaker(self, state: Array) -> Self | None:
        """For "win_probability": the same end rewarded by its points, which decide where the match is won or lost."""
        if self.reward != "win_probability":
            return None
        return replace(self, ends=int(state[TIME]) // STONES + 1, extra_ends=0, reward="points")

    def aim(self, vx: ArrayLike, vy: ArrayLike, spin: ArrayLike) -> Array:
        """The action that aims at a velocity, m/s, with the rotation of the sign of `spin`, [..., 3]."""
        across, middle, along = self._unit
        parts = np.divide(vx, across), np.subtract(vy, middle) / along, np.where(np.greater_equal(spin, 0.0), 1.0, -1.0)
        return np.stack(np.broadcast_arrays(*parts), axis=-1)

    def aim_grid(self, state: Array, size: int) -> list[AimBlock]:
        """About `size` actions that cover all useful throws, the same in every state; see `curling.aim_grid`."""
        grids = aim_grid(self.law, noise_of(self.noise), size)
        return [AimBlock(self.aim(v[..., 0], v[..., 1], side), sd) for v, side, sd in grids]

    @cached_property
    def action_low(self) -> Array:
        """Smallest (vx, vy, spin)."""
        return -np.ones(3) if self.velocity_unit == "box" else self.aim(-self.law.max_vx, self.law.min_vy, -1.0)

    @cached_property
    def action_high(self) -> Array:
        """Largest (vx, vy, spin)."""
        return np.ones(3) if self.velocity_unit == "box" else self.aim(self.law.max_vx, self.law.max_speed, 1.0)

    @cached_property
    def state_low(self) -> Array:
        """Lower bounds of the states."""
        low = state_of(no_stones(), 0, hammer=0)
        low[LEAD] = -8.0 * (self.ends + self.extra_ends)
        low[FIRST_STONE::2] = -self.law.limits.side
        return low

    @cached_property
    def state_high(self) -> Array:
        """Upper bounds of the states."""
        high = -self.state_low
        high[TIME], high[HAMMER] = self.horizon, 1.0
        high[FIRST_STONE + 1 :: 2] = self.law.limits.farthest
        return high

    @cached_property
    def distance_weights(self) -> Array:
        """Distances are finite only between positions with the same shot, hammer and lead."""
        weights = np.ones(STATE_DIM)
        weights[:FIRST_STONE] = math.inf
        return weights

    @cached_property
    def action_sd(self) -> Array:
        """Standard deviations of a tee draw's noise, in units of the action; 0 for the spin."""
        noise = noise_of(self.noise)
        across, _, along = self._unit
        vx = math.hypot(noise.vx, noise.angle * math.hypot(*self.law.tee_draw))
        return np.array([vx / across, math.hypot(noise.vy, noise.speed) / along, 0.0])

    def initial_state(self, rng: Rng) -> Array:
        """The empty sheet, with the hammer for team 1."""
        return state_of(no_stones(), 0)
