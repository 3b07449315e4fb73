"""Generative models of a curling match, for planners and environments."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bonspiel.curling.choice.actions import actions, sample_action
from bonspiel.curling.choice.aim_grid import aim_grid
from bonspiel.curling.choice.candidates import MOST_CANDIDATES
from bonspiel.curling.choice.cells import cells
from bonspiel.curling.choice.playouts import rollout, traced_rollout, value
from bonspiel.curling.choice.territory import REGIONS, region
from bonspiel.curling.dynamics import player, step, step_exact
from bonspiel.curling.ice.noise import Noise, Pair, Thrower, mean_noise, name_of, noise_of
from bonspiel.curling.ice.sheet import DC3_SHEET, MIXED_THROWERS, STONES, no_stones
from bonspiel.curling.match.mixed_doubles import PATTERNS, begin_end, choice_of, first_state, is_setup_due, set_up
from bonspiel.curling.match.rules import MODIFIED, rule_of
from bonspiel.curling.match.state import (
    FIRST_STONE,
    HAMMER,
    LEAD,
    MIXED_STATE_DIM,
    PER_THROWER,
    REWARDS,
    STATE_DIM,
    TIME,
    state_of,
    thrower_at,
)
from bonspiel.curling.match.value import table_of
from bonspiel.curling.model_params import params_of, tee_draw_sd, weights_of
from bonspiel.curling.network.end_weights import load
from bonspiel.curling.settings import GAMES, MOST_ENDS, NETWORK_TABLE, MatchSettings
from bonspiel.planners.checks import require, require_choice, require_count, require_positive, require_share
from bonspiel.planners.model import AimBlock, Array, Rng


@dataclass(frozen=True)
class Curling(MatchSettings):
    """A match of curling, or a single end, on the analytic engine; the teams alternate and rewards are team 0's.

    `curling.match.state` describes the state, `curling.match.mixed_doubles` that game. An action is (vx, vy, spin): the
    velocity of the aim, m/s, and the rotation, counter-clockwise from 0 on. `aim` converts velocities to actions. Team
    1 has the hammer in the first end.

    Args:
        ends: ends of the match, at most 100.
        rule: "five_rock", "four_rock", "no_tick" (five rock with the no-tick rule) or "none"; None is the default of
            the physics, "five_rock" for fcv1 and dc4, "four_rock" for dc2. In mixed doubles it is "modified".
        noise: "normal_dist", "human" or "none" for fcv1 and dc4, "dc2", "gat" or "none" for dc2, one of these with a
            factor, "2*normal_dist", or a `curling.ice.noise.Noise`; None is the first name of the physics.
        physics: "fcv1", "dc2" or "dc4", which is fcv1 with the limits of play of Digital Curling 4.
        extra_ends: largest number of extra ends after a tie, at most 100; a tie after them is a draw.
        velocity_unit: "m/s", or "box": useful velocities normalised to [-1, 1]^2, for reinforcement learning.
        reward: "points", at each end of an end; "win": 1 if team 0 wins the match, 0 if it loses; or "win_probability":
            that of the match after the current end, with which the episode is over, for planners that search to the
            end of their end (see `planning`).
        tie: value of a final tie, for "win" and "win_probability", to the team that would have the hammer next.
        table: distribution of end scores for the win probability: "thesis", the path of a file for
            `curling.match.value.load_table` (read at construction), or 17 numbers for -8..8 points of the team with the
            hammer; "network" is what the network expects with each lead (`curling.model_params`); None is
            that of the pre-search in self-play under this physics.
        max_speed: largest speed of an aim, m/s, if below that of the physics; None is that of the physics.
        weights: of the network that `value` asks for the score of the end: None are those of the package in the games
            that they are for, and elsewhere `value` plays out; a path is a file that `curling.learning` wrote, which is
            used in whatever game; "none" always plays out.
        game: "standard" or "mixed_doubles", which is for fcv1 and dc4; its `table` is None, from self-play. Every end
            is set up as is best for the team that decides (`begin_end`).
        pattern: place of the guards that are set up in mixed doubles, 0 (nearest the house) to 5.
        throwers: in mixed doubles, the two players of team 0 and those of team 1; None: all throw alike. The first of a
            team makes its first and its last throw of an end, the second the three between. `max_speed` is None then,
            and `noise` the mean over the throws of an end.

    Raises:
        ValueError: a setting that is not allowed; the message names it.
    """

    time_index = TIME
    discount = 1.0
    compiled = True
    step = staticmethod(step)
    step_exact = staticmethod(step_exact)
    sample_action = staticmethod(sample_action)
    actions = staticmethod(actions)
    max_actions = MOST_CANDIDATES
    rollout = staticmethod(rollout)
    traced_rollout = staticmethod(traced_rollout)
    n_regions = REGIONS
    region = staticmethod(region)
    value = staticmethod(value)
    player = staticmethod(player)
    cells = staticmethod(cells)
    return_bounds = 0.0, 1.0  # with "win_probability"
    indifference = 0.002

    @classmethod
    def of(cls, settings: MatchSettings, **changes: Any) -> Self:
        """The model of a match with these settings and `changes`; `throwers` have their own `noise` and `max_speed`."""
        own = {} if settings.throwers is None else {"noise": None, "max_speed": None}
        return cls(**settings.values() | own | changes)

    def __post_init__(self) -> None:
        """Check the settings, and give those that are None their defaults."""
        require_count("ends", self.ends, 1, MOST_ENDS)
        require_count("extra_ends", self.extra_ends, 0, MOST_ENDS)
        require_choice("reward", self.reward, REWARDS)
        require_share("tie", self.tie)
        require_choice("velocity_unit", self.velocity_unit, ("m/s", "box"))
        self._check_game()
        # models of the same match must be equal and print alike
        self._fill("rule", MODIFIED if self.is_mixed else self.law.rule)
        self._fill("noise", self.law.noises[0] if self.throwers is None else _mean_noise(self.throwers))
        if not self.is_mixed:
            rule_of(self.rule)
        noise_of(self.noise)
        fits = isinstance(self.noise, Noise) or name_of(self.noise) in self.law.noises
        names = ", ".join(map(repr, self.law.noises))
        allowed = f"{names}, one of these with a factor, or a Noise of your own with physics={self.physics!r}"
        require(fits, "noise", self.noise, allowed)
        if self.max_speed is not None:
            require_positive("max_speed", self.max_speed)
        if self.table not in (None, NETWORK_TABLE):
            object.__setattr__(self, "table", table_of(self.table, self.physics))
        if self.weights not in (None, "none"):
            require(isinstance(self.weights, str), "weights", self.weights, 'a file or "none"')
            load(Path(str(self.weights)))
        if self.table == NETWORK_TABLE:
            require(len(weights_of(self)) > 0, "table", self.table, "another where there are no weights for the game")

    def _check_game(self) -> None:
        """Refuse settings of the other game."""
        require_choice("game", self.game, GAMES)
        require_count("pattern", self.pattern, 0, PATTERNS - 1)
        require(self.is_mixed or self.pattern == 0, "pattern", self.pattern, "0 but in mixed doubles")
        if self.is_mixed:
            in_mixed = "in mixed doubles"
            require(self.law.sheet == DC3_SHEET, "physics", self.physics, f"'fcv1' or 'dc4' {in_mixed}")
            require(self.rule in (None, MODIFIED), "rule", self.rule, f"None or {MODIFIED!r} {in_mixed}")
            require(self.table is None, "table", self.table, f"None {in_mixed}")
        if self.throwers is not None:
            require(self.is_mixed, "throwers", self.throwers, "None in standard games")
            require(self.max_speed is None, "max_speed", self.max_speed, "None with throwers, who have their own")
            mean = _mean_noise(self.throwers)
            require(self.noise in (None, mean), "noise", self.noise, "None with throwers, who have their own")

    def _fill(self, name: str, default: str | Noise | None) -> None:
        """Give a setting that is None its default."""
        if getattr(self, name) is None:
            object.__setattr__(self, name, default)

    @property
    def state_dim(self) -> int:
        """Length of the states."""
        return MIXED_STATE_DIM if self.is_mixed else STATE_DIM

    @cached_property
    def params(self) -> Array:
        """Parameters of the model functions, in the order of `curling.match.state`."""
        return params_of(self)

    def steps_left(self, state: Array) -> int:
        """Shots left in the episode, the end with "win_probability", else the longest match; 0 after the match."""
        time = int(state[TIME])
        decided = time >= STONES * self.ends and time % STONES == 0 and state[LEAD] != 0.0
        if decided or time >= self.horizon:
            return 0
        ends_after = 0 if self.reward == "win_probability" else self.ends + self.extra_ends - 1 - time // STONES
        return STONES - max(time % STONES, self.first_shot) + ends_after * self.end_shots

    def planning(self) -> Self:
        """The same match for planners: the current end, rewarded by team 0's win probability after it, in [0, 1]."""
        return replace(self, reward="win_probability")

    def tie_breaker(self, state: Array) -> Self | None:
        """For "win_probability": the same end rewarded by its points, which decide where the match is won or lost."""
        if self.reward != "win_probability":
            return None
        return replace(self, ends=int(state[TIME]) // STONES + 1, extra_ends=0, reward="points")

    def thrower(self, state: Array) -> Thrower:
        """The player who throws next."""
        at = thrower_at(state, self.params)
        max_speed, *sds = self.params[at : at + PER_THROWER].tolist()
        return Thrower(max_speed, Noise(*sds))

    def aim(self, vx: ArrayLike, vy: ArrayLike, spin: ArrayLike) -> Array:
        """The action that aims at a velocity, m/s, with the rotation of the sign of `spin`, [..., 3]."""
        across, middle, along = self.unit
        parts = np.divide(vx, across), np.subtract(vy, middle) / along, np.where(np.greater_equal(spin, 0.0), 1.0, -1.0)
        return np.stack(np.broadcast_arrays(*parts), axis=-1)

    def aim_grid(self, state: Array, size: int) -> list[AimBlock]:
        """About `size` actions that cover all useful throws, with the thrower's errors: `curling.choice.aim_grid`."""
        grids = aim_grid(self.law, self.thrower(state).noise, size)
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
        low = np.zeros(self.state_dim)
        low[LEAD] = -8.0 * (self.ends + self.extra_ends)
        low[FIRST_STONE:STATE_DIM:2] = -self.law.limits.side
        return low

    @cached_property
    def state_high(self) -> Array:
        """Upper bounds of the states."""
        high = -self.state_low
        high[TIME], high[HAMMER] = self.horizon, 1.0
        high[FIRST_STONE + 1 : STATE_DIM : 2] = self.law.limits.farthest
        high[STATE_DIM:] = 1.0
        return high

    @cached_property
    def distance_weights(self) -> Array:
        """Distances are finite only between positions that differ in their stones alone."""
        weights = np.full(self.state_dim, math.inf)
        weights[FIRST_STONE:STATE_DIM] = 1.0
        return weights

    @cached_property
    def action_sd(self) -> Array:
        """Standard deviations of a tee draw's noise, in units of the action; 0 for the spin."""
        across, _, along = self.unit
        vx, vy = tee_draw_sd(self.law, noise_of(self.noise))
        return np.array([vx / across, vy / along, 0.0])

    def initial_state(self, rng: Rng) -> Array:
        """The empty sheet, with the hammer for team 1; in mixed doubles the first end set up."""
        return self.begin_end(first_state()) if self.is_mixed else state_of(no_stones(), 0)

    def begin_end(self, state: Array, choice: str | None = None) -> Array:
        """The state after the set-up of an end of mixed doubles, by the best choice or one of `setup_value.CHOICES`.

        A power play that is not allowed is played as "center_house", as the servers do. Other states stay as they are.

        Raises:
            ValueError: not one of the choices.
        """
        begun = state.copy()
        if choice is None:
            begin_end(begun, self.params)
        elif self.is_mixed and is_setup_due(state):
            set_up(begun, choice_of(choice), self.params)
        return begun


def _mean_noise(throwers: tuple[Pair, Pair]) -> Noise:
    """The mean errors of the throws of an end of mixed doubles."""
    return mean_noise([pair[player] for pair in throwers for player in MIXED_THROWERS])
