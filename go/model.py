"""The model of a game of Go."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from bonspiel.go.board import LARGEST
from bonspiel.go.dynamics import actions, player, priors, region, rollout, sample_action, step, traced_rollout
from bonspiel.go.state import AREAS, HISTORY, KO, MOVER, NONE, PASSES, PLY, first_state, state_dim
from bonspiel.planners.checks import is_real, require, require_choice, require_count
from bonspiel.planners.model import Array, Rng

SMALLEST = 5
MOST_KOMI = 1000.0
Playout = Literal["light", "mogo"]


@dataclass(frozen=True)
class Go:
    """Go by area scoring: +1 at the end for a win of Black's, player +1, -1 for one of White's, 0 for a draw.

    `go.state` describes the state; `go.checks.check_position` says whether one that is not from a game can
    be played, which planners do not ask. An action is the number of a point, from left to right and from top to bottom,
    or size^2, a pass; `actions` are the legal moves, and an illegal one is played as a pass. Suicide is illegal. The
    game ends with two passes in a row, or after 3 size^2 plies, and is scored as it stands: a player's stones and the
    empty points that only they reach.

    Args:
        size: lines each way, 5 to 19.
        komi: points that White is given, a multiple of 1/2.
        superko: whether no position may be on the board twice (positional superko); otherwise only a single stone may
            not be retaken at once (simple ko). Playouts keep to simple ko.
        playout: of `rollout`: "mogo" answers atari, plays 3x3 patterns and captures (Gelly et al. 2006), "light" plays
            at random; neither fills eyes.
    """

    size: int = 9
    komi: float = 7.5
    superko: bool = False
    playout: Playout = "mogo"

    discount = 1.0
    compiled = True
    discrete = True
    step = staticmethod(step)
    sample_action = staticmethod(sample_action)
    actions = staticmethod(actions)
    rollout = staticmethod(rollout)
    traced_rollout = staticmethod(traced_rollout)
    priors = staticmethod(priors)
    region = staticmethod(region)
    player = staticmethod(player)

    def __post_init__(self) -> None:
        require_count("size", self.size, SMALLEST, LARGEST)
        known = is_real(self.komi) and abs(self.komi) <= MOST_KOMI and 2 * self.komi % 1 == 0
        require(known, "komi", self.komi, f"a multiple of 1/2 from {-MOST_KOMI:g} to {MOST_KOMI:g}")
        require(isinstance(self.superko, bool), "superko", self.superko, "True or False")
        require_choice("playout", self.playout, ("light", "mogo"))

    @property
    def area(self) -> int:
        """The number of points, and of the action that is a pass."""
        return self.size * self.size

    @property
    def state_dim(self) -> int:
        """Length of the states."""
        return state_dim(self.size, self.superko)

    @property
    def time_index(self) -> int:
        """The field of the state that counts the plies."""
        return self.area + PLY

    @property
    def horizon(self) -> int:
        """The plies after which a game is scored as it stands."""
        return AREAS * self.area

    @property
    def max_actions(self) -> int:
        """Most legal moves, the pass included."""
        return self.area + 1

    @property
    def n_regions(self) -> int:
        """The number of points, whose owners `traced_rollout` writes."""
        return self.area

    @cached_property
    def params(self) -> Array:
        """Parameters of the model functions, in the order of `go.state`."""
        return np.array([self.size, self.komi, self.superko, self.playout == "mogo"], float)

    @cached_property
    def action_low(self) -> Array:
        """(0,), the point at the top left."""
        return np.zeros(1)

    @cached_property
    def action_high(self) -> Array:
        """(size^2,), a pass."""
        return np.array([float(self.area)])

    @cached_property
    def state_low(self) -> Array:
        """Lower bounds of the states."""
        low = np.full(self.state_dim, NONE)
        low[[self.area + PASSES, self.area + PLY]] = 0.0
        return low

    @cached_property
    def state_high(self) -> Array:
        """Upper bounds of the states."""
        high = np.full(self.state_dim, 2.0**53)
        high[: self.area + MOVER + 1] = 1.0
        high[self.area + MOVER + 1 : self.area + HISTORY] = self.area
        high[self.area + KO] = self.area - 1
        high[self.area + PASSES], high[self.area + PLY] = 2.0, self.horizon
        return high

    def steps_left(self, state: Array) -> int:
        """Plies to the end at most; 0 after it."""
        return 0 if state[self.area + PASSES] >= 2.0 else self.horizon - int(state[self.area + PLY])

    def initial_state(self, rng: Rng) -> Array:
        """The empty board, Black to move."""
        return first_state(self.size, self.superko)
