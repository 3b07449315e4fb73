"""The interface of a two-player game to tournaments, and the registry of games, which packages add by entry points."""

import math
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Planner
from bonspiel.planners.registry import Registry
from bonspiel.runs.experiment import RunError
from bonspiel.runs.runner.episode import budget_of

GAMES = Registry(
    "game",
    {},
    group="bonspiel.games",
    members=("make_player", "initial_state", "step", "record"),
    functions=("GAMES.parse", "GAMES.make"),
)


CLOCK = "s a game"


class Side(NamedTuple):
    """A planner's text and its budget.

    The `unit` is "simulations" or "ms" for a decision, or CLOCK, seconds for all decisions of a game.
    """

    planner: str
    budget: int | float
    unit: str

    @property
    def allowance(self) -> str:
        """The budget in words."""
        return "1 simulation" if self[1:] == (1, "simulations") else f"{self.budget:.12g} {self.unit}"

    def limit(self) -> Budget:
        """The budget as planners take it."""
        return budget_of(self.budget, self.unit)


class ScheduledGame(NamedTuple):
    """A game to be played."""

    sides: tuple[Side, Side]  # player 0 and player 1
    seed: int  # of the tournament
    pair: int  # number of the pair of games in which the sides swap places and chance repeats itself
    number: int  # of the game among those of its two sides


class Step(NamedTuple):
    """The outcome of a move."""

    state: Array  # the next state
    value: float | None  # player 0's result, 0 to 1, if the game is over; else None
    details: Any = None  # further facts for the record


class Move(NamedTuple):
    """A move that was played."""

    player: int  # 0 or 1
    state: Array  # before the move
    action: Array  # as chosen
    value: float  # the player's own estimate of its return, NaN without one
    simulations: int  # run for the decision
    seconds: float  # wall-clock time of the decision
    step: Step


class Forfeit(Exception):
    """A player gave no action that can be played; the message is the reason.

    Args:
        player: the loser, 0 or 1.
        reason: in one line.
        is_resignation: it gave the game up, as the rules allow.
    """

    def __init__(self, player: int, reason: str, is_resignation: bool = False) -> None:
        super().__init__(reason)
        self.player, self.is_resignation = player, is_resignation


class Resignation(Exception):
    """A player's planner gives the game up."""


class GameSummary(NamedTuple):
    """The facts of a recorded game that tables and ratings are made of."""

    value: float  # player 0's result, 0 to 1
    winner: int | None  # 0 or 1; None for a draw
    forfeit: str | None  # why the loser forfeited; None if the game was played to its end
    moves: tuple[tuple[int, float, int], ...]  # (player, seconds, simulations) of every move

    def value_for(self, player: int) -> float:
        """The result of a player, 0 to 1."""
        return self.value if player == 0 else 1.0 - self.value


class TwoPlayerGame(Hashable, Protocol):
    """A game of player 0 against player 1: a frozen dataclass whose fields are the game's parameters.

    States and actions are those of `model`, so that every planner can play. Records are objects of any type; a file
    holds one.
    """

    @property
    def title(self) -> str:
        """The game in a few words, for charts."""

    @property
    def roles(self) -> tuple[str, str]:
        """Names of the two players' roles, such as ("Black", "White")."""

    @property
    def suffix(self) -> str:
        """Ending of the names of record files, such as ".jsonl"."""

    @property
    def model(self) -> Model:
        """The model for planners, with `player`; its `actions`, if any, are the legal or the candidate actions."""

    def make_player(self, text: str) -> Planner:
        """A player from its text on the command line.

        Raises:
            ValueError: unknown, or a parameter is out of range.
        """

    def initial_state(self, rng: Rng) -> Array:
        """The state before the first move."""

    def player(self, state: Array) -> int:
        """The player to move, 0 or 1."""

    def check_action(self, state: Array, action: Array) -> Array:
        """The action as it is played.

        Raises:
            ValueError: it is illegal; the message names the rule or the bound.
        """

    def step(self, state: Array, action: Array, rng: Rng) -> Step:
        """Play a legal action; `rng` draws the chance of this move."""

    def record(self, scheduled: ScheduledGame, moves: Sequence[Move], forfeit: Forfeit | None) -> Any:
        """The record of a game that is over, or that a player forfeited after these moves."""

    def write(self, file: Path, record: Any) -> None:
        """Write a record; the file gets its name when it is complete."""

    def read(self, file: Path, partial: bool = False) -> Any:
        """Read a record; one that breaks off only if `partial`.

        Raises:
            ValueError: the file is no record of this game.
        """

    def is_record_of(self, record: Any, scheduled: ScheduledGame) -> bool:
        """True if this scheduled game is the recorded one."""

    def summary(self, record: Any) -> GameSummary:
        """The facts of a complete record.

        Raises:
            ValueError: the game has no result.
        """

    def length(self, record: Any) -> int:
        """The number of moves on record."""

    def picture(self, record: Any, advance: Callable[[], None]) -> tuple[str, str | None]:
        """A self-contained HTML page of a record, which may break off; and a warning to the reader where it is needed.

        `advance` is called after every move that is drawn.

        Raises:
            ValueError: a move on record is not possible.
        """


def player_to_move(game: TwoPlayerGame, model: Model, state: Array) -> int:
    """The player to move, 0 or 1, on whom a game and its model must agree: planners would play for the other side.

    Raises:
        RunError: they do not, or there is no such player.
    """
    name, of_model = type(game).__name__, getattr(model, "player", None)
    if of_model is None:
        raise RunError(f"{name} has a model without `player`: must have it, 1 for player 0 and -1 for player 1")
    player, sign = game.player(state), float(of_model(state, model.params))
    if player not in (0, 1) or sign != 1.0 - 2.0 * player:
        wrong = f"says player {player} is to move, and its model's player is {sign:g}"
        raise RunError(f"{name} {wrong}: must be 0 and 1, or 1 and -1, for the player to move")
    return player


def result(game: TwoPlayerGame, value: float) -> float:
    """Player 0's result.

    Raises:
        RunError: it is no number from 0 to 1.
    """
    if not (math.isfinite(value) and 0.0 <= value <= 1.0):
        raise RunError(f"{type(game).__name__} gives player 0 the result {value:g}: must be from 0 to 1")
    return value


def summary(game: TwoPlayerGame, record: Any) -> GameSummary:
    """The facts of a complete record.

    Raises:
        RunError: its result is no number from 0 to 1, or not that of its winner.
        ValueError: the game has no result.
    """
    found = game.summary(record)
    value = result(game, found.value)
    if found.winner is not None and (value == 0.5 or found.winner != int(value < 0.5)):
        wrong = f"gives a game with the result {value:g} the winner {found.winner}"
        raise RunError(f"{type(game).__name__} {wrong}: must be 0 above 0.5, 1 below it; None for a draw")
    return found
