"""The two referees' sources of values: the learned value after a throw, and the score of the end by playouts."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from bonspiel.curling.ice.sheet import LAST_SHOT, STONES
from bonspiel.curling.match.state import TIME, shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.players.lookahead import new_scratch
from bonspiel.curling.players.quasi_random import MOST_ERRORS, quasi_random_errors
from bonspiel.curling.players.throws import play_out, value_throws
from bonspiel.curling.win_probability import estimating, uses_network, with_slope
from bonspiel.planners.core.aims import aims_of
from bonspiel.planners.model import Array
from bonspiel.runs.experiment import UsageError

GRID = 4_284  # aims, of which playouts try some
TRIED = 128  # by each playout for the last stone, beside the candidates; see `play_out`
OTHERS = 8  # throws that tell the luck of each throw of a playout
COMPARED = 8  # errors with which a playout compares shots there


def judging(match: Curling) -> Curling:
    """The model of a match for the referees, with the nearest network where none is for it.

    Raises:
        UsageError: no network knows the physics.
    """
    model = estimating(match)
    if not uses_network(model):
        raise UsageError(f"physics={model.physics!r}: the referees know fcv1 and dc4 alone")
    return model


class ThrowSource(ABC):
    """Values and points of throws from one position, for the team that throws; the same errors for all aims.

    Args:
        model: from `judging`.
        state: the position, [state_dim].
        seed: of the errors.

    Attributes:
        thrown: stones thrown so far.
    """

    name: ClassVar[str]
    first: ClassVar[int]  # throws of each aim, before the worse half is dropped
    most: ClassVar[int]  # throws of an aim for each seed
    budget: ClassVar[int]  # stones
    fine: ClassVar[float]  # standard error of a shot's regret, where the shot is not told apart from the best one
    coarse: ClassVar[float]  # the same of a large regret

    def __init__(self, model: Curling, state: Array, seed: tuple[int, ...]) -> None:
        self.model, self.state, self.rng = model, state, np.random.default_rng(seed)
        self.shift, self.scratch, self.thrown = self.rng.random(4), new_scratch(), 0
        self._to_come = STONES
        self._is_certain = (int(state[TIME]) // STONES + 1) * STONES >= model.horizon  # what comes of the end

    def throw(self, aims: Array, first: int, upto: int) -> tuple[Array, Array]:
        """The win probability after, and the points that come of, throws first..upto-1 of each aim, [aims, throws]."""
        outcomes, luck = np.zeros((2, 2, len(aims), upto - first))
        self._throw(aims, quasi_random_errors(self.shift, first, upto), first, outcomes, luck)
        chances = outcomes[0] if self._is_certain else with_slope(outcomes[0], self._to_come)
        return chances - luck[0], outcomes[1] - luck[1]

    @abstractmethod
    def _throw(self, aims: Array, errors: Array, first: int, outcomes: Array, luck: Array) -> None: ...


class NetworkSource(ThrowSource):
    """The champion's learned value of the position after each throw."""

    name, first, most, budget = "network", 64, MOST_ERRORS, 400_000
    fine, coarse = 0.001, 0.01

    def __init__(self, model: Curling, state: Array, seed: tuple[int, ...]) -> None:
        super().__init__(model, state, seed)
        shot = shot_of(state)
        self._to_come = STONES if shot == LAST_SHOT else LAST_SHOT - shot
        self._is_certain &= shot == LAST_SHOT

    def _throw(self, aims: Array, errors: Array, first: int, outcomes: Array, luck: Array) -> None:
        value_throws(self.state, aims, errors, self.model.params, outcomes[0], outcomes[1], self.scratch)
        self.thrown += outcomes[0].size


class PlayoutSource(ThrowSource):
    """The score of the end after each throw and a playout in which both teams choose by the network, without luck."""

    name, first, most, budget = "playouts", 32, 2_048, 1_800_000
    fine, coarse = 0.01, 0.02

    def __init__(self, model: Curling, state: Array, seed: tuple[int, ...]) -> None:
        super().__init__(model, state, seed)
        grid = aims_of(model.aim_grid(state, GRID))
        self._later = self.rng.standard_normal((self.most, STONES, 4))
        self._compared = self.rng.standard_normal((self.most, COMPARED, 4))
        self._others = self.rng.standard_normal((self.most, STONES * OTHERS, 4))
        self._tried = grid[self.rng.integers(len(grid), size=(self.most, TRIED))]
        self._after = np.empty_like(state)

    def _throw(self, aims: Array, errors: Array, first: int, outcomes: Array, luck: Array) -> None:
        here = slice(first, first + len(errors))
        drawn = self._later[here], self._others[here], self._tried[here], self._compared[here]
        given = *drawn, self.model.params, self.rng, self._after
        self.thrown += play_out(self.state, aims, errors, *given, outcomes, luck, self.scratch)
