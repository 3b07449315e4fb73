"""Go as a two-player game of tournaments."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from bonspiel import planners
from bonspiel.go.board import workspace_of
from bonspiel.go.checks import check_move
from bonspiel.go.games import record
from bonspiel.go.games.record import GoRecord, RecordedMove
from bonspiel.go.model import Go, Playout
from bonspiel.go.scoring import count_area
from bonspiel.go.state import MOVER
from bonspiel.planners.model import Array, Rng
from bonspiel.runs.games.game import Forfeit, GameSummary, Move, ScheduledGame, Step


@functools.cache
def _model(game: "GoGame") -> Go:
    return Go(**asdict(game))


@dataclass(frozen=True)
class GoGame:
    """A game of Go; see `runs.games.game.TwoPlayerGame`.

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

    roles: ClassVar = ("Black", "White")
    suffix: ClassVar = ".sgf"
    make_player = staticmethod(planners.parse)
    write = staticmethod(record.write)
    read = staticmethod(record.read)

    def __post_init__(self) -> None:
        _model(self)

    @property
    def title(self) -> str:
        """Board and komi."""
        return f"Go, {self.size} x {self.size}, komi {self.komi:g}"

    @property
    def model(self) -> Go:
        """The game for planners."""
        return _model(self)

    def initial_state(self, rng: Rng) -> Array:
        """The empty board."""
        return self.model.initial_state(rng)

    def player(self, state: Array) -> int:
        """0 for Black, 1 for White."""
        return int(state[self.model.area + MOVER] < 0.0)

    def check_action(self, state: Array, action: Array) -> Array:
        """The move, if it is legal."""
        return np.array([float(check_move(self.model, state, action))])

    def step(self, state: Array, action: Array, rng: Rng) -> Step:
        """Play a move; at the end the details are the points by which Black leads, komi included."""
        model = self.model
        after = np.empty(model.state_dim)
        reward, over = model.step(state, action, after, model.params, rng)
        if not over:
            return Step(after, None)
        area = count_area(np.empty(workspace_of(model.size), np.int32), after, model.size)
        return Step(after, 0.5 + 0.5 * reward, area - model.komi)

    def facts(self, scheduled: ScheduledGame) -> dict[str, Any]:
        """The identity of a scheduled game: its sides, the seed and its numbers."""
        sides = [list(side) for side in scheduled.sides]
        return {"sides": sides, "seed": scheduled.seed, "pair": scheduled.pair, "number": scheduled.number}

    def record(self, scheduled: ScheduledGame, moves: Sequence[Move], forfeit: Forfeit | None) -> GoRecord:
        """The moves and the result."""
        played = tuple(
            RecordedMove(
                move.player,
                int(move.action[0]),
                move.value if math.isfinite(move.value) else None,
                move.simulations,
                move.seconds,
            )
            for move in moves
        )
        if forfeit is not None:
            winner, how = "WB"[forfeit.player == 1], "R" if forfeit.is_resignation else "F"
            value, result = float(forfeit.player), f"{winner}+{how}"
        else:
            value, lead = moves[-1].step.value or 0.0, moves[-1].step.details
            result = "0" if lead == 0.0 else f"{'B' if lead > 0.0 else 'W'}+{abs(lead):g}"
        black, white = (side.planner for side in scheduled.sides)
        reason = None if forfeit is None or forfeit.is_resignation else str(forfeit)
        return GoRecord(self.model, (black, white), self.facts(scheduled), played, value, result, reason)

    def is_record_of(self, found: GoRecord, scheduled: ScheduledGame) -> bool:
        """True if the game on record is the scheduled one."""
        return found.model == self.model and found.facts == self.facts(scheduled)

    def summary(self, found: GoRecord) -> GameSummary:
        """Result, forfeit and moves."""
        if found.value is None:
            raise ValueError("the game has no result")
        winner = None if found.value == 0.5 else int(found.value < 0.5)
        moves = tuple((move.player, move.seconds, move.simulations) for move in found.moves)
        return GameSummary(found.value, winner, found.forfeit, moves)

    def length(self, found: GoRecord) -> int:
        """The number of moves."""
        return len(found.moves)

    def picture(self, found: GoRecord, advance: Callable[[], None]) -> tuple[str, str | None]:
        """The page of `go.page`."""
        from bonspiel.go.games.page import page_of  # not for workers, which draw no pages

        warning = f"the record breaks off after move {len(found.moves)}" if found.breaks_off else None
        return page_of(found, advance), warning
